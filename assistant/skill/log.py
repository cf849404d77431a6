"""The log of one skill: what it writes is told with its name, at the level of its own."""

from __future__ import annotations

import logging
from collections.abc import MutableMapping
from typing import Any

LOGGER = "skill"
"""Logger below which each skill has one of its name."""


class SkillLog(logging.LoggerAdapter[logging.Logger]):
    """Writes lines such as "skill tides: …"; only at `debug` may they hold words of the user."""

    def __init__(self, skill: str) -> None:
        super().__init__(logging.getLogger(f"{LOGGER}.{skill}"), {})
        self._skill = skill

    def process(
        self, msg: Any, kwargs: MutableMapping[str, Any]
    ) -> tuple[Any, MutableMapping[str, Any]]:
        """The message with the skill's name before it."""
        return f"skill {self._skill}: {msg}", kwargs


def set_level(skill: str, level: str) -> None:
    """Let a skill log from this level on ("debug", "info", "warning", "error"), "" for all's."""
    logging.getLogger(f"{LOGGER}.{skill}").setLevel(level.upper() or logging.NOTSET)
