"""How often each intent was carried out and left so: numbers only, no words of anybody."""

from __future__ import annotations

import logging
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import msgspec

from assistant.core.database import Database
from assistant.core.files import replace_file

log = logging.getLogger(__name__)

_USUAL = 100
"""Commands that count as much as all that is usual: with fewer, tastes are not known yet."""
_MOST = 400
"""Commands beyond which all counts are halved, so that what people do now weighs more."""
_TOLD_ANEW = 0.2
"""How far the shares move before they are told again: what reads them takes seconds."""


def create_confirmed(database: Database) -> None:
    """Create the table of intents that have been carried out."""
    database.execute(
        "CREATE TABLE confirmed"
        " (intent TEXT PRIMARY KEY, times INTEGER NOT NULL, told INTEGER NOT NULL DEFAULT 0)"
    )


class _Noted(NamedTuple):
    """An intent that was carried out, and where it was said."""

    intent: str
    area: str


class Confirmed:
    """Counts the intents of what was done, in `database`, and tells of them in the file `telling`.

    What was done counts once another thing is done in its room, unless that takes it back. A crash
    loses what does not count yet. Without that file nobody is told of anything.
    """

    def __init__(self, database: Database, telling: Path | None = None) -> None:
        self._database, self._telling = database, telling
        self._waiting: list[_Noted] = []

    def note(self, intent: str, area: str) -> None:
        """Note that this was carried out, as was said in an area."""
        self._waiting.append(_Noted(intent, area))

    def take_back(self, area: str) -> None:
        """Forget the last that was noted of an area: it was not what somebody wanted."""
        last = next((one for one in reversed(self._waiting) if one.area == area), None)
        self._waiting = [one for one in self._waiting if one is not last]

    def count(self, area: str) -> None:
        """Count what was noted of an area, within the transaction of what is done there now."""
        noted = (one.intent for one in self._waiting if one.area == area)
        for intent, times in Counter(noted).items():
            self._database.execute(
                "INSERT INTO confirmed (intent, times) VALUES (?, ?)"
                " ON CONFLICT (intent) DO UPDATE SET times = times + excluded.times",
                *(intent, times),
            )
        if sum(self.counts.values()) >= _MOST:
            self._database.execute("UPDATE confirmed SET times = times / 2")

    def tell(self, area: str) -> None:
        """After that transaction, write the counts to the file where they have moved enough."""
        self._waiting = [one for one in self._waiting if one.area != area]
        if self._telling is None:
            return
        if self._moved() >= _TOLD_ANEW:
            try:
                replace_file(self._telling, msgspec.json.encode(self.counts), 0o600, durable=False)
            except OSError as error:
                log.warning("%s: %s (storage.unwritable)", self._telling, error)
            self._database.execute("UPDATE confirmed SET told = times")

    @property
    def counts(self) -> dict[str, int]:
        """Each intent with the times that count."""
        return dict(self._database.execute("SELECT intent, times FROM confirmed ORDER BY intent"))

    def _moved(self) -> float:
        """How far the shares, beside what is usual, are from those that were told last."""
        rows = self._database.execute("SELECT times, told FROM confirmed")
        times, told = (sum(row[at] for row in rows) + _USUAL for at in (0, 1))
        return float(sum(abs(row[0] / times - row[1] / told) for row in rows))
