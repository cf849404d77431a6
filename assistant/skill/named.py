"""What the user has named: the time of a request, and, in vain, a thing to do or to buy.

"Remind me in half an hour to water the plants" is declined, and the reply is about half an hour and
about watering the plants, so that "just a timer then" and "put it on the to-do list" mean these.
"""

from __future__ import annotations

from collections.abc import Generator
from datetime import date, datetime, time, timedelta
from typing import Any

import msgspec

from assistant.core.messages import When
from assistant.english.commands.half_days import says_day, says_half_of_day
from assistant.english.spoken import in_place
from assistant.skill.context import Context, Request
from assistant.skill.home import Area
from assistant.skill.plans import Alarm, needs_time
from assistant.skill.reply import Ask
from assistant.skill.values import Recurrence

_LENGTH, _THING = "length:", "thing:"
_HALF_DAY = timedelta(hours=12)
_EARLIEST = 5
"""The hour from which a time is taken for one in the morning, where its half is not said."""
_EVENING = time(20)
_TIMED = ("at", "in", "every")
"""The kinds of `When` at whose time something may ring."""

NamedTime = tuple[When, time | None]
"""When, and the time of day where that names only a day."""


def naming(request: Request, thing: str = "", length: timedelta | None = None) -> tuple[str, ...]:
    """What a reply to `request` is about: how long it is until then, and the thing in it."""
    when = request.when
    later = when.value if when is not None and when.kind in ("in", "for") else None
    length_s = length.total_seconds() if length is not None else later
    lengths = (f"{_LENGTH}{length_s}",) if isinstance(length_s, int | float) else ()
    return (*lengths, *((f"{_THING}{thing}",) if thing else ()))


def named_length(context: Context) -> timedelta | None:
    """The time that was named last; None for none."""
    length = _named(context, _LENGTH)
    return timedelta(seconds=float(length)) if length else None


def named_thing(context: Context) -> str:
    """The thing that was named last; "" for none."""
    return _named(context, _THING)


def _named(context: Context, kind: str) -> str:
    about = (one for one in context.conversation.about if one.startswith(kind))
    return next((one.removeprefix(kind) for one in about), "")


def unheard_in(area: Area, context: Context, instead: str) -> str:
    """That nothing can ring in `area`, as no loudspeaker is there now; "" where one is.

    It says where is heard what rings in the room with the id `instead`.
    """
    if context.announcements.heard_in(area.id) == area.id:
        return ""
    return f"There is no loudspeaker {in_place(area.name)}; it rings {context.heard(instead)}."


def named_time(
    request: Request,
    context: Context,
    at: time | None = None,
    moment: datetime | None = None,
    day: date | None = None,
    often: Recurrence | None = None,
    after: timedelta | None = None,
    morning: bool = False,
) -> NamedTime | None:
    """When a request is for: by its slots, and what its sentence adds to them; None for no time.

    Where the half of the day is not said, one for the `morning`, or another day, is before noon.
    """
    if request.instead and request.when is not None:  # "no, at eight"
        at = moment = day = often = after = None
    if moment is not None and request.when is not None and needs_time(request.when):
        at, moment = moment.timetz(), None  # "an alarm at seven | every monday"
    said = _said_for(request, "at", "moment", "often", "day")
    when = _in_slots(said, context.now, moment, day, often, after) or request.when
    if when is None and at is not None:
        when = When(kind="at", said=said, value=_coming(at, context.now).isoformat())
    elif when is None:
        return None
    elif at is not None and needs_time(when):
        return when, at if says_half_of_day(said) else _before_noon(at)
    elif at is not None:
        return _at_clock(when, at, says_half_of_day(said)), None
    if day is not None and says_half_of_day(said):  # "tonight"
        return when, _EVENING
    return (_in_the_morning(when, said or when.said, context.now) if morning else when), None


def _in_slots(
    said: str,
    now: datetime,
    moment: datetime | None,
    day: date | None,
    often: Recurrence | None,
    after: timedelta | None,
) -> When | None:
    if often is not None:
        return When(kind="every", said=said, value=str(often))
    if moment is not None and "in" in said.split()[:1] and moment - now < timedelta(days=1):
        after = moment - now
    if after is not None:
        return When(kind="in", said=said, value=after.total_seconds())
    if moment is not None:
        return When(kind="at", said=said, value=moment.isoformat())
    return When(kind="at", said=said, value=day.isoformat()) if day is not None else None


def ask_time(
    wish: NamedTime | None, context: Context, question: str
) -> Generator[Ask, Any, NamedTime]:
    """The time that was named, and what of it is missing is asked for."""
    if wish is None:
        moment = yield Ask(question, datetime)
        wish = When(kind="at", said=context.say(moment), value=moment.isoformat()), None
    when, at = wish
    if at is None and needs_time(when):
        return when, (yield Ask("At what time?", time))
    return when, at


def tells_time(when: When) -> bool:
    """Whether something may ring then: at a time, and not at an event."""
    return when.kind in _TIMED and (when.value is not None or when.sun is not None)


def at_moment(moment: datetime, rule: str = "") -> When:
    """The time that is a moment, and from then on by a rule."""
    if rule:
        return When(kind="every", said="", value=str(Recurrence(moment, rule)))
    return When(kind="at", said="", value=moment.isoformat())


def moved_to(
    request: Request,
    alarm: Alarm,
    moment: datetime | None = None,
    to: time | None = None,
    by: timedelta | None = None,
) -> NamedTime | None:
    """When an alarm that is moved rings: on its own day, unless another was named.

    The time is in the slots "moment" or "to", a length by which it is moved is in `by`; None where
    nothing was named.
    """
    if request.instead and request.when is not None:  # "no, at ten"
        moment = to = by = None
    if by is not None:
        return at_moment(alarm.at + by, alarm.rule), None
    said = _said_for(request, "moment", "to")
    if to is not None:
        moment = alarm.at.replace(hour=to.hour, minute=to.minute)
    when = request.when
    if when is not None and needs_time(when):
        if moment is None:
            return when, None
        return when, _nearest(alarm.at, moment.timetz(), says_half_of_day(said)).timetz()
    if when is not None:
        text = str(when.value or "")
        if when.kind != "at" or "T" not in text or "/" in text:
            return when, None
        moment, said = datetime.fromisoformat(text), when.said
    if moment is None:
        return None
    if not says_day(said) and "in" not in said.split()[:1]:
        moment = _nearest(alarm.at, moment.timetz(), says_half_of_day(said))
    return at_moment(moment, alarm.rule), None


def _said_for(request: Request, *names: str) -> str:
    slots = (request.slot(name) for name in names)
    return " ".join(slot.raw for slot in slots if slot is not None)


def _coming(at: time, now: datetime) -> datetime:
    moment = now.replace(hour=at.hour, minute=at.minute, second=at.second, microsecond=0)
    return moment if moment > now else moment + timedelta(days=1)


def _at_clock(when: When, at: time, exact: bool) -> When:
    """A part of a day, at a time of the clock in it: "half past nine | tomorrow morning"."""
    text = str(when.value or "")
    if when.kind == "every":
        often = Recurrence.read(text)
        if not isinstance(often.start, datetime):
            return when
        return msgspec.structs.replace(
            when, value=str(Recurrence(_nearest(often.start, at, exact), often.rule))
        )
    if when.kind != "at" or "T" not in text:
        return when
    start = datetime.fromisoformat(text.partition("/")[0])
    return msgspec.structs.replace(when, value=_nearest(start, at, exact).isoformat())


def _nearest(moment: datetime, at: time, exact: bool) -> datetime:
    """The time of day on a day, in the half of it that is nearer to a moment, unless `exact`."""
    same = moment.replace(hour=at.hour, minute=at.minute, second=0, microsecond=0)
    if exact:
        return same
    other = same.replace(hour=(same.hour + 12) % 24)
    return min(same, other, key=lambda one: abs(one - moment))


def _before_noon(at: time) -> time:
    earlier = at.hour - 12
    return at.replace(hour=earlier) if earlier >= _EARLIEST else at


def _in_the_morning(when: When, said: str, now: datetime) -> When:
    """The same time before noon, where that is as likely meant: "wake me at seven"."""
    text = str(when.value or "")
    if when.kind != "at" or when.sun is not None or "T" not in text or "/" in text:
        return when
    moment = datetime.fromisoformat(text)
    if says_half_of_day(said) or moment.hour - 12 < _EARLIEST:
        return when
    earlier = moment - _HALF_DAY
    found = earlier if earlier > now else moment + _HALF_DAY
    return msgspec.structs.replace(when, value=found.isoformat())
