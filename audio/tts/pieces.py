"""Splitting a reply into pieces, so that the first is heard while the next is made."""

from __future__ import annotations

import re

from assistant.english.sentences import sentences

LONGEST = 200
"""Most characters of a piece; a longer sentence is split at a pause, to be heard early too."""

_PAUSES = (re.compile(r"[;:](?=\s)"), re.compile(r",(?=\s)|\s[–—-](?=\s)"), re.compile(r"(?=\s)"))


def pieces(text: str) -> list[str]:
    """The sentences of `text` in order, none longer than `LONGEST`, none without a word."""
    cut = (piece for sentence in sentences(text) for piece in _short(sentence))
    return [piece for piece in cut if any(c.isalnum() for c in piece)]


def _short(sentence: str) -> list[str]:
    parts = []
    while len(sentence) > LONGEST:
        cut = _pause(sentence)
        parts.append(sentence[:cut].strip())
        sentence = sentence[cut:].strip()
    return [*parts, sentence]


def _pause(sentence: str) -> int:
    for pause in _PAUSES:
        ends = [m.end() for m in pause.finditer(sentence, LONGEST // 4, LONGEST)]
        if ends:
            return ends[-1]
    return LONGEST
