"""The user's words as a full-text query, and filters that narrow a search: kinds, people, dates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import MAXYEAR, date, datetime, timedelta, tzinfo
from typing import Any

import msgspec

from assistant.english.stop_words import OF_AMOUNTS, SEARCH_STOP_WORDS
from assistant.english.words import words

_OF_NOTHING = SEARCH_STOP_WORDS | OF_AMOUNTS
MOST_WORDS = 64
"""Most words of a question that are searched; FTS5 refuses an expression that is too large."""

_DAY = len("2026-01-01")


class Filter(msgspec.Struct, frozen=True, kw_only=True):
    """The passages wanted: of these kinds, about one of these people, at this time.

    A field left empty does not narrow. `since` and `until` are aware times; a passage without a
    date never matches them. A name is matched by whole words ("Anna" finds "Anna Berg").

    Where no passage within the filter answers, the rest is searched; but whatever answers must name
    the people in `naming`, if only in its title. With `strict`, nothing else is searched.
    """

    kinds: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    naming: tuple[str, ...] = ()
    beside: int = 0
    """A passage: those of its document are wanted; of an event or a contact, only itself."""
    strict: bool = False
    said: str = ""
    """The sentence of that passage that was said."""
    now: datetime | None = None
    """The present, where the question names it."""
    today: date | None = None
    """The day of the question, which narrows nothing."""

    @property
    def narrows(self) -> bool:
        """Whether some passages are searched before the rest."""
        return any(True for _ in self.conditions())

    def conditions(self) -> Iterator[tuple[str, tuple[Any, ...]]]:
        """Conditions in SQL on a row of `passages`, each with its bound values; all must hold."""
        if self.kinds:
            yield f"kind IN ({_marks(self.kinds)})", self.kinds
        if self.people:
            names = tuple(f" {folded(name)} " for name in self.people)
            either = " OR ".join(["instr(' ' || name || ' ', ?)"] * len(names))
            yield f"id IN (SELECT passage FROM people WHERE {either})", names  # noqa: S608
        if self.beside:
            yield (
                "source = (SELECT source FROM passages WHERE id = ?)"
                " AND (kind NOT IN ('event', 'contact') OR id = ?)",
                (self.beside,) * 2,
            )
        if self.since is not None:
            # An event that ends when it begins must still be found at that instant.
            yield "(ends_s > ? OR starts_s >= ?)", (self.since.timestamp(),) * 2
        if self.until is not None:
            yield "starts_s < ?", (self.until.timestamp(),)


def telling(text: str) -> list[str]:
    """The words of `text` to search for, each once; stop words only where there are no others."""
    tokens = list(dict.fromkeys(words(text)))
    return ([token for token in tokens if token not in SEARCH_STOP_WORDS] or tokens)[:MOST_WORDS]


def tells(text: str) -> bool:
    """Whether `text` names anything: "what is it" does not."""
    return any(token not in SEARCH_STOP_WORDS for token in words(text))


def is_about_something(text: str) -> bool:
    """Whether `text` names what it is about: "how long have I got" asks for an amount alone."""
    return any(token not in _OF_NOTHING for token in words(text))


def query(tokens: Sequence[str]) -> str:
    """An FTS5 query for any of these words, all of them quoted; "" for none."""
    return " OR ".join(f'"{token}"' for token in tokens)


def folded(name: str) -> str:
    """A person's name in the form for comparison: its words, case-folded, one space between."""
    return " ".join(words(name))


def span_s(starts: str, ends: str, zone: tzinfo) -> tuple[float | None, float | None]:
    """Start and end of an event in ISO 8601 as seconds since the epoch; None for no date.

    A time without an offset is in `zone`; a last day counts as a whole one.
    """
    first = _instant(starts, zone)
    if first is None:
        return None, None
    last = _instant(ends or starts, zone) or first
    if len(ends or starts) == _DAY and last.year < MAXYEAR:
        last += timedelta(days=1)
    return first.timestamp(), max(first, last).timestamp()


def _instant(text: str, zone: tzinfo) -> datetime | None:
    try:
        read = datetime.fromisoformat(text)
    except ValueError:
        return None
    return read if read.tzinfo is not None else read.replace(tzinfo=zone)


def _marks(values: tuple[Any, ...]) -> str:
    return ", ".join("?" * len(values))
