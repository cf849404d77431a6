"""What messages are made of: values within values, which never cross by themselves."""

from __future__ import annotations

from datetime import datetime

import msgspec

SlotValue = str | int | float | bool | None


class Word(msgspec.Struct, frozen=True, kw_only=True):
    """One recognised word with its place in the utterance and its confidence from 0 to 1."""

    text: str
    start_s: float
    end_s: float
    confidence: float


class Period(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch of time from `since` up to, but not with, `until`; both are aware."""

    since: datetime
    until: datetime

    @classmethod
    def read(cls, text: str) -> Period:
        """Read ISO 8601's "START/END" with offsets; raises ValueError for anything else."""
        since, until = (datetime.fromisoformat(moment) for moment in text.split("/"))
        if since.tzinfo is None or until.tzinfo is None:
            raise ValueError(text)
        return cls(since=since, until=until)

    def __str__(self) -> str:
        return f"{self.since.isoformat()}/{self.until.isoformat()}"


class Slot(msgspec.Struct, frozen=True, kw_only=True):
    """One resolved slot: a duration is seconds, a date, time or period ISO 8601, a name its
    text.

    `raw` holds the words as spoken, `confidence` is from 0 to 1. `others` are further values that
    the words may as likely mean, for a slot that must not be guessed.
    """

    name: str
    value: SlotValue
    raw: str
    confidence: float = 1.0
    others: tuple[SlotValue, ...] = ()


class Command(msgspec.Struct, frozen=True, kw_only=True):
    """One intent with its slots; `confidence` is from 0 to 1.

    `text` are the words that it was read from, where they are not the whole of what was said.
    """

    intent: str
    slots: tuple[Slot, ...] = ()
    confidence: float = 1.0
    text: str = ""


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """One of several things that a text may mean, with a sentence that says it plainly."""

    sentence: str
    command: Command


class Fact(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that a skill has found out, such as "temperature" and "21 degrees"."""

    name: str
    value: str


class OpenQuestion(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Answer the text from the documents, or decline it honestly: no skill claims it."""

    nearest: str = ""
    """An example sentence of something near that a skill does; "" where nothing is."""
    period: Period | None = None
    """The time that the text names: what is of it is looked through first."""
    persons: tuple[str, ...] = ()
    """The people whom the text names: an answer must name them all."""


class WordFacts(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Put these facts into one sentence."""

    facts: tuple[Fact, ...]


class NameSource(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Name the document that the last answer is from."""


class Summarise(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Say the document, or the part of one, that is called `name` in a few sentences."""

    name: str


class ListEvents(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Say what is in the calendar in `period`; `said` is what the user called it."""

    period: Period
    said: str = ""


class FindNextEvent(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Say the next event in the calendar, or the next with `person`."""

    person: str = ""


class ListNotes(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Say what was noted in `period`, about `topic` alone where one is named.

    `said` is what the user called the period.
    """

    period: Period
    said: str = ""
    topic: str = ""


CalendarTask = ListEvents | FindNextEvent | ListNotes
"""What is answered from what is stored about days."""
AnswerTask = OpenQuestion | WordFacts | NameSource | Summarise | CalendarTask
"""What a Question asks for."""


class ListedDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A document: `unencoded` of its passages are found by their words alone so far."""

    title: str
    kind: str
    path: str
    passages: int
    unencoded: int
    fault: str = ""
