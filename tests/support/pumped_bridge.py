"""A bridge's stage on a link, pumped by hand as the worker would."""

from __future__ import annotations

import select
import time
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from assistant.bridge.link import Link
from assistant.bridge.stage import BridgeStage
from assistant.core.clock import boottime_s
from assistant.core.messages import DeviceChanged, HomeCommand, Message, Tick

PATIENCE_S = 60.0

T = TypeVar("T", bound=Message)
L = TypeVar("L", bound=Link)


class PumpedBridge(Generic[L]):
    """The stage and its link, and what it told that nobody has heard yet."""

    def __init__(self, link: L) -> None:
        self.link, self.stage = link, BridgeStage(link)
        self._told: list[Message] = []
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

    def command(self, entity_id: str, state: str = "", **more: Any) -> int:
        """Give a command; the number by which its receipt names it."""
        self._commands += 1
        given = {"given_at_s": boottime_s(), "ids": (self._commands,), "utterance_id": "u", **more}
        list(self.stage.feed(HomeCommand(entity_id=entity_id, state=state, **given)))
        return self._commands

    def is_there(self) -> None:
        self.hears(DeviceChanged, lambda m: m.present)

    def is_away(self) -> str:
        return self.hears(DeviceChanged, lambda m: not m.present).detail
