"""The mute switch: what it leaves on the disk, and what it says where the disk does not obey."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.core.config import Config, StorageSettings
from assistant.core.errors import StorageError
from audio.mute.switch import MuteSwitch


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    state, runtime = tmp_path / "state", tmp_path / "run"
    for folder in (state, runtime):
        folder.mkdir(mode=0o700)
    return state, runtime


@pytest.fixture
def switch(folders: tuple[Path, Path]) -> MuteSwitch:
    return MuteSwitch(*folders)


def test_another_process_sees_it_at_once_and_the_next_one_too(
    switch: MuteSwitch, folders: tuple[Path, Path]
) -> None:
    other = MuteSwitch(*folders)
    assert not other.on
    switch.mute()
    switch.mute()
    assert other.on
    switch.unmute()
    switch.unmute()
    assert not other.on


def test_it_outlasts_the_runtime_folder_which_a_restart_of_the_machine_empties(
    switch: MuteSwitch, folders: tuple[Path, Path]
) -> None:
    state, runtime = folders
    switch.mute()
    for file in runtime.iterdir():
        file.unlink()
    assert MuteSwitch(state, runtime).on


def test_without_a_daemon_there_may_be_no_folder_yet(tmp_path: Path) -> None:
    storage = StorageSettings(state=str(tmp_path / "state"), runtime=str(tmp_path / "run"))
    switch = MuteSwitch.of(Config(storage=storage))
    assert not switch.on
    switch.mute()
    assert switch.on
    switch.unmute()
    assert not switch.on


def test_where_the_disk_cannot_be_written_it_holds_until_the_machine_restarts(
    folders: tuple[Path, Path],
) -> None:
    state, runtime = folders
    state.rmdir()
    state.write_text("no folder")
    switch = MuteSwitch(state, runtime)
    with pytest.raises(StorageError, match="muted until this machine is started again"):
        switch.mute()
    assert switch.on
    state.unlink()
    switch.unmute()
    assert not switch.on


def test_where_nothing_can_be_written_it_says_that_it_is_not_muted(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("no folder")
    switch = MuteSwitch(file, file)
    with pytest.raises(StorageError, match="not muted"):
        switch.mute()
    assert not switch.on


def test_what_cannot_be_read_counts_as_muted(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    assert MuteSwitch(loop, tmp_path).on


def test_who_cannot_remove_the_file_is_told_that_it_stays_muted(
    switch: MuteSwitch, folders: tuple[Path, Path]
) -> None:
    (folders[0] / "muted").mkdir()  # no file, which not even root unlinks
    with pytest.raises(StorageError, match="it stays muted"):
        switch.unmute()
    assert switch.on
