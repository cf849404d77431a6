"""`assistant setup` with a Home Assistant on the network, against a stand-in of its API."""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing
from pathlib import Path

import pytest

from assistant.bridge.home_assistant.token import read_token
from assistant.supervision.settings import load_settings
from tests.support.commands import run_assistant
from tests.support.home_assistant import TOKEN, HomeAssistant
from tests.support.scenario import command_line
from tests.support.terminal import Terminal, terminal

NO_SOUND = ("--microphone", "fifo:none", "--loudspeaker", "none", "--wake-word", "jarvis")
ADDRESS = "Its address on your network"


@pytest.fixture
def there() -> Iterator[HomeAssistant]:
    with closing(HomeAssistant()) as there:
        there.start()
        yield there


@pytest.fixture
def token_file(tmp_path: Path) -> Path:
    return tmp_path / "secrets" / "token"


@pytest.fixture
def settings(tmp_path: Path, token_file: Path) -> Path:
    file = tmp_path / "config.toml"
    file.write_text(
        f'# mine\n[home_assistant]\ntoken_file = "{token_file}" # there\n[home]\nfile = "" # none\n'
    )
    return file


def environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "HOME": str(folder), "XDG_RUNTIME_DIR": str(folder)}


def setup(
    settings: Path, *options: str | Path, given: str = ""
) -> subprocess.CompletedProcess[str]:
    """Set up without a terminal."""
    words = ("setup", "--config", settings, "--yes", *options)
    return run_assistant(*words, env=environment(settings.parent), given=given)


def at_terminal(settings: Path, *options: str) -> AbstractContextManager[Terminal]:
    command = command_line("setup", "--config", str(settings), *NO_SOUND, *options)
    return terminal(command, environment(settings.parent), settings.parent)


def test_it_is_found_and_its_rooms_are_not_asked_for(
    settings: Path, token_file: Path, there: HomeAssistant
) -> None:
    with at_terminal(settings) as user:
        user.answer("Try it?")
        user.answer(ADDRESS, f"127.0.0.1:{there.port}")
        user.answer("Access token (it is not shown): ", TOKEN)
        user.expect(f"{there.url} takes the token, and has 2 rooms and 4 devices.")
        user.answer("Room (0 for none)", "1")
        user.answer("Write it?")
        user.answer("Type one", "turn on the big light")
        user.expect("Understood.")
        assert user.ends() == 0
        assert TOKEN not in user.shown
        assert "From where" not in user.shown
    written = load_settings((settings,))
    assert (written.home_assistant.url, written.home.area) == (there.url, "kitchen")
    assert written.home.file == ""
    text = settings.read_text()
    assert [note for note in ("# mine", "# there", "# none") if note in text] == [
        "# mine",
        "# there",
        "# none",
    ]
    assert TOKEN not in text
    assert read_token(token_file) == TOKEN
    assert stat.S_IMODE(token_file.stat().st_mode) == 0o600
    assert stat.S_IMODE(token_file.parent.stat().st_mode) == 0o700
