"""What a skill of somebody else finds behind the names of its capabilities, in one move of it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from assistant.core.errors import SkillError
from assistant.skill import Context
from assistant.skill.log import SkillLog
from assistant.skill.storage import Storage
from skills.isolation.capabilities import LOG, NETWORK, STORAGE, TABLES
from skills.isolation.network import Allowance, AllowedNetwork
from skills.isolation.permissions import Permissions
from skills.isolation.tables import AllowedTables

LONGEST_LINE = 1000
"""Most characters of a line in the log."""

Find = Callable[[str], Any]
"""Gives what is behind a capability's name; raises `SkillError` for one that is not granted."""


def while_loading(_: str) -> Any:
    """Nothing: there is no context yet."""
    raise SkillError("skill.permission", "nothing can be used while it is loaded")


def granted(context: Context, permissions: Permissions, skill: str, until_s: float) -> Find:
    """What `permissions` leave of a context, until the time `until_s` of the monotonic clock."""
    allowance = Allowance(until_s)
    tables = AllowedTables(context.tables, skill)

    def find(capability: str) -> Any:
        if capability == LOG:
            return LogLine(context.log)
        if capability == NETWORK:
            return AllowedNetwork(context.network, permissions, allowance)
        if capability == TABLES:
            return permissions.limited(STORAGE, tables)
        limited = permissions.limited(capability, getattr(context, capability, None))
        return limited.values if isinstance(limited, Storage) else limited

    return find


class LogLine:
    """Implements `LogLines` for a skill's own log."""

    def __init__(self, log: SkillLog) -> None:
        self._log = log

    def write(self, level: int, text: str) -> None:
        """Write a line, or its beginning."""
        self._log.log(min(level, logging.ERROR), "%s", " ".join(text.split())[:LONGEST_LINE])
