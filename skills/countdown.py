"""Lengths of time that go on over restarts and reboots, and whatever the wall clock does.

Within one boot, CLOCK_BOOTTIME says when one ends. After a reboot the wall clock does. As a board
without a battery boots with a wrong clock, it then ends at the latest after the time that was left
when its end was set; and a clock that cannot be right does not say that it is over already.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import msgspec

MOVED_S = 10.0
"""Seconds by which a clock that drifts is not taken for one that was set."""


class Ending(msgspec.Struct, frozen=True, kw_only=True):
    """When a length of time ends; `span_s` is what was left of it when this was set."""

    span_s: float = 0.0
    due_unix_s: float = 0.0
    boot_id: str = ""
    due_boot_s: float = 0.0


class Countdown:
    """Tells what is left until an `Ending`; `at_s`, CLOCK_BOOTTIME, is set before each use."""

    def __init__(
        self,
        now: Callable[[], datetime],
        boot_id: str,
        plausible: Callable[[], bool] = lambda: True,
    ) -> None:
        self.at_s = 0.0
        self.boot_id = boot_id
        self._now, self._plausible = now, plausible
        self._adopted: dict[str, float] = {}

    @property
    def plausible(self) -> bool:
        """Whether the wall clock may be right."""
        return self._plausible()

    def ending(self, left_s: float) -> Ending:
        """The end of what begins now and takes `left_s` seconds."""
        return Ending(
            span_s=left_s,
            due_unix_s=self._now().timestamp() + left_s,
            boot_id=self.boot_id,
            due_boot_s=self.at_s + left_s,
        )

    def left_s(self, key: str, ending: Ending) -> float:
        """Seconds until the end of what is known as `key`; negative after it."""
        if self.is_of_this_boot(ending):
            return ending.due_boot_s - self.at_s
        wall_s = ending.due_unix_s - self._now().timestamp()
        plausible = self.plausible
        first_s = min(wall_s, ending.span_s) if plausible or wall_s > 0 else ending.span_s
        if not self.at_s:  # the present is not yet known, so nothing can be counted from it
            return first_s
        left_s = self._adopted.setdefault(key, self.at_s + first_s) - self.at_s
        return min(wall_s, left_s) if plausible else left_s

    def is_of_this_boot(self, ending: Ending) -> bool:
        """Whether the end was set since the last reboot, so that no wall clock matters."""
        return ending.boot_id == self.boot_id

    def is_outdated(self, ending: Ending) -> bool:
        """Whether the wall clock was set since, so that after a reboot the end would be wrong."""
        left_s = ending.due_boot_s - self.at_s
        if left_s <= 0 or not self.is_of_this_boot(ending):
            return False
        return abs(ending.due_unix_s - self._now().timestamp() - left_s) > MOVED_S

    def forget(self, key: str) -> None:
        """Forget what was known of an end that is set anew, or gone."""
        self._adopted.pop(key, None)
