"""Questions for free time; what is in the calendar is told by the documents."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

from assistant.skill import (
    Context,
    FindFreeTime,
    ListEvents,
    Period,
    Reply,
    Request,
    Skill,
    Traits,
)
from skills.calendar.when import by_day

UNREAD = "I can't read your calendar now."
AN_HOUR = timedelta(hours=1)
ASKS = Traits(asks=True, thing="event")

skill = Skill("calendar")
skill.rule("free", "(am i|are we|will i be|will we be) [still] (free|busy|available)")


@skill.intent(
    "FindFreeTime",
    "when (am i|are we|will i be|will we be) (free|available) [[on] {period}]",
    "when (do i|do we) have [any] free time [[on] {period}]",
    "(do i|do we) have any free time [[on] {period}]",
    "(find|tell me) [some|my] free time [[on] {period}]",
    traits=ASKS,
)
def find_free_time(request: Request, context: Context, period: Period | None = None) -> Reply:
    """Say when nothing is in the calendar."""
    slot = request.slot("period")
    if period is None:
        day = datetime.combine(context.now.date(), time(), tzinfo=context.now.tzinfo)
        period = Period(since=day, until=day + timedelta(days=1))
    said = slot.raw if slot is not None else ""
    return Reply(UNREAD, task=FindFreeTime(period=period, said=said))


@skill.intent(
    "IsTimeFree",
    "<free> {moment}",
    "<free> at {at} [[on] {day}]",
    "<free> [on] {day} at {at}",
    "(is there|do i have|have i got) (anything|something) [on] at {at} [[on] {day}]",
    traits=ASKS,
)
def is_time_free(
    request: Request,
    context: Context,
    moment: datetime | None = None,
    at: time | None = None,
    day: date | None = None,
) -> Reply:
    """Say what is in the calendar at a time."""
    said = " ".join(slot.raw for slot in request.slots)
    if moment is None:
        clock = by_day(at or time(), said)
        moment = datetime.combine(day or context.now.date(), clock, tzinfo=context.now.tzinfo)
        moment += timedelta(days=1 if day is None and moment < context.now else 0)
    else:
        moment = moment.replace(hour=by_day(moment.time(), said).hour)
    period = Period(since=moment, until=moment + AN_HOUR)
    return Reply(UNREAD, task=ListEvents(period=period, said=context.say(moment)))
