"""Do the generator's words of a skill's facts present each value as what it is?

The generator tells values apart by how they look, not by the names of their facts: when two facts
swap their values, it finds the sentence about as likely. So its words count only where no two
values look alike, where each fact is named, and where nothing is said but the facts, the question
and function words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from assistant.english.dates import MONTHS, WEEKDAYS
from assistant.english.stems import short_stem
from assistant.english.stop_words import BINDING
from assistant.english.words import alphabetic

_DATES = frozenset((*MONTHS, *WEEKDAYS, "today", "tonight", "tomorrow", "yesterday"))
_CLOCK = re.compile(r"\d+[:.]\d\d|\b\d+ ?[ap]\.?m\b", re.IGNORECASE)
_PLAIN = frozenset(
    ("condition", "date", "day", "event", "name", "place", "temperature", "time", "value")
)
"""Names of facts whose values show by themselves what they are."""


def alike(values: Sequence[str]) -> bool:
    """Whether two of the values look alike: both numbers, both times, both names …"""
    return any(count > 1 for count in Counter(map(_looks, values)).values())


def added(text: str, sources: Sequence[str]) -> list[str]:
    """The words of `text` that are in no source and are more than function words."""
    known = {short_stem(word) for source in sources for word in alphabetic(source)}
    return [
        word for word in alphabetic(text) if word not in BINDING and short_stem(word) not in known
    ]


def unnamed(text: str, names: Sequence[str]) -> list[str]:
    """The facts' names of which `text` says no word, except those that need not be said."""
    said = {short_stem(word) for word in alphabetic(text)}
    left = (name for name in names if name not in _PLAIN)
    return [name for name in left if not said & {short_stem(word) for word in alphabetic(name)}]


def _looks(value: str) -> str:
    if not _DATES.isdisjoint(alphabetic(value)):
        return "date"
    if _CLOCK.search(value):
        return "time"
    if value[:1].isdigit() or value[1:2].isdigit():
        return "number"
    return "name" if value != value.lower() else "words"
