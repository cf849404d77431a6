"""When a plan is due: first, next, and how long it is until then.

Lengths of time go on as those of timers do. What is planned by the clock follows the user's:
`local` is read in the zone that holds when it is looked at, so that a move to another zone, or
daylight saving, leaves "at seven" at seven. A time that a clock change skips is moved on by the
change; one that comes twice is the first of the two. While the clock is not trusted, what is
planned by it waits; what is wished for meanwhile keeps its time of day, and gets its date once the
clock is right.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from itertools import islice

import msgspec
from dateutil.relativedelta import relativedelta

from assistant.core.calendar.series import RuleError, days_of
from assistant.core.errors import SkillError
from assistant.core.messages import Period, SunEvent, When
from assistant.skill import Recurrence
from assistant.skill.plans import day_of
from skills.countdown import Countdown
from skills.later.plan import After, AtTime, Due, Unsure
from skills.later.sun import Position, sun_time
from skills.later.trust import ClockTrust

MOST_DAYS = 400
"""Most days ahead on which an event of the sun is looked for."""
LONGEST = timedelta(days=366)
"""The farthest ahead that anything is planned."""
_TOO_OFTEN = re.compile(r"FREQ=SECONDLY")


class Timing:
    """Reads and compares times; `at_s`, CLOCK_BOOTTIME, is set before each use.

    `where` is None where the home's place is not known; without a `trust` any clock is right.
    """

    def __init__(
        self,
        now: Callable[[], datetime],
        boot_id: str,
        where: Position | None = None,
        trust: ClockTrust | None = None,
    ) -> None:
        self.countdown = Countdown(now, boot_id, trust.plausible if trust else lambda: True)
        self._now, self._where, self._trust = now, where, trust

    @property
    def trusted(self) -> bool:
        """Whether the wall clock is taken for right."""
        return self._trust is None or self._trust.trusted()

    @property
    def now(self) -> datetime:
        """The wall time, with its zone."""
        return self._now()

    def first(self, when: When, at: time | None = None) -> Due:
        """When a command is due that is to be carried out then, `at` a time that was not said.

        Raises `SkillError` with words for the user where that is not known.
        """
        if when.kind in ("in", "for"):
            return self._ahead(float(when.value or 0))
        try:
            due = self._by_rule(when, at) if when.kind == "every" else self._once(when, at)
        except (ValueError, OverflowError) as error:
            raise SkillError("later.time", "I don't know when that is.") from error
        ahead = self.moment(due) - self.now.astimezone(UTC)
        if ahead <= timedelta(0):
            raise SkillError("later.past", "That time is over.")
        if ahead > LONGEST:
            raise SkillError("later.far", "I can plan for a year at most.")
        return due if self.trusted else msgspec.structs.replace(due, unsure=self._unsure())

    def following(self, due: Due) -> AtTime | None:
        """When it is due again, after `due` and after now; None for never."""
        if isinstance(due, After) or not due.rule or due.since is None:
            return None
        after = max(due.local, self._local(self.now))
        try:
            return self._next(due.rule, due.since, due.sun, after)
        except SkillError:  # the sun does not set any more, or the home's place was forgotten
            return None

    def followed(self, due: Due, put_back: bool) -> Due:
        """When it is due by the clock as it is now, which was perhaps `put_back`."""
        if isinstance(due, After):
            outdated = self.countdown.is_outdated(due)
            return self.after(due.due_boot_s - self.countdown.at_s) if outdated else due
        if not self.trusted:
            return due
        due = self.sure(due)
        return self.not_beyond(due) if put_back else due

    def sure(self, due: AtTime) -> AtTime:
        """The same time with a date that is right, now that the clock is trusted."""
        if due.unsure is None:
            return due
        said = due.unsure
        wished = self._local(self.now)
        if said.boot_id == self.countdown.boot_id:
            wished -= timedelta(seconds=self.countdown.at_s - said.boot_s)
        try:
            return self._dated(due, due.local.date() - said.local.date(), wished)
        except SkillError:  # the home's place was forgotten
            return msgspec.structs.replace(due, unsure=None)

    def not_beyond(self, due: AtTime) -> AtTime:
        """When it is due, but no later than the second next time: the clock was put back."""
        if not due.rule or due.since is None:
            return due
        now, since = self._local(self.now), due.since
        if due.local > since or since - now > LONGEST:  # not one that is to begin later
            since = _before(since, now)
        following = self.following(msgspec.structs.replace(due, local=now, since=since))
        second = following and self.following(following)
        return min(due, second, key=lambda one: one.local) if second else due

    def left_s(self, key: str, due: Due, hold: bool = True) -> float:
        """Seconds until then; negative after it.

        Infinite by a clock that is not trusted, where that is to `hold` it.
        """
        if isinstance(due, After):
            return self.countdown.left_s(key, due)
        if hold and not self.trusted:
            return math.inf
        return (self.moment(due) - self.now.astimezone(UTC)).total_seconds()

    def is_sure(self, due: Due) -> bool:
        """Whether no change of the wall clock changes how long it is until then."""
        return isinstance(due, After) and self.countdown.is_of_this_boot(due)

    def moment(self, due: Due) -> datetime:
        """The instant at which it is due, in UTC."""
        if isinstance(due, After):
            return datetime.fromtimestamp(due.due_unix_s, UTC)
        return due.local.replace(tzinfo=self.now.tzinfo).astimezone(UTC)

    def after(self, seconds: float) -> After:
        """When a length of time that begins now has passed."""
        return After(**msgspec.structs.asdict(self.countdown.ending(seconds)))

    def _ahead(self, seconds: float) -> After:
        if seconds <= 0:
            raise SkillError("later.past", "That time is over.")
        if seconds > LONGEST.total_seconds():
            raise SkillError("later.far", "I can plan for a year at most.")
        return self.after(seconds)

    def _once(self, when: When, at: time | None) -> AtTime:
        day = day_of(when)
        if when.sun is not None:
            today = self.now.date()
            days = (day,) if day else (today + timedelta(days=n) for n in range(MOST_DAYS))
            return AtTime(local=self._sun(when.sun, days, self._local(self.now)), sun=when.sun)
        if day is not None and at is not None:
            return AtTime(local=datetime.combine(day, at.replace(tzinfo=None)))
        moment = _moment(str(when.value))
        return AtTime(local=self._local(moment))

    def _by_rule(self, when: When, at: time | None) -> AtTime:
        told = Recurrence.read(str(when.value))
        if _TOO_OFTEN.search(told.rule):
            raise SkillError("later.often", "That is too often.")
        start = told.start
        if isinstance(start, datetime):
            since = self._local(start)
        else:
            # Counted from today, unless it comes only every second day or week.
            start = start if "INTERVAL" in told.rule else self.now.date()
            since = datetime.combine(start, at.replace(tzinfo=None) if at else time())
        due = self._next(told.rule, since, when.sun, self._local(self.now))
        if due is None:
            raise SkillError("later.past", "That time is over.")
        return due

    def _next(
        self, rule: str, since: datetime, sun: SunEvent | None, after: datetime
    ) -> AtTime | None:
        recurrence = days_of(rule, since)
        try:
            if sun is None:
                local = next((found for found in recurrence if found > after), None)
            else:
                yesterday = datetime.combine(after.date() - timedelta(days=1), time())
                days = (found.date() for found in recurrence if found >= yesterday)
                local = self._sun(sun, islice(days, MOST_DAYS), after)
        except RuleError:  # a skill's rule that never comes again
            return None
        return AtTime(local=local, rule=rule, since=since, sun=sun) if local else None

    def _dated(self, due: AtTime, ahead: timedelta, wished: datetime) -> AtTime:
        """What is due `ahead` days after the one on which it was `wished` for, or by its rule."""
        if due.rule and due.since:
            return self._next(due.rule, _before(due.since, wished), due.sun, wished) or due
        day = wished.date() + ahead
        if due.sun is not None:
            days = (day + timedelta(days=n) for n in range(MOST_DAYS))
            return AtTime(local=self._sun(due.sun, days, wished), sun=due.sun)
        local = datetime.combine(day, due.local.time())
        return AtTime(local=local if local > wished else local + timedelta(days=1))

    def _unsure(self) -> Unsure:
        return Unsure(
            local=self._local(self.now),
            boot_id=self.countdown.boot_id,
            boot_s=self.countdown.at_s,
        )

    def _sun(self, sun: SunEvent, days: Iterable[date], after: datetime) -> datetime:
        """The first time of an event on one of `days` that is after a local time."""
        if self._where is None:
            told = f"I don't know where your home is, so I can't tell when {_HAPPENS[sun.event]}."
            raise SkillError("later.place", told)
        found = next((local for local in self._suns(sun, days, self._where) if local > after), None)
        if found is None:
            raise SkillError("later.past", "That time is over.")
        return found

    def _suns(self, sun: SunEvent, days: Iterable[date], where: Position) -> Iterator[datetime]:
        zone = self.now.tzinfo or UTC
        times = (sun_time(sun, day, where, zone) for day in days)
        return (self._local(moment) for moment in times if moment is not None)

    def _local(self, moment: datetime) -> datetime:
        """What the user's clock shows at a moment."""
        return moment.astimezone(self.now.tzinfo).replace(tzinfo=None, fold=0)


_HAPPENS = {
    "dawn": "it dawns",
    "sunrise": "the sun rises",
    "sunset": "the sun sets",
    "dusk": "it gets dark",
}


def _before(since: datetime, now: datetime) -> datetime:
    """The beginning of what recurs, moved back by whole years to before the present."""
    return since - relativedelta(years=max(0, since.year - now.year + 1)) if since > now else since


def _moment(text: str) -> datetime:
    return Period.read(text).since if "/" in text else datetime.fromisoformat(text)
