"""`assistant skills grant`: what a skill asks for, and one that was switched off begins anew."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner

from assistant.cli.skills import app
from assistant.core.errors import InputError
from assistant.core.layout import QUARANTINE_FILE
from skills.isolation.quarantine import STRIKES, Quarantine
from tests.support.isolated_skills import written

runner = CliRunner()


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    folder = written(tmp_path, "tides", "", ("timers", "home:light"))
    file = tmp_path / "config.toml"
    file.write_text(
        f'[storage]\nstate = "{tmp_path}"\n[skills]\nfolders = ["{folder}"]\n'
        '[skills.grants]\ntides = ["timers"]\n'
    )
    return file


def test_what_is_not_granted_is_shown_with_the_lines_for_the_settings(settings: Path) -> None:
    done = runner.invoke(app, ["grant", "tides", "--config", str(settings)])
    assert done.exit_code == 0
    assert "not granted home:light" in done.stdout
    assert 'tides = ["timers", "home:light"]' in done.stdout
    settings.write_text(settings.read_text().replace('["timers"]', '["timers", "home"]'))
    done = runner.invoke(app, ["grant", "tides", "--config", str(settings)])
    assert done.stdout == "tides may use: timers, home:light\n"


def test_one_that_was_switched_off_begins_anew(settings: Path, tmp_path: Path) -> None:
    quarantine = Quarantine()
    quarantine.keep_in(tmp_path / QUARANTINE_FILE)
    for _ in range(STRIKES):
        quarantine.strike("tides")
    done = runner.invoke(app, ["grant", "tides", "--config", str(settings), "--json"])
    told = msgspec.json.decode(done.stdout)
    assert (told["released"], told["lacking"]) == (True, ["home:light"])
    after = Quarantine()
    after.keep_in(tmp_path / QUARANTINE_FILE)
    assert not after.holds("tides")


def test_a_skill_that_there_is_not_is_told(settings: Path) -> None:
    told = runner.invoke(app, ["grant", "moon", "--config", str(settings)]).exception
    assert isinstance(told, InputError)
    assert 'no skill "moon" is built in, is installed' in told.message
