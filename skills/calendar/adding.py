"""Adding events."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Annotated

from assistant.english.people import said_back
from assistant.skill import (
    Ask,
    Context,
    Dialog,
    Recurrence,
    Reply,
    Request,
    Skill,
    SkillError,
    Traits,
    Undo,
    choices,
    named_time,
    naming,
)
from skills.calendar.when import lasting, put_right, span_asked

SORTS = (
    *("appointment", "meeting", "event", "lesson", "class", "party", "haircut", "interview"),
    *("dentist appointment", "doctor's appointment", "vet appointment", "team meeting"),
    *("driving lesson", "swimming lesson", "piano lesson"),
)
"""Events by their kind; a closed list, so that speech recognition can know them."""
Sort = Annotated[str, choices(*SORTS)]
ADDING = Traits(thing="event", only_now=True, unmistakable=True, takes=("when",))

skill = Skill("calendar")
skill.rule("put", "(put|add|write|enter|note|pop|stick)")
skill.rule("into", "(in|into|to|on|onto)")
skill.rule("make", "(make|schedule|create|add|set up|plan|arrange)")
skill.rule("an", "(a|an|the|my|our|another) [new]")


@skill.intent(
    "AddEvent",
    "<put> {what} <into> <calendar>",
    "<put> {what} <into> <calendar> [for|on] <then> [<lasting>]",
    "<put> ((a|an) [new] (event|appointment)|it|that|this) <into> <calendar> [[for] <then>]",
    "<put> <into> <calendar> [that (i have [got]|we have [got]|there is)] {what}",
    "pencil in {what} [for|on] <then> [<lasting>]",
    "new [calendar] event",
    "new {sort} [on] <then> [with {who}]",
    traits=ADDING,
)
@skill.intent(
    "AddEvent",
    "<make> <an> {sort} [for|on] <then> [<lasting>]",
    "<make> <an> {sort} [with {who}]",
    "<make> <an> {sort} with {who} [for|on] <then>",
    "(i|we) have [got] <an> {sort} [on] <then> [<lasting>]",
)
@skill.short(
    "AddEvent",
    "[<make>] [<an>] {sort} <then> [<lasting>]",
    holds=lambda request, context: request.alone,
)
def add_event(
    request: Request,
    context: Context,
    what: str = "",
    sort: Sort | None = None,
    who: str = "",
    moment: datetime | None = None,
    day: date | None = None,
    often: Recurrence | None = None,
    duration: timedelta | None = None,
) -> Dialog:
    """Put an event in the calendar."""
    title = what.strip() or _sorted(sort, who)
    title = title or (yield Ask("What shall I put in your calendar?"))
    request, lasts = lasting(request, duration)
    request, moment = put_right(request, moment)
    wish = named_time(request, context, moment=moment, day=day, often=often)
    try:
        span = yield from span_asked(wish, title, lasts, context)
        event = context.calendar.add(
            _titled(title), span.starts, span.ends, whole_days=span.whole_days, rule=span.rule
        )
    except SkillError as error:
        return Reply(error.message, done=False, about=naming(request, title))
    text = f"{event.title} is in your calendar {event.then}."
    return Reply(text, undo=Undo("calendar.restore", event.id), about=(event.id,))


def _sorted(sort: str | None, who: str) -> str:
    """A kind of event as a title; "" for a word that says nothing."""
    if not sort or (sort == "event" and not who):
        return ""
    return f"{sort} with {who}" if who else sort


def _titled(words: str) -> str:
    """Words of the user as a title, without the article before them."""
    said = words.strip().split()
    while said[1:] and said[0].casefold() in ("a", "an", "the", "my", "our"):
        said = said[1:]
    title = said_back(" ".join(said))
    return f"{title[:1].upper()}{title[1:]}"
