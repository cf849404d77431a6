"""Timers that ring in another room, and where they ring."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

from assistant.skill import (
    Area,
    Context,
    Dialog,
    Reply,
    Request,
    Skill,
    Timer,
    Traits,
    Undo,
    prompt,
    unheard_in,
    unless,
)
from skills.timer.meant import (
    IT,
    TIMER,
    Name,
    TimerMention,
    is_spoken_of,
    no_such,
    on_one_of,
    rung_or_matching,
    short_name,
)

skill = Skill("timer")
skill.rule("one", "(the|my|that|this) [{start_duration}] timer")
skill.rule("named", "[the|my|that] {text:name} timer")
skill.rule("that", "(it|that|that one|this one)")
skill.rule("bring", "(move|bring|transfer)")


def _is_meant(request: Request, context: Context) -> bool:
    """Whether what is to ring elsewhere is a timer: by its name, or as what was spoken of last.

    Where nothing was spoken of yet, it is one if only timers could ring.
    """
    name = request.slot("name")
    if name is None:
        return True
    if name.value != IT:
        return bool(rung_or_matching(context, request, TimerMention(str(name.value))))
    if is_spoken_of(context):
        return True
    talk, alarms = context.conversation, context.alarms.all()
    if context.timers.rung is not None:
        return not any(alarm.id in talk.about for alarm in alarms)
    return bool(context.timers.all()) and not (alarms or talk.about or talk.acted)


# Short forms alone: no model learns from them that "move that to the kitchen" is about a timer.
@skill.short(
    "MoveTimer",
    "<bring> (<one>|<named>) to [the|my] {area}",
    "ring (<one>|<named>) <where>",
    "let (<one>|<named>) ring <where>",
    holds=_is_meant,
    traits=TIMER,
)
@skill.short(
    "MoveTimer",
    "<bring> (<one>|<named>) here",
    "ring (<one>|<named>) here",
    "let (<one>|<named>) ring here",
    fixed={"here": "yes"},
    holds=_is_meant,
)
@skill.short(
    "MoveTimer",
    "<bring> <that> to [the|my] {area}",
    "ring [<that>] <where>",
    "let <that> ring <where>",
    fixed={"name": IT},
    holds=_is_meant,
)
@skill.short(
    "MoveTimer",
    "<bring> <that> here",
    "ring [<that>] here",
    "let <that> ring here",
    fixed={"name": IT, "here": "yes"},
    holds=_is_meant,
)
def move_timer(
    request: Request,
    context: Context,
    area: Annotated[Area | None, prompt("In which room?"), unless("here")],
    name: Name | None = None,
    start_duration: timedelta | None = None,
    here: str = "",
) -> Dialog:
    """Let a timer ring in another room, or here."""
    mention = TimerMention(name, start_duration)
    timers = rung_or_matching(context, request, mention)
    there = context.room if area is None else area.id
    return on_one_of(
        *(timers, context, mention, lambda timer: _moved(context, timer, area)),
        likely=lambda timer: timer.area != there,
    )


def _moved(context: Context, timer: Timer, area: Area | None) -> Reply:
    if area is not None and (unheard := unheard_in(area, context, timer.area)):
        return Reply(unheard, done=False)
    room = context.room if area is None else area.id
    text = f"Your {short_name(timer)} {_rings(timer, context.heard(room))}."
    known = any(one.id == timer.id for one in context.timers.all())
    context.timers.ring_in(timer.id, room)
    back = Undo("timers.ring_in", timer.id, timer.area)
    return Reply(text, undo=back if known else Undo("timers.cancel", timer.id), about=(timer.id,))


@skill.short(
    "WhereTimerRings",
    "where (will|does) (<one>|<named>) (ring|go off)",
    holds=_is_meant,
    traits=Traits(asks=True, thing="timer"),
)
@skill.short(
    "WhereTimerRings",
    "where (will|does) <that> (ring|go off)",
    fixed={"name": IT},
    holds=_is_meant,
)
def where_timer_rings(
    request: Request,
    context: Context,
    name: Name | None = None,
    start_duration: timedelta | None = None,
) -> Reply:
    """Say in which room a timer will ring."""
    mention = TimerMention(name, start_duration)
    timers = rung_or_matching(context, request, mention)
    if not timers:
        return no_such(context, mention)
    told = (
        f"Your {short_name(timer)} for {context.say(timer.duration)}"
        f" {_rings(timer, context.heard(timer.area))}."
        for timer in timers
    )
    return Reply(" ".join(told), about=tuple(timer.id for timer in timers))


def _rings(timer: Timer, where: str) -> str:
    return f"rings {where} now" if timer.ringing else f"will ring {where}"
