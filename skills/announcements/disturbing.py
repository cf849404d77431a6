"""Asking not to be disturbed, and ending that."""

from __future__ import annotations

from datetime import datetime, timedelta

from assistant.skill import Context, Reply, Skill, Traits

skill = Skill("announcements")
skill.rule("disturb", "(disturb|bother|interrupt)")
skill.rule("for_how_long", "(for {duration}|until {until})")


@skill.intent(
    "DoNotDisturb",
    "do not disturb [<for_how_long>]",
    "[please] do not <disturb> (me|us) [please] [<for_how_long>]",
    "(turn|switch) on do not disturb [mode] [<for_how_long>]",
    "(turn|switch) do not disturb [mode] on [<for_how_long>]",
    "do not disturb (mode|on) [<for_how_long>]",
    "no announcements [<for_how_long>]",
    "do not (speak|talk) unless i (ask|ask you|speak to you|talk to you)",
    traits=Traits(only_now=True),
)
def begin(
    context: Context, duration: timedelta | None = None, until: datetime | None = None
) -> Reply:
    """Announce only what is urgent, for a while or until that is ended."""
    if until is not None and until <= context.now:
        return Reply("That time is over.", done=False)
    undo = context.do_not_disturb.begin(duration, until)
    ends = context.do_not_disturb.until
    then = f" until {_when(ends, context)}" if ends else ""
    return Reply(f"Okay, I will only disturb you{then} if it is urgent.", undo=undo)


@skill.intent(
    "EndDoNotDisturb",
    "you (may|can) (speak|talk|disturb me|bother me|interrupt me) [again|now]",
    "(turn|switch) off do not disturb [mode]",
    "(turn|switch) do not disturb [mode] off",
    "do not disturb [mode] off",
    "(end|stop|cancel) do not disturb [mode]",
    "[you (may|can)] make announcements again",
    traits=Traits(only_now=True),
)
def end(context: Context) -> Reply:
    """Let everything be announced again."""
    if not context.do_not_disturb.active:
        return Reply("Do not disturb is off.")
    return Reply("Okay, I will speak up again.", undo=context.do_not_disturb.end())


@skill.intent(
    "IsDoNotDisturb",
    "is do not disturb [mode] (on|off|active)",
    traits=Traits(asks=True),
)
def is_on(context: Context) -> Reply:
    """Tell whether, and how long, nobody is to be disturbed."""
    if not context.do_not_disturb.active:
        return Reply("Do not disturb is off.")
    ends = context.do_not_disturb.until
    return Reply(f"Do not disturb is on{f' until {_when(ends, context)}' if ends else ''}.")


def _when(moment: datetime, context: Context) -> str:
    if moment.date() == context.now.date():
        return context.say(moment.timetz())
    return context.say(moment)
