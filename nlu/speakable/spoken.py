"""Written sentences as people speak them: digits in words, contractions made."""

from __future__ import annotations

import random
import re

from assistant.english import phrases
from assistant.english.contractions import CONTRACTED_PAIRS
from assistant.english.numbers import is_digits, spell
from assistant.english.spoken import articles
from nlu.speakable import value_classes
from nlu.text.canonical import spoken_words

_CONTRACTED_SHARE = 0.6


def spoken(text: str) -> str:
    """The words of a written sentence as they sound: digits in words, no punctuation."""
    words: list[str] = []
    for written in spoken_words(text):
        word = phrases.SYMBOLS.get(written, written)
        if word in ("am", "pm") and words and _is_of_clock(words[-1]):
            word = f"{word[0]}.m."
        elif is_digits(word):
            word = (
                f"oh {spell(int(word))}" if word[0] == "0" and len(word) == 2 else spell(int(word))
            )
        words.append(word)
    return _REPEATED_ARTICLE.sub(r"\1", articles(" ".join(words)))


_REPEATED_ARTICLE = re.compile(r"\b(the|my|our|a|an) the\b")
_CLOCK_WORDS = frozenset(" ".join(spell(n) for n in range(60)).split()) | {"o'clock"}


def _is_of_clock(words: str) -> bool:
    return words.split()[-1] in _CLOCK_WORDS or words in value_classes.WORDS


def contracted(sentence: str, rng: random.Random) -> str:
    """The sentence with most of its contractions made, as people speak: "what's the time"."""
    words = sentence.split()
    said: list[str] = []
    at = 0
    while at < len(words) - 2:
        short = CONTRACTED_PAIRS.get((words[at], words[at + 1]))
        if short is not None and rng.random() < _CONTRACTED_SHARE:
            said.append(short)
            at += 2
        else:
            said.append(words[at])
            at += 1
    return " ".join([*said, *words[at:]])
