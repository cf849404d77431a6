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


class ListedDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A document: `unencoded` of its passages are found by their words alone so far."""

    title: str
    kind: str
    path: str
    passages: int
    unencoded: int
    fault: str = ""
