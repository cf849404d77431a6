"""The stored events, each at the times when it takes place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from assistant.answer.calendar.wording import ListedEvent
from assistant.answer.knowledge.knowledge import Knowledge
from assistant.answer.knowledge.passage_store import StoredPassage
from assistant.answer.knowledge.passages import Passage
from assistant.answer.knowledge.query import Filter
from assistant.core.calendar.series import (
    Effort,
    Occurrence,
    RuleError,
    here,
    occurrences,
    once,
)
from assistant.core.messages import Period

HORIZONS = (timedelta(days=60), timedelta(days=400), timedelta(days=4000))
"""How far ahead the next time of an event is searched for, one horizon after the other."""


class TimedEvent(NamedTuple):
    """A stored event at one of its times."""

    stored: StoredPassage
    when: Occurrence

    @property
    def event(self) -> ListedEvent:
        """The event as it is spoken."""
        passage = self.stored.passage
        return ListedEvent(passage.place, self.when, self.stored.id if passage.series else 0)


class Timetable:
    """The events in `knowledge`; `now` gives the present as an aware time."""

    def __init__(self, knowledge: Knowledge, now: Callable[[], datetime]) -> None:
        self._knowledge, self._now = knowledge, now
        self._lost: dict[str, None] = {}

    def unread(self) -> str:
        """What is to be said of calendars and events that were not read for the last question."""
        lost, self._lost = list(self._lost), {}
        if told := self._knowledge.unread("event"):
            return told
        return f"I can't tell when {lost[0]} takes place." if lost else ""

    def here(self, period: Period) -> Period:
        """The period in the time zone of the documents; the bus delivers it in UTC."""
        return here(period, self._knowledge.zone)

    def present(self) -> datetime:
        """The present in that zone."""
        return self._now().astimezone(self._knowledge.zone)

    def between(self, since: datetime, until: datetime) -> list[TimedEvent]:
        """Each event of that period once, in order; whole days come first."""
        within, effort = Filter(kinds=("event",), since=since, until=until), Effort()
        known: dict[tuple[str, datetime], TimedEvent] = {}
        for stored in self._knowledge.passages.read(self._knowledge.passages.within(within)):
            for when in self._times(stored.passage, since, until, effort):
                known.setdefault((stored.passage.place, when.starts), TimedEvent(stored, when))
        return sorted(
            known.values(),
            key=lambda found: (
                max(found.when.starts, since).date(),
                not found.when.whole_days,
                found.when.starts,
            ),
        )

    def event(self, passage: int) -> Passage | None:
        """The event that is stored as `passage`; None where that is none."""
        stored = self._knowledge.passages.read([passage]) if passage else []
        return stored[0].passage if stored and stored[0].passage.kind == "event" else None

    def _times(
        self, passage: Passage, since: datetime, until: datetime, effort: Effort
    ) -> Iterator[Occurrence]:
        zone = self._knowledge.zone
        if passage.series is not None:
            try:
                yield from occurrences(passage.series, since, until, zone, effort)
            except RuleError:
                self._lost[passage.place] = None
            return
        one = once(passage.starts, passage.ends, zone)
        if one and one.starts < until and (one.ends > since or one.starts >= since):
            yield one

    def upcoming(
        self, wanted: Callable[[Passage], bool], now: datetime, *, begun: bool = True
    ) -> TimedEvent | None:
        """The first wanted event that is not over at `now`.

        One that has begun comes after those to come; without `begun` it does not count.
        """
        within, effort = Filter(kinds=("event",), since=now), Effort()
        some = self._knowledge.passages.read(self._knowledge.passages.within(within))
        some = [stored for stored in some if wanted(stored.passage)]
        for horizon in HORIZONS:
            found = [
                TimedEvent(stored, when)
                for stored in some
                for when in self._times(stored.passage, now, now + horizon, effort)
                if begun or when.starts >= now
            ]
            if found:
                return min(found, key=lambda one: (one.when.starts < now, one.when.starts))
        return None
