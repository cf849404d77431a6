"""The timers of a satellite's room, which it rings by itself while its base is away."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import msgspec

from assistant.english.spoken import length

MOST = 100
"""Most timers that are kept; the base that starts more of them is not trusted with memory."""
LONGEST_ID, LONGEST_NAME = 100, 60
"""Most characters of a timer's id, and of its name as it is said."""


class Timer(msgspec.Struct):
    """A timer: its end, or what is left of it while it is paused."""

    words: str
    """What to say when it is over."""
    ends_at_s: float
    left_s: float | None = None


class Timers:
    """Follows what the base tells of timers, by the satellite's own clock."""

    def __init__(self) -> None:
        self._timers: dict[str, Timer] = {}

    def start(self, name: str, called: str, total_s: float, at_s: float) -> None:
        """Keep a timer that begins now.

        Raises `OverflowError` for a length that is none, and `ValueError` for too long an id.
        """
        if len(name) > LONGEST_ID:
            raise ValueError("a timer's id is too long")
        if len(self._timers) < MOST:
            called = f"{called[:LONGEST_NAME]} timer" if called else _timer_for(total_s)
            self._timers[name] = Timer(f"Your {called} is done.", at_s + total_s)

    def update(self, name: str, active: bool, left_s: float, at_s: float) -> None:
        """Let a timer go on, or rest, with these seconds left."""
        if (timer := self._timers.get(name)) is not None:
            timer.ends_at_s = at_s + left_s
            timer.left_s = None if active else left_s

    def cancel(self, name: str) -> None:
        """Forget a timer."""
        self._timers.pop(name, None)

    def finish(self, name: str) -> str:
        """Forget a timer that has ended, and give the words for it; "" for one not known."""
        timer = self._timers.pop(name, None)
        return "" if timer is None else timer.words

    def due(self, at_s: float) -> Iterator[str]:
        """The words of each timer whose end has come, which is forgotten."""
        running = [(name, timer) for name, timer in self._timers.items() if timer.left_s is None]
        for name, timer in running:
            if timer.ends_at_s <= at_s:
                del self._timers[name]
                yield timer.words

    def deadline_s(self) -> float | None:
        """When the first one ends; None for never."""
        return min((t.ends_at_s for t in self._timers.values() if t.left_s is None), default=None)


def _timer_for(total_s: float) -> str:
    return f"timer for {length(timedelta(seconds=total_s))}"
