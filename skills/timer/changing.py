"""Timers that run for longer, for less, or for another time than they were set to."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

from msgspec.structs import replace

from assistant.english.commands.short_forms import CORRECTING, MORE
from assistant.english.numbers import TIMED_BY
from assistant.skill import Context, Dialog, Reply, Request, Skill, Timer, Undo, prompt, unless
from assistant.skill.context import LONGEST_TIMER
from skills.timer.meant import (
    IT,
    OTHER,
    TIMER,
    HowLong,
    TimerMention,
    called,
    is_meant,
    is_spoken_of,
    on_timer,
    restoring,
    short_name,
)
from skills.timer.starting import TOO_LONG

skill = Skill("timer")


def _is_extended(request: Request, context: Context) -> bool:
    """Whether more time is for a timer, be it that none runs: "five more minutes"."""
    if is_meant(request, context):
        return True
    length = request.slot("duration")
    timed = length is not None and not TIMED_BY.isdisjoint(length.raw.casefold().split())
    more = not MORE.isdisjoint(request.text.casefold().rstrip(".!?").split())
    name = request.slot("name")
    bare = request.alone and name is not None and name.value == IT
    rung = context.timers.rung or context.alarms.rung
    none = not context.timers.all() and rung is None
    return none and bare and timed and more


@skill.intent(
    "HassIncreaseTimer",
    "add [another] {duration} [more] to <which>",
    "(increase|extend|lengthen|prolong) <which> by {duration}",
    "(give me|i need) {duration} more [on <which>]",
    traits=TIMER,
)
@skill.short(
    "HassIncreaseTimer",
    "(add|put|stick) [another] {duration} [more|extra] (to|on|onto) <by_name>",
    "(add|put|stick) [another] {duration} [more|extra] (to|on|onto) [the] {start_duration} timer",
    "(give|let) <by_name> [have|another] {duration} [more|extra|longer]",
    "<by_name> (needs|need|wants|want|can have|should have|gets|get) [another]"
    " {duration} (more|extra|longer)",
    "{duration} (more|extra|longer) (for|on) <by_name>",
    "another {duration} (for|on) <by_name>",
    "(extend|increase|lengthen) <by_name> by {duration}",
    holds=is_meant,
)
@skill.short(
    "HassIncreaseTimer",
    "(add|put|stick) [another|on] {duration} [more|extra] [on] [to <it>|on <it>]",
    "(give|let) (it|that|them|that one|me) [have|another] {duration} [more|extra|longer]",
    "(it|they|that one|i|we) (needs|need|wants|want|can have) [another] {duration}"
    " [more|extra|longer]",
    "[make (it|that)] [just] {duration} (more|longer|extra)",
    "(make|give) (it|that) [another] {duration} (more|longer|extra)",
    "[for] another {duration}",
    "(extend|increase|lengthen|prolong) <it> by {duration}",
    fixed={"name": IT},
    holds=_is_extended,
)
@skill.short(
    "HassIncreaseTimer",
    "(add|put) [another] {duration} (to|on) [the] other [one]",
    "(give) [the] other [one] [another] {duration} [more]",
    fixed={"name": OTHER},
    holds=is_meant,
)
def increase_timer(
    request: Request,
    duration: HowLong,
    context: Context,
    mention: TimerMention,
) -> Dialog:
    """Add time to a timer."""
    return on_timer(context, request, mention, lambda t: _extended(context, t, duration))


@skill.intent(
    "HassDecreaseTimer",
    "(take|remove|subtract) {duration} (off|from|off of) <which>",
    "(decrease|reduce|shorten) <which> by {duration}",
    traits=TIMER,
)
@skill.short(
    "HassDecreaseTimer",
    "(take|knock|shave|cut|remove|subtract) {duration} (off|from|off of) <by_name>",
    "(decrease|reduce|shorten) <by_name> by {duration}",
    "{duration} (less|off|shorter) (for|on|off) <by_name>",
    holds=is_meant,
)
@skill.short(
    "HassDecreaseTimer",
    "(take|knock|shave|cut|remove|subtract) {duration} (off|from|off of|away) [<it>]",
    "(take|knock|shave|cut) off {duration}",
    "[make (it|that)] {duration} (less|shorter)",
    "(decrease|reduce|shorten) <it> by {duration}",
    fixed={"name": IT},
    holds=is_meant,
)
def decrease_timer(
    request: Request,
    duration: HowLong,
    context: Context,
    mention: TimerMention,
) -> Dialog:
    """Take time off a timer."""
    return on_timer(context, request, mention, lambda t: _extended(context, t, duration, sign=-1))


def _is_corrected(request: Request, context: Context) -> bool:
    """Whether a bare duration puts right the timer that was spoken of last."""
    return is_spoken_of(context) and CORRECTING.match(request.text.casefold()) is not None


@skill.short(
    "ChangeTimer",
    "(change|set|reset|move) <which> to {duration}",
    "make <which> {duration} [long]",
    traits=TIMER,
)
@skill.short(
    "ChangeTimer",
    "<by_name> [for|is|are|at|to|should be|needs|need|takes|take] {duration}",
    "(make|change|set|put|reset) <by_name> [for|to] {duration} [long]",
    "{duration} (for|on) {text:name}",
    "<start> [a|another] {text:name} timer [for] {duration}",
    holds=is_meant,
)
@skill.short(
    "ChangeTimer",
    "(make|change|set|put|reset) (it|that|that one) [for|to|at] {duration} [long|now]",
    "(it|that) (should be|is|was|should have been|needs to be|ought to be) {duration} [long]",
    "[i (meant|said)|it is|that is|that was|make that] {duration} not {duration:old}",
    "not {duration:old} {duration}",
    "i (meant|said|wanted) {duration}",
    fixed={"name": IT},
    holds=is_meant,
)
@skill.short(
    "ChangeTimer",
    "[make (it|that)] (twice|2 times|double) [as long|that|that long|the time] [as long]",
    "double (it|that|the time)",
    fixed={"name": IT, "times": "2"},
    holds=is_meant,
)
@skill.short(
    "ChangeTimer",
    "[make (it|that)] half (as long|that|that long|the time)",
    "(make|cut|reduce) (it|that) [by|to|in] half",
    "halve (it|that|the time)",
    fixed={"name": IT, "times": "0.5"},
    holds=is_meant,
)
def change_timer(
    request: Request,
    duration: Annotated[timedelta, prompt("For how long?"), unless("times")],
    context: Context,
    mention: TimerMention,
    times: float | None = None,
    old: timedelta | None = None,
) -> Dialog:
    """Let a timer run for another time than it was set to."""
    return on_timer(
        *(context, request, mention),
        lambda timer: _changed(
            context, timer, timer.duration * times if times is not None else duration
        ),
        likely=lambda timer: timer.duration == old,
    )


# An intent of its own: a form holds where any form of its intent does, and these are few words.
@skill.short("CorrectTimer", "[for] {duration}", holds=_is_corrected, traits=TIMER)
def correct_timer(request: Request, duration: HowLong, context: Context) -> Dialog:
    """Let the timer that was spoken of last run for another time: "no, nine"."""
    return change_timer(request, duration, context, TimerMention(IT))


def _changed(context: Context, timer: Timer, length: timedelta) -> Reply:
    if length <= timedelta(0):
        return Reply("A timer needs more time than that.", done=False)
    if length > LONGEST_TIMER:
        return Reply(TOO_LONG, done=False)
    context.timers.restore(
        replace(timer, duration=length, remaining=length, elapsed=timedelta(0), paused=False)
    )
    text = f"Your {short_name(timer)} is for {context.say(length)} now."
    return Reply(text, undo=restoring(timer), about=(timer.id,))


def _extended(context: Context, before: Timer, duration: timedelta, sign: int = 1) -> Reply:
    if duration <= timedelta(0):
        return Reply("A timer is changed by more time than that.", done=False)
    by = sign * duration
    if before.remaining + by > LONGEST_TIMER:
        return Reply(TOO_LONG, done=False)
    moved = context.timers.extend(before.id, by)
    change = (moved.remaining - before.remaining).total_seconds()
    return Reply(
        f"Your {called(before, context)} now has {context.say(moved.remaining)} left.",
        undo=Undo("timers.extend", before.id, -change),
        about=(before.id,),
    )
