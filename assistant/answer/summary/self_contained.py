"""Sentences that can be said alone, told from those that lean on one before them."""

from __future__ import annotations

import re

from assistant.english.clauses import LABEL, LEANING, STANDING

SHORTEST_WORDS = 5
"""Of fewer words is a heading, an item of a list or a greeting, rarely a statement."""

_NOT_PROSE = re.compile(r"[→←⇒|{}<>=_\\~^*#@≥≤]|\w/\w|\w\.\w+\(|://|^\W*\d+[.)] ")
"""Code, paths, addresses, rows of a table, and what is numbered."""
MOST_FIGURES = 0.25
"""Share of words without a letter from which it is a row of a table."""
MOST_COMMAS = 0.35
"""Commas a word from which it is a list."""


def leans(sentence: str) -> bool:
    """Whether `sentence` begins with a word that means something said before it."""
    return LEANING.match(sentence) is not None and STANDING.match(sentence) is None


def whole(sentence: str) -> bool:
    """Whether it states something: no heading, item or label, no question, nothing said aloud."""
    words = sentence.split()
    if len(words) < SHORTEST_WORDS or sentence[-1] not in ".!" or sentence[0] in "\"“'‘":
        return False
    figures = sum(not any(map(str.isalpha, word)) for word in words)
    if figures > MOST_FIGURES * len(words) or sentence.count(",") > MOST_COMMAS * len(words):
        return False
    return _NOT_PROSE.search(sentence) is None and LABEL.match(sentence) is None
