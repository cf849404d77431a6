"""What sounds nearly like a phrase: the same with one word replaced by one alike in sound."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import lru_cache

from rapidfuzz.distance import Levenshtein

from audio.asr.pronunciation import Phones, dictionary_path, pronounce

EACH_WORD_ALONE = 8
"""How often each word of a longer phrase stands alone: "hey amelia" is not "amelia"."""
FARTHEST = 0.5
"""Share of a word's phones that may differ."""


def near_phrases(phrase: str, count: int, dice: random.Random) -> list[str]:
    """`count` phrases that must not be taken for `phrase`; fewer where nothing is near."""
    words = phrase.split()
    if len(words) == 1:
        return alike(phrase, count, dice)
    near = [word for word in words for _ in range(EACH_WORD_ALONE)]
    for at, word in enumerate(words):
        others = alike(word, (count - len(near)) // (len(words) - at), dice)
        near += [" ".join([*words[:at], other, *words[at + 1 :]]) for other in others]
    return near


def alike(word: str, count: int, dice: random.Random) -> list[str]:
    """The `count` words of the dictionary that are nearest to `word` in sound, none the same."""
    pronunciations = pronounce([word])[word]
    farthest = max(1, round(FARTHEST * max(map(len, pronunciations))))
    nearest: dict[str, float] = {}
    for other, phones in _dictionary():
        apart = min(Levenshtein.distance(own, phones) for own in pronunciations)
        # Names and words in the order of the alphabet would all begin alike.
        if apart <= farthest:
            nearest[other] = min(
                nearest.get(other, 99.0), apart + 0.9 * dice.random() * (apart > 0)
            )
    found = sorted((apart, other) for other, apart in nearest.items() if apart and other != word)
    return [other for _, other in found[:count]]


@lru_cache(maxsize=1)
def _dictionary() -> tuple[tuple[str, Phones], ...]:
    return tuple(_lines())


def _lines() -> Iterator[tuple[str, Phones]]:
    with dictionary_path().open(encoding="utf-8") as lines:
        for line in lines:
            entry, *phones = line.split()
            word = entry.partition("(")[0]
            if word.isalpha():
                yield word, tuple(phones)
