"""Tells whether a person who has said a whole sentence is likely to have finished."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise

LEAST_SHARE = 0.2
"""Least share of the sentences containing two words that must end with them.

In recordings of people who order coffee, one in eight who paused after the drink went on to the
milk. Only 0.1 of sampled sentences end with a drink, and at least 0.23 with a device or a duration.
"""


class Completeness:
    """Counts, in a sample of the skills' sentences, which two words end a sentence."""

    def __init__(self, sentences: Iterable[str]) -> None:
        self._seen: Counter[tuple[str, str]] = Counter()
        self._ended: Counter[tuple[str, str]] = Counter()
        for sentence in sentences:
            words = sentence.split()
            pairs = list(pairwise(words))
            self._seen.update(pairs)
            self._ended.update(pairs[-1:])

    def likely(self, text: str) -> bool:
        """Whether sentences that contain the last two words of `text` tend to end with them.

        False for a single word: it may begin anything.
        """
        last_two = tuple(text.split()[-2:])
        if len(last_two) < 2:
            return False
        pair = (last_two[0], last_two[1])
        return self._ended[pair] > LEAST_SHARE * self._seen[pair]
