"""A skill's own settings: typed, from the file, shown, and refused one by one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
import typer
from typer.testing import CliRunner

from assistant.cli.config import config
from assistant.cli.skills import app
from assistant.core.config import load_config
from assistant.core.errors import SkillError
from assistant.skill import Context, Reply, Skill
from assistant.skill.testing import converse, memory_context
from skills.registry import Registry, load_registry
from tests.support.talking import Talk

runner = CliRunner()
shown = typer.Typer()
shown.command()(config)

PYPROJECT = """
[project]
name = "tides"
[project.entry-points."assistant.skills"]
tides = "tides:skill"
"""
MODULE = '''
import msgspec
from assistant.skill import Context, Reply, Skill

class Tides(msgspec.Struct, frozen=True):
    """What one may set."""

    place: str = "Kiel"
    """The harbour whose tides
    are told."""
    metres: float = 1.5
    warn_h: tuple[int, ...] = (1, 6)

skill = Skill("tides", settings=Tides)

@skill.intent("Tide", "tide")
def tide(context: Context) -> Reply:
    settings: Tides = context.settings
    return Reply(f"{settings.place}: {settings.metres} m, {list(settings.warn_h)}")
'''


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "tides"
    place.mkdir()
    (place / "pyproject.toml").write_text(PYPROJECT)
    (place / "tides.py").write_text(MODULE)
    return place


def told(folder: Path, given: dict[str, Any]) -> tuple[str, list[tuple[str, str]]]:
    """What the skill says with these settings, and what of them is not taken."""
    registry = load_registry([folder], settings=given)
    talk = Talk(registry=registry)
    said = talk.ask("Tide")
    talk.database.close()
    return said, [(fault.setting, fault.message) for fault in registry.setting_faults]


def test_without_settings_the_defaults_are_in_force(folder: Path) -> None:
    assert told(folder, {}) == ("Kiel: 1.5 m, [1, 6]", [])


def test_what_the_file_gives_is_in_force(folder: Path) -> None:
    given = {"tides": {"place": "Husum", "metres": 2, "warn_h": [3]}}
    assert told(folder, given) == ("Husum: 2.0 m, [3]", [])


@pytest.mark.parametrize(
    ("given", "setting", "why"),
    [
        (
            {"tides": {"plaice": "Husum"}},
            "skills.settings.tides.plaice",
            'there is no such setting; did you mean "place"?',
        ),
        (
            {"tides": {"metres": "deep"}},
            "skills.settings.tides.metres",
            "Expected `float`, got `str`",
        ),
        (
            {"tide": {"place": "Husum"}},
            "skills.settings.tide",
            'no skill of that name runs and has settings; did you mean "tides"?',
        ),
    ],
)
def test_a_wrong_setting_counts_as_not_given_and_the_others_do(
    folder: Path, given: dict[str, Any], setting: str, why: str
) -> None:
    right = {"warn_h": [2]}
    said, faults = told(folder, given | {"tides": right | given.get("tides", {})})
    assert said == "Kiel: 1.5 m, [2]"
    assert faults == [(setting, why)]


class Span(msgspec.Struct, frozen=True):
    least: int = 1
    most: int = 2

    def __post_init__(self) -> None:
        if self.least > self.most:
            raise ValueError("least is more than most")


@pytest.mark.parametrize(
    ("given", "said", "faults"),
    [
        ({"least": 5, "most": 6}, "5 to 6", []),
        ({"least": 5}, "1 to 2", ["least"]),
        ({"least": 5, "most": 4}, "1 to 4", ["least"]),
        ({"least": 2, "most": 0}, "2 to 2", ["most"]),
        ({"least": 0, "most": -1}, "0 to 2", ["most"]),
    ],
)
def test_settings_that_do_not_go_together_are_left(
    given: dict[str, int], said: str, faults: list[str]
) -> None:
    skill = Skill("span", settings=Span)

    @skill.intent("Span", "span")
    def span(context: Context) -> Reply:
        return Reply(f"{context.settings.least} to {context.settings.most}")

    registry = Registry({"span": given})
    registry.add("span", lambda: skill)
    talk = Talk(registry=registry)
    assert talk.ask("Span") == said
    assert [fault.setting.rpartition(".")[2] for fault in registry.setting_faults] == faults
    assert {fault.message for fault in registry.setting_faults} <= {"least is more than most"}
    talk.database.close()


def test_settings_without_a_default_are_a_fault_of_the_skill() -> None:
    class Wanting(msgspec.Struct):
        place: str

    for kind in (Wanting, dict):
        skill = Skill("tides", settings=kind)
        skill.intent("Tide", "tide")(lambda: Reply(""))
        with pytest.raises(SkillError, match=r"its settings are no|needs a default"):
            skill.manifest()


def test_two_files_are_merged_setting_by_setting(tmp_path: Path) -> None:
    files = tmp_path / "system.toml", tmp_path / "user.toml"
    files[0].write_text('[skills.settings.tides]\nplace = "Husum"\nmetres = 1\n')
    files[1].write_text("[skills.settings.tides]\nmetres = 2\n[skills.settings.moon]\nx = {a = 1}")
    config, settings = load_config(files)
    assert config.skills.settings == {
        "tides": {"place": "Husum", "metres": 2},
        "moon": {"x": {"a": 1}},
    }
    assert {s.name: (s.value, s.source) for s in settings if "settings" in s.name} == {
        "skills.settings.tides.place": ("Husum", str(files[0])),
        "skills.settings.tides.metres": (2, str(files[1])),
        "skills.settings.moon.x": ({"a": 1}, str(files[1])),
    }


def test_each_is_shown_with_its_meaning_and_where_it_is_from(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(f'[skills]\nfolders = ["{folder}"]\n[skills.settings.tides]\nmetres = 2\n')
    result = runner.invoke(shown, ["--config", str(file), "--json"])
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert result.exit_code == 0
    assert [line for line in lines if "settings.tides" in line["name"]] == [
        {
            "name": "skills.settings.tides.place",
            "value": "Kiel",
            "source": "default",
            "meaning": "The harbour whose tides are told.",
        },
        {"name": "skills.settings.tides.metres", "value": 2.0, "source": str(file)},
        {"name": "skills.settings.tides.warn_h", "value": [1, 6], "source": "default"},
    ]


def test_a_wrong_one_is_told_and_the_command_fails(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(f'[skills]\nfolders = ["{folder}"]\n[skills.settings.tides]\nmeters = 2\n')
    result = runner.invoke(shown, ["--config", str(file), "--json"])
    assert result.exit_code == 1
    assert 'skills.settings.tides.meters: there is no such setting; did you mean "metres"?' in (
        " ".join(result.stderr.split())
    )
    assert runner.invoke(app, ["list", "--config", str(file)]).exit_code == 1


def test_a_skill_is_tested_with_settings_of_its_own() -> None:
    class Tides(msgspec.Struct, frozen=True):
        place: str = "Kiel"

    skill = Skill("tides", settings=Tides)

    @skill.intent("Tide", "tide")
    def tide(context: Context) -> Reply:
        return Reply(context.settings.place)

    assert converse(skill, "Tide", memory_context(skill=skill)) == ["Kiel"]
    other = memory_context(skill=skill, settings=Tides("Husum"))
    assert converse(skill, "Tide", other) == ["Husum"]
