"""The areas and devices of a home, in the format of Home Assistant's test fixtures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import yaml

from assistant.core.errors import InputError


class Area(msgspec.Struct, frozen=True, kw_only=True):
    """A room or floor part, such as the kitchen; `aliases` are further names for it."""

    name: str
    id: str
    floor: str | None = None
    aliases: tuple[str, ...] = ()


class Entity(msgspec.Struct, frozen=True, kw_only=True):
    """A device, named `domain.object` by `id`, with its state when the file was written."""

    name: str
    id: str
    area: str | None = None
    state: str = "unknown"
    attributes: dict[str, Any] = {}
    aliases: tuple[str, ...] = ()

    @property
    def domain(self) -> str:
        """The part of `id` before the dot: light, switch, cover, …"""
        return self.id.partition(".")[0]


class Home(msgspec.Struct, frozen=True, kw_only=True):
    """All areas and devices that people may name."""

    areas: tuple[Area, ...] = ()
    entities: tuple[Entity, ...] = ()


def load_home(path: Path) -> Home:
    """Read a home from YAML; keys that this assistant does not know are passed over.

    Raises `InputError` when the file is missing, no YAML, or names a device twice.
    """
    try:
        document = yaml.safe_load(path.read_text("utf-8")) or {}
        home = msgspec.convert(document, Home, strict=False)
    except OSError as error:
        raise InputError("home.unreadable", f"{path}: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError, msgspec.ValidationError) as error:
        told = " ".join(str(error).split())  # YAML's own account takes five lines
        raise InputError("home.malformed", f"{path}: {told}") from error
    ids = [entity.id for entity in home.entities]
    if twice := {i for i in ids if ids.count(i) > 1}:
        raise InputError("home.duplicate", f"{path}: named twice: {', '.join(sorted(twice))}")
    return home
