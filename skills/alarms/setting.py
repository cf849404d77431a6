"""Setting alarms."""

from __future__ import annotations

from datetime import datetime, time

import msgspec

from assistant.skill import (
    Area,
    Context,
    Dialog,
    Recurrence,
    Reply,
    Request,
    Skill,
    SkillError,
    Undo,
    ask_time,
    named_time,
    tells_time,
    unheard_in,
)
from skills.alarms.meant import ALARM, KIND, Name, called, rings

skill = Skill("alarms")
NO_TIME = "I can only wake you at a time."
SETTING = msgspec.structs.replace(ALARM, takes=("when",))


@skill.intent(
    "SetAlarm",
    "<make> <an> [{name}] alarm",
    "<make> <an> [{name}] alarm for {at} [<where>]",
    "<make> <an> [{name}] alarm {moment} [<where>]",
    "<make> <an> alarm {often} [<where>]",
    "<make> <an> {at} alarm",
    "<make> <an> alarm (called|named) {name} for {at}",
    "<make> <an> alarm for {at} (called|named|for [the|my]) {name}",
    "[<an>] [{name}] alarm for {at}",
    "[<an>] alarm {moment}",
    "(i|we) (need|want|would like) (an alarm|a wake up call|waking) {moment}",
    traits=SETTING,
)
@skill.intent(
    "SetAlarm",
    "<wake> {moment} [<where>]",
    "<wake> {often} [<where>]",
    "<wake>",
    "(i|we) (need|have|want|would like) to (get up|be up|wake up|be woken) {moment}",
    "(do not|never) let (me|us) (oversleep|sleep past {at}|sleep in)",
    fixed={"waking": "yes"},
)
@skill.short(
    "SetAlarm",
    "<wake> [at|by] {at} [<where>]",
    "<wake> <where> ([at|by] {at}|{moment}|{often})",
    fixed={"waking": "yes"},
)
@skill.short(
    "SetAlarm",
    "[<make>] [<an>] [{name}] alarm [clock] for {moment}",
    "[<make>] [<an>] alarm [clock] [for|at] {often}",
    "[<make>] [<an>] alarm [clock] [at] {at}",
    "[<make>] [<an>] {name} alarm [for|at] {at}",
    "[<make>] [<an>] {name} alarm {moment}",
    "[<make>] <an> alarm (called|named|for [the|my]) {name} {moment}",
    "(i|we) (need|have|want|would like) (an alarm|a wake up call|waking) [at|for] {at}",
    "put [<an>] alarm on [for|at] {at} [{often}] [only]",
    "[<make>] [<an>] alarm (called|named) {text:name} (for|at) ({at}|{moment})",
    "[<make>] [<an>] alarm (for|at) ({at}|{moment}) (called|named) {text:name}",
    "[<make>] [<an>] [{name}] alarm [for|at] ({at}|{moment}|{often}) [and|that|to] [ring|rings]"
    " <where>",
    "[<make>] [<an>] [{name}] alarm <where> [for|at] ({at}|{moment}|{often})",
)
def set_alarm(
    request: Request,
    context: Context,
    at: time | None = None,
    moment: datetime | None = None,
    often: Recurrence | None = None,
    name: Name | None = None,
    waking: str = "",
    area: Area | None = None,
) -> Dialog:
    """Set an alarm at a time, or for the days of a rule, in the room where it is said or another.

    In a room without a loudspeaker it would not be heard.
    """
    # Who is woken at seven is so in the morning, where the half of the day is not said.
    wish = named_time(request, context, at, moment, often=often, morning=bool(waking))
    when, clock = yield from ask_time(wish, context, "For what time?")
    if not tells_time(when):
        return Reply(NO_TIME, done=False)
    label = name or ""
    unheard = unheard_in(area, context, context.room) if area is not None else ""
    room = context.room if area is None or unheard else area.id
    try:
        alarm = context.alarms.set(
            when, rings(label), kind=KIND, name=label, at=clock, insists=True, area=room
        )
    except SkillError as error:
        return Reply(error.message, done=False)
    there = f" {context.heard(room)}" if area is not None and not unheard else ""
    text = f"Your {called(alarm)} will ring {alarm.then}{there}.{alarm.caveat} {unheard}".strip()
    return Reply(text, undo=Undo("alarms.cancel", alarm.id), about=(alarm.id,))
