"""The spoken PIN: asked for, tried, and locked for a while after wrong ones.

A try is on the disk before it is looked at, so that no restart gives one back. The lock is measured
by CLOCK_BOOTTIME, which no change of the wall clock moves. After a reboot, when nobody knows how
long the machine was off, it begins anew: that clock then counts from zero.
"""

from __future__ import annotations

import logging
from enum import Enum

from assistant.core.database import Database
from assistant.skill.reply import Ask
from skills.rights.pin_file import PinFile

log = logging.getLogger(__name__)

LOCKED_S = 300.0
"""Seconds in which no PIN is taken after the wrong ones."""
MOST_WRONG = 3
QUESTION = "What is the PIN?"


class AskPin(Ask, frozen=True):
    """The question for the PIN, which only the framework asks; its answer is whether it was right.

    Skills never get the digits.
    """


ASK_PIN = AskPin(QUESTION, bool)


class Tried(Enum):
    """What came of a PIN that was said."""

    RIGHT = "right"
    WRONG = "wrong"
    LOCKED = "locked"


def create_pin_tries(database: Database) -> None:
    """Create the table of the one count of wrong PINs, and of the end of the lock."""
    database.execute(
        "CREATE TABLE pin_tries (id INTEGER PRIMARY KEY CHECK (id = 1), wrong INTEGER NOT NULL,"
        " boot_id TEXT NOT NULL, until_boot_s REAL NOT NULL) STRICT"
    )


class Pin:
    """Tries PINs; `at_s`, CLOCK_BOOTTIME, is set before each use."""

    def __init__(self, database: Database, file: PinFile | None, boot_id: str) -> None:
        self._database, self._file, self._boot_id = database, file, boot_id
        self.at_s = 0.0

    @property
    def is_set(self) -> bool:
        """Whether there is a PIN."""
        return self._file is not None and self._file.is_set

    def locked_s(self) -> float:
        """Seconds for which no PIN is taken; 0.0 for none."""
        wrong, boot_id, until_boot_s = self._tries()
        if wrong < MOST_WRONG:
            return 0.0
        until_s = until_boot_s if boot_id == self._boot_id else LOCKED_S
        return max(0.0, until_s - self.at_s)

    def deadline_s(self) -> float | None:
        """When a lock ends, and `expire` must be called; None for no lock."""
        return self.at_s + self.locked_s() if self._tries()[0] >= MOST_WRONG else None

    def expire(self) -> None:
        """Forget a lock that has ended: it must not begin anew with the next boot."""
        if self._tries()[0] >= MOST_WRONG and not self.locked_s():
            self._forget()

    def tried(self, digits: str) -> Tried:
        """Try a PIN; not within a transaction, as a wrong one counts whatever happens then."""
        self.expire()
        if self.locked_s():
            return Tried.LOCKED
        wrong = self._tries()[0] + 1
        with self._database.transaction():
            self._database.execute(
                "INSERT OR REPLACE INTO pin_tries VALUES (1, ?, ?, ?)",
                *(wrong, self._boot_id, self.at_s + LOCKED_S),
            )
        if self._file is not None and self._file.fits(digits):
            self._forget()
            return Tried.RIGHT
        if wrong < MOST_WRONG:
            return Tried.WRONG
        log.warning("%d wrong PINs: none is taken for %.0f s (pin.locked)", wrong, LOCKED_S)
        return Tried.LOCKED

    def _tries(self) -> tuple[int, str, float]:
        rows = self._database.execute("SELECT wrong, boot_id, until_boot_s FROM pin_tries")
        return rows[0] if rows else (0, "", 0.0)

    def _forget(self) -> None:
        with self._database.transaction():
            self._database.execute("DELETE FROM pin_tries")
