"""`assistant home-assistant token`: typed, never shown, and kept for the bridge alone."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

import pytest

from assistant.bridge.home_assistant.token import read_token
from tests.support.scenario import command_line
from tests.support.terminal import terminal

TOKEN = "eyJhbGciOiJIUzI1NiJ9.e30.abc-_123"


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "config.toml"
    file.write_text(f'[home_assistant]\ntoken_file = "{tmp_path / "secrets" / "token"}"\n')
    return file


def command(config: Path) -> list[str]:
    return command_line("home-assistant", "token", "--config", str(config))


def test_it_is_typed_and_not_shown(config: Path, tmp_path: Path) -> None:
    with terminal(command(config), os.environ, Path.cwd()) as at:
        at.answer("Access token", TOKEN)
        at.expect("written")
        assert at.ends() == 0
        assert TOKEN not in at.shown
    file = tmp_path / "secrets" / "token"
    assert read_token(file) == TOKEN
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize("piped", ["", "two words of more than twenty letters\n", "short\n"])
def test_what_is_no_token_changes_nothing(config: Path, tmp_path: Path, piped: str) -> None:
    ended = subprocess.run(command(config), input=piped, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 2
    assert "that is no access token" in ended.stderr
    assert not piped.strip() or piped.strip() not in ended.stderr
    assert not (tmp_path / "secrets").exists()
