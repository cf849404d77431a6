"""The loudspeakers of other rooms: which areas have a satellite that is there.

Their news are broadcasts and may be lost, and a service that dies tells none: a satellite of which
nothing was heard lately is not counted on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from assistant.core.messages import Message, RoomTimer, RoomTimers, SatelliteChanged
from assistant.skill.context import Timer

LAPSES_S = 30.0
"""Seconds after which a satellite must have been told of again."""


class Loudspeakers:
    """Follows `SatelliteChanged`; `device` is the area where the device itself speaks."""

    def __init__(self, device: str = "") -> None:
        self._device = device
        self._at_s = 0.0
        self._areas: dict[str, tuple[str, float]] = {}
        """Satellite → its area, and when it was last told of."""
        self._told: dict[str, list[tuple[object, ...]]] = {}
        """Area → its timers, as they were told there last."""

    def observe(self, message: Message, at_s: float) -> None:
        """Note that a satellite came or went."""
        self._at_s = at_s
        if isinstance(message, SatelliteChanged):
            self._areas.pop(message.satellite, None)
            self._told.pop(message.area, None)
            if message.present:
                self._areas[message.satellite] = message.area, at_s

    def others(self, here: str) -> tuple[str, ...]:
        """The areas with a loudspeaker beside `here`, "" where the device stands."""
        there = [area for area, _ in self._areas.values() if self.peer(area)]
        every = dict.fromkeys((self._device, *there))
        return tuple(area for area in every if area != (here or self._device))

    def heard_in(self, area: str) -> str:
        """The area in which is heard now what is for `area`: that one, or the device's own."""
        return area if self.peer(area) else self._device

    def timers(self, every: Callable[[], Iterable[Timer]]) -> Iterator[RoomTimers]:
        """The timers of each area with a satellite, where they are not what was told last."""
        areas = {area for area, _ in self._areas.values() if self.peer(area)}
        timers = list(every()) if areas else []
        for area in sorted(areas):
            there = [timer for timer in timers if timer.area == area]
            known = [
                (one.id, one.name, one.paused, round(self._at_s + one.remaining.total_seconds()))
                for one in there
            ]
            if self._told.get(area) != known:
                self._told[area] = list(known)
                yield RoomTimers(area=area, timers=tuple(map(_of_room, there)))

    def peer(self, area: str) -> str:
        """The satellite that speaks in an area; "" where there is none."""
        there = (
            name
            for name, (stands, told_at_s) in self._areas.items()
            if stands == area and self._at_s - told_at_s < LAPSES_S
        )
        return next(there, "") if area else ""


def _of_room(timer: Timer) -> RoomTimer:
    return RoomTimer(
        id=timer.id,
        name=timer.name,
        total_s=timer.duration.total_seconds(),
        left_s=timer.remaining.total_seconds(),
        paused=timer.paused,
    )
