"""Starting timers: for a duration, the same again, or a few more minutes."""

from __future__ import annotations

from datetime import timedelta

from assistant.english.commands.short_forms import COOKED, FOR_A_DISH
from assistant.english.numbers import TIMED_BY
from assistant.skill import (
    Area,
    Context,
    Reply,
    Request,
    Skill,
    Traits,
    Undo,
    named_length,
    unheard_in,
)
from assistant.skill.context import LONGEST_TIMER, MOST_TIMERS
from skills.timer.meant import (
    TIMER,
    HowLong,
    Name,
    called,
    is_meant,
    is_spoken_of,
    short_name,
)

TOO_LONG = "A timer can run for a year at most."
SNOOZE = timedelta(minutes=5)
"""Time until a snoozed timer rings again, where none was said."""

skill = Skill("timer")
skill.rule("whose", "[my|our|his|her|their]")
skill.rule(
    "rings_there", "(and|that|to) (ring|rings|go off|goes off) [it] in [the|my] {area:there}"
)

_BY_NAME = (
    "{duration} [cooking|baking|boiling] (for|on) <whose> {text:name}",
    "{text:name} [for|at|in|takes|take|needs|need|wants|want|gets|get|is|are] {duration}",
    "{text:name} timer [for] {duration}",
    "{duration} {text:name} timer",
    "<start> [a|the|my|another] timer (for|called|named|on) {text:name} [for|to|of] {duration}",
    "<start> [a|an|the|my|another] {text:name} timer [for|to|of] {duration}",
    "<start> [a|an|the|my|another] {duration} [timer] (for|called|named|on) {text:name}",
    "(put|set|stick|give me) {duration} on [the clock] for <whose> {text:name}",
    "<start> [a] {duration} {text:name} timer",
    "(put|set|stick|add) {duration} on [the clock] [for] {text:name}",
    "<start> [a|another] timer (for|of) {duration} (for|on) <whose> {text:name}",
    "[<start>] (timer|one|another|another one|one more) [for|of] {duration}"
    " (for|on|called|named) <whose> {text:name}",
    "<start> (one|another|another one|one more) (for|on|called) {text:name} [for|of] {duration}",
    "[put|set] {duration} on the clock for <whose> {text:name}",
    "time {text:name} for {duration}",
)
"""Short forms that name a timer in the user's own words."""

_UNNAMED = (
    "[<start>] (one|another|another one|one more|a new one) [timer] (for|of) {duration}",
    "[<start>] timer [for|of] {duration}",
)
"""Short forms for a further timer without a name, or with the word "timer"."""

_BESIDE_OTHERS = (
    "[<start>|add|do|do me] (another|one|one more|another one|a new one) [timer]"
    " (for|called|named|on) {text:name} [for|at|of|in|to|is] {duration}",
    "for {text:name} ([<start>|add|do|do me] another|<start>|add|do|do me) {duration}",
    "[<start>] another [one|timer] [for] {text:name} [for|at|of|in] {duration}",
    "[<start>] (another|one) [one|timer] [for|of] {duration} (for|called|named|on) {text:name}",
)
"""Short forms that leave out the word "timer", as timers run already."""


def _is_another(request: Request, context: Context) -> bool:
    """Whether a bare number, with or without a name, is a timer.

    It is one beside those that run, and without one where something is cooked: "nine for the
    eggs".
    """
    name = request.slot("name")
    runs = bool(context.timers.all()) or context.timers.rung is not None
    if name is None:
        return request.alone and (runs or "timer" in request.text.casefold())
    if not request.alone or is_meant(request, context):
        return False
    return runs or (_cooks(name.raw) and bool(FOR_A_DISH.match(request.text.casefold())))


def _is_cooked(request: Request, context: Context) -> bool:
    """Whether a time with its unit stands before what is cooked: "six minutes buns"."""
    name, length = request.slot("name"), request.slot("duration")
    timed = length is not None and not TIMED_BY.isdisjoint(length.raw.casefold().split())
    if name is None or "timer" in name.raw.casefold().split():
        return False
    return request.alone and timed and _cooks(name.raw)


def _cooks(name: str) -> bool:
    return name.casefold().split()[-1] in COOKED


@skill.intent(
    "HassStartTimer",
    "<start> [a|an|the|my|another] [new] timer [for] {duration} [<where>]",
    "<start> [a|an|the|my|another] timer (to go off|set) (in|for) {duration} [<where>]",
    "<start> [a|an|the|my|another] {duration} timer [<where>]",
    "<start> [a|an|the|my|another] {name} timer for {duration} [<where>]",
    "<start> [a|an|the|my|another] timer (called|named) {name} for {duration} [<where>]",
    "<start> [a|an|the|my|another] timer for {duration} (called|named|for [the|my]) {name}"
    " [<where>]",
    "<start> [a|an|the|my|another] {duration} timer (called|named|for [the|my]) {name} [<where>]",
    "<start> [a|an|the|my|another] {duration} {name} timer [<where>]",
    "<start> (a|an|the|my|another) [new] [{name}] timer [<where>]",
    "<start> (a|an|the|my|another) timer for [the|my] {name} [<where>]",
    "timer [for] {duration} [<where>]",
    "{duration} timer [<where>]",
    "{name} timer for {duration}",
    "<start> [a|an|the|my|another] timer <where> (for|of) {duration}",
    "<where> <start> [a|an|the|my|another] timer [for|of] {duration}",
    "<where> <start> [a|an|the|my|another] {duration} [{name}] timer",
    "<start> a {duration} timer that rings in the {area:there}",
    "(remind me|tell me) in {duration}",
    "count down [from] {duration}",
    "time {duration}",
    traits=TIMER,
)
@skill.short(  # as sentences they would make the ear expect a length behind "timer for"
    "HassStartTimer",
    "<start> [a|an|the|my|another] {duration} [{name}] timer <rings_there>",
    "<start> [a|an|the|my|another] [{name}] timer for {duration} <rings_there>",
)
@skill.short("HassStartTimer", *_BY_NAME, *_UNNAMED)
@skill.short(
    "HassStartTimer",
    "[just] (give me|i need|time me for|set) [another] {duration} [from now|on the clock]",
    "(set|put|start) (the clock|a countdown|a count down|the countdown) (for|to|at) {duration}",
    "(let me know|give me a (shout|shake|nudge|call)|shout|ping me|beep|ring) in {duration}",
    "(tell me|let me know|shout) when {duration} (is|are|have|has) (up|over|passed|gone)",
    "<start> [a] timer {duration}",
    "[<start>] [a] <misheard> [for|to|of|at] {duration}",
    "<start> [a|an|the|my|another] timer (to|of|at) {duration}",
    "[ok|all right] [just|only] [<start>] a timer (then|instead)",
)
@skill.short(
    "HassStartTimer",
    "<start> [a|an|the|my|another] timer [for|of] {duration} [and] <call> it {text:name}",
    "<start> [a|an|the|my|another] {duration} timer [and] <call> it {text:name}",
    "timer [for] {duration} [and] <call> it {text:name}",
)
@skill.short(
    "HassStartTimer",
    *(*_BY_NAME, *_UNNAMED, *_BESIDE_OTHERS),
    holds=_is_another,
)
def start_timer(
    duration: HowLong,
    context: Context,
    name: Name | None = None,
    area: Area | None = None,
    there: Area | None = None,
) -> Reply:
    """Start a timer for the spoken duration, for a room, or to ring `there`."""
    if duration <= timedelta(0):
        return Reply("A timer needs more time than that.", done=False)
    if duration > LONGEST_TIMER:
        return Reply(TOO_LONG, done=False)
    if len(context.timers.all()) >= MOST_TIMERS:
        return Reply(f"You have {MOST_TIMERS} timers already. Cancel one first.", done=False)
    unheard = unheard_in(there, context, context.room) if there is not None else ""
    place = area if there is None or unheard else there
    room = context.room if place is None else place.id
    timer = context.timers.start(duration, (name or "").strip(), room)
    text = f"{called(timer, context).capitalize()}, starting now. {unheard}".strip()
    return Reply(text, undo=Undo("timers.cancel", timer.id), about=(timer.id,))


@skill.short("StartCookTimer", "{duration} {text:name}", holds=_is_cooked, traits=TIMER)
def start_cook_timer(duration: HowLong, name: Name, context: Context) -> Reply:
    """Start a timer for what is cooked, which is named behind the time."""
    return start_timer(duration, context, name)


@skill.short(
    "WarnBeforeTimer",
    "<warn> when (there is|there are|it has|they have|it is|they are|i have|we have|you have)"
    " [got] [only|just|about] [at|down to] {duration} (left|to go|remaining|more to go)",
    "<warn> (at|with) {duration} (left|to go|remaining)",
    "<warn> {duration} before [(it is|they are|the timer is) (done|ready|finished|up|over)"
    "|(it|they|the timer) (ends|end|rings|ring|goes off|go off|finishes|finish)|the end|then]",
    "[<start>|give me|with|i want|i would like] a {duration} warning [before (it|the end|that)]",
    traits=TIMER,
)
def warn_before_timer(duration: timedelta, context: Context) -> Reply:
    """Say that a timer is only heard of when it is done."""
    text = f"I can't tell you {context.say(duration)} before, only when a timer is done."
    return Reply(text, done=False)


def _can_repeat(request: Request, context: Context) -> bool:
    last, rung = context.timers.last, context.timers.rung
    return last is not None and (request.alone or rung is not None or is_spoken_of(context))


@skill.short(
    "RepeatTimer",
    "[do|set|start] [the|that] same [timer|one|thing|time] [again|once more|one more time]",
    "(again|and again|once again|go again|another round|another one|another of those)",
    "[do|set|start|run] (it|that|that one|that timer|the timer) (again|once more|one more time)",
    "(start|set|try|do|run) [it|that|that one|the timer] again (with|for|at) {duration}",
    "(start|set) [it|that|that one|the timer] over [again] (with|for|at) {duration}",
    "<start> another [one|timer] [the same|like that|of the same|of those]",
    "[<start>] [and] [another|another one|one more] [timer] [the] same [again|time|timer]"
    " (for|on|called) {text:name}",
    holds=_can_repeat,
)
def repeat_timer(
    context: Context, duration: timedelta | None = None, name: Name | None = None
) -> Reply:
    """Start the last timer once more: for the same time or another, for the same or another."""
    last = context.timers.last
    if last is None:
        return Reply("There was no timer yet.", done=False)
    return start_timer(duration or last.duration, context, name or last.name)


def _is_length_named(request: Request, context: Context) -> bool:
    return named_length(context) is not None


@skill.short(
    "StartNamedTimer",
    "[ok|all right|well] [just|only] [<start>] (a|the) timer [for (that|it)] [then|instead]",
    "[ok|all right|well] (do|make|use) (it|that) [as] [with] a timer [then|instead]",
    holds=_is_length_named,
)
def start_named_timer(context: Context) -> Reply:
    """Start a timer for the time that was named before: in a reminder that nothing can set."""
    length = named_length(context)
    if length is None:
        return Reply("You named no time.", done=False)
    return start_timer(length, context)


def _can_snooze(request: Request, context: Context) -> bool:
    return context.timers.rung is not None


@skill.short(
    "SnoozeTimer",
    "(snooze [it|that|the timer|the alarm]|remind me again|ring again) [[for|in] {duration}]",
    traits=Traits(thing="timer", only_now=True),
)
@skill.short(
    "SnoozeTimer",
    "[just|give me|give it|i need|it needs|they need|make it] [another] {duration} [more|longer]",
    "[for] another {duration}",
    "(ask|tell|remind) me again in {duration}",
    "(not yet|not done yet|still not done|a bit longer|a little longer|a bit more|needs longer)",
    holds=_can_snooze,
)
def snooze_timer(context: Context, duration: timedelta | None = None) -> Reply:
    """Let the timer that rings, or has just rung, ring again."""
    rung = context.timers.rung
    if rung is None:
        return Reply("Nothing is ringing.", done=False)
    longer = duration or SNOOZE
    if longer > LONGEST_TIMER:
        return Reply(TOO_LONG, done=False)
    context.timers.cancel(rung.id)
    timer = context.timers.start(longer, rung.name, rung.area)
    text = f"Your {short_name(timer)} will ring again in {context.say(longer)}."
    return Reply(text, undo=Undo("timers.cancel", timer.id), about=(timer.id,))
