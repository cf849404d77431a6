"""Alarms that ring in another room, and where they ring."""

from __future__ import annotations

from typing import Annotated

from assistant.skill import (
    Alarm,
    Area,
    Context,
    Dialog,
    Reply,
    Request,
    Skill,
    Traits,
    prompt,
    unheard_in,
    unless,
)
from skills.alarms.meant import (
    ALARM,
    KIND,
    AlarmMention,
    alarms,
    called,
    described,
    matching,
    no_such,
    one_of,
)

skill = Skill("alarms")
skill.rule("bring", "(move|bring|transfer)")


def _is_meant(request: Request, context: Context) -> bool:
    """Whether what is to ring elsewhere is an alarm, as it is named, or was spoken of last.

    Where nothing was spoken of yet, it is one if only alarms could ring.
    """
    said = request.text.casefold()
    if "alarm" in said or ("wake" in said and alarms(context)):
        return True
    talk, timers = context.conversation, context.timers.all()
    if any(alarm.id in talk.about for alarm in alarms(context)):
        return True
    if _rung(context) is not None:
        return not any(timer.id in talk.about for timer in timers)
    return bool(alarms(context)) and not (timers or talk.about or talk.acted)


def _rung(context: Context) -> Alarm | None:
    """The alarm that rings, or has just rung."""
    rung = context.alarms.rung
    return rung if rung is not None and rung.kind == KIND else None


# Short forms alone: no model learns from them that "move that to the kitchen" is about an alarm.
@skill.short(
    "MoveAlarm",
    "<bring> (<which>|<it>) to [the|my] {area}",
    "ring [<which>|<it>] <where>",
    "let (<which>|<it>) ring <where>",
    "wake me <where>",
    holds=_is_meant,
    traits=ALARM,
)
@skill.short(
    "MoveAlarm",
    "<bring> (<which>|<it>) here",
    "ring [<which>|<it>] here",
    "let (<which>|<it>) ring here",
    "wake me here",
    fixed={"here": "yes"},
    holds=_is_meant,
)
def move_alarm(
    request: Request,
    context: Context,
    mention: AlarmMention,
    area: Annotated[Area | None, prompt("In which room?"), unless("here")],
    here: str = "",
) -> Dialog:
    """Let an alarm ring in another room, or here."""
    rung = _rung(context) if mention == AlarmMention() else None
    found = (rung,) if rung is not None else matching(context, request, mention)
    if not found:
        return no_such(context, mention)
    return _moved(context, (yield from one_of(found, context)), area)


def _moved(context: Context, alarm: Alarm, area: Area | None) -> Reply:
    if area is not None and (unheard := unheard_in(area, context, alarm.area)):
        return Reply(unheard, done=False)
    room = context.room if area is None else area.id
    rung, where = _rung(context), context.heard(room)
    now = rung is not None and rung.id == alarm.id
    undo = context.alarms.ring_in(alarm.id, room)
    text = f"Your {called(alarm)} {f'rings {where} now' if now else f'will ring {where}'}."
    return Reply(text, undo=undo, about=(alarm.id,))


@skill.short(
    "WhereAlarmRings",
    "where (will|does) (<asked>|<it>) (ring|go off|wake me)",
    "where (will|do) you wake me",
    holds=_is_meant,
    traits=Traits(asks=True, thing="alarm"),
)
def where_alarm_rings(request: Request, context: Context, mention: AlarmMention) -> Reply:
    """Say in which room an alarm will ring."""
    found = matching(context, request, mention)
    if not found:
        return no_such(context, mention)
    if len(found) == 1:
        text = f"Your {called(found[0])} will ring {context.heard(found[0].area)}."
    else:
        told = [f"{described(alarm)} {context.heard(alarm.area)}" for alarm in found]
        text = f"Your alarms will ring {context.say(told)}."
    return Reply(text, about=tuple(alarm.id for alarm in found))
