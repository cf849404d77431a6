"""For the tests of skills: a network that reaches nothing, plans, a calendar, silent alarms."""

from __future__ import annotations

import itertools
from datetime import datetime, time, timedelta

import msgspec

from assistant.core.errors import UnreachableError
from assistant.core.messages import When
from assistant.core.network.exchange import LONGEST_WAIT_S
from assistant.skill.network import Response
from assistant.skill.plans import Alarm, CalendarEvent, Planned
from assistant.skill.reply import Undo
from assistant.skill.values import Recurrence


class MemoryNetwork:
    """`Network` that a test sets; `asked` are the method, the URL and the body of each request.

    `answers` maps each URL to its `Response`; others cannot be reached.
    """

    def __init__(self) -> None:
        self.answers: dict[str, Response] = {}
        self.asked: list[tuple[str, str, str]] = []

    def get(
        self, url: str, *, secret: str | None = None, within_s: float = LONGEST_WAIT_S
    ) -> Response:
        """Give the answer of a URL."""
        return self._answer("GET", url, "")

    def post(
        self,
        url: str,
        body: str = "",
        *,
        content_type: str = "application/json",
        secret: str | None = None,
        within_s: float = LONGEST_WAIT_S,
    ) -> Response:
        """Give the answer of a URL."""
        return self._answer("POST", url, body)

    def _answer(self, method: str, url: str, body: str) -> Response:
        self.asked.append((method, url, body))
        if url not in self.answers:
            raise UnreachableError("nothing answers there")
        return self.answers[url]


class MemoryPlans:
    """`Plans` that a test sets."""

    def __init__(self) -> None:
        self.planned: tuple[Planned, ...] = ()

    def all(self) -> tuple[Planned, ...]:
        """Every command that waits."""
        return self.planned

    def cancel(self, plan_id: str) -> Undo:
        """Forget one."""
        self.planned = tuple(plan for plan in self.planned if plan.id != plan_id)
        return Undo("plans.restore", plan_id)


class MemoryAlarms:
    """`Alarms` whose time stands still; `said` are the words of each, and a test sets `rung`."""

    def __init__(self, now: datetime) -> None:
        self._now = now
        self._alarms: dict[str, Alarm] = {}
        self.said: dict[str, str] = {}
        self.rung: Alarm | None = None

    def set(
        self,
        when: When,
        words: str,
        *,
        kind: str = "alarm",
        name: str = "",
        at: time | None = None,
        insists: bool = False,
        area: str = "",
    ) -> Alarm:
        """Keep an alarm."""
        number = str(len(self.said) + 1)
        alarm = Alarm(
            id=number,
            kind=kind,
            name=name,
            at=self._moment(when, at),
            then=when.said,
            rule=Recurrence.read(str(when.value)).rule if when.kind == "every" else "",
            area=area,
        )
        self._alarms[number], self.said[number] = alarm, words
        return alarm

    def all(self) -> tuple[Alarm, ...]:
        """Every alarm, the next first."""
        return tuple(sorted(self._alarms.values(), key=lambda alarm: alarm.at))

    def move(self, alarm_id: str, when: When, *, at: time | None = None) -> Undo:
        """Give an alarm another time."""
        before = self._alarms[alarm_id]
        moment, then = self._moment(when, at), when.said
        self._alarms[alarm_id] = msgspec.structs.replace(before, at=moment, then=then)
        return Undo("alarms.restore", alarm_id)

    def ring_in(self, alarm_id: str, area: str) -> Undo:
        """Give an alarm another room."""
        before = self._alarms[alarm_id]
        self._alarms[alarm_id] = msgspec.structs.replace(before, area=area)
        return Undo("alarms.ring_in", alarm_id, before.area)

    def skip(self, alarm_id: str) -> Undo:
        """Move an alarm by a day."""
        before = self._alarms[alarm_id]
        moved = msgspec.structs.replace(before, at=before.at + timedelta(days=1))
        self._alarms[alarm_id] = moved
        return Undo("alarms.restore", alarm_id)

    def snooze(self, alarm_id: str, after: timedelta) -> Undo:
        """Keep what has rung for a while."""
        rung = self.rung
        self.rung = None
        if rung is not None:
            self._alarms[rung.id] = msgspec.structs.replace(rung, at=self._now + after)
        return Undo("alarms.cancel", alarm_id)

    def silence(self) -> tuple[Alarm, ...]:
        """Let nothing ring."""
        rung, self.rung = self.rung, None
        return (rung,) if rung is not None else ()

    def cancel(self, alarm_id: str) -> Undo:
        """Forget an alarm."""
        del self._alarms[alarm_id]
        return Undo("alarms.restore", alarm_id)

    def _moment(self, when: When, at: time | None) -> datetime:
        match when.kind:
            case "in":
                return self._now + timedelta(seconds=float(when.value or 0))
            case "every":
                first = Recurrence.read(str(when.value)).start
            case _:
                first = datetime.fromisoformat(str(when.value))
        moment = first if isinstance(first, datetime) else datetime.combine(first, at or time())
        return moment if moment.tzinfo else moment.replace(tzinfo=self._now.tzinfo)


class MemoryCalendar:
    """`Calendar` whose series take place once."""

    def __init__(self) -> None:
        self._events: dict[str, CalendarEvent] = {}
        self._numbers = itertools.count(1)

    def coming(self) -> tuple[CalendarEvent, ...]:
        """Every event, in order."""
        return tuple(sorted(self._events.values(), key=lambda event: event.starts))

    def between(self, since: datetime, until: datetime) -> tuple[CalendarEvent, ...]:
        """Every event of that period."""
        return tuple(e for e in self.coming() if e.starts < until and e.ends > since)

    def add(
        self,
        title: str,
        starts: datetime,
        ends: datetime,
        *,
        whole_days: bool = False,
        rule: str = "",
    ) -> CalendarEvent:
        """Keep an event."""
        event = CalendarEvent(
            id=str(next(self._numbers)),
            title=title,
            starts=starts,
            ends=ends,
            whole_days=whole_days,
            rule=rule,
        )
        self._events[event.id] = event
        return event

    def move(
        self, event: CalendarEvent, starts: datetime, ends: datetime, *, every: bool = False
    ) -> Undo:
        """Give an event another time."""
        self._events[event.id] = msgspec.structs.replace(event, starts=starts, ends=ends)
        return Undo("calendar.restore", event.id)

    def remove(self, event: CalendarEvent, *, every: bool = False) -> Undo:
        """Forget an event."""
        del self._events[event.id]
        return Undo("calendar.restore", event.id)
