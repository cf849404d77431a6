"""Splitting a reply into sentences, so that the first is heard while the next is made."""

from __future__ import annotations

import re

LONGEST = 200
"""Characters; a longer sentence is split at a pause in it, so that it too can be heard early."""

ABBREVIATIONS = frozenset(
    {
        "mr",
        "mrs",
        "ms",
        "dr",
        "prof",
        "st",
        "jr",
        "sr",
        "vs",
        "approx",
        "e.g",
        "i.e",
        "mt",
        "fig",
        "dept",
        "est",
        "inc",
        "ltd",
        "rev",
        "gen",
        "col",
        "capt",
    }
)
"""Words whose full stop does not end a sentence."""

_END = re.compile(r"[.!?…]+[\"'”’)\]]*(?=\s)")
_PAUSES = (re.compile(r"[;:](?=\s)"), re.compile(r",(?=\s)|\s[–—-](?=\s)"), re.compile(r"(?=\s)"))


def sentences(text: str) -> list[str]:
    """The sentences of `text` in order, none longer than `LONGEST`, none without a word."""
    found: list[str] = []
    for line in text.splitlines():
        found.extend(part for whole in _whole(line) for part in _short(whole))
    return [s for s in found if any(c.isalnum() for c in s)]


def _whole(line: str) -> list[str]:
    parts, begin = [], 0
    for end in _END.finditer(line):
        if _ends(line[begin : end.end()], line[end.end() :].lstrip()):
            parts.append(line[begin : end.end()].strip())
            begin = end.end()
    return [*parts, line[begin:].strip()]


def _ends(sentence: str, following: str) -> bool:
    if not sentence.endswith("."):
        # A quoted question goes on in lower case: "Ready?" she asked.
        return not following[:1].islower()
    word = re.split(r"[\s(]", sentence)[-1][:-1].casefold()
    initial = len(word) == 1 and word.isalpha() and word != "i"
    # "No." is an answer, but for "No. 5".
    number = word in ("no", "nos") and following[:1].isdigit()
    return not (word in ABBREVIATIONS or initial or number or following[:1].islower())


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
