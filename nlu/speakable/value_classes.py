"""Words that stand for any value of a list in sampled sentences, for a class-based language model.

A model of classes (Brown et al. 1992) knows every value wherever one of them may stand, from few
sentences, and a new name changes its class alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from hassil.expression import Expression, TextChunk

from assistant.core.speakable import ANYTHING

_LEAST_VALUES = 4
"""Fewest values of a list that is a class: fewer are words like any other."""
_FIRST = 0x4E00
WORDS = frozenset(map(chr, range(_FIRST, ord(ANYTHING) + 1)))
"""Every word of a class, and that for anything: one letter that no English text has, so that it
stays a word."""


class ValueClasses:
    """Gives each list of values, which several sentences may have, one word."""

    def __init__(self) -> None:
        self._words: dict[tuple[str, ...], str] = {}

    def word(self, values: Sequence[Expression]) -> str:
        """The word for a list; "" where it is short, or its values are not plain texts."""
        texts = tuple(value.text for value in values if isinstance(value, TextChunk))
        if len(texts) < max(len(values), _LEAST_VALUES):
            return ""
        return self._words.setdefault(texts, chr(_FIRST + len(self._words)))

    def values(self) -> dict[str, tuple[str, ...]]:
        """Each word and the values, as they are written, that it stands for."""
        return {word: texts for texts, word in self._words.items()}
