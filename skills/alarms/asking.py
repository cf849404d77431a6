"""Telling which alarms are set."""

from __future__ import annotations

from datetime import date

from assistant.skill import Context, OpenQuestion, Reply, Request, Skill, Traits, count
from skills.alarms.meant import AlarmMention, alarms, called, described, matching, no_such

skill = Skill("alarms")
ASKS = Traits(asks=True, thing="alarm", takes=("when",))


@skill.intent(
    "AlarmStatus",
    "(what time|when) is <asked> [set|set for]",
    "(what time|when) (does|will) <asked> (go off|ring|wake me)",
    "(what time|when) (will you|are you going to) wake me [up] [{day}]",
    "(do i have|have i got|is there|are there|did i set|have i set) (an|any|my|the) (alarm|alarms)"
    " [set] [[for|on] {day}]",
    "(what|which|how many) <ones> (do i have|have i got|are there|are set) [[for|on] {day}]",
    "(list|read|tell me|show) [me] (my|the|all my|all the) <ones>",
    "what are my <ones> [[for|on] {day}]",
    "(is <which> (on|set)|check <which>)",
    "(what|which) <ones> (have you|did you) set",
    traits=ASKS,
)
@skill.short(
    "AlarmStatus",
    "(what time|when) is (the|my) alarm [set] for [on] {day}",
    "(what time|when) is (the|my) alarm {day}",
    "(what time|when) (does|will) (the|my) alarm (go off|ring|wake me) [on] {day}",
    "(and|what about|how about) {day}",
    holds=lambda request, context: _is_asked(request, context),
)
def alarm_status(request: Request, context: Context, mention: AlarmMention) -> Reply:
    """Say when the alarms ring."""
    return _told(request, context, mention)


def _is_asked(request: Request, context: Context) -> bool:
    """Whether a day alone is one of alarms: they are named, or were spoken of."""
    named = "alarm" in request.text.casefold()
    return named or any(a.id in context.conversation.about for a in context.alarms.all())


@skill.intent(
    "WakingTime",
    "(what time|when) (do i|am i|will i|should i|do i have to|do i need to) (get up|be up|wake up"
    "|getting up|waking up) [[on] {day}]",
    traits=ASKS,
)
def waking_time(request: Request, context: Context, day: date | None = None) -> Reply:
    """Say when the alarm of a day rings; where none does, the documents may know."""
    mention = AlarmMention(day=day)
    if not matching(context, request, mention):
        return Reply(no_such(context, mention).text, done=False, task=OpenQuestion())
    return _told(request, context, mention)


def _told(request: Request, context: Context, mention: AlarmMention) -> Reply:
    mention = _on_the_day(request, mention)
    one = "next" in request.text.casefold().split()
    every = mention == AlarmMention() and not one
    found = alarms(context) if every else matching(context, request, mention)
    if not found:
        return no_such(context, mention)
    about = tuple(alarm.id for alarm in found)
    if len(found) == 1:
        return Reply(f"Your {called(found[0])} will ring {found[0].then}.", about=about)
    told = context.say([described(alarm) for alarm in found])
    return Reply(f"You have {count(len(found), 'alarm')}: {told}.", about=about)


def _on_the_day(request: Request, mention: AlarmMention) -> AlarmMention:
    """What is mentioned, with the day that was added to the question."""
    when = request.when
    if mention.day is not None or when is None or when.kind != "at":
        return mention
    text = str(when.value or "")[:10]
    day = date.fromisoformat(text) if text.count("-") == 2 else None
    return AlarmMention(name=mention.name, clock=mention.clock, day=day)
