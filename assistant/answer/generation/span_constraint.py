"""Replies that are a span of the text itself: the decoder chooses where it begins and ends.

A small model that words an answer freely mixes up who did what, which no check of names and numbers
finds. So a reply from a document is words of one sentence in their order, without a gap: it begins
with a clause and ends with one, and holds the words that answer.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from assistant.answer.generation.constraint import Tokens
from assistant.answer.generation.prompt import Mark, Prompt
from assistant.english.clauses import CLAUSE_OPENINGS
from assistant.english.dates import within_value

Mask = NDArray[np.bool_]
_BEGINS = re.compile(rf"(?:^|(?<=[,;:(–—] )|\b(?={' |'.join(CLAUSE_OPENINGS)} ))(?=\w|[\"'$€£])")
_ENDS = re.compile(rf"(?<=[\w%)\"'])(?=[,;:–—]|[.!?]?$| (?:{'|'.join(CLAUSE_OPENINGS)}) | [–—(])")


class SpanConstraint:
    """The state of one reply: `allowed` gives the tokens now, `take` accepts the chosen one."""

    weight, room = 0.0, 0

    def __init__(self, tokens: Tokens, prompt: Prompt) -> None:
        """For a prompt with a text; `ValueError` without one."""
        self._tokens = tokens
        parts = {mark: text for mark, text in prompt if mark is not Mark.SAY}
        if Mark.TEXT not in parts:
            raise ValueError("there is no text to say a part of")
        text, answer = " ".join(parts[Mark.TEXT].split()), parts.get(Mark.IS, "")
        first = max(text.find(answer), 0)
        last = first + len(answer)
        self._full_stop = tokens.notation.text_ids("a.")[-1]
        self._ways = [
            self._way(text, begin, [e for e in _places(_ENDS, text) if e >= last and e > begin])
            for begin in {*(b for b in _places(_BEGINS, text) if b <= first)}
        ]
        self._at = 0
        self._stopped = False

    def _way(self, text: str, begin: int, ends: list[int]) -> tuple[list[int], set[int]]:
        """The tokens from `begin` on, and after how many of them the reply may end."""
        encode = self._tokens.notation.text_ids
        said = text[begin].upper() + text[begin + 1 :]
        return encode(said), {len(encode(said[: end - begin])) for end in ends}

    def allowed(self) -> Mask:
        """bool[vocabulary]: the tokens that may come next."""
        mask = np.zeros(self._tokens.size, np.bool_)
        if self._stopped:
            mask[self._tokens.end] = True
            return mask
        for ids, ends in self._ways:
            if self._at in ends:
                mask[self._full_stop] = True
            if self._at < len(ids) and not (self._at in ends and self._at == max(ends)):
                mask[ids[self._at]] = True
        return mask

    def take(self, token: int) -> None:
        """Continue after `token`, which was allowed."""
        goes_on = [way for way in self._ways if way[0][self._at : self._at + 1] == [token]]
        ended = any(self._at in ends for _, ends in self._ways)
        self._stopped = token == self._full_stop and ended
        self._ways, self._at = goes_on, self._at + 1

    def leaning(self) -> list[int]:
        """No tokens: everything allowed holds the answer."""
        return []


def _places(pattern: re.Pattern[str], text: str) -> list[int]:
    places = (found.start() for found in pattern.finditer(text))
    return [place for place in places if not within_value(text, place)]
