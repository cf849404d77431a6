"""Free text inside a sentence: the words around it are the domain's, its own are general English.

Where anything may stand, the network of the sentences has a loop of phones (a filler model in the
place of unknown words, Asadi, Schwartz and Makhoul 1990). What general English hears in the same
span of the sound takes its place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import inf

from assistant.core.messages import Word
from audio.asr.domain import FILLERS

_MOST_AROUND = 0.5
"""Most words around each word of free text, where general English has heard others there."""


def has_phones(heard: Sequence[Word]) -> bool:
    """Whether phones follow the first word: those before it are other speech."""
    return any(map(_is_phone, _begun(heard)))


def filled(heard: Sequence[Word], free: Sequence[Word]) -> Iterator[tuple[Word, ...]]:
    """`free` with words of what was `heard` around it, as few as possible first.

    Phones of what was heard are among none of them, and half as many words as those of `free` are
    the most: where so few agree, talk was heard.
    """
    words = _begun(heard)
    phones = [place for place, word in enumerate(words) if _is_phone(word)]
    most_before, most_after = (
        (phones[0], len(words) - 1 - phones[-1]) if phones else (len(words), len(words))
    )
    ways = product(range(most_before + 1), range(most_after + 1))
    for before, after in sorted(ways, key=sum):
        left, right = words[:before], words[len(words) - after :]
        begins_s = left[-1].end_s if left else -inf
        ends_s = right[0].start_s if right else inf
        inside = [word for word in free if begins_s < (word.start_s + word.end_s) / 2 < ends_s]
        if inside and before + after <= _MOST_AROUND * len(inside):
            yield (*left, *inside, *right)


def _begun(heard: Sequence[Word]) -> Sequence[Word]:
    first = next((i for i, word in enumerate(heard) if not _is_phone(word)), len(heard))
    return heard[first:]


def _is_phone(word: Word) -> bool:
    return word.text in FILLERS
