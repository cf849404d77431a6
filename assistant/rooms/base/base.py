"""The base of the satellites in the settings: what is said in each, and what goes to each."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import partial

from wyoming.event import Event

from assistant.core.config import ListeningSettings
from assistant.core.messages import Complete, Message, Spoken
from assistant.core.settings.wyoming import SatelliteSettings
from assistant.rooms.base.player import SatellitePlayer
from assistant.rooms.base.room import Room
from assistant.rooms.base.satellite import Satellite

TOLD_EVERY_S = 10.0
"""Seconds after which it is told again which satellites are there, as a broadcast may be lost."""


class Base:
    """Serves satellites by name; `send` takes messages for the daemon."""

    def __init__(
        self,
        satellites: Mapping[str, SatelliteSettings],
        listening: ListeningSettings,
        send: Callable[[Message], None],
    ) -> None:
        def make_room(name: str, player: SatellitePlayer, write: Callable[[Event], None]) -> Room:
            area = satellites[name].area or name
            return Room(name, area, listening, player, send, write)

        self._satellites = {
            name: Satellite(name, settings, send, partial(make_room, name))
            for name, settings in satellites.items()
        }

    @property
    def names(self) -> frozenset[str]:
        """The names of the satellites."""
        return frozenset(self._satellites)

    def has(self, name: str) -> bool:
        """Whether a satellite is there."""
        return name in self._satellites and self._satellites[name].present

    async def run(self) -> None:
        """Keep the connections, for ever."""
        async with asyncio.TaskGroup() as tasks:
            for satellite in self._satellites.values():
                tasks.create_task(satellite.run())
            while True:
                await asyncio.sleep(TOLD_EVERY_S)
                for satellite in self._satellites.values():
                    satellite.tell_presence()

    def take(self, message: Message) -> None:
        """Hand each room what the daemon has for it."""
        if isinstance(message, Complete):  # it names an utterance, which one room knows
            for satellite in self._satellites.values():
                satellite.take(message)
        elif isinstance(message, Spoken) and message.peer in self._satellites:
            self._satellites[message.peer].take(message)
