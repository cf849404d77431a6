"""The rules that the settings state: what needs the PIN, and what a room's profile denies.

| a name in the settings       | covers                                                           |
|------------------------------|------------------------------------------------------------------|
| a domain: "lock", "todo"     | every change of such a device, or of such a list                 |
| an id, a name or an alias    | every change of that device or list                              |
| an intent, a skill           | all that it does, its questions too                              |
| "lock:unlocked"              | that state; also an attribute or a command, which may lead to it |
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, NoReturn

import msgspec

from assistant.core.did_you_mean import did_you_mean
from assistant.core.errors import ConfigError
from assistant.core.settings.security import SecuritySettings
from assistant.core.settings.wyoming import PEER
from assistant.skill import Entity
from assistant.skill.home import Home
from assistant.skill.manifest import SkillManifest

log = logging.getLogger(__name__)

DOMAINS = ("alarm_control_panel", "lock", "todo")
"""Domains that may be named although no device and no skill has them."""


class Act(NamedTuple):
    """What is to be done: the names that cover it, and what it is called aloud."""

    names: frozenset[str]
    thing: str = ""
    """The device or the list, such as "front door"; "" for an intent."""
    state: str = ""
    """The state that a device is brought into; "" where that is not known."""


class _Entry(NamedTuple):
    name: str
    state: str

    def covers(self, act: Act) -> bool:
        return self.name in act.names and (not self.state or act.state in ("", self.state))


class Rules(msgspec.Struct, frozen=True):
    """What needs the PIN, and what each area denies; made by `rules_of`."""

    pin_for: tuple[_Entry, ...] = ()
    denied: Mapping[str, tuple[_Entry, ...]] = {}
    """Id of an area → what is not allowed there."""

    def __bool__(self) -> bool:
        return bool(self.pin_for or self.denied)

    def needs_pin(self, act: Act) -> bool:
        """Whether an act needs the PIN."""
        return any(entry.covers(act) for entry in self.pin_for)

    def denies(self, area: str, act: Act) -> bool:
        """Whether an act is not allowed from the area of this id."""
        return any(entry.covers(act) for entry in self.denied.get(area, ()))


NO_RULES = Rules()


def rules_of(
    settings: SecuritySettings,
    home: Home,
    manifests: Sequence[SkillManifest],
    *,
    may_come: bool = False,
) -> Rules:
    """The rules of the settings; raises `ConfigError` for a name that there is not.

    Where devices and areas `may_come` later, their names hold from then on.
    """
    known = {name.casefold(): name for name in _known(home, manifests)}
    profiles = {
        name: _entries(profile.denied, f"security.profiles.{name}.denied", known, may_come)
        for name, profile in settings.profiles.items()
    }
    areas = [*(area.id for area in home.areas), PEER]
    for area, profile in settings.rooms.items():
        if area not in areas and not may_come:
            _refuse(area, areas, "security.rooms", "area")
        if profile not in profiles:
            _refuse(profile, profiles, f"security.rooms.{area}", "profile")
    return Rules(
        pin_for=_entries(settings.pin_for, "security.pin_for", known, may_come),
        denied={area: profiles[profile] for area, profile in settings.rooms.items()},
    )


def named(entity: Entity) -> Iterator[str]:
    """The names that cover a device, in lower case."""
    yield from (entity.id.casefold(), entity.domain, entity.name.casefold())
    yield from (alias.casefold() for alias in entity.aliases)


def _known(home: Home, manifests: Iterable[SkillManifest]) -> Iterator[str]:
    yield from DOMAINS
    for entity in home.entities:
        yield from (entity.id, entity.domain, entity.name, *entity.aliases)
    for manifest in manifests:
        yield manifest.name
        for schema in manifest.schemas:
            yield schema.intent
            for slot in schema.slots:
                yield from slot.domains
                yield from (d for fact, ds in slot.requires if fact == "domain" for d in ds)


def _entries(
    names: Iterable[str], setting: str, known: Mapping[str, str], may_come: bool
) -> tuple[_Entry, ...]:
    entries = []
    for given in names:
        name, _, state = given.strip().casefold().partition(":")
        if name not in known and may_come:
            log.warning('%s: there is no "%s" yet (config.security)', setting, given)
        elif name not in known:
            _refuse(given, known.values(), setting, "device, list, domain, intent or skill")
        entries.append(_Entry(name, state))
    return tuple(entries)


def _refuse(name: str, known: Iterable[str], setting: str, what: str) -> NoReturn:
    hint = did_you_mean(name, known) if list(known) else "there is none yet"
    raise ConfigError("config.security", f'{setting}: there is no {what} "{name}"; {hint}')
