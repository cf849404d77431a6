"""What was carried out as planned, told until it was heard.

A report is written in the transaction of what it reports. So it is not lost when a process is
killed in between, and like a timer's ring it is given again, under the same id, until playback says
that it was heard.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from assistant.core.database import Database
from assistant.core.messages import SpokenReply
from skills.scheduler import LONGEST_PATIENCE_S, PATIENCE_S, SPOKEN_CHARACTERS_PER_S

MOST_REPORTS = 20
"""Most reports that are kept; older ones are news no more."""


def create_reports(database: Database) -> None:
    """Create the table of what is to be told, under the id of its reply."""
    database.execute(
        "CREATE TABLE plan_reports (id TEXT PRIMARY KEY, text TEXT NOT NULL, done INTEGER NOT NULL)"
        " STRICT"
    )


class Reports:
    """The reports that nobody has heard yet; `at_s` is in seconds of CLOCK_BOOTTIME.

    While it is to be `silent` none is told.
    """

    def __init__(self, database: Database, silent: Callable[[], bool] = lambda: False) -> None:
        self._database, self._silent = database, silent
        self._again: dict[str, tuple[float, float]] = {}
        """Report → when it is given again, and how long was waited for it."""

    def add(self, report_id: str, text: str, done: bool) -> None:
        """Keep a report, within the transaction of what it reports."""
        self._database.execute(
            "INSERT OR REPLACE INTO plan_reports VALUES (?, ?, ?)", report_id, text, int(done)
        )
        self._database.execute(
            "DELETE FROM plan_reports WHERE rowid <= (SELECT max(rowid) FROM plan_reports) - ?",
            MOST_REPORTS,
        )

    def heard(self, utterance_id: str) -> None:
        """Note that playback has played a reply; if it was a report, forget it."""
        if any(report_id == utterance_id for report_id, _, _ in self._all()):
            self._database.execute("DELETE FROM plan_reports WHERE id = ?", utterance_id)
            self._again.pop(utterance_id, None)

    def told(self, at_s: float) -> Iterator[SpokenReply]:
        """The reports to be played now."""
        if self._silent():
            return
        for report_id, text, done in self._all():
            again_at_s, waited_s = self._again.get(report_id, (at_s, 0.0))
            if again_at_s > at_s:
                continue
            first_s = PATIENCE_S + len(text) / SPOKEN_CHARACTERS_PER_S
            patience_s = min(2 * waited_s, LONGEST_PATIENCE_S) or first_s
            self._again[report_id] = at_s + patience_s, patience_s
            yield SpokenReply(
                utterance_id=report_id, text=text, done=bool(done), acted=bool(done), once=True
            )

    def deadline_s(self) -> float | None:
        """When `told` must be called next; None for never, or once it need not be silent."""
        if self._silent():
            return None
        times = (self._again.get(report_id, (0.0, 0.0))[0] for report_id, _, _ in self._all())
        return min(times, default=None)

    def _all(self) -> list[tuple[str, str, int]]:
        rows = self._database.execute("SELECT id, text, done FROM plan_reports ORDER BY rowid")
        return [(str(report_id), str(text), int(done)) for report_id, text, done in rows]
