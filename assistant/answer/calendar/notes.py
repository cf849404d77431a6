"""What was noted when: notes and documents that carry a date."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from assistant.answer.answer import composed_answer
from assistant.answer.answerer import NOTHING_FOUND, Answer, AnswerTier
from assistant.answer.calendar.wording import label
from assistant.answer.knowledge.knowledge import Knowledge
from assistant.answer.knowledge.passage_store import StoredPassage
from assistant.answer.knowledge.query import Filter, telling
from assistant.core.calendar.series import here
from assistant.core.messages import Period
from assistant.english.sentences import sentences
from assistant.english.spoken import count, spoken
from assistant.english.stems import beginning

MOST_SAID = 3
"""Most notes that are read out; of the rest only the number is said."""
KINDS = ("note", "document")
_EVER = datetime(1800, 1, 1, tzinfo=UTC)


class Notes:
    """Answers from `knowledge` what was noted; `now` gives the present as an aware time."""

    def __init__(self, knowledge: Knowledge, now: Callable[[], datetime]) -> None:
        self._knowledge, self._now = knowledge, now

    def notes(self, period: Period, said: str = "", topic: str = "") -> Answer:
        """How the notes of a period begin, oldest first, or what they say about `topic`.

        `said` is what the user called the period.
        """
        zone = self._knowledge.zone
        period, now = here(period, zone), self._now().astimezone(zone)
        within = Filter(kinds=KINDS, since=period.since, until=period.until)
        noted = self._about(topic, within) if topic else self._noted(within)
        if not noted:
            if topic or not self._knowledge.passages.within(Filter(kinds=KINDS, since=_EVER)):
                return Answer(text=NOTHING_FOUND, tier=AnswerTier.DECLINED)
            return composed_answer(f"You noted nothing {label(period, said, now)}.", (), "note")
        lines = [_line(stored, first, now) for stored, first in noted[:MOST_SAID]]
        if len(noted) > MOST_SAID:
            lines.append(f"And {count(len(noted) - MOST_SAID, 'more note')}.")
        return composed_answer(" ".join(lines), [stored for stored, _ in noted[:MOST_SAID]])

    def _about(self, topic: str, within: Filter) -> list[tuple[StoredPassage, str]]:
        """The passages that hold words of `topic`, each with the sentence that holds most."""
        found = self._knowledge.passages.matching(topic, MOST_SAID, within)
        words = _stems(topic)
        told = []
        for stored in self._knowledge.passages.read([number for number, _ in found]):
            every = sentences(stored.passage.text)
            if every:
                told.append((stored, max(every, key=lambda s: len(words & _stems(s)))))
        return sorted(told, key=lambda pair: (pair[0].passage.starts, pair[0].id))

    def _noted(self, within: Filter) -> list[tuple[StoredPassage, str]]:
        """The first passage of each note with its first sentence."""
        stored = self._knowledge.passages.read(self._knowledge.passages.within(within))
        firsts = {(one.source, one.passage.place): one for one in reversed(stored)}
        ordered = sorted(firsts.values(), key=lambda one: (one.passage.starts, one.id))
        return [(one, first) for one in ordered for first in sentences(one.passage.text)[:1]]


def _stems(text: str) -> set[str]:
    return {beginning(word) for word in telling(text)}


def _line(stored: StoredPassage, sentence: str, now: datetime) -> str:
    day = spoken(datetime.fromisoformat(stored.passage.starts).date(), now)
    return f"{day[:1].upper()}{day[1:]}: {sentence}{'' if sentence[-1:] in '.!?…' else '.'}"
