"""An event loop that waits for nothing: its clock jumps to when something is due."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import TypeVar

T = TypeVar("T")


class _Jumping(selectors.SelectSelector):
    """A selector that lets the time pass for which it is to wait."""

    def __init__(self) -> None:
        super().__init__()
        self.now_s = 1000.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """What is ready now."""
        assert timeout is not None, "everything waits, and nothing is due"
        self.now_s += timeout
        return super().select(0)


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop in virtual time; it serves no other thread."""

    def __init__(self) -> None:
        self._jumping = _Jumping()
        super().__init__(self._jumping)

    def time(self) -> float:
        """The virtual time in seconds."""
        return self._jumping.now_s


def in_virtual_time(story: Coroutine[None, None, T]) -> T:
    """Run a coroutine at once, whatever it sleeps."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(story)


def virtual_s() -> float:
    """The time of the loop that runs."""
    return asyncio.get_running_loop().time()
