"""Which devices are in a place of one home, and the slot that names it."""

from __future__ import annotations

from assistant.core.messages import Command, Slot, SlotValue
from assistant.english.commands.words import PRIVATE, SHARED
from assistant.skill.home import Area, Entity, Home
from nlu.parts.names import Where, storey

_MOST_ROOMS = 4
"""Most rooms among which the user is asked to choose."""
_MY_ROOM = "room of yours"
"""What is told of a room that nobody knows."""


class Places:
    """The places of one home, seen from the room where the assistant is spoken to."""

    def __init__(self, home: Home, area: str = "") -> None:
        self._home = home
        self.here = next((a for a in home.areas if area and area in (a.id, a.name)), None)
        """The speaker's room; None where it is not known."""

    def has(self, where: Where | None, entity: Entity) -> bool:
        """Whether a device is in a place; without a place, every device is."""
        if where is None:
            return True
        if where.area is not None:
            return entity.area in {area.id for area in (where.area, *where.others)}
        if where.floor is not None:
            return entity.area in {a.id for a in self._home.areas if a.floor == where.floor.id}
        if where.unknown or where.there:
            return False
        return self.here is None or entity.area == self.here.id

    def is_on_floor(self, entity: Entity) -> bool:
        """Whether a device is on the floor of the speaker's room."""
        floor = self.here.floor if self.here is not None else None
        areas = {area.id for area in self._home.areas if floor and area.floor == floor}
        return entity.area in areas

    def spoken_of(self, command: Command) -> Where | None:
        """The place that a command named, or that its device is in; None where there is none."""
        values = {slot.name: str(slot.value).casefold() for slot in command.slots}
        named = next(
            (e for e in self._home.entities if e.name.casefold() == values.get("name")), None
        )
        rooms = {values.get("area"), named.area if named is not None else None} - {None}
        area = next((a for a in self._home.areas if {a.id, a.name.casefold()} & rooms), None)
        return Where(area=area) if area is not None else None

    def slots(self, where: Where | None) -> tuple[Slot, ...]:
        """The slot of a place; here is the speaker's room, where that is known."""
        if where is None:
            return ()
        if where.floor is not None:
            return (slot("floor", where.floor.name),)
        if where.unknown:
            return (slot("area", where.unknown),)
        area = where.area or self.here
        return (slot("area", area.name, *map(str, where.others)),) if area is not None else ()

    def found(self, where: Where) -> Where:
        """A place, with what "up here" or "my room" may be in place of that.

        "My room" is the speaker's, unless that is everybody's and others belong to somebody.
        """
        if where.near:
            return self._of_speaker(where)
        if not where.own:
            return where
        ours = [area for area in self._home.areas if _is_private(area)]
        if self.here is not None and not (ours and _is_shared(self.here)):
            ours = [self.here]
        if not 0 < len(ours) <= _MOST_ROOMS:
            return Where(unknown=_MY_ROOM)
        return Where(area=ours[0], others=tuple(ours[1:]))

    def _of_speaker(self, where: Where) -> Where:
        """The floor of the speaker's room; a place where it is unknown, or the other way."""
        here = self.here.floor if self.here is not None else None
        floor = next((f for f in self._home.floors if f.id == here), None)
        if floor is None or where.floor is None:
            return where
        other = {storey(floor), storey(where.floor)} == {"up", "down"}
        return where if other else Where(floor=floor)


def _is_private(area: Area) -> bool:
    """Whether a room belongs to some of the household, by its names."""
    return any(PRIVATE.search(name.casefold()) for name in (area.name, *area.aliases))


def _is_shared(area: Area) -> bool:
    """Whether a room is everybody's, by its name."""
    return not _is_private(area) and SHARED.search(area.name.casefold()) is not None


def slot(name: str, value: SlotValue, *others: SlotValue) -> Slot:
    """A slot with a value that stands for its words; with `others` the user is asked which."""
    return Slot(name=name, value=value, raw=str(value).casefold(), others=others)
