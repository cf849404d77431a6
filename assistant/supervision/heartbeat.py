"""The worker's end of its line to the supervisor: one beat each time the work loop goes round."""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Callable
from typing import Literal

from assistant.supervision.channel import Beat, encode


class Heartbeat:
    """Reports to the supervisor, at most every `every_s` seconds, that the work loop goes round.

    `line` is None without a supervisor, as in a single process; then a beat does nothing.
    """

    def __init__(
        self,
        line: socket.socket | None = None,
        every_s: float = 0.25,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.line = line
        self._every_s, self._clock = every_s, clock
        self._last: Beat | None = None
        self._due_s = float("-inf")
        if line is not None:
            line.setblocking(False)

    def reloading(self) -> None:
        """Report that the loop pauses until its stage has been rebuilt."""
        self.beat("reloading")

    def beat(
        self, state: Literal["ready", "degraded", "reloading"] = "ready", detail: str = ""
    ) -> None:
        """Report that the loop went round; a changed state is sent at once. Never blocks."""
        beat = Beat(state=state, detail=detail)
        now_s = self._clock()
        if self.line is None or (beat == self._last and now_s < self._due_s):
            return
        self._last, self._due_s = beat, now_s + self._every_s
        # A supervisor that does not read loses beats; one that is gone takes this process with it.
        with contextlib.suppress(BlockingIOError, BrokenPipeError, ConnectionResetError):
            self.line.send(encode(beat))
