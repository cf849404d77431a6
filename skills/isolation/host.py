"""Loads the skills of others, each into a process of its own, with what the user granted it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from assistant.core.errors import SkillError
from skills.isolation.isolated import IsolatedSkill
from skills.isolation.package import read_package
from skills.isolation.permissions import Permissions
from skills.isolation.quarantine import Quarantine
from skills.isolation.spawner import Spawner

Grants = Mapping[str, tuple[str, ...]]
"""Skill → the permissions that the user grants it."""


class Host:
    """Starts skills in processes of their own; `quarantine` counts how often each failed."""

    def __init__(self, grants: Grants = MappingProxyType({})) -> None:
        self._grants = grants
        self.quarantine = Quarantine()
        self._spawner = Spawner()

    def load(
        self, folder: Path, settings: Mapping[str, Mapping[str, Any]] = MappingProxyType({})
    ) -> IsolatedSkill:
        """The skill in a folder, with its own part of the `settings` that are given.

        Raises `SkillError` where it asks for more than it is granted.
        """
        package = read_package(folder)
        wanted = Permissions(package.permissions)
        lacking = Permissions(self._grants.get(package.name, ())).lacking(wanted)
        if lacking:
            asked = ", ".join(f'"{name}"' for name in wanted.names)
            message = (
                f"{folder}: asks for {', '.join(lacking)}; to grant that, put "
                f"{package.name} = [{asked}] under [skills.grants] in the settings"
            )
            raise SkillError("skill.permission", message)
        given = settings.get(package.name, {})
        return IsolatedSkill(package, wanted, given, self._spawner, self.quarantine)

    def close(self) -> None:
        """End every process; skills that are called later are started anew."""
        self._spawner.close()


def all_granted(folders: Iterable[Path]) -> dict[str, tuple[str, ...]]:
    """What the skills in these folders ask for, for whoever tries them where no harm is done."""
    grants = {}
    for folder in folders:
        try:
            package = read_package(folder)
        except SkillError:
            continue  # it is told when the skill is loaded
        grants[package.name] = package.permissions
    return grants
