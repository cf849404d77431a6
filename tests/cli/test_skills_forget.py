"""`assistant skills forget`: what a skill keeps goes when it is asked to, and not before."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assistant.cli.skills import app
from assistant.core.errors import InputError, StorageError
from skills.capabilities.kept import kept_bytes
from skills.capabilities.tables import TableFiles
from skills.capabilities.values import SkillValues
from skills.state import open_state

runner = CliRunner()


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    file = tmp_path / "config.toml"
    file.write_text(f'[storage]\nstate = "{tmp_path}"\n')
    return file


def keep(folder: Path, *skills: str) -> None:
    with closing(open_state(folder / "state.db")) as state:
        for skill in skills:
            SkillValues(state, skill).write("key", b"value")
            TableFiles(state).of(skill, ()).execute("CREATE TABLE things (thing TEXT)")


def kept(folder: Path) -> list[str]:
    with closing(open_state(folder / "state.db")) as state:
        return list(kept_bytes(state))


def test_one_skill_is_forgotten_and_the_others_stay(settings: Path, tmp_path: Path) -> None:
    keep(tmp_path, "tides", "moon")
    done = runner.invoke(app, ["forget", "tides", "--config", str(settings)])
    assert done.exit_code == 0
    assert "that tides kept" in done.stdout
    assert kept(tmp_path) == ["moon"]
    assert {file.name for file in (tmp_path / "skills").iterdir()} == {"moon.db", "moon.db.lock"}


def test_what_keeps_nothing_is_told_with_the_nearest_name(settings: Path, tmp_path: Path) -> None:
    keep(tmp_path, "tides")
    told = runner.invoke(app, ["forget", "tide", "--config", str(settings)]).exception
    assert isinstance(told, InputError)
    assert told.message == 'no skill "tide" keeps anything; did you mean "tides"?'
    assert kept(tmp_path) == ["tides"]


def test_before_the_first_start_nothing_is_kept(settings: Path, tmp_path: Path) -> None:
    told = runner.invoke(app, ["forget", "tides", "--config", str(settings)]).exception
    assert isinstance(told, InputError)
    assert not (tmp_path / "state.db").exists()


def test_a_running_assistant_is_not_robbed_of_it(settings: Path, tmp_path: Path) -> None:
    keep(tmp_path, "tides")
    with closing(open_state(tmp_path / "state.db")):
        told = runner.invoke(app, ["forget", "tides", "--config", str(settings)]).exception
    assert isinstance(told, StorageError)
    assert told.code == "storage.in_use"
    assert kept(tmp_path) == ["tides"]
