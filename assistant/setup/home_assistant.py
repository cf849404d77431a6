"""Rooms and devices from Home Assistant's own files: the registries in `.storage` of its folder.

No network is needed: the folder may be a copy, or a share that is mounted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from assistant.core.errors import UNDECODABLE, InputError
from assistant.core.files import read_text
from assistant.setup.rooms import AT_FIRST
from assistant.skill.home import FEED, Area, Entity, Floor, Home

DOMAINS = (
    *("light", "switch", "cover", "lock", "climate", "media_player", "fan", "valve", "todo"),
    *("vacuum", "lawn_mower", "scene", "script", "sensor", "binary_sensor", "weather"),
    *("water_heater", "humidifier"),
)
"""What is taken over; buttons, updates and the like are nothing that people talk to."""
FEEDS = (FEED, "feedreader")
"""Domain and integration of feeds of news; other events are not taken over."""
MOST_BYTES = 64 << 20
"""Most bytes of a registry; one with a thousand devices has 2 MB."""

T = TypeVar("T")


class _Floor(msgspec.Struct):
    floor_id: str
    name: str
    aliases: list[str | None] = []


class _Area(msgspec.Struct):
    id: str
    name: str
    floor_id: str | None = None
    aliases: list[str | None] = []


class _Device(msgspec.Struct):
    id: str
    name: str | None = None
    name_by_user: str | None = None
    area_id: str | None = None


class _Entity(msgspec.Struct):
    entity_id: str
    area_id: str | None = None
    device_id: str | None = None
    name: str | None = None
    original_name: str | None = None
    has_entity_name: bool = False
    aliases: list[str | None] = []
    disabled_by: str | None = None
    hidden_by: str | None = None
    entity_category: str | None = None
    device_class: str | None = None
    original_device_class: str | None = None
    options: dict[str, Any] = {}
    platform: str | None = None


def read_home_assistant(folder: Path) -> Home:
    """The home in Home Assistant's configuration folder, or in a copy of its `.storage`.

    What is disabled, hidden, or not exposed to its voice assistant is left out. Raises
    `InputError`.
    """
    storage = folder / ".storage" if (folder / ".storage").is_dir() else folder
    areas = _registry(storage, "area", "areas", _Area)
    devices = {device.id: device for device in _registry(storage, "device", "devices", _Device)}
    entities = _registry(storage, "entity", "entities", _Entity)
    has_floors = (storage / "core.floor_registry").exists()
    floors = _registry(storage, "floor", "floors", _Floor) if has_floors else []
    return Home(
        floors=tuple(Floor(name=f.name, id=f.floor_id, aliases=_texts(f.aliases)) for f in floors),
        areas=tuple(
            Area(name=a.name, id=a.id, floor=a.floor_id, aliases=_texts(a.aliases)) for a in areas
        ),
        entities=tuple(_entities(entities, devices)),
    )


def _entities(found: Sequence[_Entity], devices: dict[str, _Device]) -> Iterator[Entity]:
    for one in found:
        domain, _, object_id = one.entity_id.partition(".")
        hidden = one.disabled_by or one.hidden_by or one.entity_category
        exposed = one.options.get("conversation", {}).get("should_expose", True)
        taken = domain in DOMAINS or (domain, one.platform) == FEEDS
        if not taken or hidden or not exposed:
            continue
        device = devices.get(one.device_id or "")
        device_class = one.device_class or one.original_device_class
        yield Entity(
            name=_name(one, device) or object_id.replace("_", " ").title(),
            id=one.entity_id,
            area=one.area_id or (device.area_id if device is not None else None),
            state=AT_FIRST.get(domain, "unknown"),
            attributes={"device_class": device_class} if device_class else {},
            aliases=_texts(one.aliases),
        )


def _name(entity: _Entity, device: _Device | None) -> str:
    """The name as Home Assistant shows it: of many entities the device's name is the first part."""
    if entity.name or device is None or not entity.has_entity_name:
        return entity.name or entity.original_name or ""
    parts = (device.name_by_user or device.name, entity.original_name)
    return " ".join(part for part in parts if part)


def _registry(storage: Path, name: str, key: str, kind: type[T]) -> list[T]:
    file = storage / f"core.{name}_registry"
    try:
        document = msgspec.json.decode(read_text(file, MOST_BYTES))
        return msgspec.convert(document["data"][key], list[kind])  # type: ignore[valid-type]
    except OSError as error:
        message = f"{file}: {error.strerror}; name Home Assistant's configuration folder"
        raise InputError("setup.home_assistant", message) from error
    except (ValueError, KeyError, TypeError, *UNDECODABLE) as error:
        message = f"{file}: is no registry of Home Assistant: {error}"
        raise InputError("setup.home_assistant", message) from error


def _texts(aliases: Sequence[str | None]) -> tuple[str, ...]:
    return tuple(alias for alias in aliases if alias)
