"""Timers that run: how long they have, cancelling, pausing and resuming them."""

from __future__ import annotations

import re
from datetime import timedelta

import msgspec

from assistant.skill import Area, Context, Dialog, Reply, Request, Skill, Timer, Traits, Undo, count
from skills.timer.meant import (
    FIRST,
    IT,
    OTHER,
    THEM,
    TIMER,
    TimerMention,
    called,
    is_meant,
    is_spoken_of,
    left,
    matching,
    names_one,
    no_such,
    on_timer,
    restoring,
    time_left,
)

_LONGEST_NAME = 3
"""Most words of a name that no timer has."""
_GOING_ON = re.compile(r"\b(?:unpause|resume|continue|(?:carry|go) on|keep going)\b")
"""Words that let a timer go on, and mean nothing else."""

CANCELLING = msgspec.structs.replace(TIMER, guarded=True)

skill = Skill("timer")
skill.rule("others", "(other|others) [one|ones|timer|timers]")


def _any_named(request: Request, context: Context) -> bool:
    """Whether "cancel" and a name mean a timer, be it one that does not run."""
    if is_meant(request, context):
        return True
    name = request.slot("name")
    cancels = request.alone and request.text.casefold().startswith("cancel")
    if name is None or not cancels or not (context.timers.all() or context.timers.last):
        return False
    return len(name.raw.split()) <= _LONGEST_NAME and not names_one(name.raw, context)


@skill.intent(
    "HassCancelTimer",
    "(cancel|stop|delete|remove|end|kill|turn off) <which>",
    "(cancel|stop|delete|remove|end) [the|my] timer for {start_duration}",
    "(cancel|stop|delete|remove|end) [the|my] timer for [the|my] {name}",
    "(cancel|stop) timer",
    "turn <which> off",
    traits=CANCELLING,
)
@skill.short("HassCancelTimer", "cancel <by_name>", holds=_any_named)
@skill.short(
    "HassCancelTimer",
    "(<drop>|clear|forget [about]) <by_name>",
    "(<drop>|clear|forget [about]) [the] {start_duration} (one|timer)",
    "turn off {text:name} timer",
    "take [the|my] {text:name} (one|timer) off",
    holds=is_meant,
)
@skill.short(
    "HassCancelTimer",
    "<drop> <it>",
    "(cancel|drop it|bin it)",
    "i do not need (it|that|that one|that timer|the timer) [any more|anymore]",
    fixed={"name": IT},
    holds=is_meant,
)
@skill.short("HassCancelTimer", "<drop> [the] other [one]", fixed={"name": OTHER}, holds=is_meant)
def cancel_timer(
    request: Request,
    context: Context,
    mention: TimerMention,
) -> Dialog:
    """Cancel one timer."""

    def cancel(timer: Timer) -> Reply:
        context.timers.cancel(timer.id)
        return Reply(f"Your {called(timer, context)} is cancelled.", undo=restoring(timer))

    return on_timer(context, request, mention, cancel)


@skill.intent(
    "HassCancelAllTimers",
    "(cancel|stop|delete|remove|end|clear) (all|all [of] (the|my)|every|both) (timer|timers)"
    " [<where>]",
    "(cancel|stop|delete|remove|end|clear) all [[of] (the|my)] {area} timers",
    "(cancel|stop|delete|remove|end|clear) [the|my] timers [<where>]",
    traits=CANCELLING,
)
@skill.short(
    "HassCancelAllTimers",
    "(<drop>|clear) (them|them all|all of them|both|both of them|all|everything|the lot)",
    holds=lambda request, context: is_spoken_of(context),
)
def cancel_all_timers(request: Request, context: Context, area: Area | None = None) -> Reply:
    """Cancel every timer, or those of a room."""
    every = TimerMention(area=area)
    timers = matching(context, request, every)
    for timer in timers:
        context.timers.cancel(timer.id)
    if not timers:
        return no_such(context, every)
    return Reply(f"I cancelled {count(len(timers), 'timer')}.", undo=tuple(map(restoring, timers)))


@skill.intent(
    "HassTimerStatus",
    "how (long|much time|much longer) [is] [<left>] on <which>",
    "how (long|much time|much longer) (does|has) <which> (have|got) [<left>]",
    "how (long|much time|many minutes) (is|are|do i have) <left> [on <which>|<where>]",
    "how (long|much time) <left> [on <which>]",
    "how much time (on|for) <which>",
    "(what is|what's|whats) <left> on <which>",
    "(what is|what's|whats) the status of <which>",
    "when (is|will) <which> [be] (done|over|ready|finished|up)",
    "when (does|will) <which> (go off|ring|end|finish)",
    "how is <which> (doing|going)",
    "what are my timers [<where>]",
    "(check|status of) <which>",
    "(what|which|how many) timers (are [there] [running|set]|do i have [set|running]) [<where>]",
    "(check|list|show) [me] [all] [the|my] timers [<where>]",
    "[do i have|are there|is there] (any timers|a timer) [running|set] [<where>]",
    "timer status",
    traits=Traits(asks=True, thing="timer"),
)
@skill.short(
    "HassTimerStatus",
    "how (long|much time|much longer|many minutes) [is|are] [there|do i have|have i got|do we have]"
    " [<left>|to go|more] (on|for|until|till) <by_name> [<left>|done|ready|finished|is done|are"
    " done|is ready|are ready|are finished|is finished]",
    "how (long|much time|much longer|many minutes) (has|have|does|do|is|are|will) <by_name>"
    " [got|have|need|be|take] [<left>|to go|still|more|done|ready]",
    "how (is|are) <by_name> [doing|going|getting on|coming on|coming along|looking]",
    "when (is|are|will) <by_name> [be] (done|ready|finished|up|due|over|come out)",
    "(is|are) <by_name> (done|ready|finished|nearly done|nearly ready|over|up) [yet|now]",
    "(what is|how is) [the time] [<left>] (on|with|for) <by_name>",
    "[the] time <left> (on|for) <by_name>",
    "(what|where) is <by_name> (at|on|up to) [now]",
    "(and|what about|how about) <by_name>",
    "how (long|much longer|much time) (for|on|until|till) <by_name>",
    "{text:name} (one|ones)",
    holds=is_meant,
)
@skill.short(
    "HassTimerStatus",
    "how (long|much longer|much time|many minutes) [is] [it] [<left>|to go|now|more]",
    "how (long|much longer|much time|many minutes) (has|have|does|do|is|will)"
    " (it|they|that|that one|i|we) [got|have|need|be|take] [<left>|to go|still|now]",
    "how is (it|that one) (doing|going|getting on|coming along)",
    "(is|are) (it|they|that one) (done|ready|finished|nearly done) [yet|now]",
    "when (is|are|will) (it|they|that one) [be] (done|ready|finished|up|due)",
    "(what is|how much is|how long is|how long) <left> [on (it|that|that one)]",
    "(time <left>|time left please|what is the time left)",
    fixed={"name": IT},
    holds=is_meant,
)
@skill.short(
    "HassTimerStatus",
    "[and|what about|how about|how long is left on] [the] <others>",
    "how (long|much longer|much time) (has|have|is|are|does|do) [the] <others> [got|have|need]"
    " [<left>]",
    "how (is|are) [the] <others> (doing|going)",
    fixed={"name": OTHER},
    holds=is_meant,
)
@skill.short(
    "HassTimerStatus",
    "(which|what) [one|timer] (is|comes|goes off|rings|is done|is ready|finishes|is due|is up)"
    " (first|next|soonest)",
    "(what|which) (is|one is) [up|due] next",
    fixed={"name": FIRST},
    holds=is_meant,
)
@skill.short(
    "HassTimerStatus",
    "(what is|what have we got|how long is|how long|how much time is|how much is) [<left>] [on|for]"
    " (everything|all of them|them all|both|both of them|each|each one|them) [<left>]",
    "(what is|what have i got|what have we got) (running|going|on the go|ticking)",
    holds=is_meant,
)
def timer_status(
    request: Request,
    context: Context,
    mention: TimerMention,
) -> Reply:
    """Say how much time is left."""
    timers = matching(context, request, mention)
    if not timers:
        return no_such(context, mention)
    about = tuple(timer.id for timer in timers)
    if len(timers) == 1:
        text = f"Your {called(timers[0], context)} {left(timers[0], context)}."
        return Reply(text, about=about)
    parts = [f"the {called(timer, context)} {left(timer, context)}" for timer in timers]
    text = f"You have {count(len(timers), 'timer')}: {context.say(parts)}."
    return Reply(text, about=about)


@skill.short(
    "TimerElapsed",
    "how (long|much time|much) (has|have|is) <by_name> (had|been on|been in|been going|been running"
    "|been cooking|been|run|been run) [so far|already|now]",
    "how long ago did (i|we) (start|set|put on|put in) <by_name> [on|in]",
    "how long (is|are) <by_name> (in|on) (for|already)",
    holds=is_meant,
    traits=Traits(asks=True, thing="timer"),
)
@skill.short(
    "TimerElapsed",
    "how (long|much time|much) (has|have) (it|they|that|that one) (had|been on|been in|been going"
    "|been running|been cooking|run) [so far|already|now]",
    fixed={"name": IT},
    holds=is_meant,
)
def timer_elapsed(request: Request, context: Context, mention: TimerMention) -> Dialog:
    """Say how long a timer has run."""

    def told(timer: Timer) -> Reply:
        run = context.say(timedelta(seconds=round(timer.elapsed.total_seconds())))
        text = f"Your {called(timer, context)} has run for {run}, and {left(timer, context)}."
        return Reply(text, about=(timer.id,))

    return on_timer(context, request, mention, told)


def _is_paused(request: Request, context: Context) -> bool:
    """Whether a timer is to be paused: one that is meant, or one that runs while nothing plays."""
    if is_meant(request, context):
        return True
    it, said = request.slot("name"), request.text.casefold()
    runs = any(not (timer.paused or timer.ringing) for timer in context.timers.all())
    plain = it is not None and it.value == IT and "pause" in said
    return plain and runs and not _players(context, "playing", "on")


@skill.intent("HassPauseTimer", "(pause|hold|freeze) <which>", traits=TIMER)
@skill.short("HassPauseTimer", "<pause> <by_name>", holds=_is_paused)
@skill.short(
    *("HassPauseTimer", "<pause> <it>", "(pause|hold it|hold on)"),
    fixed={"name": IT},
    holds=_is_paused,
)
@skill.short("HassPauseTimer", "<pause> (them|those)", fixed={"name": THEM}, holds=_is_paused)
@skill.short("HassPauseTimer", "<pause> [the] other [one]", fixed={"name": OTHER}, holds=_is_paused)
def pause_timer(
    request: Request,
    context: Context,
    mention: TimerMention,
) -> Dialog:
    """Pause a timer."""

    def pause(timer: Timer) -> Reply:
        context.timers.pause(timer.id)
        text = f"Your {called(timer, context)} is paused, with {time_left(timer, context)}."
        return Reply(text, undo=Undo("timers.resume", timer.id), about=(timer.id,))

    return on_timer(context, request, mention, pause)


def _is_resumed(request: Request, context: Context) -> bool:
    """Whether a paused timer is meant; one that runs needs no word to go on.

    While no player is paused, it needs no other word.
    """
    if not any(timer.paused for timer in context.timers.all()):
        return False
    it, said = request.slot("name"), request.text.casefold()
    plain = it is not None and it.value == IT and _GOING_ON.search(said) is not None
    return is_meant(request, context) or (plain and not _players(context, "paused"))


def _players(context: Context, *states: str) -> bool:
    """Whether a player of the home is in one of these states."""
    players = (e for e in context.home.entities if e.domain == "media_player")
    return any(player.state in states for player in players)


@skill.intent("HassUnpauseTimer", "(unpause|resume|continue|restart) <which>", traits=TIMER)
@skill.short(
    "HassUnpauseTimer",
    "<resume> <by_name>",
    "(start|set|carry on|go on) <by_name> (again|going|on)",
    holds=_is_resumed,
)
@skill.short(
    "HassUnpauseTimer",
    "(<resume>|start|let) <it> [again|run|go on|carry on]",
    "(resume|unpause|continue|carry on|go on|keep going|go ahead|off you go|start|restart) [again]",
    "(i am|we are) (back|ready)",
    fixed={"name": IT},
    holds=_is_resumed,
)
@skill.short("HassUnpauseTimer", "<resume> (them|those)", fixed={"name": THEM}, holds=_is_resumed)
def resume_timer(
    request: Request,
    context: Context,
    mention: TimerMention,
) -> Dialog:
    """Resume a paused timer."""

    def resume(timer: Timer) -> Reply:
        context.timers.resume(timer.id)
        text = f"Your {called(timer, context)} runs on, with {time_left(timer, context)}."
        undo = Undo("timers.pause", timer.id) if timer.paused else ()
        return Reply(text, undo=undo, about=(timer.id,))

    return on_timer(context, request, mention, resume, likely=lambda timer: timer.paused)
