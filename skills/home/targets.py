"""Finds the devices that are meant: by name, kind, room or floor, and the speaker's room.

1. A name means one device. Of several with that name, it means the one of the kind, room and floor
   that was said, else of a likely kind, else no sensor, else in the speaker's room.
2. A kind means the devices in the room or on the floor that was said.
3. Without a place it means those in the speaker's room, unless a word such as "all" means the whole
   home.
4. Where the speaker's room has none, a lock may be anywhere in the home, and so may a device that
   is the only one of its kind.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

from assistant.skill import Area, Choose, Context, Entity, Floor, Reply, Request, count

ALL = "all"
"""The name that means every device of the kind."""

EVERYWHERE = frozenset(("all", "every", "everything", "everywhere", "house"))
"""Words that mean the whole home, not the speaker's room."""

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

_ADVERBS = ("upstairs", "downstairs", "outside", "inside", "outdoors")
"""Places that are said without a preposition."""


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

    @property
    def words(self) -> str:
        """The devices in words: "the desk lamp", "two lights in the kitchen"."""
        if len(self.entities) == 1:
            return the(self.entities[0])
        return f"{count(len(self.entities), self.kind)}{self.where}"

    @property
    def unknown(self) -> Reply:
        """The reply when there are none."""
        called = f" called {self.called}" if self.called else ""
        return Reply(f"I don't know of any {self.kind}{called}{self.where}.", done=False)


def find(wanted: TargetMention, request: Request, context: Context) -> Target:
    """The devices that are meant, none when there are no such."""
    if wanted.name is not None and wanted.name.casefold() != ALL:
        return _named(wanted.name, wanted, context)
    everywhere = wanted.name is not None or EVERYWHERE.intersection(request.text.split())
    here = None if everywhere or wanted.place.said else context.area
    found = _fitting(wanted, wanted.place.area or here, context)
    if here is not None and not found:
        elsewhere = _fitting(wanted, None, context)
        if wanted.domain == "lock" or (_may_be_elsewhere(wanted) and len(elsewhere) == 1):
            return Target(elsewhere, wanted.kind)
    return Target(found, wanted.kind, _where(wanted.place.area or here, wanted.place.floor))


def one_of(target: Target, context: Context) -> Generator[Choose, str, Entity | None]:
    """The one device that is meant; the user is asked when it may be several; None for none."""
    names = {entity.name: entity for entity in reversed(target.entities)}
    if len(names) < 2:
        return target.entities[0] if target.entities else None
    options = tuple(reversed(names))
    asked = f"{', '.join(options[:-1])} or {options[-1]}"
    return names[(yield Choose(f"Which {target.kind}: {asked}?", options))]


def the(entity: Entity) -> str:
    """A device with its article: "the desk lamp"; a person is just named."""
    return entity.name if entity.domain == "person" else f"the {entity.name.casefold()}"


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


def _names(entity: Entity) -> list[str]:
    return [name.casefold() for name in (entity.id, entity.name, *entity.aliases)]


def _fitting(wanted: TargetMention, area: Area | None, context: Context) -> tuple[Entity, ...]:
    domains = wanted.likely if wanted.domain is None else (wanted.domain,)
    areas = _areas(wanted, context) if area is None else {area.id}
    return tuple(
        entity
        for entity in context.home.entities
        if entity.domain in domains
        and (areas is None or entity.area in areas)
        and _is_of_class(entity, wanted.device_class)
    )


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


def _may_be_elsewhere(wanted: TargetMention) -> bool:
    domains = wanted.likely if wanted.domain is None else (wanted.domain,)
    return not set(domains) <= set(_OF_A_ROOM) - {"media_player", "climate"}


def _where(area: Area | None, floor: Floor | None) -> str:
    place = area or floor
    if place is None:
        return ""
    name = place.name.casefold()
    if name in _ADVERBS:
        return f" {name}"
    return f" on the {name}" if name.endswith("floor") else f" in the {name}"
