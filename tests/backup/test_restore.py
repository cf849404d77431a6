"""A backup is put back in one step, or not at all, and only where it belongs."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from assistant.backup import restore
from assistant.backup.archive import write_archive
from assistant.backup.contents import gather
from assistant.backup.restore import Restored, prepared
from assistant.core.config import load_config
from assistant.core.errors import InputError
from assistant.core.layout import PAIRING_FOLDER
from assistant.pairing.trust import Trust
from skills.capabilities.tables import TableFiles
from skills.state import open_state, remember_acted

MADE_AT = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
HOME = "areas:\n  - {name: Kitchen, id: kitchen}\n"
SENTENCES = "language: en\nintents: {}\n"


class Machine:
    """Settings, home, sentences and state in a folder, as one `assistant` has them."""

    def __init__(self, folder: Path, more: str = "") -> None:
        self.folder, self.state, self.settings = folder, folder / "state", folder / "config.toml"
        self.home, self.archive = folder / "home.yaml", folder / "hark.tar.gz"
        folder.mkdir(exist_ok=True)
        (folder / "sentences" / "en").mkdir(parents=True)
        (folder / "sentences" / "en" / "mine.yaml").write_text(SENTENCES)
        self.home.write_text(HOME)
        self.settings.write_text(
            f'[storage]\nstate = "{self.state}"\n[home]\nfile = "{self.home}"\n'
            f'[nlu]\ncustom_sentences = "{folder / "sentences"}"\n{more}'
        )
        for name in ("models/reader", "wake", "recordings"):
            (self.state / name).mkdir(parents=True)
        (self.state / "models" / "reader" / "weights").write_text("large")
        (self.state / "wake" / "hey.npz").write_text("numbers")
        (self.state / "recordings" / "u1.wav").write_text("sound")
        (self.state / "recordings" / "examples").write_text("{}\n")
        (self.state / "heard").write_text("ring-1\n")
        (self.state / "calendar.ics").write_text("BEGIN:VCALENDAR\nEND:VCALENDAR\n")
        (self.state / "knowledge.faiss").write_text("an index")
        (self.state / "daemon.lock").touch()
        self.act("first")

    def act(self, name: str) -> None:
        with closing(open_state(self.state / "state.db")) as state:
            remember_acted(state, name)

    @property
    def acted(self) -> list[str]:
        with closing(open_state(self.state / "state.db")) as state:
            return [name for (name,) in state.execute("SELECT * FROM acted ORDER BY rowid")]

    def back_up(self, *, recordings: bool = False, secrets: bool = False) -> list[str]:
        config, _ = load_config((self.settings,))
        into = self.folder / "gathered"
        into.mkdir()
        chosen = {"recordings": recordings, "secrets": secrets}
        left_out = gather(config, (self.settings,), into, **chosen)
        write_archive(into, self.archive, MADE_AT)
        shutil.rmtree(into)
        return left_out

    def spoil(self, name: str, *statements: str, content: bytes = b"") -> None:
        """Back up, with one of the databases changed: the hashes are right all the same."""
        config, _ = load_config((self.settings,))
        with tempfile.TemporaryDirectory() as folder:
            into = Path(folder, "gathered")
            into.mkdir()
            gather(config, (self.settings,), into)
            database = into / "state" / name
            if content:
                database.write_bytes(content)
            with closing(sqlite3.connect(database, isolation_level=None)) as opened:
                for statement in statements:
                    opened.execute(statement)
            write_archive(into, self.archive, MADE_AT)

    def restore(self, *, keep_settings: bool = False) -> Sequence[Restored]:
        with prepared(self.archive, self.settings, "now", keep_settings=keep_settings) as ready:
            return ready.carry_out()

    def refuses(self, why: str) -> None:
        """It is refused, and then all is as it was."""
        before = self.files()
        with pytest.raises(InputError, match=why):
            self.restore()
        assert self.files() == before

    def files(self) -> dict[str, bytes]:
        files = (f for f in self.folder.rglob("*") if f.is_file())
        return {str(f.relative_to(self.folder)): f.read_bytes() for f in files}


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path / "machine")


def test_what_was_there_at_the_time_is_there_again_and_what_was_here_is_kept(
    machine: Machine,
) -> None:
    machine.back_up()
    machine.act("second")
    machine.home.write_text("areas: []\n")
    (machine.state / "wake" / "other.npz").write_text("new")
    settings = machine.settings.read_text()
    machine.settings.write_text(f"# changed\n{settings}")
    done = {one.target: one.previous for one in machine.restore()}
    assert machine.acted == ["first"]
    assert (machine.home.read_text(), machine.settings.read_text()) == (HOME, settings)
    assert sorted(f.name for f in machine.state.iterdir()) == [
        "calendar.ics", "heard", "models", "recordings", "state.db", "state.db.lock", "wake",
    ]  # fmt: skip
    assert [f.name for f in (machine.state / "wake").iterdir()] == ["hey.npz"]
    # What a backup does not hold stays; what is made from it is made anew.
    assert (machine.state / "models" / "reader" / "weights").read_text() == "large"
    assert (machine.state / "recordings" / "u1.wav").read_text() == "sound"
    before = machine.folder / "state.before-now"
    assert done[machine.state] == before
    with closing(sqlite3.connect(before / "state.db")) as old:
        assert old.execute("SELECT count(*) FROM acted").fetchone() == (2,)
    assert done[machine.home] is not None
    assert done[machine.home].read_text() == "areas: []\n"
    assert machine.folder / "sentences" / "en" / "mine.yaml" not in done  # as it was


def note(machine: Machine, height: float) -> None:
    with closing(open_state(machine.state / "state.db")) as state:
        tables = TableFiles(state).of("tides", ())
        tables.execute("CREATE TABLE IF NOT EXISTS tides (metres REAL)")
        tables.execute("INSERT INTO tides VALUES (?)", height)


def noted(machine: Machine) -> list[float]:
    with closing(open_state(machine.state / "state.db")) as state:
        tables = TableFiles(state).of("tides", ())
        return [height for (height,) in tables.execute("SELECT metres FROM tides")]


def test_the_tables_of_skills_are_those_of_that_time(machine: Machine) -> None:
    note(machine, 1.5)
    with closing(open_state(machine.state / "state.db")) as running:  # as the daemon has them open
        TableFiles(running).of("tides", ()).execute("INSERT INTO tides VALUES (2.5)")
        machine.back_up()
    note(machine, 3.5)
    machine.restore()
    assert noted(machine) == [1.5, 2.5]
    before = machine.folder / "state.before-now" / "skills" / "tides.db"
    with closing(sqlite3.connect(before)) as old:
        assert old.execute("SELECT count(*) FROM tides").fetchone() == (3,)


def test_a_link_in_place_of_tables_is_no_part_of_a_backup(machine: Machine) -> None:
    note(machine, 1.5)
    (machine.folder / "secret.db").write_text("key")
    (machine.state / "skills" / "moon.db").symlink_to(machine.folder / "secret.db")
    with pytest.raises(InputError, match="is no plain file"):
        machine.back_up()


def test_what_was_lost_stays_with_the_state_that_it_was_lost_from(machine: Machine) -> None:
    machine.back_up()
    (machine.state / "state.db").write_bytes(b"rubbish " * 999)
    assert machine.acted == []
    *_, state = machine.restore()
    assert machine.acted == ["first"]
    assert not list(machine.state.glob("state.db.damaged*"))
    assert state.previous is not None
    assert list(state.previous.glob("state.db.damaged-1"))


def test_models_on_another_disk_stay_there(machine: Machine) -> None:
    machine.back_up()
    elsewhere = machine.folder / "disk"
    (machine.state / "models").rename(elsewhere)
    (machine.state / "models").symlink_to(elsewhere)
    machine.restore()
    assert (machine.state / "models").readlink() == elsewhere
    assert (elsewhere / "reader" / "weights").read_text() == "large"


def test_on_an_empty_machine_all_is_made(machine: Machine) -> None:
    machine.back_up()
    for path in (machine.state, machine.folder / "sentences"):
        shutil.rmtree(path)
    machine.home.unlink()
    machine.settings.unlink()
    assert {one.previous for one in machine.restore()} == {None}
    assert machine.acted == ["first"]
    assert (machine.folder / "sentences" / "en" / "mine.yaml").read_text() == SENTENCES
    assert {f.stat().st_mode & 0o077 for f in (machine.state, *machine.state.glob("*/*"))} == {0}
    assert not (machine.state / "models").exists()


def test_recordings_and_secrets_are_left_out_unless_asked_for(tmp_path: Path) -> None:
    password = tmp_path / "machine" / "mqtt.password"
    machine = Machine(tmp_path / "machine", f'[mqtt]\npassword_file = "{password}"\n')
    password.write_text("hush")
    told = " ".join(machine.back_up())
    for words in ("models pull", "--recordings", "--secrets"):
        assert words in told
    machine.archive.unlink()
    told = " ".join(machine.back_up(recordings=True, secrets=True))
    assert "--recordings" not in told
    assert "--secrets" not in told
    password.unlink()
    (machine.state / "recordings" / "u1.wav").unlink()
    machine.restore()
    assert (password.read_text(), password.stat().st_mode & 0o777) == ("hush", 0o600)
    assert (machine.state / "recordings" / "u1.wav").read_text() == "sound"


def test_pairings_are_left_out_and_stay(machine: Machine) -> None:
    assert not any("pair" in line for line in machine.back_up())
    machine.archive.unlink()
    trust = Trust(machine.state / PAIRING_FOLDER)
    trust.satellite("kitchen").keep(b"x")
    told = machine.back_up()
    assert any("assistant pair makes them anew" in line for line in told)
    machine.restore()
    assert trust.satellite("kitchen").stamp is not None


def test_a_calendar_of_the_users_own_is_there_again(tmp_path: Path) -> None:
    calendar = tmp_path / "machine" / "home.ics"
    machine = Machine(tmp_path / "machine", f'[calendar]\nfile = "{calendar}"\n')
    machine.back_up()  # nothing was added yet, so that there is no file
    machine.archive.unlink()
    calendar.write_text("BEGIN:VCALENDAR\nEND:VCALENDAR\n")
    machine.back_up()
    calendar.write_text("nonsense")
    machine.restore()
    assert calendar.read_text() == "BEGIN:VCALENDAR\nEND:VCALENDAR\n"


def test_settings_can_be_kept(machine: Machine) -> None:
    machine.back_up()
    machine.act("second")
    machine.home.write_text("areas: []\n")
    (done,) = machine.restore(keep_settings=True)
    assert (done.target, machine.acted, machine.home.read_text()) == (
        machine.state, ["first"], "areas: []\n",
    )  # fmt: skip


def test_while_an_assistant_uses_the_state_it_is_refused(machine: Machine) -> None:
    machine.back_up()
    with closing(open_state(machine.state / "state.db")):
        machine.refuses("stop it")
    machine.restore()  # the control


def test_a_schema_of_a_later_version_is_refused(machine: Machine) -> None:
    with closing(open_state(machine.state / "state.db")) as state:
        state.execute("INSERT INTO migrations VALUES ('create_telepathy')")
    machine.back_up()
    machine.refuses("create_telepathy.*update Hark")


ENDLESS = "WITH RECURSIVE a(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM a) SELECT count(*) FROM a"


def test_views_and_triggers_that_are_none_of_ours_are_refused(machine: Machine) -> None:
    machine.spoil("state.db", f"CREATE TRIGGER t AFTER INSERT ON acted BEGIN {ENDLESS}; END")
    machine.refuses("state.db has views or triggers that are none of Hark's")
    machine.spoil(
        "state.db", "ALTER TABLE migrations RENAME TO m", f"CREATE VIEW migrations AS {ENDLESS}"
    )
    machine.refuses("state.db: cannot be read")
    machine.spoil("state.db", "DELETE FROM migrations", "INSERT INTO migrations VALUES ('\x1b[2J')")
    machine.refuses("written by a later version")


def test_tables_of_skills_that_are_garbage_are_refused(machine: Machine) -> None:
    note(machine, 1.5)
    sound = (machine.state / "skills" / "tides.db").read_bytes()
    for garbage in (b"rubbish " * 999, sound[:100] + b"\xff" * (len(sound) - 100)):
        machine.spoil("skills/tides.db", content=garbage)
        machine.refuses("tides.db: cannot be read")
    # What a skill has made of its own tables is its affair: it ends with the skill's process.
    machine.spoil("skills/tides.db", f"CREATE VIEW endless AS {ENDLESS}")
    machine.restore()
    assert noted(machine) == [1.5]


def test_an_earlier_schema_is_brought_up_to_date_at_the_next_start(machine: Machine) -> None:
    with closing(open_state(machine.state / "state.db")) as state:
        state.execute("DROP TABLE plan_reports")
        state.execute("DELETE FROM migrations WHERE name = 'create_reports'")
    machine.back_up()
    machine.restore()
    with closing(open_state(machine.state / "state.db")) as state:
        assert state.execute("SELECT count(*) FROM plan_reports") == [(0,)]


@pytest.mark.parametrize("place", ["/elsewhere/home.yaml", "state/home.yaml"])
def test_an_archive_does_not_choose_what_is_overwritten(tmp_path: Path, place: str) -> None:
    machine = Machine(tmp_path / "machine")
    settings = machine.settings.read_text()
    elsewhere = (machine.folder / place) if place[0] != "/" else tmp_path / place[1:]
    elsewhere.parent.mkdir(exist_ok=True)
    elsewhere.write_text(HOME)
    machine.settings.write_text(settings.replace(str(machine.home), str(elsewhere)))
    machine.back_up()
    machine.settings.write_text(settings)
    if os.geteuid() == 0:  # else what lies in the user's own home folder may be written
        machine.refuses("home.file.*--keep-settings")
    machine.settings.write_text(settings.replace(str(machine.home), str(elsewhere)))
    if place[0] == "/":
        machine.restore()  # the control: the settings here name it, too


@pytest.mark.parametrize(
    ("setting", "line"),
    [
        ("storage.state", '[storage]\nstate = "{there}"\n'),
        ("storage.models", '[storage]\nstate = "{state}"\nmodels = "{there}"\n'),
        ("storage.cache", '[storage]\nstate = "{state}"\ncache = "{state}/../../x"\n'),
        ("metrics.textfile", '[storage]\nstate = "{state}"\n[metrics]\ntextfile = "{there}"\n'),
        ("calendar.file", '[storage]\nstate = "{state}"\n[calendar]\nfile = "{there}"\n'),
    ],
)
def test_settings_that_point_elsewhere_are_refused(tmp_path: Path, setting: str, line: str) -> None:
    machine = Machine(tmp_path / "machine")
    good = machine.settings.read_text()
    there = tmp_path / "cron.d" / "x"
    machine.settings.write_text(line.format(state=machine.state, there=there))
    if setting == "storage.state":
        shutil.copytree(machine.state, there)
    machine.back_up()
    shutil.rmtree(there, ignore_errors=True)
    machine.settings.write_text(good)
    if os.geteuid() == 0:  # else what lies in the user's own home folder may be written
        machine.refuses(f"{setting}: .*x lies outside.*--keep-settings")
        assert not there.exists()
    machine.settings.write_text(line.format(state=machine.state, there=there))
    machine.restore()  # the control: the settings here name it, too


def test_a_folder_of_other_things_is_not_replaced(machine: Machine) -> None:
    machine.back_up()
    shutil.rmtree(machine.state)
    machine.state.mkdir()
    (machine.state / "thesis.txt").write_text("years of work")
    machine.refuses("other things")


def test_settings_that_are_wrong_here_are_refused(machine: Machine) -> None:
    machine.home.write_text("areas: 7\n")
    machine.back_up()
    machine.home.write_text(HOME)
    machine.refuses("keep-settings")


def test_a_failed_exchange_takes_the_others_back(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.back_up()
    machine.act("second")
    machine.home.write_text("areas: []\n")

    def exchange(one: Path, other: Path) -> None:
        if other == machine.state:
            raise OSError(18, "Invalid cross-device link")
        original(one, other)

    original = restore.exchange
    monkeypatch.setattr(restore, "exchange", exchange)
    machine.refuses("in one step: Invalid cross-device link")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_root_leaves_the_state_to_whom_it_belongs(machine: Machine) -> None:
    for path in (machine.state, *machine.state.rglob("*")):
        os.chown(path, 12345, 12346)
    machine.back_up()
    machine.restore()
    owners = {(f.stat().st_uid, f.stat().st_gid) for f in machine.state.rglob("*")}
    assert owners == {(12345, 12346)}
    before = machine.folder / "state.before-now"
    assert {f.stat().st_uid for f in before.rglob("*")} == {12345}  # also what SQLite has made


@pytest.mark.parametrize("name", ["heard", "state.db", "wake", "recordings"])
def test_a_link_in_the_state_is_not_followed(machine: Machine, name: str) -> None:
    elsewhere = machine.folder / "elsewhere"
    (machine.state / name).rename(elsewhere)
    (machine.state / name).symlink_to(elsewhere)
    with pytest.raises(InputError, match=name):
        machine.back_up()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root takes another user's place")
def test_who_may_not_read_the_state_is_told_to_use_sudo(tmp_path: Path) -> None:
    config, _ = load_config()
    with tempfile.TemporaryDirectory() as folder:  # pytest's own are closed to other users
        os.chmod(folder, 0o777)
        state = Path(folder) / "state"
        state.mkdir(mode=0o700)
        storage = msgspec.structs.replace(config.storage, state=str(state))
        closed = msgspec.structs.replace(config, storage=storage)
        os.seteuid(12345)
        try:
            with pytest.raises(InputError, match="state: Permission denied; run: sudo assistant"):
                gather(closed, (), Path(folder) / "gathered")
        finally:
            os.seteuid(0)


KILLED = """
import os, signal, sys
from pathlib import Path
from assistant.backup import restore
steps = iter(range(int(sys.argv[3])))
def counted(function):
    def call(*arguments, **keywords):
        if next(steps, None) is None:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*arguments, **keywords)
    return call
for name in ("exchange", "sync"):
    setattr(restore, name, counted(getattr(restore, name)))
restore.os.rename = counted(os.rename)
restore.os.link = counted(os.link)
with restore.prepared(Path(sys.argv[1]), Path(sys.argv[2]), "now") as ready:
    ready.carry_out()
"""


def test_killed_at_any_step_the_old_state_stands_or_the_new_one(machine: Machine) -> None:
    machine.back_up()
    outcomes: list[str] = []
    for step in range(100):
        for left in {*machine.folder.glob("*-now"), *machine.folder.glob(".*-now")}:
            shutil.rmtree(left) if left.is_dir() else left.unlink()
        machine.home.write_text("areas: []\n")
        machine.act("second")
        command = (sys.executable, "-c", KILLED, machine.archive, machine.settings, str(step))
        ended = subprocess.run(command, capture_output=True)
        outcomes.append("new" if machine.acted == ["first"] else "old")
        assert machine.acted in (["first"], ["first", "second"])
        assert machine.home.read_text() in (HOME, "areas: []\n")
        assert (machine.state / "models" / "reader" / "weights").read_text() == "large"
        if ended.returncode == 0:
            break
        assert ended.returncode == -signal.SIGKILL, ended.stderr
    # It was killed before and after the one step that counts, which is never undone.
    assert outcomes == sorted(outcomes, reverse=True)
    assert outcomes.count("old") > 3
    assert outcomes.count("new") > 2


def test_killed_at_random_the_old_state_stands_or_the_new_one(machine: Machine) -> None:
    with closing(open_state(machine.state / "state.db")) as state:
        state.execute("CREATE TABLE ballast AS SELECT randomblob(8000000) AS b")
    machine.back_up()
    command = (
        *(sys.executable, "-m", "assistant", "restore", machine.archive, "--yes"),
        *("--config", machine.settings),
    )
    began_s = time.monotonic()
    subprocess.run(command, check=True, capture_output=True)
    whole_s = time.monotonic() - began_s
    for seed in range(8):
        machine.act("second")
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(whole_s * random.Random(seed).uniform(0.4, 1.0))
        process.kill()
        process.wait()
        assert machine.acted in (["first"], ["first", "second"])
        assert (machine.state / "models" / "reader" / "weights").read_text() == "large"
