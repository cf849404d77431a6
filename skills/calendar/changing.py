"""Events at another time, and deleted."""

from __future__ import annotations

from collections.abc import Generator
from datetime import date, datetime, time, timedelta
from typing import Any

import msgspec

from assistant.skill import (
    CalendarEvent,
    Choose,
    Confirm,
    Context,
    Dialog,
    Reply,
    Request,
    Skill,
    SkillError,
    Traits,
)
from skills.calendar.meant import is_spoken_of, matching, none_such, one_of
from skills.calendar.moving import Move, moved_to
from skills.calendar.when import day_said

ACTS = Traits(thing="event", only_now=True, unmistakable=True, takes=("when",))
DROPS = msgspec.structs.replace(ACTS, guarded=True, directions=("cancel",))
LATER, EARLIER = "later", "earlier"
ONE, ALL = "only that one", "all of them"

skill = Skill("calendar")


def _holds(request: Request, context: Context) -> bool:
    """Whether an event is named, or one was spoken of and none is named."""
    slot = request.slot("what")
    return is_spoken_of(context, slot.raw if slot is not None else "")


@skill.intent(
    "MoveEvent",
    "<move> (the|my|our) {what} <meeting> [back|forward|on] to ({moment}|{day}|{to})",
    "<move> (the|my|our) [next] <meeting> [back|forward|on] to ({moment}|{day}|{to})",
    "<move> {what} (in|on) <calendar> to ({moment}|{day}|{to})",
    "(reschedule|postpone) (the|my|our) {what} to ({moment}|{day}|{to})",
    "(reschedule|postpone) (the|my|our) [{what}] <meeting>",
    traits=ACTS,
)
@skill.intent(
    "MoveEvent",
    "<move> (the|my|our) {what} <meeting> back [by] {duration}",
    "make (the|my|our) {what} <meeting> {duration} later",
    fixed={"direction": LATER},
)
@skill.intent(
    "MoveEvent",
    "<move> (the|my|our) {what} <meeting> forward [by] {duration}",
    "make (the|my|our) {what} <meeting> {duration} earlier",
    fixed={"direction": EARLIER},
)
@skill.short(
    "MoveEvent",
    "<move> [the|my|our] {what} [back|forward|on] to ({moment}|{day}|{to})",
    "(make|<move>) <it> [to] ({moment}|{day}|{to}) [instead]",
    "(make|<move>) <it> [to] ({day} at {to}|{to} on {day})",
    holds=_holds,
)
@skill.short(
    "MoveEvent",
    "(make|<move>) (<it>|[the|my|our] {what}) [back|on] [by] {duration} [later]",
    fixed={"direction": LATER},
    holds=_holds,
)
@skill.short(
    "MoveEvent",
    "(make|<move>) (<it>|[the|my|our] {what}) [forward] [by] {duration} earlier",
    "(<move>) (<it>|[the|my|our] {what}) forward [by] {duration}",
    fixed={"direction": EARLIER},
    holds=_holds,
)
def move_event(
    request: Request,
    context: Context,
    what: str = "",
    moment: datetime | None = None,
    day: date | None = None,
    to: time | None = None,
    duration: timedelta | None = None,
    direction: str = "",
) -> Dialog:
    """Give an event another time."""
    try:
        found = matching(context, what)
        if not found:
            return none_such(what, None, context)
        event = yield from one_of(found)
        by = -duration if duration is not None and direction == EARLIER else duration
        starts = yield from moved_to(Move(moment, day, to, by), event, request, context)
        every = yield from _every(event, "move")
        ends = starts + (event.ends - event.starts)
        undo = context.calendar.move(event, starts, ends, every=every)
    except SkillError as error:
        return Reply(error.message, done=False)
    then = _told(event, starts, every, context)
    return Reply(f"{event.title} is now {then}.", undo=undo, about=(event.id,))


@skill.intent(
    "CancelEvent",
    "<drop> (the|my|our) {what} <meeting> [[on|for] {day}]",
    "<drop> (the|my|our|that) [next] <meeting> [[on|for] {day}]",
    "<drop> {day}['s] <meeting>",
    "<drop> {what} (from|in|on|out of) <calendar>",
    traits=DROPS,
)
@skill.short(
    "CancelEvent",
    "<drop> [the|my|our] {what} [[on|for] {day}]",
    "[no] <drop> <it> [again]",
    holds=_holds,
)
def cancel_event(
    request: Request, context: Context, what: str = "", day: date | None = None
) -> Dialog:
    """Delete an event, asking first."""
    day = day or day_said(request.when)
    try:
        found = matching(context, what, day)
        if not found:
            return none_such(what, day, context)
        event = yield from one_of(found)
        every = False
        if event.rule:
            every = yield from _every(event, "delete")
        elif not (yield Confirm(f"Shall I delete {event.title} {event.then}?")):
            return Reply("Okay, I left it as it is.")
        undo = context.calendar.remove(event, every=every)
    except SkillError as error:
        return Reply(error.message, done=False)
    which = event.then if every or not event.rule else context.say(event.starts)
    return Reply(f"I deleted {event.title} {which}.", undo=undo)


def _every(event: CalendarEvent, act: str) -> Generator[Any, Any, bool]:
    """Whether all times of a series are meant; an event that is once has no others."""
    if not event.rule:
        return False
    asked = f"{event.title} is {event.then}. Shall I {act} {ONE}, or {ALL}?"
    return bool((yield Choose(asked, (ONE, ALL))) == ALL)


def _told(event: CalendarEvent, starts: datetime, every: bool, context: Context) -> str:
    """When an event is that was moved, in words; of a series this time, or its rule."""
    found = context.calendar.between(starts, starts + timedelta(days=1))
    moved = next((one for one in found if one.id == event.id), None)
    if moved is None or (moved.rule and not every):
        return f"on {context.say(starts)}"
    return moved.then
