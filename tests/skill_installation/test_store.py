"""An installed skill is put in place, exchanged and taken away in one step, and checked at load."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from assistant.core.config import Config, StorageSettings
from assistant.core.errors import InputError, SkillError
from assistant.core.settings.skills import SkillsSettings
from assistant.skill.testing import memory_context
from assistant.skill_installation.store import opened
from skills.isolation import sources
from skills.isolation.host import Host
from skills.isolation.installed import (
    FILES,
    RECORD,
    Installed,
    installed_skills,
    read_record,
    with_installed,
)
from tests.support.installing import put
from tests.support.isolated_skills import call
from tests.support.wheels import make_wheel, skill_files

OLD, NEW = skill_files(), skill_files(permissions=["timers"])


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    return make_wheel(tmp_path / "wheels", OLD)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


def test_what_is_installed_is_recorded_and_for_its_user_alone(state: Path, wheel: Path) -> None:
    folder = put(state, wheel)
    ((found, record),) = installed_skills(state)
    assert found == folder == state / "skills" / "tides"
    assert (record.name, record.version, record.granted) == ("tides", "1.0", ())
    assert list(record.wheels) == [wheel.name]
    assert set(record.files) == set(OLD)
    assert {f.stat().st_mode & 0o077 for f in (state, state / "skills", folder)} == {0}
    assert [f.name for f in (state / "skills").iterdir() if f.name != ".lock"] == ["tides"]


def test_it_runs_from_there_with_what_it_was_granted(state: Path, tmp_path: Path) -> None:
    wheel = make_wheel(tmp_path, skill_files(permissions=["timers"]))
    config = Config(storage=StorageSettings(state=str(state)))
    put(state, wheel, "timers")
    skills = with_installed(config).skills
    assert (skills.folders, skills.grants) == (
        (str(state / "skills/tides"),),
        {"tides": ("timers",)},
    )
    skill = Host(skills.grants).load(Path(skills.folders[0]))
    assert skill.name == "tides"
    skill.close()
    # What the settings grant counts before.
    own = SkillsSettings(grants={"tides": ()})
    skills = with_installed(msgspec.structs.replace(config, skills=own)).skills
    with pytest.raises(SkillError, match="asks for timers"):
        Host(skills.grants).load(Path(skills.folders[0]))


def test_modules_of_what_it_depends_on_come_over_its_socket(state: Path, tmp_path: Path) -> None:
    init = b"""
import pkgutil
from assistant.skill import Reply, Skill
from tides.inner import WORD
import moonlight.phases, sixish

skill = Skill("tides", api=1)

@skill.intent("HighTide", "high tide")
def high() -> Reply:
    data = pkgutil.get_data("moonlight", "words.txt").decode()
    return Reply(" ".join((WORD, moonlight.phases.NAME, sixish.SIX, data)))
"""
    other = {
        "moonlight/__init__.py": b"",
        "moonlight/phases.py": b"NAME = 'full'",
        "moonlight/words.txt": b"data",
        "sixish.py": b"SIX = '6'",
    }
    files = OLD | {"tides/__init__.py": init, "tides/inner.py": b"WORD = 'inner'"} | other
    folder = put(state, make_wheel(tmp_path, files))
    skill = Host().load(folder)
    assert call(skill, "HighTide", memory_context()).text == "inner full 6 data"
    skill.close()


@pytest.mark.parametrize("name", ["tides/__init__.py", "tides/pyproject.toml", "tides/tests.yaml"])
def test_a_file_that_was_changed_keeps_it_from_running(state: Path, wheel: Path, name: str) -> None:
    folder = put(state, wheel)
    with (folder / FILES / name).open("ab") as file:
        file.write(b"# more")
    with pytest.raises(
        SkillError, match=f"tides: {name} is not what was installed; .*anew"
    ) as told:
        Host().load(folder)
    assert told.value.part == "tides"
    (folder / FILES / name).write_bytes(OLD[name])
    Host().load(folder).close()  # the control


def test_a_missing_file_or_a_damaged_record_keeps_it_from_running(state: Path, wheel: Path) -> None:
    folder = put(state, wheel)
    (folder / FILES / "tides/tests.yaml").unlink()
    with pytest.raises(SkillError, match=r"tests\.yaml cannot be read"):
        Host().load(folder)
    whole = (folder / RECORD).read_bytes()
    (folder / RECORD).write_bytes(whole[:-20])
    with pytest.raises(SkillError, match=r"installed\.json cannot be read"):
        Host().load(folder)
    assert list(installed_skills(state)) == []


@pytest.mark.parametrize("name", ["../../../etc/passwd", "/etc/passwd"])
def test_a_record_names_no_files_of_others(state: Path, wheel: Path, name: str) -> None:
    folder = put(state, wheel)
    record = read_record(folder)
    odd = msgspec.structs.replace(record, files={**record.files, name: "0"})
    (folder / RECORD).write_bytes(msgspec.json.encode(odd))
    with pytest.raises(SkillError, match="not its own"):
        read_record(folder)
    for odd in (
        msgspec.structs.replace(record, name="moon"),
        msgspec.structs.replace(record, module="../x"),
    ):
        (folder / RECORD).write_bytes(msgspec.json.encode(odd))
        with pytest.raises(SkillError, match="another skill"):
            read_record(folder)


def test_a_record_of_a_later_version_is_told(state: Path, wheel: Path) -> None:
    folder = put(state, wheel)
    later = msgspec.structs.replace(read_record(folder), format=2)
    (folder / RECORD).write_bytes(msgspec.json.encode(later))
    with pytest.raises(SkillError, match="a later version of Hark"):
        read_record(folder)


def test_a_file_that_is_changed_or_added_while_it_runs_is_not_served(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    init = OLD["tides/__init__.py"].replace(
        b'return Reply("', b'import tides.late\n    return Reply("'
    )
    init = init.replace(b" in {place}", b"").replace(b"place: str", b"")
    folder = put(
        state, make_wheel(tmp_path, OLD | {"tides/__init__.py": init, "tides/late.py": b""})
    )
    skill = Host().load(folder)
    assert call(skill, "HighTide", memory_context()).text == "At noon."
    skill.close()
    (folder / FILES / "tides/late.py").write_text("1")
    with pytest.raises(SkillError, match=r"late\.py is not what was installed"):
        call(skill, "HighTide", memory_context())
    assert skill.pid is None  # and the next call begins with a new process
    monkeypatch.setattr(sources, "check_content", lambda *_: None)
    assert call(skill, "HighTide", memory_context()).text == "At noon."  # the control
    skill.close()


def test_only_one_changes_what_is_installed(state: Path, wheel: Path) -> None:
    with opened(state), pytest.raises(InputError, match="another command is changing"):
        put(state, wheel)
    put(state, wheel)  # the control


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes folders for others")
def test_root_does_not_install_for_the_service(state: Path, wheel: Path) -> None:
    state.mkdir()
    os.chown(state, 12345, 12345)
    with pytest.raises(InputError, match="sudo -u"):
        put(state, wheel)
    os.chown(state, 0, 0)
    put(state, wheel)  # the control


def test_it_is_removed_with_its_grant(state: Path, wheel: Path) -> None:
    put(state, wheel)
    with opened(state) as store:
        assert store.holds("tides")
        store.remove("tides")
        assert not store.holds("tides")
    assert [f.name for f in (state / "skills").iterdir()] == [".lock"]


KILLED = """
import os, shutil, signal, sys
from pathlib import Path
from assistant.skill_installation import store
from assistant.skill_installation.source import gather
for line in sys.stdin:
    steps = iter(range(int(line)))
    if not (child := os.fork()):
        break
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
else:
    sys.exit()
def counted(function):
    def call(*arguments, **keywords):
        if next(steps, None) is None:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*arguments, **keywords)
    return call
for name in ("exchange", "sync", "_write"):
    setattr(store, name, counted(getattr(store, name)))
store.Path.rename = counted(Path.rename)
store.shutil.rmtree = counted(shutil.rmtree)
with store.opened(Path(sys.argv[1])) as place:
    if sys.argv[3] == "remove":
        place.remove("tides")
    else:
        contents = gather(sys.argv[2])
        with place.draft(contents) as draft:
            place.grant(draft, contents, ("timers",))
            place.put(draft)
os._exit(0)
"""
"""For each line, a step, it begins a process that is killed there, and prints how that ended."""


def present(state: Path) -> Installed | None:
    """The skill as the daemon finds it, whole."""
    found = [record for _, record in installed_skills(state)]
    for record in found:
        Host({"tides": record.granted}).load(state / "skills" / "tides").close()
    return found[0] if found else None


@pytest.mark.parametrize("what", ["install", "replace", "remove"])
def test_killed_at_any_step_what_was_there_stands_or_what_is_new(
    state: Path, tmp_path: Path, wheel: Path, what: str
) -> None:
    new = make_wheel(tmp_path / "new", NEW, version="2.0")
    outcomes: list[str] = []
    command = (sys.executable, "-c", KILLED, state, new, what)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "bufsize": 1}
    with subprocess.Popen(command, **pipes) as deeds:
        for step in range(100):
            if what == "install" and (state / "skills" / "tides").exists():
                with opened(state) as store:
                    store.remove("tides")
            elif what != "install":
                put(state, wheel)
            deeds.stdin.write(f"{step}\n")
            ended = int(deeds.stdout.readline())
            found = present(state)
            version, granted = (found.version, found.granted) if found else ("", ())
            expected = {"install": ("", "2.0"), "replace": ("1.0", "2.0"), "remove": ("1.0", "")}[
                what
            ]
            assert version in expected
            assert granted == (("timers",) if version == "2.0" else ())
            outcomes.append("new" if version == expected[1] else "old")
            if ended == 0:
                break
            assert ended == -signal.SIGKILL
    # It was killed before and after the one step that counts.
    assert outcomes == sorted(outcomes, reverse=True)
    assert outcomes.count("old") > (0 if what == "remove" else 5)
    assert outcomes.count("new") > 1
    with opened(state):  # what was left is taken away
        left = {f.name for f in (state / "skills").iterdir()}
    assert left <= {".lock", "tides"}
