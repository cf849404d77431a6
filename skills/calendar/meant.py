"""Which event is meant."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from datetime import date, datetime, time, timedelta

from assistant.english.stop_words import ARTICLES, NO_CONTENT
from assistant.english.words import words
from assistant.skill import CalendarEvent, Choose, Context, NameCalendar, Reply, SkillError

SORTS = frozenset(words("appointment meeting event lesson entry"))
"""Words for an event that need not stand in its title."""
_SMALL = NO_CONTENT | ARTICLES | frozenset(words("next s"))


def matching(context: Context, what: str, day: date | None = None) -> tuple[CalendarEvent, ...]:
    """The events that are meant, the next first; the one spoken of last where none is named."""
    if day is not None:
        since = datetime.combine(day, time(), tzinfo=context.now.tzinfo)
        found = context.calendar.between(since, since + timedelta(days=1))
    else:
        found = context.calendar.coming()
    said = frozenset(words(what)) - _SMALL
    named = (said - SORTS) or said
    if not named:
        about = tuple(event for event in found if event.id in context.conversation.about)
        return about or found
    return tuple(e for e in found if named <= _called(e) | (SORTS if named <= SORTS else set()))


def is_spoken_of(context: Context, what: str) -> bool:
    """Whether an event has these words; without any, whether the last reply was about one."""
    about = context.conversation.about
    if not (what or about):
        return False
    try:
        found = matching(context, what)
    except SkillError:  # a calendar that cannot be read is told to who asks for it alone
        return False
    return bool(found) if what else any(event.id in about for event in found)


def one_of(found: Sequence[CalendarEvent]) -> Generator[Choose, str, CalendarEvent]:
    """The one of several events that the user chooses."""
    labels = {f"{event.title} {event.then}": event for event in found}
    options = tuple(labels)
    if len(options) == 1:
        return found[0]
    asked = ", ".join(options[:-1]) + f" or {options[-1]}"
    return labels[(yield Choose(f"Which one: {asked}?", options))]


def none_such(what: str, day: date | None, context: Context) -> Reply:
    """The reply where no event is meant that can be changed; a document may have one."""
    told = context.say(day) if day is not None else ""
    on = f" on {told}" if told[:1].isupper() else f" {told}".rstrip()
    if frozenset(words(what)) <= _SMALL | SORTS:
        return Reply(f"Nothing is in your calendar{on}.", done=False)
    text = f"There is no {what} in your calendar{on}."
    return Reply(text, done=False, task=NameCalendar(event=what))


def _called(event: CalendarEvent) -> frozenset[str]:
    return frozenset(words(event.title))
