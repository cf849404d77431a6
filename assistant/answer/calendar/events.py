"""The events of a period, and the next time of an event.

Each answer is built from stored events alone, at the moment of the question; none is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import msgspec

from assistant.answer.answer import composed_answer
from assistant.answer.answerer import NOTHING_FOUND, Answer, AnswerTier
from assistant.answer.calendar.timetable import TimedEvent, Timetable
from assistant.answer.calendar.wording import agenda, moment, nothing
from assistant.answer.knowledge.knowledge import Knowledge
from assistant.answer.knowledge.passages import Passage
from assistant.answer.retrieval.mentions import holds
from assistant.core.messages import Period
from assistant.english.asking.answer_kinds import kind_of
from assistant.english.asking.mentions import named
from assistant.english.questions import ASKS_WHEN, ASKS_WHICH
from assistant.english.sentences import sentences
from assistant.english.stop_words import ARTICLES, NO_CONTENT
from assistant.english.words import words

MOST_TOLD = 3
"""Most events that are told with what is noted of them."""
_TOLD = ("time", "length")
"""The kinds of answers that the time of an event is."""


class Events:
    """Answers questions about days from `knowledge`, whose events are in the `timetable`."""

    def __init__(self, knowledge: Knowledge, timetable: Timetable) -> None:
        self._knowledge, self._timetable = knowledge, timetable

    def plans(self, period: Period, said: str = "") -> Answer:
        """The events of a period, without those that are over by now."""
        period, now = self._timetable.here(period), self._timetable.present()
        all_day = self._timetable.between(period.since, period.until)
        events = [found for found in all_day if found.when.ends > now or period.until <= now]
        if events:
            told = [found.event for found in events]
            stored = {found.stored.id: found.stored for found in events}
            return composed_answer(agenda(told, period, said, now), [*stored.values()])
        if not self._knowledge.sources.holds("event"):
            return Answer(text=NOTHING_FOUND, tier=AnswerTier.DECLINED)
        return composed_answer(nothing(period, said, now, more=bool(all_day)), ())

    def next(self, person: str = "") -> Answer:
        """The next event, or the next one that involves `person`."""
        now = self._timetable.present()
        found = self._timetable.upcoming(lambda passage: _is_with(passage, person), now)
        if found is not None:
            name = found.stored.passage.place.rstrip(" .")
            return composed_answer(f"{name} is {moment(found.when, now)}.", [found.stored])
        if not self._knowledge.sources.holds("event"):
            return Answer(text=NOTHING_FOUND, tier=AnswerTier.DECLINED)
        whom = f" with {person.title()}" if person else ""
        return composed_answer(f"Nothing{whom} is coming up in your calendar.", ())

    def about(self, question: str, period: Period) -> Answer | None:
        """The events of a period that have all that the question names, with what is noted of them.

        None for no such event, or a question for another thing than which, when or where it is.
        """
        kind, wanted = kind_of(question), named(question)
        if not wanted or not (
            ASKS_WHICH.match(question.casefold()) if kind is None else kind.name in _TOLD
        ):
            return None
        period, now = self._timetable.here(period), self._timetable.present()
        found = [
            one
            for one in self._timetable.between(period.since, period.until)
            if all(holds(frozenset(words(one.stored.passage.text)), word) for word in wanted)
        ]
        if not found or len(found) > MOST_TOLD:
            return None
        told = [text for one in found for text in with_notes(one, now)]
        return composed_answer(" ".join(told), [one.stored for one in found])

    def document_of(self, event: str) -> str:
        """The file name of the document with the next event of these words; "" for none."""
        wanted = [word for word in words(event) if word not in NO_CONTENT | ARTICLES]
        found = self._timetable.upcoming(
            lambda passage: bool(wanted) and set(wanted) <= set(words(passage.place)),
            self._timetable.present(),
        )
        return found.stored.source.name if found is not None else ""

    def dated(self, question: str, made: Answer) -> Answer:
        """An answer from the calendar to a question of when, corrected for the present day.

        Of events with the same name it gives the next, or says that the last is over.
        """
        stored = self._knowledge.passages.read([made.passage])
        if made.kind != "event" or not stored or not ASKS_WHEN.match(question.casefold()):
            return made
        now, name = self._timetable.present(), stored[0].passage.place.casefold()
        found = self._timetable.upcoming(lambda p: p.place.casefold() == name, now)
        if found is None:
            over = self._first(stored[0].passage)
            return (
                msgspec.structs.replace(made, text=over, tier=AnswerTier.EXTRACTED)
                if over
                else made
            )
        if found.stored.passage.series is not None:
            text = f"{made.text} The next is {moment(found.when, now)}."
            return msgspec.structs.replace(made, text=text, moment=found.when.starts)
        if found.stored.id == made.passage:
            return made
        first = sentences(found.stored.passage.text)[0]
        return composed_answer(first, [found.stored])

    def _first(self, passage: Passage) -> str:
        """The first sentence about an event that is over; "" where it does not say when it is."""
        text = sentences(passage.text)[0]
        opening = f"{passage.place} is "
        return (
            f"{passage.place} was {text.removeprefix(opening)}" if text.startswith(opening) else ""
        )


def with_notes(found: TimedEvent, now: datetime) -> Iterator[str]:
    """When an event is, and each line that is noted of it."""
    passage = found.stored.passage
    yield f"{passage.place.rstrip(' .')} is {moment(found.when, now)}."
    for line in passage.text.splitlines()[1:]:
        yield line if line[-1:] in ".!?…" else f"{line}."


def _is_with(passage: Passage, person: str) -> bool:
    return set(words(person)) <= set(words(" ".join((passage.place, *passage.people))))
