"""Finds the devices that are meant: by name, kind, room or floor, and the speaker's room.

1. A name means one device. Of several with that name, it means the one of the kind, room and floor
   that was said, else of a likely kind, else no sensor, else in the speaker's room.
2. A kind means the devices in the room or on the floor that was said.
3. Without a place it means those in the speaker's room, unless a word such as "all" means the whole
   home.
4. Where the speaker's room has none, a lock may be anywhere in the home, and so may a device that
   is the only one of its kind.
5. A room without a thermostat is heated by the only one of its floor or of the home, or by one of
   several, so that the user is asked which.
6. A group of devices (`entity_id` lists them) is meant by its name alone: else by its members.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from dataclasses import dataclass, replace

from assistant.english import spoken
from assistant.english.commands.words import HERE
from assistant.english.stems import is_possessive
from assistant.english.words import words
from assistant.skill import Area, Choose, Context, Entity, Floor, Reply, Request, count

ALL = "all"
"""The name that means every device of the kind."""

EVERYWHERE = frozenset(("all", "every", "everything", "everywhere", "house"))
"""Words that mean the whole home, not the speaker's room."""

_ALL_THINGS = frozenset(("everything", "anything", "whatever"))
"""Words that mean devices of every kind."""

_ALL_THE_WAY = re.compile(r"\ball (the )?way\b")

SWITCHED = ("light", "switch", "fan", "media_player")
"""Domains that are meant where no kind was said."""

_OF_A_ROOM = (*SWITCHED, "sensor", "binary_sensor", "climate")
"""Domains of which the reply says so when the room has none."""

_MEASURING = ("sensor", "binary_sensor")
"""Domains that come second to another device of the same name."""

_NOUNS = {
    "garage": "garage door",
    "climate": "thermostat",
    "todo": "list",
    "binary_sensor": "sensor",
}

_ROBOTS = frozenset(
    ("vacuum", "cleaner", "hoover", "robot", "mower", "lawnmower", "lawn", "robovac", "mop")
)
"""Words for robots, which are no names."""


@dataclass(frozen=True)
class Place:
    """The slots of a place, for functions whose devices may be named by their place."""

    area: Area | None = None
    floor: Floor | None = None

    @property
    def said(self) -> bool:
        """Whether a place was said."""
        return self.area is not None or self.floor is not None


@dataclass(frozen=True)
class TargetMention:
    """What was said about the devices that are meant; `likely` domains are preferred."""

    name: str | None = None
    place: Place = Place()
    domain: str | None = None
    device_class: str | None = None
    likely: tuple[str, ...] = SWITCHED

    @property
    def kind(self) -> str:
        """One such device in words: "light", "garage door", "device"."""
        said = self.device_class or self.domain
        if said is None:
            said = self.likely[0] if len(self.likely) == 1 else "device"
        return _NOUNS.get(said, said.replace("_", " "))


@dataclass(frozen=True)
class Target:
    """The devices that are meant: of a `kind`, in the place that `where` names, if any."""

    entities: tuple[Entity, ...]
    kind: str
    where: str = ""
    called: str = ""
    without: tuple[str, ...] = ()
    """What was excepted."""
    strange: str = ""
    """An exception that names nothing in the home."""
    only_one: bool = False
    """Whether one of them is meant, and it is not clear which."""

    @property
    def words(self) -> str:
        """The devices in words: "the desk lamp", "two lights in the kitchen"."""
        return f"{self.those}{self.but}"

    @property
    def those(self) -> str:
        """The devices in words, without what was excepted."""
        if len(self.entities) == 1:
            return the(self.entities[0])
        return f"{count(len(self.entities), self.kind)}{self.where}"

    @property
    def but(self) -> str:
        """What was excepted of several, in words that follow: ", but not the hall"; "" for none."""
        several = self.without and len(self.entities) != 1
        return f", but not {' and '.join(self.without)}" if several else ""

    @property
    def unknown(self) -> Reply:
        """The reply when there are none."""
        if self.strange:
            return Reply(f"I don't know of any {self.strange} to leave out.", done=False)
        if self.without:
            left = " and ".join(self.without)
            told = f"There is no other {self.kind}{self.where} than {left}."
            return Reply(told, done=False)
        called = f" called {self.called}" if self.called else ""
        return Reply(f"I don't know of any {self.kind}{called}{self.where}.", done=False)


def find(wanted: TargetMention, request: Request, context: Context) -> Target:
    """The devices that are meant, none when there are no such."""
    target = _found(wanted, request, context)
    if request.referring:
        target = _spoken_of(target, wanted, request.text, context)
    return _without(target, request, context) if request.excluded else target


def _found(wanted: TargetMention, request: Request, context: Context) -> Target:
    if wanted.name is not None and wanted.name.casefold() != ALL:
        named = _named(wanted.name, wanted, context)
        if said_place(request) and not _may_be_in(named, _areas(wanted, context)):
            where = in_place(wanted.place.area, wanted.place.floor)
            return Target((), wanted.kind, where, called=wanted.name.casefold())
        return named
    said = set(words(_ALL_THE_WAY.sub("", request.text.casefold())))
    every = EVERYWHERE.intersection(said) and not _says_here(request.text)
    every = every or _excepts_a_place(request)
    everywhere = wanted.name is not None or every
    if every and not said_place(request):
        wanted = replace(wanted, place=Place())
    here = None if everywhere or wanted.place.said else context.area
    found = _fitting(wanted, wanted.place.area or here, context)
    if not request.excluded:
        found = _lamps(found, said)
    if wanted.name is None and (owned := _owned(found, wanted.kind, request.text)):
        return Target(owned, wanted.kind, only_one=len(owned) > 1)
    if wanted.domain == "climate" and not found and not everywhere and wanted.place.floor is None:
        serving = _serving(wanted, context)
        return Target(serving, wanted.kind, only_one=len(serving) > 1)
    if here is not None and not found:
        elsewhere = _fitting(wanted, None, context)
        if wanted.domain == "lock" or (_may_be_elsewhere(wanted) and len(elsewhere) == 1):
            return Target(elsewhere, wanted.kind)
    return Target(found, wanted.kind, in_place(wanted.place.area or here, wanted.place.floor))


def _spoken_of(target: Target, wanted: TargetMention, text: str, context: Context) -> Target:
    """Those of a kind that the last reply named, wherever they are; else the target.

    A bare "off" is for those of the room, if any of them is there.
    """
    about = context.conversation.about
    named = tuple(e for e in context.home.entities if e.id in about)
    those = tuple(e for e in named if wanted.domain in (None, e.domain))
    here = tuple(e for e in those if context.area is not None and e.area == context.area.id)
    bare = len(text.split()) == 1
    return Target((bare and here) or those, wanted.kind) if those else target


def _lamps(found: tuple[Entity, ...], said: set[str]) -> tuple[Entity, ...]:
    """The devices found, or only those called lamps where lamps and no lights were said."""
    if said.isdisjoint(("lamp", "lamps")) or not said.isdisjoint(("light", "lights")):
        return found
    return tuple(e for e in found if "lamp" in e.name.casefold()) or found


def _owned(found: tuple[Entity, ...], kind: str, text: str) -> tuple[Entity, ...]:
    """Those that belong to somebody, where one of "my" things is meant; () for no such words."""
    if len(found) < 2 or not re.search(rf"\bmy (\w+ )?({kind}|lamp)\b", text.casefold()):
        return ()
    return tuple(e for e in found if any(map(is_possessive, e.name.casefold().split())))


def said_place(request: Request) -> bool:
    """Whether a place was said; the speaker's room may be filled in without a word for it."""
    return any(slot.name in ("area", "floor") and slot.raw for slot in request.slots)


def _says_here(text: str) -> bool:
    """Whether the speaker's room is said by a word for here: "all the lights in here"."""
    said = f" {' '.join(words(text))} "
    return any(f" {' '.join(here)} " in said for here in HERE)


def _excepts_a_place(request: Request) -> bool:
    """Whether a room or a floor is excepted, so that all others are meant."""
    return any(slot.name in ("area", "floor") for slot in request.excluded)


def _without(target: Target, request: Request, context: Context) -> Target:
    """The devices of a target that are not excepted; none where an exception is unknown."""
    left = list(context.home.entities)
    if not _ALL_THINGS.intersection(words(request.text)):
        target = _alike(target, request, context)
    for slot in request.excluded:
        value = str(slot.value).casefold()
        if slot.name == "name":
            left = [entity for entity in left if value not in _names(entity)]
            continue
        if slot.name == "domain":
            left = [entity for entity in left if entity.domain != value]
            continue
        if slot.name == "area" and not value and context.area is not None:  # "except in here"
            value = context.area.id
        wanted = set(words(value))
        partly = [e for e in target.entities if any(wanted <= set(words(n)) for n in _names(e)[1:])]
        if slot.name == "unknown" and partly:
            left = [entity for entity in left if entity not in partly]
            continue
        places = context.home.areas if slot.name == "area" else context.home.floors
        place = next((p for p in places if value in _names(p)), None)
        if place is None:
            return replace(target, entities=(), strange=value)
        floors = {area.id for area in context.home.areas if area.floor == place.id}
        barred = {place.id} if slot.name == "area" else floors
        left = [entity for entity in left if entity.area not in barred]
    gone = {entity.id for entity in context.home.entities} - {entity.id for entity in left}
    meant = tuple(e for e in target.entities if gone.isdisjoint({e.id} | _members(e)))
    told = tuple(
        spoken.with_article(slot.raw.removeprefix("the ")) if slot.value else "here"
        for slot in request.excluded
    )
    return replace(target, entities=meant, without=told)


def _alike(target: Target, request: Request, context: Context) -> Target:
    """Those of the kind of the devices that are excepted: "all but the desk lamp" are lights."""
    names = {str(slot.value).casefold() for slot in request.excluded if slot.name == "name"}
    those = [e for e in context.home.entities if not names.isdisjoint(_names(e))]
    kinds = {entity.domain for entity in those}
    if len(names) < len(request.excluded) or len(kinds) != 1:
        return target
    alike = tuple(e for e in target.entities if e.domain in kinds)
    kind = TargetMention(domain=next(iter(kinds))).kind
    return replace(target, entities=alike, kind=kind) if alike else target


def one_of(target: Target, context: Context) -> Generator[Choose, str, Entity | None]:
    """The one device that is meant; the user is asked when it may be several; None for none."""
    names = {entity.name: entity for entity in reversed(target.entities)}
    if len(names) < 2:
        return target.entities[0] if target.entities else None
    options = tuple(reversed(names))
    asked = f"{', '.join(options[:-1])} or {options[-1]}"
    return names[(yield Choose(f"Which {target.kind}: {asked}?", options))]


def narrowed(target: Target, context: Context) -> Generator[Choose, str, Target]:
    """A target; where one of several is meant, and it is not clear which, the user is asked."""
    if target.only_one and (one := (yield from one_of(target, context))):
        return replace(target, entities=(one,))
    return target


def the(entity: Entity) -> str:
    """A device with its article: "the desk lamp"; a person, or a robot with a name, has none."""
    robot = entity.domain in ("vacuum", "lawn_mower") and _ROBOTS.isdisjoint(
        entity.name.casefold().split()
    )
    if entity.domain == "person" or robot:
        return entity.name
    return spoken.with_article(entity.name)


def capital(text: str) -> str:
    """A sentence with its first letter in upper case."""
    return text[:1].upper() + text[1:]


def _named(name: str, wanted: TargetMention, context: Context) -> Target:
    found = [entity for entity in context.home.entities if name.casefold() in _names(entity)]
    if wanted.domain is not None:  # never of another: "lock the garage door" opens no door
        found = [entity for entity in found if entity.domain == wanted.domain]
    areas = _areas(wanted, context)
    here = context.area.id if context.area else ""
    found.sort(
        key=lambda entity: (
            wanted.device_class not in (None, entity.fact("device_class")),
            areas is not None and entity.area not in areas,
            entity.domain not in wanted.likely,
            entity.domain in _MEASURING,
            entity.area != here,
        )
    )
    return Target(tuple(found[:1]), wanted.kind, called=name.casefold())


def _may_be_in(target: Target, areas: set[str] | None) -> bool:
    """Whether the devices of a target may be in these areas; one without an area may be."""
    return areas is None or all(e.area is None or e.area in areas for e in target.entities)


def _names(thing: Entity | Area | Floor) -> list[str]:
    return [name.casefold() for name in (thing.id, thing.name, *thing.aliases)]


def _fitting(wanted: TargetMention, area: Area | None, context: Context) -> tuple[Entity, ...]:
    domains = wanted.likely if wanted.domain is None else (wanted.domain,)
    areas = _areas(wanted, context) if area is None else {area.id}
    found = {
        entity.id: entity
        for entity in context.home.entities
        if entity.domain in domains
        and (areas is None or entity.area in areas)
        and _is_of_class(entity, wanted.device_class)
    }
    return tuple(e for e in found.values() if not found.keys() & _members(e))


def _members(entity: Entity) -> frozenset[str]:
    """The ids of the devices of a group; none of any other device."""
    ids = entity.attributes.get("entity_id")
    return frozenset(ids) if isinstance(ids, list) else frozenset()


def _is_of_class(entity: Entity, device_class: str | None) -> bool:
    """Whether a device is of a class; for one without a class, its name decides."""
    own = entity.fact("device_class")
    return (
        not device_class
        or own == device_class
        or (not own and device_class in entity.name.casefold())
    )


def _areas(wanted: TargetMention, context: Context) -> set[str] | None:
    """The ids of the areas that were said, by name or by their floor; None for any."""
    if wanted.place.area is not None:
        return {wanted.place.area.id}
    if wanted.place.floor is not None:
        return {area.id for area in context.home.areas if area.floor == wanted.place.floor.id}
    return None


def _serving(wanted: TargetMention, context: Context) -> tuple[Entity, ...]:
    """The thermostats of which one may heat a room that has none of its own."""
    room = wanted.place.area or context.area
    those = _fitting(replace(wanted, place=Place()), None, context)
    floors = {a.id: a.floor for a in context.home.areas if a.floor is not None}
    rooms = {a.id: a.name.casefold() for a in context.home.areas}
    floor = floors.get(room.id) if room is not None else None
    near = tuple(e for e in those if floor is not None and floors.get(e.area or "") == floor)
    # One that is named after its own room heats no other for certain.
    near = tuple(e for e in near if rooms.get(e.area or "", " ") not in e.name.casefold())
    spoken_of = tuple(e for e in near or those if e.id in context.conversation.about)
    return spoken_of or near or those


def _may_be_elsewhere(wanted: TargetMention) -> bool:
    domains = wanted.likely if wanted.domain is None else (wanted.domain,)
    return not set(domains) <= set(_OF_A_ROOM) - {"media_player", "climate"}


def in_place(area: Area | None, floor: Floor | None) -> str:
    """A place after what is in it: " in the kitchen"; "" for none."""
    place = area or floor
    return f" {spoken.in_place(place.name)}" if place is not None else ""
