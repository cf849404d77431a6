"""Which servers each skill may ask, as the settings grant it, and on the internet root as well."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from enum import Enum

from assistant.core.config import Config
from assistant.core.errors import SkillError
from assistant.core.network.origin import PERMISSION, Origin, internet_variable


class Reach(Enum):
    """Where a server must be."""

    LOCAL = "on the local network"
    INTERNET = "on the internet"


class ServerGrants:
    """Tells where a skill may look for a server; `settings` reads them, at each request anew.

    `environment` is that of the unit, which root alone writes.
    """

    def __init__(
        self, settings: Callable[[], Config], environment: Mapping[str, str] = os.environ
    ) -> None:
        self._settings, self._environment = settings, environment

    def reach(self, skill: str, origin: Origin) -> Reach:
        """Where `origin` must be; raises `SkillError` where the skill may not ask it at all."""
        if origin not in granted(self._settings(), skill):
            message = f'the settings do not grant {skill} "{origin.permission}"'
            raise SkillError("skill.permission", message)
        return Reach.INTERNET if origin in self._on_the_internet(skill) else Reach.LOCAL

    def _on_the_internet(self, skill: str) -> frozenset[Origin]:
        named = self._environment.get(internet_variable(skill), "")
        return _origins(named.split())


def granted(config: Config, skill: str) -> frozenset[Origin]:
    """The servers that the settings grant a skill."""
    names = config.skills.grants.get(skill, ())
    found = (name.removeprefix(PERMISSION) for name in names if name.startswith(PERMISSION))
    return _origins(found)


def grants_servers(config: Config) -> bool:
    """Whether the settings grant any skill a server."""
    return any(granted(config, skill) for skill in config.skills.grants)


def _origins(texts: Iterable[str]) -> frozenset[Origin]:
    """The servers that are named; what names none grants nothing."""
    found = set()
    for text in texts:
        with suppress(ValueError):
            found.add(Origin.read(text))
    return frozenset(found)
