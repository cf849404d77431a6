"""`assistant pair` and `assistant unpair`, with a satellite that runs."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from assistant.cli.security import pair as pairing
from assistant.core.errors import RoomsError
from assistant.core.layout import PAIRING_FOLDER
from assistant.pairing.secret import of_key
from assistant.pairing.trust import Trust
from tests.support.commands import run_assistant
from tests.support.running_satellite import HERE, RunningSatellite
from tests.support.scenario import command_line
from tests.support.terminal import terminal

NAME = "kitchen"


@pytest.fixture
def things(tmp_path: Path) -> Iterator[ExitStack]:
    """What is closed at the end, while the files are there."""
    with ExitStack() as opened:
        yield opened


class Home:
    """A satellite, and the settings of its base."""

    def __init__(self, things: ExitStack, folder: Path, key: bytes | None = None) -> None:
        self.satellite = RunningSatellite(Trust(folder / "board"), key)
        things.callback(self.satellite.close)
        self.config = folder / "config.toml"
        where = f'address = "{HERE}"\nport = {self.satellite.port}'
        state = f'[storage]\nstate = "{folder / "state"}"'
        self.config.write_text(f"{state}\n[wyoming.satellites.{NAME}]\n{where}\n")
        self.trust = Trust(folder / "state" / PAIRING_FOLDER)

    @property
    def paired(self) -> tuple[bool, bool]:
        """Whether the base and the satellite are."""
        pins = (self.trust.satellite(NAME), self.satellite.trust.base)
        return pins[0].stamp is not None, pins[1].stamp is not None

    def run(self, *arguments: str | Path, given: str = "") -> tuple[int, str]:
        """The status of a command, and what it told, on one line."""
        done = run_assistant(*arguments, "--config", self.config, given=given)
        return done.returncode, " ".join((done.stdout + done.stderr).split())


def test_the_number_is_asked_for_until_it_is_right(things: ExitStack, tmp_path: Path) -> None:
    home = Home(things, tmp_path)
    command = command_line("pair", NAME, "--config", str(home.config))
    with terminal(command, os.environ, Path.cwd()) as at:
        at.expect("It says a number. Which?")
        right = home.satellite.number
        wrong = f"{(int(right) + 1) % 1_000_000:06}"
        for typed, told in (("12", "6 digits"), (wrong, "2 more tries"), (wrong, "1 more try")):
            at.answer("", typed)
            at.expect(told)
        at.answer("Which?", f"{right[:3]} {right[3:]}")
        at.expect("kitchen is paired")
        assert at.ends() == 0
    assert home.paired == (True, True)


def test_three_wrong_numbers_end_it(things: ExitStack, tmp_path: Path) -> None:
    home = Home(things, tmp_path)
    command = command_line("pair", NAME, "--config", str(home.config))
    with terminal(command, os.environ, Path.cwd()) as at:
        at.expect("Which?")
        wrong = f"{(int(home.satellite.number) + 1) % 1_000_000:06}"
        for told in ("2 more tries", "1 more try", "which has ended; begin again"):
            at.answer("", wrong)
            at.expect(told)
        assert at.ends() == 1
    assert home.paired == (False, False)


def test_who_always_asks_for_another_try_is_asked_three_times(
    things: ExitStack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def begins(*_: object, **__: object) -> None:
        pass

    async def guesses(*_: object, **__: object) -> None:
        tried.append(1)
        raise RoomsError("pairing.wrong", "that is not its number; \x1b[2J 2 more tries")

    tried: list[int] = []
    monkeypatch.setattr(pairing, "begin", begins)
    monkeypatch.setattr(pairing, "complete", guesses)
    status, told = Home(things, tmp_path).run("pair", NAME, given="123456\n" * 9)
    assert (status, len(tried)) == (1, 3)
    assert "\x1b" not in told


def test_a_key_pairs_without_a_question(things: ExitStack, tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text("0123456789abcdef\n")
    key.chmod(0o600)
    home = Home(things, tmp_path, of_key(key))
    status, told = home.run("pair", NAME, "--key", key)
    assert (status, home.paired) == (0, (True, True)), told
    assert "encrypted" in told
    assert home.satellite.board.player.said == []


@pytest.mark.parametrize(
    ("content", "mode", "told"),
    [("short", 0o600, "at least 16"), ("0123456789abcdef", 0o644, "others may read")],
)
def test_a_bad_key_is_refused(
    content: str, mode: int, told: str, things: ExitStack, tmp_path: Path
) -> None:
    key = tmp_path / "key"
    key.write_text(content)
    key.chmod(mode)
    status, said = Home(things, tmp_path).run("pair", NAME, "--key", key)
    assert status == 2
    assert told in said
    assert content not in said


def test_both_sides_can_end_it(things: ExitStack, tmp_path: Path) -> None:
    home = Home(things, tmp_path, b"key 0123456789abcdef")
    key = tmp_path / "key"
    key.write_text("0123456789abcdef")
    key.chmod(0o600)
    assert home.run("pair", NAME, "--key", key)[0] == 0
    status, told = home.run("unpair", NAME)
    assert (status, home.paired) == (0, (False, True))
    assert "there, run: assistant unpair" in told
    assert home.run("unpair", NAME) == (2, "assistant: kitchen is not paired with this device")

    board = tmp_path / "board.toml"
    board.write_text(f'[storage]\nstate = "{tmp_path / "board-state"}"\n')
    there = Trust(tmp_path / "board-state" / PAIRING_FOLDER)
    there.base.keep(b"x")
    done = run_assistant("unpair", "--config", board)
    assert (done.returncode, there.base.stamp) == (0, None)


def test_a_satellite_that_the_settings_do_not_name_is_told(
    things: ExitStack, tmp_path: Path
) -> None:
    home = Home(things, tmp_path)
    for command in ("pair", "unpair"):
        status, told = home.run(command, "kitchn")
        assert status == 2
        assert re.search(r"no satellite 'kitchn'.*did you mean \"kitchen\"", told)


def test_one_that_is_away_is_told(things: ExitStack, tmp_path: Path) -> None:
    home = Home(things, tmp_path)
    home.satellite.close()
    status, told = home.run("pair", NAME)
    assert status == 1
    assert f"port {home.satellite.port}" in told
