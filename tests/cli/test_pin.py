"""`assistant pin`: typed twice at a terminal, never shown, and kept as a whole or not at all."""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from assistant.core.layout import PIN_FILE
from skills.rights.pin_file import PinFile
from tests.support.scenario import command_line
from tests.support.terminal import Terminal, terminal


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "config.toml"
    file.write_text(f'[storage]\nstate = "{tmp_path / "state"}"\n')
    return file


@contextmanager
def setting(config: Path) -> Iterator[Terminal]:
    command = command_line("pin", "set", "--config", str(config))
    with terminal(command, os.environ, Path.cwd()) as at:
        yield at


def file_of(config: Path) -> Path:
    return config.parent / "state" / PIN_FILE


def test_it_is_typed_twice_and_not_shown(config: Path) -> None:
    with setting(config) as at:
        at.answer("PIN", "480715")
        at.answer("again", "480715")
        at.expect("The PIN is set.")
        assert at.ends() == 0
        assert "480715" not in at.shown
    assert PinFile(file_of(config)).fits("480715")
    assert stat.S_IMODE(file_of(config).stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (("4807", "4708"), "not the same"),
        (("48o7",), "4 to 12 digits"),
        (("\x04",), "no PIN was typed"),
    ],
    ids=["differs", "no digits", "end of file"],
)
def test_what_is_wrong_changes_nothing(config: Path, typed: tuple[str, ...], told: str) -> None:
    PinFile(file_of(config)).set("1234")
    before = file_of(config).read_bytes()
    with setting(config) as at:
        for line, prompt in zip(typed, ("PIN", "again"), strict=False):
            at.answer(prompt, line)
        at.expect(told)
        assert at.ends() == 2
    assert file_of(config).read_bytes() == before


def test_without_a_terminal_none_is_set(config: Path) -> None:
    command = command_line("pin", "set", "--config", str(config))
    told = subprocess.run(command, input="1234\n1234\n", capture_output=True, text=True)
    assert told.returncode == 2
    assert "at a terminal" in told.stderr
    assert not file_of(config).exists()


def test_it_is_removed(config: Path) -> None:
    PinFile(file_of(config)).set("1234")
    command = command_line("pin", "remove", "--config", str(config))
    for told in ("The PIN is removed.", "There was no PIN."):
        assert told in subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert not file_of(config).exists()
