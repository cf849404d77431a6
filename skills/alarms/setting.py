"""Setting alarms."""

from __future__ import annotations

from datetime import datetime, time

import msgspec

from assistant.skill import (
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
)
from skills.alarms.meant import ALARM, KIND, Name, called, rings

skill = Skill("alarms")
NO_TIME = "I can only wake you at a time."
SETTING = msgspec.structs.replace(ALARM, takes=("when",))


@skill.intent(
    "SetAlarm",
    "<make> <an> [{name}] alarm",
    "<make> <an> [{name}] alarm for {at}",
    "<make> <an> [{name}] alarm {moment}",
    "<make> <an> alarm {often}",
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
    "<wake> {moment}",
    "<wake> {often}",
    "<wake>",
    "(i|we) (need|have|want|would like) to (get up|be up|wake up|be woken) {moment}",
    "(do not|never) let (me|us) (oversleep|sleep past {at}|sleep in)",
    fixed={"waking": "yes"},
)
@skill.short("SetAlarm", "<wake> [at|by] {at}", fixed={"waking": "yes"})
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
)
def set_alarm(
    request: Request,
    context: Context,
    at: time | None = None,
    moment: datetime | None = None,
    often: Recurrence | None = None,
    name: Name | None = None,
    waking: str = "",
) -> Dialog:
    """Set an alarm at a time, or for the days of a rule."""
    # Who is woken at seven is so in the morning, where the half of the day is not said.
    wish = named_time(request, context, at, moment, often=often, morning=bool(waking))
    when, clock = yield from ask_time(wish, context, "For what time?")
    if not tells_time(when):
        return Reply(NO_TIME, done=False)
    label = name or ""
    try:
        alarm = context.alarms.set(
            when, rings(label), kind=KIND, name=label, at=clock, insists=True
        )
    except SkillError as error:
        return Reply(error.message, done=False)
    text = f"Your {called(alarm)} will ring {alarm.then}.{alarm.caveat}"
    return Reply(text, undo=Undo("alarms.cancel", alarm.id), about=(alarm.id,))
