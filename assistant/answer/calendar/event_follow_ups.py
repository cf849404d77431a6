"""Questions that go on from the event that was just told: when and where it is, and how soon.

They name nothing themselves, as in "what time" or "how long is that from now".
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import msgspec

from assistant.answer.answer import composed_answer
from assistant.answer.answerer import Answer
from assistant.answer.calendar.timetable import TimedEvent, Timetable
from assistant.answer.calendar.wording import ahead, moment
from assistant.answer.knowledge.passages import Passage
from assistant.answer.topic import Topic
from assistant.english.asking.answer_kinds import LOCATED
from assistant.english.asking.events import ASKS_PLACE, ASKS_TIME, FROM_NOW, asks_of_event
from assistant.english.dates import SERIES_SPAN
from assistant.english.sentences import sentences

_UNKNOWN_PLACE = "Your calendar doesn't say where."


class EventFollowUps:
    """Answers what is asked of one event of `timetable` that was just told."""

    def __init__(self, timetable: Timetable) -> None:
        self._timetable = timetable

    def answer(self, question: str, event: Passage, topic: Topic) -> Answer | None:
        """The answer; None where something else is asked, or several events were told."""
        asked = question.casefold()
        if not asks_of_event(asked) or topic.sentence not in event.text:
            return None
        now = self._timetable.present()
        found = self._timetable.upcoming(
            lambda passage: passage.place == event.place, topic.moment or now
        )
        told = " ".join(_told(asked, found, now)) if found else ""
        if found is None or not told:
            return None
        made = composed_answer(told, [found.stored])
        return msgspec.structs.replace(made, moment=found.when.starts)


def _told(asked: str, found: TimedEvent, now: datetime) -> Iterator[str]:
    name = found.stored.passage.place.rstrip(" .")
    verb = "was" if found.when.starts < found.when.ends <= now else "is"
    if FROM_NOW.search(asked):
        yield f"That {verb} {ahead(found.when, now)}."
        return
    timed = ASKS_TIME.search(asked) is not None
    where = location(found.stored.passage) if ASKS_PLACE.search(asked) else ""
    told = [moment(found.when, now)] if timed else []
    told += [f"at {where}"] if where else []
    if told:
        yield f"{name} {verb} {' '.join(told)}."
        if not where and ASKS_PLACE.search(asked):
            yield _UNKNOWN_PLACE


def location(event: Passage) -> str:
    """Where an event takes place, from the sentence that says when it is; "" where it does not."""
    first = sentences(event.text)[0]
    found = LOCATED.search(first, len(event.place))
    if found is None:
        return ""
    place = first[found.start() :].removeprefix("at ")
    return SERIES_SPAN.sub("", place).rstrip(" .")
