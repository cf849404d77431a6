"""The time and the date."""

from __future__ import annotations

from assistant.skill import Context, Reply, Skill, Traits

skill = Skill("clock", description="tell the time and the date")


@skill.intent(
    "HassGetCurrentTime",
    "what time is it [[right] now]",
    "(what is|what's|whats|tell me|give me) the [current] time [[right] now]",
    "[do you] know what time it is",
    "(can|could) you tell me (the time|what time it is)",
    "tell me what time it is",
    "i (need|want|would like) to know (the time|what time it is)",
    "how late is it",
    "(current time|time please|the time please)",
    traits=Traits(asks=True),
)
def current_time(context: Context) -> Reply:
    """Say what time it is."""
    return Reply(f"It's {context.say(context.now.timetz())}.")


@skill.intent(
    "HassGetCurrentDate",
    "(what is|what's|whats|tell me|give me) (today's|todays|the [current]) date [today]",
    "what date is (it|today|it today)",
    "(what is|what's|whats) the day [today]",
    "(what|which) day (is it|is it today|is today|of the week is it)",
    "what day of the week is (today|it today)",
    "(can|could) you tell me (the date|what day it is) [today]",
    "tell me what (day|date) it is [today]",
    "i (need|want|would like) to know (the date|today's date|what day it is)",
    "what day of the month is it",
    "(today's|current) date",
    "(what is|what's|whats) today",
    traits=Traits(asks=True),
)
def current_date(context: Context) -> Reply:
    """Say the day of the week and the date."""
    now = context.now
    return Reply(f"It's {now:%A}, {now:%B} {now.day}, {now.year}.")
