"""The loudspeakers of other rooms: which areas have a satellite that is there.

Their news are broadcasts and may be lost, and a service that dies tells none: a satellite of which
nothing was heard lately is not counted on.
"""

from __future__ import annotations

from assistant.core.messages import Message, SatelliteChanged

LAPSES_S = 30.0
"""Seconds after which a satellite must have been told of again."""


class Loudspeakers:
    """Follows `SatelliteChanged`; `device` is the area where the device itself speaks."""

    def __init__(self, device: str = "") -> None:
        self._device = device
        self._at_s = 0.0
        self._areas: dict[str, tuple[str, float]] = {}
        """Satellite → its area, and when it was last told of."""

    def observe(self, message: Message, at_s: float) -> None:
        """Note that a satellite came or went."""
        self._at_s = at_s
        if isinstance(message, SatelliteChanged):
            self._areas.pop(message.satellite, None)
            if message.present:
                self._areas[message.satellite] = message.area, at_s

    def others(self, here: str) -> tuple[str, ...]:
        """The areas with a loudspeaker beside `here`, "" where the device stands."""
        there = [area for area, _ in self._areas.values() if self.peer(area)]
        every = dict.fromkeys((self._device, *there))
        return tuple(area for area in every if area != (here or self._device))

    def peer(self, area: str) -> str:
        """The satellite that speaks in an area; "" where there is none."""
        there = (
            name
            for name, (stands, told_at_s) in self._areas.items()
            if stands == area and self._at_s - told_at_s < LAPSES_S
        )
        return next(there, "") if area else ""
