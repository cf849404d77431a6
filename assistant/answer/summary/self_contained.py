"""Sentences that can be said alone, told from those that lean on one before them."""

from __future__ import annotations

import re

SHORTEST_WORDS = 5
"""Of fewer words is a heading, an item of a list or a greeting, rarely a statement."""

_PRONOUNS = "it its they their them he his him she her these those this that such there then"
_OPENERS = (
    "however but and so or nor yet also otherwise instead therefore thus hence still moreover here"
    " furthermore besides meanwhile nevertheless both neither either another others too again"
    " afterwards"
)
_CONJUNCTIONS = (
    "if when as because although while after before until since once where for in at by on of from"
    " to with without under over behind beside below above through near even only"
)


def _any(words: str) -> str:
    return "|".join(words.split())


_LEANS = re.compile(
    rf"""["“'‘(]*(?:
    (?:{_any(_OPENERS)})\b
    | (?!there\b)(?:{_any(_PRONOUNS)})\b
    | (?:the\ )?(?:former|latter|others?|same|rest|second|third)\b
    | (?:{_any(_CONJUNCTIONS)}|(?:some|most|all|each|one|none)\ of)\ (?:{_any(_PRONOUNS)})\b
    | \w+\ (?:it|them|him)\b                                                     # "Wipe it dry."
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_STANDS = re.compile(
    r"""(?:this|these)\ (?:guide|report|manual|letter|document|handbook|chapter|survey|leaflet)\b
    | it\ (?:is|was|has\ been)\ (?:agreed|resolved|decided|proposed|recommended|planned|noted
        |normal|important|necessary|forbidden)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)

_LABEL = re.compile(
    r"(?!(?:note|warning|caution|danger|important):)(?:[\w.,]+ ){0,2}[\w.]+: ", re.IGNORECASE
)
"""As in "Present: five members."; a warning is one all the same."""

_NOT_PROSE = re.compile(r"[→←⇒|{}<>=_\\~^*#@≥≤]|\w/\w|\w\.\w+\(|://|^\W*\d+[.)] ")
"""Code, paths, addresses, rows of a table, and what is numbered."""
MOST_FIGURES = 0.25
"""Share of words without a letter from which it is a row of a table."""
MOST_COMMAS = 0.35
"""Commas a word from which it is a list."""


def leans(sentence: str) -> bool:
    """Whether `sentence` begins with a word that means something said before it."""
    return _LEANS.match(sentence) is not None and _STANDS.match(sentence) is None


def whole(sentence: str) -> bool:
    """Whether it states something: no heading, item or label, no question, nothing said aloud."""
    words = sentence.split()
    if len(words) < SHORTEST_WORDS or sentence[-1] not in ".!" or sentence[0] in "\"“'‘":
        return False
    figures = sum(not any(map(str.isalpha, word)) for word in words)
    if figures > MOST_FIGURES * len(words) or sentence.count(",") > MOST_COMMAS * len(words):
        return False
    return _NOT_PROSE.search(sentence) is None and _LABEL.match(sentence) is None
