"""`assistant models …` and `assistant config` as one types them."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from assistant.cli import models
from assistant.cli.config import config
from assistant.core.config import Config, load_config
from assistant.core.errors import ConfigError, ModelError

runner = CliRunner()
settings = typer.Typer()
settings.command()(config)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "config.toml"
    file.write_text(f'[storage]\nstate = "{tmp_path}"\n[wake.keywords]\n"hey jarvis" = 0.5\n')
    return file


def lines(output: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in output.splitlines()]


def test_every_setting_is_shown_with_where_it_is_from(file: Path) -> None:
    shown = lines(runner.invoke(settings, ["--config", str(file), "--json"]).stdout)
    by_name = {line["name"]: line for line in shown}
    assert by_name["storage.state"]["source"] == str(file)
    assert by_name["asr.engine"] == {"name": "asr.engine", "value": "auto", "source": "default"}
    every = [f"{s}.{k}" for s in Config.__struct_fields__ for k in _fields(s)]
    of_skills = ["skills.settings.music.stations", "skills.settings.news.feeds"]
    assert [line["name"] for line in shown] == [*every, *of_skills]


def _fields(section: str) -> tuple[str, ...]:
    fields: tuple[str, ...] = getattr(Config(), section).__struct_fields__
    return fields


def test_the_table_shows_values_as_they_are_written_in_a_file(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assistant.cli.config.console.width", 200)
    table = runner.invoke(settings, ["--config", str(file)]).stdout
    row = next(line for line in table.splitlines() if "wake.keywords" in line)
    value = row.split("│")[2].strip()
    assert tomllib.loads(f"keywords = {value}")["keywords"] == {"hey jarvis": 0.5}


def test_a_misspelt_setting_is_told_with_the_right_one(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('[wake]\nengin = "auto"\n')
    with pytest.raises(ConfigError, match='did you mean "engine"'):
        load_config((file,))
    result = runner.invoke(settings, ["--config", str(file)])
    assert isinstance(result.exception, ConfigError)


def test_the_list_names_state_licence_and_size(file: Path) -> None:
    listed = lines(runner.invoke(models.app, ["list", "--config", str(file), "--json"]).stdout)
    tiny = next(row for row in listed if row["name"] == "whisper-tiny.en")
    assert (tiny["state"], tiny["licence"], tiny["bytes"]) == ("not pulled", "MIT", 78_090_594)


def test_a_corrupt_model_makes_verify_fail_by_name(file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "models" / "piper-lessac-low"
    folder.mkdir(parents=True)
    (folder / "voice.onnx").write_bytes(b"x")
    (folder / "voice.onnx.json").write_bytes(b"{}")
    result = runner.invoke(models.app, ["verify", "--config", str(file), "--json"])
    (fault,) = (row for row in lines(result.stdout) if not row["ok"])
    assert fault["name"] == "piper-lessac-low"
    assert "voice.onnx is corrupt" in str(fault["fault"])
    assert result.exit_code == 2
    told = runner.invoke(models.app, ["verify", "--config", str(file)])
    assert told.exit_code == 2
    assert "piper-lessac-low" not in told.stdout  # the models that ship are as recorded
    assert "voice.onnx is corrupt" in told.stderr


def test_an_import_of_what_is_not_the_model_leaves_nothing(file: Path, tmp_path: Path) -> None:
    source = tmp_path / "stick"
    source.mkdir()
    for name in ("config.json", "model.bin", "tokenizer.json", "vocabulary.txt"):
        (source / name).write_bytes(b"no model")
    arguments = ["import", "whisper-tiny.en", str(source), "--config", str(file)]
    result = runner.invoke(models.app, arguments)
    assert isinstance(result.exception, ModelError)
    assert not (tmp_path / "models" / "whisper-tiny.en").exists()
