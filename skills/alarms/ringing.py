"""What rings, an alarm or a reminder: a little later again."""

from __future__ import annotations

from datetime import timedelta

from assistant.skill import Context, Reply, Request, Skill, SkillError, Traits

SNOOZE = timedelta(minutes=9)
"""Time until what rang rings again, where none was said."""

skill = Skill("alarms")


def _has_rung(request: Request, context: Context) -> bool:
    return context.alarms.rung is not None


@skill.short(
    "SnoozeAlarm",
    "(snooze [it|that|the alarm]|[remind me|ring|wake me|ask me|tell me] again [later]"
    "|let me sleep|let me sleep a bit longer)",
    "(snooze [it|that|the alarm]|remind me|wake me|ring|ask me|tell me) [again] [in|for]"
    " {duration}",
    "[just|give me|give it|i need|make it|let me sleep|let me have] [another] {duration}"
    " [more|longer]",
    "[for] another {duration}",
    "[remind me|wake me|ask me] (in|again in) {duration} [again]",
    "(not yet|not now|a bit longer|a little longer|a bit more|later|in a bit|in a minute)",
    holds=_has_rung,
    traits=Traits(thing="alarm", only_now=True),
)
def snooze_alarm(context: Context, duration: timedelta | None = None) -> Reply:
    """Let what rings, or has just rung, ring again."""
    rung = context.alarms.rung
    if rung is None:
        return Reply("Nothing is ringing.", done=False)
    longer = duration or SNOOZE
    try:
        undo = context.alarms.snooze(rung.id, longer)
    except SkillError as error:
        return Reply(error.message, done=False)
    called = f"{rung.name} alarm" if rung.kind == "alarm" and rung.name else rung.kind
    text = f"Your {called} will come again in {context.say(longer)}."
    return Reply(text, undo=undo, about=(undo.id,))
