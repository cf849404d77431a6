"""What the daemon gives the skills of its device: backups, a voice, what became of a command."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import closing
from pathlib import Path

import pytest

from assistant.backup.archive import read_manifest
from assistant.control.client import ControlClient
from assistant.control.recollection import Account, Accounts, StageTime
from assistant.control.server import ControlServer
from assistant.core.config import load_config
from assistant.core.errors import SkillError
from assistant.core.layout import BACKUPS_FOLDER, KNOWLEDGE_FILE, STATE_FILE, VOLUME_FILE
from assistant.serving import device
from assistant.serving.device import KEPT, back_up, device_parts, recalled
from assistant.skill.device import Recalled, SlowStage
from assistant.supervision.sdnotify import SERVICE_PID, forget_other_service
from audio.mute.switch import MuteSwitch
from skills.state import open_state

BEFORE = Account(
    ago_s=5.0,
    heard="turn on the lamp",
    understood=("HassTurnOn(name=Lamp) 0.90",),
    times=(
        StageTime(stage="asr", ms=500.0, budget_ms=300.0),
        StageTime(stage="nlu", ms=20.0, budget_ms=60.0),
        StageTime(stage="total", ms=900.0, budget_ms=750.0),
    ),
)
NOW = Account(ago_s=0.1, heard="why was that slow")


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, ...]:
    """The settings of a daemon that has state."""
    state = tmp_path / "state"
    state.mkdir()
    open_state(state / STATE_FILE).close()
    file = tmp_path / "config.toml"
    file.write_text(f'[storage]\nstate = "{state}"\nruntime = "{tmp_path}"\n')
    return (file,)


def test_backups_can_be_read_and_the_newest_are_kept(
    files: tuple[Path, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "state" / BACKUPS_FOLDER
    folder.mkdir()
    for day in range(1, 6):
        (folder / f"hark-2026-01-0{day}-120000.tar.gz").write_bytes(b"old")
    (folder / "mine.tar.gz").write_bytes(b"not made here")
    made = Path(back_up(files))
    assert f"state/{STATE_FILE}" in {file.name for file in read_manifest(made).files}
    kept = sorted(file.name for file in folder.glob("hark-*"))
    assert kept[-1] == made.name
    assert len(kept) == KEPT
    assert (folder / "mine.tar.gz").exists()


def test_where_none_can_be_made_the_old_ones_stay(
    files: tuple[Path, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path / "state"
    made = Path(back_up(files))
    (state / KNOWLEDGE_FILE).write_bytes(b"1234")
    size_bytes = sum(file.stat().st_size for file in state.glob("*.db"))
    monkeypatch.setattr(device, "LARGEST_BYTES", size_bytes - 1)
    with pytest.raises(SkillError) as refused:
        back_up(files)
    assert refused.value.code == "backup.large"
    monkeypatch.setattr(device, "LARGEST_BYTES", size_bytes)
    with pytest.raises(SkillError) as refused:  # as it is no database
        back_up(files)
    assert refused.value.code == "device.backup"
    assert [file.name for file in (state / BACKUPS_FOLDER).iterdir()] == [made.name]


def test_the_voice_and_the_mute_switch_are_those_of_the_daemon(
    files: tuple[Path, ...], tmp_path: Path
) -> None:
    config, _ = load_config(files)
    parts = device_parts(config, files)
    parts.speak_at(70)
    assert (tmp_path / "state" / VOLUME_FILE).read_text() == "70\n"
    assert not parts.muted()
    MuteSwitch.of(config).mute()
    assert parts.muted()


@pytest.mark.parametrize("accounts", [(NOW, BEFORE), (NOW,)])
def test_what_came_before_is_recalled(tmp_path: Path, accounts: tuple[Account, ...]) -> None:
    path, done = tmp_path / "control.sock", threading.Event()
    answers = {"why": lambda count: Accounts(accounts=accounts[: int(count)])}
    with closing(ControlServer(path, answers)) as server:

        def serve() -> None:
            while not done.wait(0.005):
                list(server.read())

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            before = recalled(ControlClient(path))
        finally:
            done.set()
            thread.join()
    if len(accounts) == 1:
        assert before is None
        return
    assert before is not None
    assert before == Recalled(
        heard="turn on the lamp",
        understood=("turn something on",),
        took_s=0.9,
        slow=(SlowStage(name="asr", took_s=0.5, limit_s=0.3),),
    )


def test_without_a_control_process_nothing_is_recalled(tmp_path: Path) -> None:
    assert recalled(ControlClient(tmp_path / "control.sock")) is None


@pytest.mark.parametrize("ours", [True, False])
def test_only_the_service_itself_is_restarted(
    files: tuple[Path, ...], monkeypatch: pytest.MonkeyPatch, ours: bool
) -> None:
    monkeypatch.setenv(SERVICE_PID, str(os.getpid()) if ours else "1")  # or the terminal's
    forget_other_service()
    parts = device_parts(load_config(files)[0], files)
    assert (parts.restart is not None) is ours
    if parts.restart is not None:
        stopped: list[int] = []
        before = signal.signal(signal.SIGTERM, lambda number, _: stopped.append(number))
        try:
            parts.restart()
        finally:
            signal.signal(signal.SIGTERM, before)
        assert stopped == [signal.SIGTERM]
