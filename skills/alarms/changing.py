"""Alarms at another time, left out once, or cancelled."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

import msgspec

from assistant.skill import (
    Alarm,
    Confirm,
    Context,
    Dialog,
    Reply,
    Request,
    Skill,
    SkillError,
    ask_time,
    count,
    moved_to,
)
from skills.alarms.meant import (
    ALARM,
    AlarmMention,
    alarms,
    called,
    matching,
    no_such,
    on_alarm,
    one_of,
)

skill = Skill("alarms")
skill.rule("move", "(move|change|push|shift|set|put|reset)")
skill.rule("it", "(it|that|that one)")
CHANGING = msgspec.structs.replace(ALARM, takes=("when",))
CANCELLING = msgspec.structs.replace(ALARM, guarded=True, directions=("cancel",))
LATER, EARLIER = "later", "earlier"


def _is_meant(request: Request, context: Context) -> bool:
    """Whether an alarm is spoken of, so that "it" is one."""
    return any(alarm.id in context.conversation.about for alarm in alarms(context))


@skill.intent(
    "ChangeAlarm",
    "<move> <which> [back|forward|on] to {moment}",
    "(change|move) <which>",
    "(change|move) <which> (for|to) {to}",
    "make <which> {moment}",
    traits=CHANGING,
)
@skill.intent(
    "ChangeAlarm",
    "make <which> {duration} later",
    "(move|push|put|shift) <which> back [by] {duration}",
    "(delay|postpone) <which> [by] {duration}",
    "<wake> {duration} later [{day}]",
    fixed={"direction": LATER},
)
@skill.intent(
    "ChangeAlarm",
    "make <which> {duration} earlier",
    "(move|bring|push|put|shift) <which> forward [by] {duration}",
    "<wake> {duration} earlier [{day}]",
    fixed={"direction": EARLIER},
)
@skill.short(
    "ChangeAlarm",
    "(<move>|make) <it> [to|for] {moment} [instead]",
    "(<move>|make) <it> [to|for] {to} [instead]",
    holds=_is_meant,
)
@skill.short(
    "ChangeAlarm",
    "[make|move|push] [<it>] [back] [by] {duration} later",
    "(move|push|put) <it> back [by] {duration}",
    fixed={"direction": LATER},
    holds=_is_meant,
)
@skill.short(
    "ChangeAlarm",
    "[make|move|bring] [<it>] [forward] [by] {duration} (earlier|sooner)",
    "(move|bring|put) <it> forward [by] {duration}",
    fixed={"direction": EARLIER},
    holds=_is_meant,
)
def change_alarm(
    request: Request,
    context: Context,
    mention: AlarmMention,
    moment: datetime | None = None,
    to: time | None = None,
    duration: timedelta | None = None,
    direction: str = "",
) -> Dialog:
    """Let an alarm ring at another time."""
    found = matching(context, request, mention)
    if not found:
        return no_such(context, mention)
    alarm = yield from one_of(found, context)
    by = duration if direction == LATER or duration is None else -duration
    wish = moved_to(request, alarm, moment, to, by)
    when, clock = yield from ask_time(wish, context, "To what time?")
    try:
        undo = context.alarms.move(alarm.id, when, at=clock)
    except SkillError as error:
        return Reply(error.message, done=False)
    moved = next(one for one in context.alarms.all() if one.id == alarm.id)
    text = f"Your {called(moved)} will now ring {moved.then}."
    return Reply(text, undo=undo, about=(alarm.id,))


@skill.intent(
    "SkipAlarm",
    "(skip|miss out|leave out) <which> [[on] {day}]",
    "(turn|switch) off <which> [for|on] {day}",
    "let me sleep in {day}",
    traits=ALARM,
)
@skill.short(
    "SkipAlarm",
    "(no alarm|do not wake me [up]|i do not need (an|the) alarm|i do not need waking) [on|for]"
    " {day}",
)
def skip_alarm(request: Request, context: Context, mention: AlarmMention) -> Dialog:
    """Leave out the next time of an alarm."""
    found = matching(context, request, mention)
    if not found:
        return no_such(context, mention)
    alarm = found[0] if mention == AlarmMention() else (yield from one_of(found, context))
    return _left_out(alarm, mention.day, context)


def _left_out(alarm: Alarm, day: date | None, context: Context) -> Reply:
    """Leave out the next time of an alarm, if that is on the day; cancel one that is once."""
    if day is not None and alarm.at.date() != day:
        return Reply(f"I can only leave out the next time, {context.say(alarm.at)}.", done=False)
    if not alarm.rule:
        undo = context.alarms.cancel(alarm.id)
        return Reply(f"Your {called(alarm)} {alarm.then} is cancelled.", undo=undo)
    undo = context.alarms.skip(alarm.id)
    following = next(one for one in context.alarms.all() if one.id == alarm.id)
    skipped, then = context.say(alarm.at), context.say(following.at)
    text = f"I leave out your {called(alarm)} {skipped}. It will ring {then}."
    return Reply(text, undo=undo, about=(alarm.id,))


@skill.intent(
    "CancelAlarm",
    "<drop> <which> [[for|on] {day}]",
    "(stop|silence) [the|my|that] alarm",
    "(turn|switch) off [the|my|that] [{clock}|{name}] alarm",
    "(turn|switch) [the|my|that] [{clock}|{name}] alarm off",
    "(no|i do not need (an|the|my)) alarm [any more|then]",
    traits=CANCELLING,
)
@skill.short(
    "CancelAlarm",
    "(<drop>|turn off|switch off) [the] ({clock}|{name}|{day}|other) [one] [alarm]",
    "(<drop>|turn off|switch off) [the] {clock} [one] [{day}]",
    "(<drop>|turn off|switch off) (it|that|that one|that alarm)",
    "(turn|switch) (it|that|that one) off",
    holds=lambda request, context: _is_meant(request, context) or _names_alarm(request, context),
)
def cancel_alarm(request: Request, context: Context, mention: AlarmMention) -> Dialog:
    """Cancel one alarm; where one rings, end that."""
    if mention == AlarmMention() and _stopped(context):
        return Reply("Okay.")

    def cancel(alarm: Alarm) -> Reply:
        if alarm.rule and mention.day is not None:
            return _left_out(alarm, mention.day, context)
        undo = context.alarms.cancel(alarm.id)
        return Reply(f"Your {called(alarm)} {alarm.then} is cancelled.", undo=undo)

    return (yield from on_alarm(context, request, mention, cancel))


def _names_alarm(request: Request, context: Context) -> bool:
    """Whether a time of day is that of an alarm: "cancel the seven o'clock one"."""
    slot = request.slot("clock")
    if slot is None or slot.value is None:
        return False
    mention = AlarmMention(clock=time.fromisoformat(str(slot.value)))
    return bool(matching(context, request, mention))


def _stopped(context: Context) -> bool:
    """Whether something rang, and was ended."""
    timers = [timer for timer in context.timers.all() if timer.ringing]
    for timer in timers:
        context.timers.cancel(timer.id)
    return bool(context.alarms.silence() or timers)


@skill.intent(
    "CancelAllAlarms",
    "<drop> (all|all [of] (the|my)|every|both|both my|my|the) (alarms|alarm clocks)"
    " [[for|on] {day}]",
    "(turn|switch) off (all|all [of] (the|my)|my|the) alarms [[for|on] {day}]",
    "(i do not need any|no) alarms [any more|then]",
    traits=CANCELLING,
)
@skill.short(
    "CancelAllAlarms",
    "<drop> (them|them all|all of them|both|both of them|all|the lot)",
    "<drop> every alarm",
    holds=_is_meant,
)
def cancel_all_alarms(request: Request, context: Context, day: date | None = None) -> Dialog:
    """Cancel every alarm, or those of a day, asking first."""
    mention = AlarmMention(day=day)
    found = matching(context, request, mention) if day is not None else alarms(context)
    if not found:
        return no_such(context, mention)
    told = context.say([f"{a.name} {a.then}" if a.name else a.then for a in found])
    number = count(len(found), "alarm")
    if not (yield Confirm(f"You have {number}: {told}. Shall I cancel that?")):
        return Reply("Okay, I left it as it is.")
    undo = tuple(context.alarms.cancel(alarm.id) for alarm in found)
    return Reply(f"I cancelled {number}.", undo=undo)
