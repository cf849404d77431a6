"""What a skill logs is told with its name, from the level that the settings give it."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from assistant.composition import Composition
from assistant.core.config import Config, load_config
from assistant.core.errors import ConfigError
from assistant.core.settings.skills import SkillsSettings
from assistant.skill import Context, Reply, Skill
from assistant.skill.log import set_level
from skills.registry import Registry
from tests.support.talking import Talk


def talking() -> Talk:
    skill = Skill("tides")

    @skill.intent("Tide", "tide")
    def tide(context: Context) -> Reply:
        context.log.debug("asked for %s", "Kiel")
        context.log.warning("the chart is old")
        return Reply("High.")

    registry = Registry()
    registry.add("tides", lambda: skill)
    return Talk(registry=registry)


@pytest.mark.parametrize(
    ("level", "lines"),
    [
        ("", ["skill tides: the chart is old"]),
        ("debug", ["skill tides: asked for Kiel", "skill tides: the chart is old"]),
        ("error", []),
    ],
)
def test_each_skill_has_a_level_of_its_own(
    caplog: pytest.LogCaptureFixture, level: str, lines: list[str]
) -> None:
    set_level("tides", level)
    talk = talking()
    talk.ask("Tide")
    talk.database.close()
    set_level("tides", "")
    assert [r.getMessage() for r in caplog.records if r.name == "skill.tides"] == lines


def test_the_level_is_set_by_the_settings_and_taken_back_by_a_reload() -> None:
    logger = logging.getLogger("skill.clock")
    for skills, level in (({"clock": "debug"}, logging.DEBUG), ({}, logging.NOTSET)):
        composition = Composition(Config(skills=SkillsSettings(log=skills)))  # type: ignore[arg-type]
        assert "clock" in [manifest.name for manifest in composition._loaded.manifests]
        assert logger.level == level


def test_another_level_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('[skills.log]\ntides = "loud"\n')
    with pytest.raises(ConfigError, match="loud"):
        load_config((file,))
