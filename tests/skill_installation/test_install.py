"""A skill is installed once its tests hold, nothing conflicts, and what it asks for is granted."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner

from assistant.backup.archive import write_archive
from assistant.backup.contents import gather as gather_backup
from assistant.backup.restore import prepared
from assistant.cli.shared.output import progress
from assistant.cli.skills import app
from assistant.core.config import load_config
from assistant.core.errors import InputError, SkillError
from assistant.core.layout import QUARANTINE_FILE, STATE_FILE
from assistant.skill.storage import Storage
from assistant.skill_development.package import write_package
from assistant.skill_installation.install import ConflictError, FailedTestsError, install
from skills.capabilities.values import SkillValues
from skills.isolation.installed import Installed, installed_skills, read_record
from skills.isolation.quarantine import STRIKES, Quarantine
from skills.registry import load_registry
from skills.state import open_state
from tests.support.installing import put
from tests.support.wheels import TESTS, make_wheel, skill_files, written

pytestmark = pytest.mark.usefixtures("sentences_alone")

REPOSITORY = Path(__file__).resolve().parents[2]
WATERING = REPOSITORY / "examples" / "skills" / "watering"
INIT, FILES = "tides/__init__.py", skill_files()
runner = CliRunner()


class Machine:
    """Settings and a state folder in which skills are installed; `asked` is what consent is for."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.settings, self.state = folder, folder / "config.toml", folder / "state"
        self.configure()
        self.asked: list[tuple[str, tuple[str, ...]]] = []
        self.consents = False

    def configure(self, more: str = "") -> None:
        self.settings.write_text(
            f'[storage]\nstate = "{self.state}"\nruntime = "{self.folder}/run"\n{more}'
        )

    def install(self, source: Path | str, *given: str) -> Installed:
        config, _ = load_config((self.settings,))
        return install(str(source), config, given, self._consent, progress)

    def refuses(self, source: Path | str, why: str, *given: str) -> SkillError:
        """It is refused, and then all is as it was."""
        before = self.files()
        with pytest.raises(SkillError, match=why) as refused:
            self.install(source, *given)
        assert self.files() == before
        return refused.value

    def run(self, *arguments: str) -> str:
        done = runner.invoke(app, [*arguments, "--config", str(self.settings)])
        assert done.exit_code == 0, done.output
        return done.stdout

    @property
    def installed(self) -> dict[str, Installed]:
        return {record.name: record for _, record in installed_skills(self.state)}

    def files(self) -> dict[str, bytes]:
        files = (f for f in self.state.rglob("*") if f.is_file() and f.name != ".lock")
        return {str(f.relative_to(self.state)): f.read_bytes() for f in files}

    def _consent(self, skill: str, permissions: Sequence[str]) -> bool:
        self.asked.append((skill, tuple(permissions)))
        return self.consents


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheels of the example and of a new package, as the build backend makes them."""
    folder = tmp_path_factory.mktemp("wheels")
    shutil.copytree(WATERING, folder / "watering", ignore=shutil.ignore_patterns("__pycache__"))
    write_package("plants", folder)
    build = ("pip", "wheel", "-q", "--no-build-isolation", "--no-deps", "--no-index", "-w", "out")
    subprocess.run([sys.executable, "-m", *build, "./watering", "./plants"], cwd=folder, check=True)
    return folder / "out"


def test_the_example_is_installed_as_a_folder_and_as_a_wheel(
    machine: Machine, wheels: Path, cache: Path
) -> None:
    # Few sentences: what recognition needs of them is made in a moment.
    others = [manifest.name for manifest in load_registry().manifests]
    machine.configure(f"[skills]\ndisabled = {others}\n")
    machine.refuses(WATERING, "asks for storage, announcements; .* --grant storage,announcements")
    assert machine.asked == [("watering", ("storage", "announcements"))]
    record = machine.install(WATERING, "storage", "announcements")
    assert (record.name, record.version) == ("watering", "1.0")
    (wheel,) = wheels.glob("watering*.whl")
    (machine.folder / "run").mkdir()
    (machine.folder / "run" / "control.sock").touch()
    before = set((cache / "asr").glob("*.fsg"))
    record = machine.install(wheel)  # what was granted before is granted
    # What a running assistant needs of it is in the cache, which keeps few.
    assert set((cache / "asr").glob("*.fsg")) - before
    assert machine.installed == {"watering": record}
    assert list(record.wheels) == [wheel.name]
    assert record.granted == ("storage", "announcements")
    (found,) = [
        skill
        for skill in msgspec.json.decode(machine.run("list", "--json"))["skills"]
        if skill["name"] == "watering"
    ]
    assert (found["version"], "NoteWatering" in found["intents"]) == ("1.0", True)
    assert "may use: storage, announcements" in machine.run("grant", "watering")


def test_the_wheel_of_a_new_package_is_installed_and_begins_anew(
    machine: Machine, wheels: Path
) -> None:
    quarantine, after = Quarantine(), Quarantine()
    machine.state.mkdir()
    quarantine.keep_in(machine.state / QUARANTINE_FILE)
    for _ in range(STRIKES):
        quarantine.strike("plants")
    (wheel,) = wheels.glob("plants*.whl")
    assert machine.install(wheel).granted == ()
    after.keep_in(machine.state / QUARANTINE_FILE)
    assert not after.holds("plants")


def test_a_skill_whose_own_tests_fail_is_refused(machine: Machine) -> None:
    wrong = TESTS.replace("At noon", "At midnight").encode()
    wheel = make_wheel(machine.folder, FILES | {"tides/tests.yaml": wrong})
    error = machine.refuses(wheel, "tides: not installed: its own tests fail")
    assert isinstance(error, FailedTestsError)
    assert [one.expected for one in error.found] == ["… At midnight …"]


def test_a_skill_without_tests_is_refused(machine: Machine) -> None:
    files = dict(FILES)
    del files["tides/tests.yaml"]
    with pytest.raises(InputError, match=r"tests\.yaml: No such file"):
        machine.install(make_wheel(machine.folder, files))
    assert machine.installed == {}


def test_a_skill_whose_sentences_are_others_too_is_refused(machine: Machine) -> None:
    files = dict(FILES)
    files[INIT] = files[INIT].replace(b'{place}"', b'{place}", "what time is it"')
    error = machine.refuses(make_wheel(machine.folder, files), "its sentences are faulty")
    assert isinstance(error, ConflictError)
    told = {(c.sentence, c.other_skill) for report in error.found.skills for c in report.conflicts}
    assert ("what time is it", "clock") in told


def test_a_skill_that_does_harm_when_imported_does_none_to_who_installs_it(
    machine: Machine,
) -> None:
    harm = f"import os; os.mkdir({str(machine.folder / 'harm')!r})\n".encode()
    files = dict(FILES)
    machine.refuses(make_wheel(machine.folder, files | {INIT: harm + files[INIT]}), "Error")
    assert not (machine.folder / "harm").exists()
    exec(harm, {})  # the control: what is not confined does it
    assert (machine.folder / "harm").exists()


def test_what_is_asked_for_may_be_granted_when_asked(machine: Machine) -> None:
    machine.consents = True
    wheel = make_wheel(machine.folder, skill_files(permissions=["timers", "home:light"]))
    assert machine.install(wheel, "timers").granted == ("timers", "home:light")
    assert machine.asked == [("tides", ("home:light",))]
    # A version that asks for more is asked about that alone.
    machine.consents = False
    more = skill_files(permissions=["timers", "home"])
    machine.refuses(make_wheel(machine.folder, more, version="2.0"), "asks for home; to grant")
    assert machine.installed["tides"].version == "1.0"


def test_what_the_settings_grant_counts_before(machine: Machine) -> None:
    machine.configure('[skills.grants]\ntides = ["timers"]\n')
    wheel = make_wheel(machine.folder, skill_files(permissions=["timers", "lists"]))
    machine.refuses(wheel, r"asks for lists; the settings grant it less", "timers", "lists")


@pytest.mark.parametrize(
    ("permissions", "why"), [(["timer"], 'did you mean "timers"'), (["files:x"], "names no file")]
)
def test_a_permission_that_there_is_not_is_told(
    machine: Machine, permissions: list[str], why: str
) -> None:
    wheel = make_wheel(machine.folder, skill_files(permissions=permissions))
    machine.refuses(wheel, why)
    machine.refuses(
        make_wheel(machine.folder, skill_files(permissions=["timers"])), why, *permissions
    )


def test_a_wheel_and_its_facts_have_one_name(machine: Machine) -> None:
    points = "[assistant.skills]\nwaves = tides:skill\n"
    machine.refuses(make_wheel(machine.folder, skill_files(), points=points), "calls it tides, not")


def test_the_name_of_a_skill_in_the_settings_is_taken(machine: Machine) -> None:
    folder = written(skill_files(), machine.folder / "own")
    machine.configure(f'[skills]\nfolders = ["{folder}"]\n')
    machine.refuses(make_wheel(machine.folder, FILES), "stands in skills.folders")


def test_what_is_removed_leaves_what_it_keeps(machine: Machine) -> None:
    put(machine.state, make_wheel(machine.folder, FILES))
    with closing(open_state(machine.state / STATE_FILE)) as state:
        Storage(SkillValues(state, "tides")).set("spot", 3)
        told = machine.run("remove", "tides")  # also while an assistant uses the state
    assert "It keeps " in told
    assert "skills forget tides" in told
    assert machine.installed == {}
    done = runner.invoke(app, ["remove", "tides", "--config", str(machine.settings)])
    assert isinstance(done.exception, InputError)
    assert 'no skill "tides" is installed' in done.exception.message


def test_a_backup_holds_what_is_installed(machine: Machine) -> None:
    record = read_record(put(machine.state, make_wheel(machine.folder, FILES)))
    config, archive = load_config((machine.settings,))[0], machine.folder / "hark.tar.gz"
    gathered = machine.folder / "gathered"
    gathered.mkdir()
    gather_backup(config, (machine.settings,), gathered)
    write_archive(gathered, archive, datetime(2026, 3, 1, tzinfo=UTC))
    (machine.state / STATE_FILE).touch()
    put(machine.state, make_wheel(machine.folder, FILES, version="2.0"))
    waves = {n.replace("tides", "waves"): c.replace(b"tide", b"wave") for n, c in FILES.items()}
    put(machine.state, make_wheel(machine.folder, waves, name="waves"))
    assert set(machine.installed) == {"tides", "waves"}
    with prepared(archive, machine.settings, "now") as ready:
        ready.carry_out()
    assert machine.installed == {"tides": record}


def test_a_link_among_installed_skills_is_not_followed(machine: Machine) -> None:
    put(machine.state, make_wheel(machine.folder, FILES))
    inner = machine.state / "skills/tides/files/tides"
    inner.rename(machine.folder / "elsewhere")
    inner.symlink_to(machine.folder / "elsewhere")
    config, _ = load_config((machine.settings,))
    (machine.folder / "gathered").mkdir()
    with pytest.raises(InputError, match="is a link"):
        gather_backup(config, (machine.settings,), machine.folder / "gathered")
