"""Giving timers another name."""

from __future__ import annotations

from typing import Annotated

from assistant.skill import Context, Dialog, Reply, Request, Skill, Timer, Undo, choices, prompt
from skills.timer.meant import (
    IT,
    NAMES,
    TIMER,
    TimerMention,
    is_spoken_of,
    matching,
    on_timer,
    short_name,
)

NewName = Annotated[str, choices(*NAMES), prompt("What shall I call it?")]

skill = Skill("timer")
skill.rule("call", "(call|name|label|rename)")


def _is_named(request: Request, context: Context) -> bool:
    """Whether a timer is to be called something: the one spoken of last, or one by its name."""
    name = request.slot("name")
    if name is None or name.value == IT:
        return is_spoken_of(context)
    return bool(matching(context, request, TimerMention(str(name.value))))


@skill.short(
    "RenameTimer",
    "[and|then] <call> <it> [as|to] {text:new_name} [instead]",
    "(change|set) (its name|the name) to {text:new_name}",
    "(its name|the name) (is|should be) {text:new_name}",
    "that (is|was) [the one] for {text:new_name}",
    fixed={"name": IT},
    holds=_is_named,
    traits=TIMER,
)
@skill.short(
    "RenameTimer",
    "<call> {text:name} [timer] (as|to|into) {text:new_name} [timer]",
    "<call> {text:name} timer {text:new_name}",
    "(change|set) [the name of] {text:name} timer to {text:new_name}",
    "(change|set) {text:name} timer's name to {text:new_name}",
    holds=_is_named,
)
def rename_timer(
    request: Request, new_name: NewName, context: Context, mention: TimerMention
) -> Dialog:
    """Give a timer another name."""

    def rename(timer: Timer) -> Reply:
        context.timers.rename(timer.id, new_name.strip())
        renamed = next(t for t in context.timers.all() if t.id == timer.id)
        text = f"Your {short_name(timer)} is the {short_name(renamed)} now."
        return Reply(text, undo=Undo("timers.rename", timer.id, timer.name), about=(timer.id,))

    return on_timer(context, request, mention, rename)
