"""The time and the date: now, at another time, on another day, in another place."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta

from assistant.english.commands.places import zone_of
from assistant.english.dates import full_date, weekday_name
from assistant.skill import Context, Reply, Request, Skill, Traits, count

ASKS = Traits(asks=True)
NOW = Traits(asks=True, takes=("when",))

_PAST = re.compile(r"\b(?:was|were|did|ago)\b")
_HALF_DAY = timedelta(hours=12)
_NEAR = timedelta(minutes=1)
"""Farthest that a time may be from the one that is asked about."""

skill = Skill("clock", description="tell the time and the date")
skill.rule("now", "[[right] now]")
skill.rule("until", "(until|till|to|before|left until|left till|to go until|to go till)")


@skill.intent(
    "HassGetCurrentTime",
    "what time (is it|do we have|have we [got]|do you (have|make it)) <now>",
    "(what is|what's|whats|tell me|give me) the [current] time <now>",
    "[do you] know what time it is",
    "(can|could) you tell me (the time|what time it is)",
    "tell me what time it is",
    "i (need|want|would like) to know (the time|what time it is)",
    "how late is it",
    "(current time|time please|the time please)",
    traits=NOW,
)
@skill.short(
    "HassGetCurrentTime",
    "what time (is it|will it be|will that be|is that) (in {duration}|{duration} from now)",
    "what time is {duration} from now",
    "what is the time (in {duration}|{duration} from now)",
)
def current_time(request: Request, context: Context, duration: timedelta | None = None) -> Reply:
    """Say what time it is, or will be in a while."""
    when = request.when
    if duration is None and when is not None:
        if when.kind != "in" or not isinstance(when.value, int | float):
            return Reply("I only know what time it is now.", done=False)
        duration = timedelta(seconds=when.value)
    if duration is None:
        return Reply(f"It's {context.say(context.now.timetz())}.")
    return Reply(f"It will be {context.say((context.now + duration).timetz())}.")


@skill.intent(
    "HassGetCurrentDate",
    "(what is|what's|whats|tell me|give me) (today's|todays|the [current]) date [today]",
    "what date is (it|today|it today)",
    "(what is|what's|whats) the day [today]",
    "(what|which) day (is it|is it today|is today|of the week is it)",
    "what day of the week is (today|it today)",
    "(can|could) you tell me (the date|what day it is) [today]",
    "tell me what (day|date) it is [today]",
    "i (need|want|would like) to know (the date|today's date|what day it is)",
    "what day of the month is it",
    "(today's|current) date",
    "(what is|what's|whats) today",
    traits=NOW,
)
@skill.short(
    "HassGetCurrentDate",
    "(what|which) (day|date|day of the week|weekday) (is|was|will be|will it be|was it|is it) [on]"
    " {text:day}",
    "(what|which) (day|date|day of the week|weekday) (does|did|will) {text:day} (fall|fall on|be)",
    "(what|which) day (does|did|will) it (fall|be) on {text:day}",
    "(what is|what was|tell me|give me) [the] (date|day) (on|of|for|is|was) {text:day}",
    "(what is|what was) [the] (date|day) {text:day}",
    "(when|what date) (is|was) {text:day}",
)
def current_date(request: Request, context: Context, day: date | None = None) -> Reply:
    """Say the day of the week and the date, of today or of the day that was named."""
    today = context.now.date()
    asked = day or _day_of(request, context)
    if asked is None:
        if request.when is not None:
            return Reply("I don't know which day that is.", done=False)
        return Reply(f"It's {weekday_name(today)}, {full_date(today)}.")
    if _PAST.search(request.text.casefold()) and timedelta(0) < asked - today <= timedelta(days=7):
        asked -= timedelta(days=7)
    verb = "is" if asked >= today else "was"
    return Reply(f"That {verb} {weekday_name(asked)}, {full_date(asked)}.")


@skill.short(
    "IsItDay",
    "is (it|today) [a|already] {text:day} [today|already|yet|or not]",
    "(it is|today is) {text:day} (is it not|right|is it) [today]",
)
def is_it_day(day: date, context: Context) -> Reply:
    """Say whether today is the day that was named."""
    today = context.now.date()
    # A weekday by its name alone is the next one, in a week where it is today.
    verdict = "Yes" if day in (today, today + timedelta(days=7)) else "No"
    return Reply(f"{verdict}, it's {weekday_name(today)}, {full_date(today)}.")


@skill.short(
    "IsItTime",
    "is it {at} [already|yet|now]",
    "is it [already] (past|after|gone) {at} [already|yet]",
    "(in {duration}|{duration} from now) (it is|it will be|is it|will it be|that is|that will be)"
    " {at} [right|is it not|correct]",
    "(is it|will it be) {at} in {duration}",
)
def is_it_time(
    request: Request, at: time, context: Context, duration: timedelta | None = None
) -> Reply:
    """Say whether it is, or in a while will be, the time that was named."""
    moment = context.now + (duration or timedelta(0))
    told = context.say(moment.timetz())
    text = f"it will be {told}" if duration else f"it's {told}"
    gap = _since(at, moment)
    past = re.search(r"\b(?:past|after|gone|already|yet)\b", request.text.casefold())
    reached = gap <= _HALF_DAY / 2 if past else min(gap, _HALF_DAY - gap) < _NEAR
    return Reply(f"{'Yes' if reached else 'No'}, {text}.")


@skill.short(
    "ClockIsRight",
    "(the|your) (clock|time) is [now] (right|correct) [now]",
    "(that|it) is the (right|correct) time [now]",
    "you have [got] the (right|correct) time [now]",
    "trust (the|your) clock",
)
def clock_is_right(context: Context) -> Reply:
    """Take the clock for right: what is planned by it does not wait any more."""
    now = context.now
    return Reply(
        f"Good. It's {context.say(now.timetz())} on {weekday_name(now)}, {full_date(now.date())}."
    )


@skill.short(
    "DaysUntil",
    "how (long|far) [is it|away is it] <until> {text:day}",
    "how many (days|sleeps|nights) [is it|are there|are left|have we got] <until> {text:day}",
    "how (far|long) (away|off) is {text:day}",
)
@skill.short(
    "DaysUntil",
    "how many weeks [is it|are there|are left] <until> {text:day}",
    fixed={"unit": "week"},
)
def days_until(day: date, context: Context, unit: str = "day") -> Reply:
    """Say how many days or weeks there are until a day."""
    ahead = (day - context.now.date()).days
    if ahead == 0:
        return Reply("That's today.")
    weeks, days = divmod(abs(ahead), 7) if unit == "week" else (0, abs(ahead))
    parts = [count(n, noun) for n, noun in ((weeks, "week"), (days, "day")) if n]
    length = context.say(parts)
    named = f"{weekday_name(day)}, {full_date(day)}"
    if ahead < 0:
        return Reply(f"{named} was {length} ago.")
    return Reply(f"{length[:1].upper()}{length[1:]} until {named}.")


@skill.short(
    "TimeUntil",
    "how (long|much time|many minutes|many hours) [is it|is there|do i have|have i got|is left]"
    " <until> {moment}",
    "how (long|much time) [is it] <until> it is {moment}",
)
def time_until(moment: datetime, context: Context) -> Reply:
    """Say how long it is until a time."""
    left = moment - context.now
    if left < timedelta(0):
        return Reply(f"That was {context.say(-left)} ago.")
    minutes = timedelta(minutes=round(left.total_seconds() / 60))
    length = context.say(minutes)
    until = context.say(moment.timetz())
    return Reply(f"{length[:1].upper()}{length[1:]} until {until}.")


@skill.short(
    "WeekOfYear",
    "(what|which) (week|week number|calendar week) (is it|is this|are we in|of the year is it)",
    "what is the [current] (week|week number|calendar week|number of the week)",
)
def week_of_year(context: Context) -> Reply:
    """Say the number of the week, by ISO 8601."""
    return Reply(f"It's week {context.now.isocalendar().week}.")


@skill.short(
    "MonthOrYear",
    "(what|which) (month|year|month of the year) (is it|are we in|is this) [now]",
    "what is the [current] (month|year)",
)
def month_or_year(context: Context) -> Reply:
    """Say the month and the year."""
    return Reply(f"It's {context.now:%B %Y}.")


@skill.short(
    "TimeElsewhere",
    "what time is it [right now|now] (in|over in) {text:place} [now|right now|at the moment]",
    "what is the [current|local] time [now] (in|over in) {text:place} [now|right now]",
    "what time (do|have) they [got|have] (in|over in) {text:place}",
    "[the] time in {text:place}",
)
def time_elsewhere(place: str, context: Context) -> Reply:
    """Say what time it is in another place."""
    zone = zone_of(place)
    here = context.now
    if zone is None:
        return Reply(f"I only know the time here: it's {context.say(here.timetz())}.", done=False)
    there = here.astimezone(zone)
    day = "" if there.date() == here.date() else f" on {weekday_name(there.date())}"
    return Reply(f"It's {context.say(there.timetz())}{day} in {place.title()}.")


def _day_of(request: Request, context: Context) -> date | None:
    """The day that was added to the question: "… on Monday", "… in two weeks"."""
    when = request.when
    if when is None or when.value is None:
        return None
    if isinstance(when.value, int | float):
        return (context.now + timedelta(seconds=when.value)).date()
    try:
        return date.fromisoformat(str(when.value)[:10])
    except ValueError:
        return None


def _since(at: time, moment: datetime) -> timedelta:
    """How long before `moment` a time of day was last, on a clock of twelve hours."""
    minutes = (moment.hour - at.hour) * 60 + moment.minute - at.minute
    return timedelta(minutes=minutes) % _HALF_DAY
