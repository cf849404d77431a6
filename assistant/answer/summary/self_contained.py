"""Tells self-contained sentences from those that depend on the one before."""

from __future__ import annotations

import re

from assistant.english.clauses import LABEL, LEANING, STANDING

SHORTEST_WORDS = 5
"""Fewest words of a statement; anything shorter is a heading, a list item or a greeting."""

_NOT_PROSE = re.compile(r"[→←⇒|{}<>=_\\~^*#@≥≤]|\w/\w|\w\.\w+\(|://|^\W*\d+[.)] ")
"""What is no prose: code, paths, addresses, rows of a table, and numbered lines."""
MOST_FIGURES = 0.25
"""Highest share of words without a letter; from there it is a row of a table."""
MOST_COMMAS = 0.35
"""Most commas a word; from there it is a list."""


def leans(sentence: str) -> bool:
    """Whether `sentence` begins with a word that refers to something said before it."""
    return LEANING.match(sentence) is not None and STANDING.match(sentence) is None


def whole(sentence: str) -> bool:
    """Whether it states something: no heading, item or label, no question, no quoted speech."""
    words = sentence.split()
    if len(words) < SHORTEST_WORDS or sentence[-1] not in ".!" or sentence[0] in "\"“'‘":
        return False
    figures = sum(not any(map(str.isalpha, word)) for word in words)
    if figures > MOST_FIGURES * len(words) or sentence.count(",") > MOST_COMMAS * len(words):
        return False
    return _NOT_PROSE.search(sentence) is None and LABEL.match(sentence) is None
