"""The floors, areas and devices of a home, in the format of Home Assistant's test fixtures."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import structs

from assistant.core.errors import InputError
from assistant.core.files import read_text
from assistant.core.home.names import id_fault, name_fault, shown
from assistant.core.settings import mpd, mpris
from assistant.core.settings.mpd import MpdSettings
from assistant.core.settings.mpris import MprisSettings
from assistant.core.yaml_text import YamlError, read_yaml

FEED = "event"
"""Domain of the feeds of news that Home Assistant follows, which are told but not commanded."""
MOST_BYTES = 16 << 20
"""Most bytes of a home's file; a file with a thousand devices has 100 kB."""
_MOST_SPELLINGS = 16
_MOST_STEPS = 1000
"""Most steps to find a name's spellings, whose number doubles with each optional part."""
_MOST_TOLD = 10
_OPTION = re.compile(r"\[([^][()]*)\]|\(([^][()]*)\)")


class Floor(msgspec.Struct, frozen=True, kw_only=True):
    """A storey, such as the first floor; `aliases` are further names for it."""

    name: str
    id: str
    aliases: tuple[str, ...] = ()

    def __str__(self) -> str:
        """As it is said: by its name."""
        return self.name


class Area(msgspec.Struct, frozen=True, kw_only=True):
    """A room or floor part, such as the kitchen; `aliases` are further names for it."""

    name: str
    id: str
    floor: str | None = None
    aliases: tuple[str, ...] = ()

    def __str__(self) -> str:
        """As it is said: by its name."""
        return self.name


class Entity(msgspec.Struct, frozen=True, kw_only=True):
    """A device, named `domain.object` by `id`, with its state when the file was written."""

    name: str
    id: str
    area: str | None = None
    state: str = "unknown"
    attributes: dict[str, Any] = {}
    aliases: tuple[str, ...] = ()

    def __str__(self) -> str:
        """As it is said: by its name."""
        return self.name

    @property
    def domain(self) -> str:
        """The part of `id` before the dot: light, switch, cover, …"""
        return self.id.partition(".")[0]

    def fact(self, name: str) -> str:
        """The domain, or an attribute such as the device_class, as text; "" without it."""
        return self.domain if name == "domain" else str(self.attributes.get(name) or "")


_Named = TypeVar("_Named", Floor, Area, Entity)
Told = Callable[[str], object]
"""Takes a line on something that is left out."""


class Home(msgspec.Struct, frozen=True, kw_only=True):
    """All floors, areas and devices that people may name."""

    floors: tuple[Floor, ...] = ()
    areas: tuple[Area, ...] = ()
    entities: tuple[Entity, ...] = ()


def without_feeds(home: Home) -> Home:
    """The home as it is understood: the name of a feed of news is no device's."""
    named = tuple(entity for entity in home.entities if entity.domain != FEED)
    return structs.replace(home, entities=named)


def within_bounds(lines: Sequence[str]) -> tuple[str, ...]:
    """The first of many lines, and how many more there are."""
    more = (f"and {len(lines) - _MOST_TOLD} more",) if len(lines) > _MOST_TOLD else ()
    return (*lines[:_MOST_TOLD], *more)


def _nobody(_: str) -> None:
    """Take a line that nobody wants."""


def load_home(path: Path, left_out: Told = _nobody) -> Home:
    """Read a home from YAML; keys that this assistant does not know are ignored.

    What is not taken, as in `read_home`, is told to `left_out`. Raises `InputError` when the file
    is missing, no YAML, or names a device twice.
    """
    try:
        document = read_yaml(read_text(path, MOST_BYTES)) or {}
    except OSError as error:
        raise InputError("home.unreadable", f"{path}: {error.strerror}") from error
    except (YamlError, UnicodeDecodeError) as error:
        raise InputError("home.malformed", f"{path}: {error}") from error
    home = read_home(document, str(path), left_out)
    counts = Counter(entity.id for entity in home.entities)
    if twice := sorted(i for i, count in counts.items() if count > 1):
        raise InputError("home.duplicate", f"{path}: named twice: {', '.join(twice[:_MOST_TOLD])}")
    return home


def load_homes(files: Iterable[Path], left_out: Told = _nobody) -> Home:
    """The home of several files, each as `load_home` reads it; a later one adds to those before."""
    home = Home()
    for file in files:
        home = _joined(home, load_home(file, left_out))
    return home


def _joined(home: Home, more: Home) -> Home:
    """A home with what another adds: rooms that it does not name, devices, and their attributes."""
    known = {
        name.casefold(): area.id
        for area in home.areas
        for name in (area.id, area.name, *area.aliases)
    }
    same = {area.id: known[key] for area in more.areas if (key := area.name.casefold()) in known}
    others = {entity.id: entity for entity in more.entities}
    named = {entity.id for entity in home.entities}
    added = (entity for entity in more.entities if entity.id not in named)
    return Home(
        floors=(*home.floors, *(floor for floor in more.floors if floor not in home.floors)),
        areas=(*home.areas, *(area for area in more.areas if area.id not in same)),
        entities=(
            *(_with(entity, others.get(entity.id), same) for entity in home.entities),
            *(structs.replace(entity, area=_area(entity, same)) for entity in added),
        ),
    )


def _with(entity: Entity, other: Entity | None, same: Mapping[str, str]) -> Entity:
    """A device with what another file tells of it, and the first one does not."""
    if other is None:
        return entity
    return structs.replace(
        entity,
        area=entity.area or _area(other, same),
        state=other.state if entity.state == "unknown" else entity.state,
        attributes={**other.attributes, **entity.attributes},
    )


def _area(entity: Entity, same: Mapping[str, str]) -> str | None:
    return same.get(entity.area, entity.area) if entity.area else None


def with_players(home: Home, music: MpdSettings, session: MprisSettings) -> Home:
    """The home with MPD and the session as media players: those that are on, and it lacks."""
    wanted = ((bool(music.host), mpd.PLAYER, music), (session.on, mpris.PLAYER, session))
    there = {entity.id for entity in home.entities}
    players = (
        Entity(name=settings.name, id=player, area=settings.area or None)
        for on, player, settings in wanted
        if on and player not in there
    )
    return structs.replace(home, entities=(*home.entities, *players))


def read_home(document: Any, where: str, left_out: Told = _nobody) -> Home:
    """The home that a parsed fixture file describes; `where` names it in an `InputError`.

    What has a name or an id that cannot be one is not taken, and `left_out` is told of it. A name
    in template form ("Joe[']s") is replaced by its plainest spelling; the others are aliases. Where
    an id is missing, it is made from the name, for a device with its `domain`.
    """
    try:
        if isinstance(document, Mapping):
            document = dict(document)
            for part in ("floors", "areas", "entities"):
                found = document.get(part) or []
                document[part] = [_plain(x) for x in found] if isinstance(found, list) else found
        home = msgspec.convert(document, Home, strict=False)
    except msgspec.ValidationError as error:
        raise InputError("home.malformed", f"{where}: {error}") from error
    return _sayable(home, lambda line: left_out(f"{where}: {line}"))


def _sayable(home: Home, left_out: Told) -> Home:
    """The home without what has a name or an id that cannot be one."""
    return Home(
        floors=_each_sayable(home.floors, left_out),
        areas=_each_sayable(home.areas, left_out),
        entities=tuple(
            structs.replace(entity, area=None) if id_fault(entity.area or "?") else entity
            for entity in _each_sayable(home.entities, left_out)
        ),
    )


def _each_sayable(all_named: Iterable[_Named], left_out: Told) -> tuple[_Named, ...]:
    taken = []
    for named in all_named:
        if fault := id_fault(named.id) or name_fault(named.name):
            left_out(f'"{shown(named.id)}" is left out: {fault}')
            continue
        aliases = tuple(alias for alias in named.aliases if not name_fault(alias))
        if len(aliases) < len(named.aliases):
            fault = next(filter(None, map(name_fault, named.aliases)))
            left_out(f'"{shown(named.id)}" loses an alias: {fault}')
        taken.append(structs.replace(named, aliases=aliases))
    return tuple(taken)


def _plain(given: Any) -> Any:
    """A floor, an area or a device with an id, a plain name, and its state as text."""
    if not isinstance(given, Mapping) or not isinstance(given.get("name"), str):
        return given
    plain: dict[str, Any] = dict(given)
    plain["name"], *others = spellings(given["name"])
    aliases = given.get("aliases") or ()
    if isinstance(aliases, list | tuple) and all(isinstance(a, str) for a in aliases):
        plain["aliases"] = [*others, *(s for alias in aliases for s in spellings(alias))]
    if "id" not in plain:
        slug = re.sub(r"\W+", "_", plain["name"].casefold()).strip("_")
        plain["id"] = f"{plain['domain']}.{slug}" if plain.get("domain") else slug
    if isinstance(state := plain.get("state"), Mapping):
        state = state.get("out")
    if isinstance(state, bool):  # YAML 1.1 reads an unquoted on or off as a boolean
        state = "on" if state else "off"
    plain["state"] = "unknown" if state is None else str(state)
    return plain


def spellings(name: str) -> list[str]:
    """All spellings of a name in template form: first without optional parts, then with them."""
    pending, found = [name], dict[str, None]()
    for _ in range(_MOST_STEPS):
        if not pending or len(found) == _MOST_SPELLINGS:
            break
        text = pending.pop()
        option = _OPTION.search(text)
        if option is None:
            found[" ".join(text.split())] = None
            continue
        words = (option[1] if option[1] is not None else option[2]).split("|")
        choices = ["", *words] if option[1] is not None else words
        before, after = text[: option.start()], text[option.end() :]
        pending += [before + choice + after for choice in reversed(choices)]
    return list(found) or [name]
