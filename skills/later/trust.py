"""Whether the wall clock is taken for right; what is planned by it waits until then.

A board without a battery boots with a wrong clock, and is corrected when a network is there.

| the clock                                                          | is taken for right        |
|--------------------------------------------------------------------|---------------------------|
| was set by network time, or a user says that it is right           | until the next boot       |
| was set from a battery's clock, and is not earlier than ever known | until the next boot       |
| is earlier than a time that was known, or than this program        | no                        |
| waits for network time                                             | no                        |
| is such that nothing tells                                         | yes                       |
| has just been moved by hours                                       | after a while, if it stays|

The last line is for a clock that is set wrongly and then corrected: what is due only by the wrong
time is not carried out.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime

from assistant.core.database import Database
from assistant.core.errors import StorageError
from skills.later.evidence import Evidence

LOOK_S = 5.0
"""Seconds from one look at the evidence to the next."""
MOVED_S = 2 * 3600.0
"""Farthest that the clock may be moved without being doubted."""
STAYS_S = 300.0
"""Seconds after which a clock that was moved farther is believed."""
NOTED_EVERY_S = 3600.0
"""Seconds from one note of the newest known time to the next."""

log = logging.getLogger(__name__)


def create_known_time(database: Database) -> None:
    """Create the table of the one newest time that was known to be right, and in which boot."""
    database.execute(
        "CREATE TABLE known_time (id INTEGER PRIMARY KEY CHECK (id = 1),"
        " unix_s REAL NOT NULL, boot_id TEXT NOT NULL) STRICT"
    )


class ClockTrust:
    """Judges the wall clock `now` by `evidence`; `look` is called with each new CLOCK_BOOTTIME."""

    def __init__(
        self,
        database: Database,
        now: Callable[[], datetime],
        boot_id: str,
        evidence: Callable[[], Evidence],
    ) -> None:
        self._database, self._now, self._boot_id = database, now, boot_id
        self._evidence = evidence
        rows = database.execute("SELECT unix_s, boot_id FROM known_time")
        self._newest_s, boot = rows[0] if rows else (0.0, "")
        self._known = str(boot) == boot_id
        """Whether the clock was known to be right in this boot."""
        self._plausible = self._known
        self._at_s = self._look_at_s = self._believed_at_s = 0.0
        self._ahead_s: float | None = None
        """By how much the wall clock is ahead of CLOCK_BOOTTIME."""
        if not self._known:
            self._judge(now().timestamp())

    def plausible(self) -> bool:
        """Whether the clock may be right, also if it has just been moved."""
        return self._plausible

    def trusted(self) -> bool:
        """Whether what is planned by the clock may be carried out."""
        return self._plausible and self._at_s >= self._believed_at_s

    def look(self, at_s: float) -> None:
        """Look at the clock, and at times at the evidence."""
        self._at_s = at_s
        now_s = self._now().timestamp()
        ahead_s = now_s - at_s
        if self._ahead_s is not None and self._plausible and abs(ahead_s - self._ahead_s) > MOVED_S:
            log.warning("the wall clock was moved by hours; it is doubted for now (clock.moved)")
            self._believed_at_s = at_s + STAYS_S
        self._ahead_s = ahead_s
        if self._known:
            if abs(now_s - self._newest_s) > NOTED_EVERY_S and self.trusted():
                self._note(now_s)
        elif at_s >= self._look_at_s:
            self._look_at_s = at_s + LOOK_S
            self._judge(now_s)

    def confirm(self) -> None:
        """Take the clock for right until the next boot: it is known to be."""
        self._known = self._plausible = True
        self._believed_at_s = 0.0
        self._note(self._now().timestamp())

    def _judge(self, now_s: float) -> None:
        earlier = now_s < self._newest_s
        match self._evidence():
            case Evidence.NETWORK:
                self.confirm()
            case Evidence.BATTERY if not earlier:
                self.confirm()
            case Evidence.NONE:
                self._plausible = not earlier
            case _:
                self._plausible = False

    def _note(self, now_s: float) -> None:
        self._newest_s = now_s
        try:
            with self._database.uncounted():
                self._database.execute(
                    "INSERT OR REPLACE INTO known_time VALUES (1, ?, ?)", now_s, self._boot_id
                )
        except StorageError as error:  # then the next process looks again
            log.warning("the time could not be noted: %s (%s)", error.message, error.code)
