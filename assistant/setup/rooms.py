"""Rooms and devices from a few words: "kitchen: ceiling light, blinds"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from assistant.core.errors import InputError
from assistant.english.commands.kinds import KINDS
from assistant.skill.home import Area, Entity, Home

DOMAINS = ("light", "switch", "cover", "lock", "climate", "media_player", "fan", "vacuum")
"""What a device may be called to be, as in "kettle=switch"."""
AT_FIRST = {
    **dict.fromkeys(("light", "switch", "fan", "media_player"), "off"),
    **{"cover": "open", "lock": "locked", "climate": "heat", "vacuum": "docked", "todo": "0"},
}
"""Domain → the state that a device is taken to be in until its broker tells."""
_COVERS = ("blind", "curtain", "shutter", "awning", "garage", "gate", "shade")
_UPPER = ("tv", "ac")


class Device(NamedTuple):
    """A device by its name, and its domain; "" where the name does not tell."""

    name: str
    domain: str
    device_class: str = ""


class Room(NamedTuple):
    """A room and what is in it."""

    name: str
    devices: tuple[Device, ...]


def parse_room(text: str) -> Room:
    """The room that a text such as "hall: lamp, kettle=switch" tells of; raises `InputError`."""
    name, _, things = text.partition(":")
    if not name.strip():
        raise InputError("setup.room", f'"{text}": begin with the room, as in "kitchen: lamp"')
    return Room(_title(name), tuple(map(parse_device, split(things))))


def parse_device(text: str) -> Device:
    """The device that a name such as "floor lamp", or "kettle=switch", tells of.

    Raises `InputError` for a domain that there is not.
    """
    name, _, domain = (part.strip() for part in text.partition("="))
    if domain and domain not in DOMAINS:
        known = ", ".join(DOMAINS)
        raise InputError("setup.domain", f'"{text}": "{domain}" is none of {known}')
    words = tuple(re.findall(r"\w+", name.casefold()))
    kind = next((KINDS[part] for part in _parts(words) if part in KINDS), None)
    guessed = kind.domains[0] if kind is not None else ""
    domain = domain or guessed
    classes = kind.classes if kind is not None and domain == "cover" else ()
    device_class = next((c for c in classes if c in _COVERS), "")
    return Device(_title(name), domain, device_class)


def split(text: str) -> list[str]:
    """The parts of an enumeration."""
    return [part for part in re.split(r"\s*(?:,|;|\band\b)\s*", text.strip()) if part]


def home_of(rooms: Sequence[Room], lists: Iterable[str]) -> Home:
    """The home with these rooms and lists; raises `InputError` for a device of unknown kind."""
    entities = [_entity(device, _slug(room.name)) for room in rooms for device in room.devices]
    entities += [
        Entity(id=f"todo.{_slug(name)}", name=_title(name), state=AT_FIRST["todo"])
        for name in lists
    ]
    areas = {_slug(room.name): Area(name=room.name, id=_slug(room.name)) for room in rooms}
    return Home(areas=tuple(areas.values()), entities=tuple({e.id: e for e in entities}.values()))


def _entity(device: Device, area: str) -> Entity:
    if not device.domain:
        message = f'what is "{device.name}"? Write "{device.name}=switch", or one of: '
        raise InputError("setup.domain", message + ", ".join(DOMAINS))
    name = _slug(device.name)
    return Entity(
        name=device.name,
        id=f"{device.domain}.{name if name.startswith(area) else f'{area}_{name}'}",
        area=area,
        state=AT_FIRST[device.domain],
        attributes={"device_class": device.device_class} if device.device_class else {},
    )


def _parts(words: tuple[str, ...]) -> Iterable[tuple[str, ...]]:
    """The ends of a name, the longest first, then its other words: the last names the kind."""
    yield from (words[start:] for start in range(len(words)))
    yield from ((word,) for word in reversed(words))


def _title(name: str) -> str:
    words = name.split()
    if any(c.isupper() for c in name):
        return " ".join(words)
    return " ".join(w.upper() if w in _UPPER else w[:1].upper() + w[1:] for w in words)


def _slug(name: str) -> str:
    return re.sub(r"\W+", "_", name.casefold()).strip("_")
