"""Who is connected at a port: so many at most, of which each address has a share, and turns."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from assistant.core.errors import RoomsError


@dataclass(frozen=True)
class Turns:
    """What a connection waits for before the daemon works for it."""

    own: asyncio.Semaphore
    """The turns of its address."""
    voice: asyncio.Semaphore
    """The turns of all who want a sentence spoken, so that no room waits long for its reply."""


class Callers:
    """The connections of each address, `most` in all and `most_of_one` of one address.

    Where all are taken, the address that has most of them gives one up for another that has fewer:
    nobody keeps others out.
    """

    def __init__(self, most: int, most_of_one: int) -> None:
        self._most, self._most_of_one = most, most_of_one
        self._of: dict[str, list[Callable[[], object]]] = {}
        """Address → what hangs up on each of its connections, in the order in which they came."""

    def __len__(self) -> int:
        return sum(map(len, self._of.values()))

    @contextmanager
    def let_in(self, address: str, hang_up: Callable[[], object]) -> Iterator[None]:
        """Count a connection, on which `hang_up` may be called at any time, while this is open.

        Raises `RoomsError` for one too many.
        """
        if self._count(address) >= self._most_of_one:
            raise RoomsError(
                "rooms.crowd", f"more than {self._most_of_one} connections of one come"
            )
        if len(self) >= self._most and not self._made_room(address):
            raise RoomsError("rooms.crowd", f"more than {self._most} connections come")
        self._of.setdefault(address, []).append(hang_up)
        try:
            yield
        finally:
            self._forget(address, hang_up)

    def _count(self, address: str) -> int:
        return len(self._of.get(address, ()))

    def _made_room(self, address: str) -> bool:
        greediest = max(self._of, key=self._count)
        if self._count(greediest) <= self._count(address) + 1:
            return False
        last = self._of[greediest][-1]
        self._forget(greediest, last)
        last()
        return True

    def _forget(self, address: str, hang_up: Callable[[], object]) -> None:
        rest = [one for one in self._of.pop(address, ()) if one != hang_up]
        if rest:
            self._of[address] = rest
