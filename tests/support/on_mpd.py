"""A bridge's stage on MPD, without the bus."""

from __future__ import annotations

import select
import time
from collections.abc import Callable
from typing import Any, TypeVar

from assistant.bridge.mpd.link import Mpd
from assistant.bridge.stage import BridgeStage
from assistant.core.clock import boottime_s
from assistant.core.messages import (
    DeviceChanged,
    HomeCommand,
    HomeReceipt,
    HomeStates,
    Message,
    Tick,
)
from assistant.core.settings.mpd import PLAYER
from tests.support.mpd import PATIENCE_S

T = TypeVar("T", bound=Message)
KINDS = ("sent", "unsent", "unsure", "failed")


class Bench:
    """A bridge's stage on MPD, pumped by hand as the worker would."""

    def __init__(self, link: Mpd) -> None:
        self.link, self.stage = link, BridgeStage(link)
        self._told: list[Message] = []
        self._became: dict[int, str] = {}
        self._commands = 0

    def hears(self, wanted: type[T], fits: Callable[[T], object] = lambda _: True) -> T:
        """The next such message; others stay."""
        deadline_s = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline_s:
            for message in self._told:
                if isinstance(message, wanted) and fits(message):
                    self._told.remove(message)
                    return message
            select.select([self.link], [], [], 0.05)
            list(self.link.read())
            self._told += self.stage.feed(Tick(at_s=boottime_s()))
        raise AssertionError(f"no such {wanted.__name__}; {self._told}")

    def does(self, state: str = "", **more: Any) -> str:
        """What became of a command."""
        number = self.begins(state, **more)
        return self.becomes(number)

    def begins(self, state: str = "", **more: Any) -> int:
        self._commands += 1
        given = {"given_at_s": boottime_s(), "ids": (self._commands,), "utterance_id": "u", **more}
        list(self.stage.feed(HomeCommand(entity_id=PLAYER, state=state, **given)))
        return self._commands

    def becomes(self, number: int) -> str:
        while number not in self._became:
            receipt = self.hears(HomeReceipt)
            self._became |= {i: kind for kind in KINDS for i in getattr(receipt, kind)}
        return self._became[number]

    def is_there(self) -> None:
        self.hears(DeviceChanged, lambda m: m.present)

    def is_away(self) -> str:
        return self.hears(DeviceChanged, lambda m: not m.present).detail

    def tells(self, state: str, **attributes: Any) -> None:
        """Wait until the player tells this state, and these attributes among others."""

        def fits(message: HomeStates) -> bool:
            told = message.attributes.get(PLAYER, {})
            same = all(told.get(name) == value for name, value in attributes.items())
            return message.states.get(PLAYER) == state and same

        self.hears(HomeStates, fits)
