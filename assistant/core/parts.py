"""What messages are made of: their kinds, and the values inside them, never sent alone.

`Frame` and `Tick` are messages that stay inside one process.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

import msgspec

SAMPLE_RATE_HZ = 16_000
"""Sample rate of all audio inside the assistant except `Speech`, which has its voice's rate."""
UserText = Annotated[str, msgspec.Meta(max_length=5_000)]
"""Text that a user says in one utterance. A longer text could occupy a stage for hours."""
ReplyText = Annotated[str, msgspec.Meta(max_length=10_000)]
"""Text that the assistant says at once, at most ten minutes of speech."""
SlotValue = str | int | float | bool | None
ZonedDatetime = Annotated[datetime, msgspec.Meta(tz=True)]
"""Date and time with a time zone; one without is refused where it is decoded."""
Id = Annotated[str, msgspec.Meta(max_length=200)]
"""An id. Ids are stored, so their length is limited."""


class Message(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag=True):
    """A value that crosses from one stage to another."""

    at_s: float = 0.0


class Frame(Message, frozen=True, kw_only=True):
    """512 microphone samples, 16 kHz mono int16; `at_s` is the time of the last sample."""

    samples: bytes
    microphone: int = 0
    """The microphone's number, in the order of the setting."""


class Tick(Message, frozen=True, kw_only=True):
    """Time has reached `at_s`, the deadline that a stage had set."""


class Work(Message, frozen=True, kw_only=True):
    """A message for exactly one consumer, about one utterance."""

    utterance_id: Id


class Spoken(Work, frozen=True, kw_only=True):
    """What somebody says, or what becomes of it.

    With `secret` it holds, or asks for, what nobody else may see, such as a PIN: `published` masks
    it wherever it is shown or kept.
    """

    secret: bool = False
    area: Id = ""
    """The id of the area where it was said; "" for the area where the device stands."""
    peer: Id = ""
    """Who says it over the network, and is answered there; "" for the device itself."""


class Control(Message, frozen=True, kw_only=True):
    """A broadcast that any listener may miss."""


class DoubtfulWakeWord(Work, frozen=True, kw_only=True):
    """A wake word or "stop" that may have been said, of which the listening engine is not sure."""

    wake_word: str
    samples: bytes
    """The sound that begins with it, 16 kHz mono int16."""


class WakeWordConfirmed(Control, frozen=True, kw_only=True):
    """Recognition hears the wake word that was in doubt."""

    utterance_id: Id


class Woke(Control, frozen=True, kw_only=True):
    """The wake word was heard, or a follow-up opened (`wake_word` is "")."""

    utterance_id: Id
    wake_word: str
    peer: Id = ""
    """The satellite that heard it; "" for the device itself."""


class Word(msgspec.Struct, frozen=True, kw_only=True):
    """One recognised word with its place in the utterance and its confidence from 0 to 1."""

    text: str
    start_s: float
    end_s: float
    confidence: float


class Period(msgspec.Struct, frozen=True, kw_only=True):
    """A period from `since` up to but not including `until`; both have a time zone."""

    since: ZonedDatetime
    until: ZonedDatetime

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
    """One slot of a command with its resolved value."""

    name: str
    value: SlotValue
    """Seconds for a duration; ISO 8601 for a date, a time or a period; the text for a name."""
    raw: str
    """The words as spoken."""
    confidence: float = 1.0
    """From 0 to 1."""
    others: tuple[SlotValue, ...] = ()
    """Other values that are as likely, for a slot that must not be guessed."""
    commands: tuple[Command, ...] = ()
    """The commands that its words are when said alone, where the intent wants to know that."""


Wording = Literal["", "late", "none"]
Trouble = Literal["slow", "failing", "worse", "queued"]
"""What is wrong with a stage: it takes too long, it fails too often, its results have become worse,
or more is asked of it than it can do."""
WhenKind = Literal["at", "in", "for", "until", "every", "event", "later", "over"]


class SunEvent(msgspec.Struct, frozen=True, kw_only=True):
    """A time of day that the sun tells: "ten minutes before sunrise"."""

    event: Literal["dawn", "sunrise", "sunset", "dusk"]
    offset_s: float = 0.0
    """Seconds from the event to the time; negative for a time before it."""


class When(msgspec.Struct, frozen=True, kw_only=True):
    """When a command is to be carried out, where that is not now, or not at once."""

    kind: WhenKind
    said: str
    """The user's words: "at sunset", "in ten minutes"."""
    value: SlotValue = None
    """ISO 8601 for a moment, a day or a period, seconds for a duration, RFC 5545 text for a
    recurrence; None for anything else."""
    sun: SunEvent | None = None
    """The event that is its time of day; None for a time of the clock, or none."""
    lasting: When | None = None
    """How long it holds from then on, "for" or "until": "at seven for an hour"."""

    @property
    def begins(self) -> bool:
        """Whether it tells when something begins."""
        return self.kind in ("at", "in", "every")

    @property
    def lasts(self) -> bool:
        """Whether it tells how long something holds that begins at once."""
        return self.kind in ("for", "until")


class Command(msgspec.Struct, frozen=True, kw_only=True):
    """One intent with its slots, and what else its sentence says about it."""

    intent: str
    slots: tuple[Slot, ...] = ()
    excluded: tuple[Slot, ...] = ()
    """What is excepted from its targets: slots "name", "area" and "floor", or "unknown"."""
    when: When | None = None
    """When to carry it out; None for now."""
    instead: bool = False
    """Whether it replaces what was done last, which is taken back first."""
    referring: bool = False
    """Whether it is about those that the last reply named, of all that its slots fit."""
    directions: tuple[str, ...] = ()
    """The directions that its words name, such as "on" or "unlock"; () for none."""
    confidence: float = 1.0
    """From 0 to 1."""
    text: str = ""
    """The words that it was read from; "" when they are the whole utterance."""


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """One of several possible meanings of a text, with a sentence that states it plainly."""

    sentence: str
    command: Command


class Fact(msgspec.Struct, frozen=True, kw_only=True):
    """One fact that a skill has found, such as "temperature" and "21 degrees"."""

    name: str
    value: str


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """What an answer rests on; a field without a value is "". `certainty` is in logits."""

    tier: str
    """What worded the answer: "generator", "extracted", or "declined" where nothing was found."""
    sentence: ReplyText = ""
    title: str = ""
    place: str = ""
    source: str = ""
    """The document's path."""
    certainty: float = 0.0


class OpenQuestion(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Answer a text that no skill claims from the documents, or say that it cannot be answered."""

    nearest: str = ""
    """An example sentence of the most similar thing that a skill does; "" for none."""
    period: Period | None = None
    """The period that the text names; passages from it are searched first."""
    persons: tuple[str, ...] = ()
    """The people that the text names; an answer must name them all."""
    follows: bool = False
    """Whether it is only asked in case it goes on from the last answer: a skill has a reply too,
    which is then the fallback."""


class WordFacts(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Say these facts in one sentence."""

    facts: tuple[Fact, ...]


class NameSource(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Name the document that the last answer came from."""


class RepeatAnswer(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Say the last answer again."""


class Summarise(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Summarise the document, or the part of one, that is called `name`."""

    name: str
    words: int | None = None
    """Most words of the summary; None for two or three sentences."""


class ListEvents(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Say what is in the calendar in `period`."""

    period: Period
    said: str = ""
    """The user's words for the period."""


class FindNextEvent(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Say the next event in the calendar, or the next with `person`."""

    person: str = ""


class FindFreeTime(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Say when nothing is in the calendar in `period`."""

    period: Period
    said: str = ""
    """The user's words for the period."""


class NameCalendar(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Name the document in which an event stands that cannot be changed there."""

    event: str
    """The user's words for the event."""


class ListNotes(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Say what was noted in `period`."""

    period: Period
    said: str = ""
    """The user's words for the period."""
    topic: str = ""
    """Only notes about this topic are said; "" for all."""


CalendarTask = ListEvents | FindNextEvent | FindFreeTime | ListNotes
"""A task that is answered from the calendar or from notes."""
AnswerTask = (
    OpenQuestion | WordFacts | NameSource | NameCalendar | RepeatAnswer | Summarise | CalendarTask
)
"""The task of a Question."""


class ListedDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A document as a list of documents shows it."""

    title: str
    kind: str
    path: str
    passages: int
    unencoded: int
    """Passages without a vector so far; only their words are searched."""
    fault: str = ""
