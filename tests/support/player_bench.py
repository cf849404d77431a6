"""A bridge's stage on one player, without the bus."""

from __future__ import annotations

from typing import Any

from assistant.bridge.player import PlayerLink
from assistant.core.messages import (
    HomeReceipt,
    HomeStates,
)
from tests.support.pumped_bridge import PumpedBridge

KINDS = ("sent", "unsent", "unsure", "failed")


class PlayerBench(PumpedBridge[PlayerLink]):
    """A bridge's stage on one player, pumped by hand as the worker would."""

    def __init__(self, link: PlayerLink, player: str) -> None:
        super().__init__(link)
        self._player = player
        self._became: dict[int, str] = {}

    def does(self, state: str = "", **more: Any) -> str:
        """What became of a command."""
        number = self.begins(state, **more)
        return self.becomes(number)

    def begins(self, state: str = "", **more: Any) -> int:
        return self.command(self._player, state, **more)

    def becomes(self, number: int) -> str:
        while number not in self._became:
            receipt = self.hears(HomeReceipt)
            self._became |= {i: kind for kind in KINDS for i in getattr(receipt, kind)}
        return self._became[number]

    def tells(self, state: str, **attributes: Any) -> None:
        """Wait until the player tells this state, and these attributes among others."""

        def fits(message: HomeStates) -> bool:
            told = message.attributes.get(self._player, {})
            same = all(told.get(name) == value for name, value in attributes.items())
            return message.states.get(self._player) == state and same

        self.hears(HomeStates, fits)
