"""The user's own rare words, heard where whisper would write commoner ones that sound alike.

Of all that the user's lists, plans, contacts and documents hold, the words are sought that sound
like a part of what was heard freely. With these before it as if they had been said, as whisper's
authors make names likelier, it is heard once more, and where one of them stands then, it stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from difflib import SequenceMatcher

from rapidfuzz import fuzz

from audio.asr.pronunciation import PHONES, by_rules

_MOST = 16
"""Most words that are put before the text. Of 496 rare words, 19 of the 32 that were said are among
so many; with all of 96 before it, whisper hears nothing right."""
_MOST_WORDS = 4000
"""Most rare words that are known, the first ones: as many are sought in 5 ms."""
_SHORTEST, _LONGEST = 4, 40
_LEAST_ALIKE = 0.35
"""The share of a word's phones that may be others."""
_MOST_REPLACED = 4
"""Most words that one of them stands for."""
_SAME_WORD = 75.0
"""Least likeness, in percent, of two spellings of a word."""
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_POSSESSIVE = re.compile("['’]s?$")
_SYMBOL = {phone: chr(ord("a") + number) for number, phone in enumerate(sorted(PHONES))}


class Hotwords:
    """The rare words of `texts`: those that `encode` spells in several pieces."""

    def __init__(
        self, texts: Callable[[], Sequence[str]], encode: Callable[[str], Sequence[int]]
    ) -> None:
        self._texts, self._encode = texts, encode
        self._told: Sequence[str] = ()
        self._phones: dict[str, str] = {}
        """Rare word → its phones, a letter each."""
        self._common: set[str] = set()

    def near(self, text: str) -> list[str]:
        """The words that sound most like a part of a text, the nearest first."""
        self._learn(self._texts())
        heard = _phones(text)
        worth = {word: _worth(phones, heard) for word, phones in self._phones.items()}
        likely = [word for word, much in worth.items() if much > 0]
        return sorted(likely, key=lambda word: -worth[word])[:_MOST]

    def _learn(self, texts: Sequence[str]) -> None:
        if texts is self._told:
            return
        said = (word for text in texts for word in _WORD.findall(text))
        words = dict.fromkeys(_POSSESSIVE.sub("", word) for word in said)
        # What was looked at before is not spelled again: the user's texts change all day.
        self._common = {
            w for w in words if w in self._common or not (w in self._phones or self._is_rare(w))
        }
        rare = [word for word in words if word not in self._common][:_MOST_WORDS]
        self._told = texts
        self._phones = {word: self._phones.get(word) or _phones(word) for word in rare}

    def _is_rare(self, word: str) -> bool:
        forms = {word, word.lower(), word.capitalize()}
        said = _SHORTEST <= len(word) <= _LONGEST
        return said and all(len(self._encode(f" {form}")) > 1 for form in forms)


def put_right(text: str, heard: str, words: Sequence[str]) -> str:
    """A text with those of the `words` that are in `heard`, which is the same text heard again."""
    spelled = {word.lower(): word for word in words}
    before, after = text.split(), heard.split()
    alike = SequenceMatcher(None, [w.lower() for w in before], [w.lower() for w in after], False)
    found: list[str] = []
    for kind, begin, end, begin_heard, end_heard in alike.get_opcodes():
        part, again = before[begin:end], after[begin_heard:end_heard]
        if kind == "replace" and any(_spelled(word, spelled) for word in again):
            part = _replaced(part, again, spelled)
        found += part
    return " ".join(found)


def _replaced(part: list[str], again: list[str], spelled: Mapping[str, str]) -> list[str]:
    """A part as it was heard again; but for a first word that was only spelled otherwise."""
    if part[1:] and again[1:] and fuzz.ratio(part[0].lower(), again[0].lower()) > _SAME_WORD:
        return [part[0], *_replaced(part[1:], again[1:], spelled)]
    if len(part) > _MOST_REPLACED:
        return part
    return [_spelled(word, spelled) or word for word in again]


def _spelled(word: str, spelled: Mapping[str, str]) -> str:
    """One of the user's words as it is spelled there; "" for any other."""
    stem = _POSSESSIVE.sub("", word)
    own = spelled.get(stem.lower(), "")
    return own and own + word[len(stem) :]


def _phones(text: str) -> str:
    words = _WORD.findall(text.lower())
    return "".join(_SYMBOL[phone] for word in words for phone in by_rules(word))


def _worth(word: str, heard: str) -> float:
    """How much likelier than by chance a word sounds like a part of what was heard."""
    share = fuzz.partial_ratio(word, heard) if len(word) <= len(heard) else fuzz.ratio(word, heard)
    return len(word) * (_LEAST_ALIKE - (1.0 - share / 100.0))
