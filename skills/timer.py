"""Timers: several at once, with or without a name."""

from __future__ import annotations

from collections.abc import Generator
from datetime import timedelta
from typing import Annotated

from assistant.skill import (
    Choose,
    Context,
    Dialog,
    Reply,
    Skill,
    Timer,
    Traits,
    Undo,
    choices,
    count,
    prompt,
)
from assistant.skill.context import LONGEST_TIMER, MOST_TIMERS

NAMES = (
    *("pasta", "pizza", "egg", "eggs", "tea", "coffee", "rice", "bread", "cake", "cookies"),
    *("chicken", "potatoes", "soup", "steak", "oven", "cooking", "baking", "dinner", "lunch"),
    *("breakfast", "kitchen", "laundry", "washing", "dryer", "dishwasher", "garden", "sprinkler"),
    *("work", "break", "nap", "sleep", "workout", "exercise", "yoga", "meditation", "reading"),
    *("homework", "study", "game", "screen", "parking", "meeting", "medicine", "bath", "shower"),
    *("first", "second", "third"),
)
"""Names that a timer may be given; a closed list, so that speech recognition can know them."""

TOO_LONG = "A timer can run for a year at most."

Name = Annotated[str, choices(*NAMES)]
HowLong = Annotated[timedelta, prompt("For how long?")]

TIMER = Traits(thing="timer")

skill = Skill("timer", description="set timers")
skill.rule(
    "start",
    "(set|set up|start|create|make|begin|put on|run|give me|i need|i want)",
)
skill.rule("which", "(the|my|that) [{start_duration}|{name}] timer [called {name}|named {name}]")
skill.rule("left", "(left|remaining)")


@skill.intent(
    "HassStartTimer",
    "<start> [a|an|the|my|another] [new] timer [for] {duration}",
    "<start> [a|an|the|my|another] timer (to go off|set) (in|for) {duration}",
    "<start> [a|an|the|my|another] {duration} timer",
    "<start> [a|an|the|my|another] {name} timer for {duration}",
    "<start> [a|an|the|my|another] timer (called|named) {name} for {duration}",
    "<start> [a|an|the|my|another] timer for {duration} (called|named|for [the|my]) {name}",
    "<start> [a|an|the|my|another] {duration} timer (called|named|for [the|my]) {name}",
    "<start> [a|an|the|my|another] {duration} {name} timer",
    "<start> (a|an|the|my|another) [new] [{name}] timer",
    "<start> (a|an|the|my|another) timer for [the|my] {name}",
    "timer [for] {duration}",
    "{duration} timer",
    "{name} timer for {duration}",
    "(remind me|wake me [up]|tell me) in {duration}",
    "count down [from] {duration}",
    "time {duration}",
    traits=TIMER,
)
def start_timer(duration: HowLong, context: Context, name: Name | None = None) -> Reply:
    """Start a timer for the spoken duration."""
    if duration <= timedelta(0):
        return Reply("A timer needs more time than that.", done=False)
    if duration > LONGEST_TIMER:
        return Reply(TOO_LONG, done=False)
    if len(context.timers.all()) >= MOST_TIMERS:
        return Reply(f"You have {MOST_TIMERS} timers already. Cancel one first.", done=False)
    timer = context.timers.start(duration, (name or "").strip())
    undo = Undo("timers.cancel", timer.id)
    return Reply(f"{_called(timer, context).capitalize()}, starting now.", undo=undo)


@skill.intent(
    "HassCancelTimer",
    "(cancel|stop|delete|remove|end|kill|turn off) <which>",
    "(cancel|stop|delete|remove|end) [the|my] timer for {start_duration}",
    "(cancel|stop|delete|remove|end) [the|my] timer for [the|my] {name}",
    "(cancel|stop) timer",
    "turn <which> off",
    traits=TIMER,
)
def cancel_timer(
    context: Context, name: Name | None = None, start_duration: timedelta | None = None
) -> Dialog:
    """Cancel one timer."""
    timer = yield from _which(context, name, start_duration)
    if timer is None:
        return _no_such(context, name)
    context.timers.cancel(timer.id)
    return Reply(f"Your {_called(timer, context)} is cancelled.")


@skill.intent(
    "HassCancelAllTimers",
    "(cancel|stop|delete|remove|end|clear) (all|all [of] (the|my)|every|both) (timer|timers)",
    "(cancel|stop|delete|remove|end|clear) [the|my] timers",
    traits=TIMER,
)
def cancel_all_timers(context: Context) -> Reply:
    """Cancel every timer."""
    timers = context.timers.all()
    for timer in timers:
        context.timers.cancel(timer.id)
    if not timers:
        return _no_such(context, None)
    return Reply(f"I cancelled {count(len(timers), 'timer')}.")


@skill.intent(
    "HassTimerStatus",
    "how (long|much time|much longer) [is] [<left>] on <which>",
    "how (long|much time|much longer) (does|has) <which> (have|got) [<left>]",
    "how (long|much time|many minutes) (is|are|do i have) <left> [on <which>]",
    "how (long|much time) <left> [on <which>]",
    "how much time (on|for) <which>",
    "(what is|what's|whats) <left> on <which>",
    "(what is|what's|whats) the status of <which>",
    "when (is|will) <which> [be] (done|over|ready|finished|up)",
    "when (does|will) <which> (go off|ring|end|finish)",
    "how is <which> (doing|going)",
    "what are my timers",
    "(check|status of) <which>",
    "(what|which|how many) timers (are [there] [running|set]|do i have [set|running])",
    "(check|list|show) [me] [all] [the|my] timers",
    "[do i have|are there] any timers [running|set]",
    "timer status",
    traits=Traits(asks=True, thing="timer"),
)
def timer_status(
    context: Context, name: Name | None = None, start_duration: timedelta | None = None
) -> Reply:
    """Say how much time is left."""
    timers = _matching(context, name, start_duration)
    if not timers:
        return _no_such(context, name)
    if len(timers) == 1:
        return Reply(f"Your {_called(timers[0], context)} {_left(timers[0], context)}.")
    parts = [f"the {_called(timer, context)} {_left(timer, context)}" for timer in timers]
    return Reply(f"You have {count(len(timers), 'timer')}: {context.say(parts)}.")


@skill.intent(
    "HassIncreaseTimer",
    "add [another] {duration} [more] to <which>",
    "(increase|extend|lengthen|prolong) <which> by {duration}",
    "(give me|i need) {duration} more [on <which>]",
    traits=TIMER,
)
def increase_timer(
    duration: HowLong,
    context: Context,
    name: Name | None = None,
    start_duration: timedelta | None = None,
) -> Dialog:
    """Add time to a timer."""
    return (yield from _extend(context, name, start_duration, duration))


@skill.intent(
    "HassDecreaseTimer",
    "(take|remove|subtract) {duration} (off|from|off of) <which>",
    "(decrease|reduce|shorten) <which> by {duration}",
    traits=TIMER,
)
def decrease_timer(
    duration: HowLong,
    context: Context,
    name: Name | None = None,
    start_duration: timedelta | None = None,
) -> Dialog:
    """Take time off a timer."""
    return (yield from _extend(context, name, start_duration, duration, sign=-1))


@skill.intent("HassPauseTimer", "(pause|hold|freeze) <which>", traits=TIMER)
def pause_timer(
    context: Context, name: Name | None = None, start_duration: timedelta | None = None
) -> Dialog:
    """Pause a timer."""
    timer = yield from _which(context, name, start_duration)
    if timer is None:
        return _no_such(context, name)
    context.timers.pause(timer.id)
    return Reply(f"Your {_called(timer, context)} is paused, with {_time_left(timer, context)}.")


@skill.intent("HassUnpauseTimer", "(unpause|resume|continue|restart) <which>", traits=TIMER)
def resume_timer(
    context: Context, name: Name | None = None, start_duration: timedelta | None = None
) -> Dialog:
    """Resume a paused timer."""
    timer = yield from _which(context, name, start_duration)
    if timer is None:
        return _no_such(context, name)
    context.timers.resume(timer.id)
    return Reply(f"Your {_called(timer, context)} runs on, with {_time_left(timer, context)}.")


def _extend(
    context: Context,
    name: str | None,
    start_duration: timedelta | None,
    duration: timedelta,
    sign: int = 1,
) -> Dialog:
    if duration <= timedelta(0):
        return Reply("A timer is changed by more time than that.", done=False)
    timer = yield from _which(context, name, start_duration)
    if timer is None:
        return _no_such(context, name)
    by = sign * duration
    if timer.remaining + by > LONGEST_TIMER:
        return Reply(TOO_LONG, done=False)
    moved = context.timers.extend(timer.id, by)
    return Reply(f"Your {_called(timer, context)} now has {_time_left(moved, context)}.")


def _which(
    context: Context, name: str | None, start_duration: timedelta | None
) -> Generator[Choose, str, Timer | None]:
    """The one timer that is meant; the user is asked when it may be several; None for none."""
    timers = _matching(context, name, start_duration)
    if len(timers) < 2:
        return timers[0] if timers else None
    labels = {_label(timer, context): timer for timer in reversed(timers)}
    if len(labels) == 1:
        return timers[0]
    options = tuple(reversed(labels))
    asked = ", ".join(options[:-1]) + f" or {options[-1]}"
    return labels[(yield Choose(f"Which timer: {asked}?", options))]


def _matching(
    context: Context, name: str | None, start_duration: timedelta | None
) -> tuple[Timer, ...]:
    return tuple(
        timer
        for timer in context.timers.all()
        if (name is None or timer.name.casefold() == name.strip().casefold())
        and (start_duration is None or timer.duration == start_duration)
    )


def _no_such(context: Context, name: str | None) -> Reply:
    if not context.timers.all():
        return Reply("There is no timer.", done=False)
    return Reply(f"There is no {name} timer." if name else "There is no such timer.", done=False)


def _label(timer: Timer, context: Context) -> str:
    return timer.name or context.say(timer.duration)


def _called(timer: Timer, context: Context) -> str:
    length = context.say(timer.duration)
    return f"{timer.name} timer for {length}" if timer.name else f"timer for {length}"


def _time_left(timer: Timer, context: Context) -> str:
    return f"{context.say(timer.remaining)} left"


def _left(timer: Timer, context: Context) -> str:
    if timer.ringing:
        return "is done"
    return f"has {_time_left(timer, context)}" + (" and is paused" if timer.paused else "")
