"""What connections to one media player have in common: its commands, done once and in order."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Any

from assistant.bridge.complaints import Complaints
from assistant.bridge.kept import KeptLink
from assistant.bridge.link import FRESH_S, Outcome
from assistant.core.clock import boottime_s
from assistant.core.errors import BridgeError
from assistant.core.messages import HomeCommand

WAITING_COMMANDS = 32
"""Most commands that wait for their turn."""
AUDIBLE = 30
"""Volume in percent of a player that is to sound again, where it was silent when it was found."""
LONGEST_TEXT = 255
"""Most characters of a title, as of a state."""

Act = Callable[[HomeCommand], Awaitable[None]]


class NotDoneError(Exception):
    """The player says that it cannot do what it is asked."""


def sayable(text: Any) -> bool:
    """Whether what a player tells of itself is a text that can be said, such as a title."""
    return (
        isinstance(text, str)
        and bool(text.strip())
        and len(text) <= LONGEST_TEXT
        and text.isprintable()
    )


def unknown(command: HomeCommand, line: str) -> BridgeError:
    """What is wrong with a command that `line`, as in "MPD has no command", does not do."""
    wanted = command.command or command.state or ", ".join(command.attributes)
    return BridgeError("bridge.service", f"{line} for {wanted}")


class PlayerLink(KeptLink):
    """A link to one `player`, whose presence is told of as that of `device`.

    What it is to do is tried once, and never later: music that begins by itself after an hour is
    no help to anybody.
    """

    def __init__(
        self, log: logging.Logger, name: str, player: str, device: str, secret: Path | None = None
    ) -> None:
        super().__init__(log, name, secret, device=device)
        self._player = player
        self._complaints = Complaints(log)
        self._waiting: deque[HomeCommand] = deque()
        self._wanted = asyncio.Event()
        self._on_their_way: set[int] = set()
        self._serving = False

    def follow(self, entity_ids: Iterable[str]) -> None:
        """Do nothing, as it has one player, whatever the home's file names."""

    def serves(self, entity_id: str) -> bool:
        """Whether a device is its player."""
        return entity_id == self._player

    def publish(self, command: HomeCommand) -> None:
        """Have the player do something; raises `BridgeError` when too many commands wait."""
        if command.ids and self._on_their_way.issuperset(command.ids):
            return
        if not self._present:
            self._give_up(command)
            return
        if len(self._waiting) >= WAITING_COMMANDS:
            self._give_up(command)
            raise BridgeError("bridge.full", f"{self._name} does nothing: {self._player} waits")
        self._on_their_way |= set(command.ids)
        self._loop.call_soon_threadsafe(self._begin, command)

    # ── the thread of the connection ────────────────────────────────────────────────────────

    def _ready(self) -> None:
        """Take commands from now on."""
        self._serving = True
        self._changed(True, "")

    def _gone(self) -> None:
        """Take no more commands, and do none of those that wait."""
        self._serving = False
        self._report({self._player: "unavailable"}, {self._player: {}})
        while self._waiting:
            self._give_up(self._waiting.popleft())

    def _begin(self, command: HomeCommand) -> None:
        if not self._serving:
            self._give_up(command)
            return
        self._waiting.append(command)
        self._wanted.set()

    async def _serve(self, act: Act, look: Callable[[], Awaitable[None]]) -> None:
        """Have `act` do what is commanded, one after the other, and `look` at what became of each.

        `act` raises `NotDoneError` for what the player cannot do, and `BridgeError` for what it has
        no command for, or where the connection is of no use any more.
        """
        self._wanted.clear()
        while self._waiting:
            command = self._waiting.popleft()
            if command.command and command.given_at_s < boottime_s() - FRESH_S:
                self._over(command, "unsent")
                continue
            await self._done(command, act)
            await look()

    async def _done(self, command: HomeCommand, act: Act) -> None:
        outcome: Outcome = "unsure" if command.command else "failed"
        try:
            await act(command)
            outcome = "sent"
        except NotDoneError as error:
            self._complaints.of(self._name, f"a command fails: {error} (bridge.refused)")
            outcome = "failed"
        except BridgeError as error:
            if error.code not in ("bridge.service", "bridge.argument"):
                raise
            self._complaints.of(self._name, f"{error.message} ({error.code})")
            outcome = "failed"
        finally:
            self._over(command, outcome)

    def _give_up(self, command: HomeCommand) -> None:
        self._over(command, "unsent" if command.command else "failed")

    def _over(self, command: HomeCommand, outcome: Outcome) -> None:
        self._conclude(command.ids, outcome)
        self._on_their_way -= set(command.ids)
        self._wake()
