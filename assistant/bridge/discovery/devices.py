"""Announced components as devices of the home: what they are called, and where they are."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

import msgspec

from assistant.bridge.discovery.announcements import Announcement
from assistant.bridge.discovery.availability import Availability, availability
from assistant.bridge.discovery.behaviour import Behaviour
from assistant.bridge.discovery.kinds import KINDS
from assistant.bridge.discovery.options import OptionReader
from assistant.setup.rooms import AT_FIRST
from assistant.skill.home import Area, Entity, Home

SHORTEST_ALIAS = 2


class AnnouncedDevice(msgspec.Struct, frozen=True):
    """One component of a device."""

    source: str
    component: str
    object_id: str
    """What its id is made of."""
    name: str
    alias: str
    """What it is called within its device, if that is another name."""
    area: str
    behaviour: Behaviour
    availability: Availability
    unread: tuple[str, ...]
    """Options whose templates are not understood."""

    @property
    def topics(self) -> Iterator[str]:
        """The topics that it tells of itself on."""
        yield from (one.topic for one in self.behaviour.state_topics)
        yield from (one.topic for one in self.availability.topics)


def read_device(announcement: Announcement) -> AnnouncedDevice | None:
    """The device of an announcement; None for what is not for people to talk to.

    Raises `ValueError` for options that cannot be.
    """
    options = OptionReader(announcement.options)
    if options.name("entity_category") or not options.flag("enabled_by_default", True):
        return None
    behaviour = KINDS[announcement.component](options)
    there = availability(options)
    name, alias = _names(options, announcement.component)
    wanted = options.name("default_entity_id").partition(".")[2] or options.name("object_id")
    last = announcement.source.removesuffix("/config").rpartition("/")[2]
    slug = slug_of(wanted) or slug_of(name) or slug_of(last)
    if not slug:
        raise ValueError("it has no name")
    return AnnouncedDevice(
        source=announcement.source,
        component=announcement.component,
        object_id=slug,
        name=name or _said(slug).title(),
        alias=alias,
        area=_said(options.reader("device").name("suggested_area")),
        behaviour=behaviour,
        availability=there,
        unread=tuple(options.unread),
    )


def identified(devices: Iterable[AnnouncedDevice]) -> dict[str, AnnouncedDevice]:
    """Id → device; of several that want the same id the first has it, by where they come from."""
    found = dict[str, AnnouncedDevice]()
    for device in sorted(devices, key=lambda one: one.source):
        wanted = f"{device.component}.{device.object_id}"
        number = 1
        while (entity_id := wanted if number == 1 else f"{wanted}_{number}") in found:
            number += 1
        found[entity_id] = device
    return found


def described(devices: Mapping[str, AnnouncedDevice]) -> Home:
    """The home of these devices; a name within a device is an alias where no other has it."""
    counts = Counter(name.casefold() for one in devices.values() for name in _all_names(one))
    areas = {slug_of(one.area): one.area for one in devices.values() if slug_of(one.area)}
    return Home(
        areas=tuple(Area(name=name, id=area) for area, name in sorted(areas.items())),
        entities=tuple(
            Entity(
                name=one.name,
                id=entity_id,
                area=slug_of(one.area) or None,
                state=AT_FIRST.get(one.component, "unknown"),
                attributes=dict(one.behaviour.attributes),
                aliases=(one.alias,) if one.alias and counts[one.alias.casefold()] == 1 else (),
            )
            for entity_id, one in sorted(devices.items())
        ),
    )


def slug_of(name: str) -> str:
    """A name as a part of an id."""
    return re.sub(r"\W+", "_", name.casefold()).strip("_")


def _all_names(device: AnnouncedDevice) -> set[str]:
    return {name for name in (device.name, device.alias) if name}


def _names(options: OptionReader, component: str) -> tuple[str, str]:
    """The name as Home Assistant makes it, the device's and its own, and its own alone."""
    device = _said(options.reader("device").name("name"))
    own = _said(options.name("name"))
    if not own and not options.is_null("name") and component in ("sensor", "binary_sensor"):
        own = _said(options.name("device_class")).title()
    if not own or not device or own.casefold() == device.casefold():
        return own or device, ""
    if own.casefold().startswith(f"{device.casefold()} "):
        return own, ""
    return f"{device} {own}", own


def _said(name: str) -> str:
    """A name as it is said: devices are also called "living_room/lamp"."""
    return " ".join(re.sub(r"[_/]", " ", name).split())
