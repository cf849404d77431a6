"""Questions about the user's documents: sources, summaries, and what is in the calendar when.

This module only holds what people say; the answering stage finds the answers.
"""

from __future__ import annotations

from datetime import datetime, time, timedelta

from assistant.skill import (
    Context,
    FindNextEvent,
    ListEvents,
    ListNotes,
    NameSource,
    Period,
    Reply,
    Request,
    Skill,
    Summarise,
    Traits,
)

NO_DOCUMENTS = "I have no documents that I can read."
A_WEEK = timedelta(days=7)

skill = Skill("documents", description="answer questions from your documents")


skill.rule("calendar", "(calendar|diary|agenda|schedule)")
skill.rule("telling", "(what is|tell me|read [me|us]|give me|show me)")
skill.rule("inside", "in (my|our|the) <calendar>")
skill.rule(
    "anything",
    "(anything|something|any (plans|appointments|meetings)|(an|a) (appointment|meeting))",
)


@skill.intent(
    "DocumentSource",
    "where (did you get|do you get|did you find|did you read) (that|this|it) [from]",
    "where do you (have|know) (that|this|it) from",
    "where is (that|this|it) from",
    "where (does|did) (that|this|it) come from",
    "(what is|what's|what was) (your|the) source [for that|of that]",
    "which document (is|was|did you get) that [from]",
    "how do you know [that|this]",
    "who says (so|that)",
    traits=Traits(asks=True),
)
def source() -> Reply:
    """Name the document that the last answer was taken from."""
    return Reply("I have not answered from a document yet.", task=NameSource())


@skill.intent(
    "DocumentSummary",
    "(summarise|summarize) {name}",
    "(give me|tell me|read me) (a|the) [short] summary of {name}",
    "(give|tell) me the gist of {name}",
    "what does {name} say in (short|brief|a nutshell)",
    "(summarise|summarize) {name} in [about] {words} words",
    traits=Traits(asks=True),
)
def summary(name: str, words: int | None = None) -> Reply:
    """Say a document, or a chapter of one, in two or three sentences or in so many words."""
    return Reply(NO_DOCUMENTS, task=Summarise(name=name, words=words))


@skill.intent(
    "CalendarPlans",
    "what is (on|happening|planned|coming up) [<inside>] {period}",
    "what (do (I|we) have|have (I|we) got) [on|planned|coming up] {period}",
    "what (is|do (I|we) have|have (I|we) got) (in|on) (my|our|the) <calendar> [[for] {period}]",
    "(do (I|we) have|have (I|we) got) <anything> [on|planned|<inside>] [for] {period}",
    "is there anything (<inside>|on|planned|happening) [for] {period}",
    "(am I|are we) (free|busy) {period}",
    "[quietly|quickly|briefly] <telling> {period}['s] <calendar>",
    "what are (my|our) (plans|appointments|meetings) [for] {period}",
    traits=Traits(asks=True),
)
def plans(request: Request, context: Context, period: Period | None = None) -> Reply:
    """Say what is in the calendar at a time, or in the coming week."""
    said = _said(request)
    if period is None:
        midnight = datetime.combine(context.now.date(), time(), tzinfo=context.now.tzinfo)
        period, said = Period(since=context.now, until=midnight + A_WEEK), "in the next seven days"
    return Reply(NO_DOCUMENTS, task=ListEvents(period=period, said=said))


@skill.intent(
    "CalendarNext",
    "(when|what) is (my|our|the) next (meeting|appointment|event) [with {person}]",
    "what is next [(in|on) (my|our|the) <calendar>]",
    "what (do (I|we) have|have (I|we) got|is coming up) next",
    "when (do (I|we) (meet|see)|(am I|are we) (meeting|seeing)) {person} [next|again]",
    # Not one that asks: "when is choir" would be taken for it, and told of another event.
)
def next_event(person: str = "") -> Reply:
    """Say the next event, or the next with a person."""
    return Reply(NO_DOCUMENTS, task=FindNextEvent(person=person))


@skill.intent(
    "DocumentNotes",
    "what did (I|we) (note|write|note down|write down|jot down) [about {topic}] {period}",
    traits=Traits(asks=True),
)
def notes(request: Request, context: Context, period: Period, topic: str = "") -> Reply:
    """Say what was noted at a time that is over."""
    if period.since > context.now:  # "on Friday", "in May": the last one, of what was done
        named = period.since - context.now <= A_WEEK
        since, until = (
            moment - A_WEEK if named else _a_year_before(moment)
            for moment in (period.since, period.until)
        )
        period = Period(since=since, until=until)
    task = ListNotes(period=period, said=_said(request), topic=topic)
    return Reply(NO_DOCUMENTS, task=task)


def _a_year_before(moment: datetime) -> datetime:
    if (moment.month, moment.day) == (2, 29):
        moment -= timedelta(days=1)
    return moment.replace(year=moment.year - 1)


def _said(request: Request) -> str:
    return next((slot.raw for slot in request.slots if slot.name == "period"), "")
