"""What a sentence must hold to answer a question: the kind of thing asked for, and what it names.

The network finds what looks like an answer; it takes the window of one room for that of another,
and a place for a time, where nothing better is there. So what a sentence lacks counts against it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from assistant.answer.retrieval.calibration import ReaderCalibration
from assistant.answer.retrieval.encoder import Embeddings
from assistant.answer.retrieval.mentions import exact, holds
from assistant.answer.retrieval.statements import Statement
from assistant.english.asking.answer_kinds import DATED, ITEM_NUMBER, LOCATED, POINTER, kind_of
from assistant.english.asking.hours import without_hours
from assistant.english.asking.mentions import (
    ABOUT_EVENTS,
    DAY_NAMES,
    PLAIN_VERBS,
    PURPOSE,
    VERBS,
    named,
    predicate,
)
from assistant.english.dates import ENTRY_DAY, RELATIVE_DAY
from assistant.english.numbers import ORDINAL_WORDS
from assistant.english.people import OWNER
from assistant.english.stop_words import SEARCH_STOP_WORDS
from assistant.english.words import words

SHORTEST_ALIKE = 3
"""Fewest letters of a word that is compared in meaning."""


KEPT_WORDS = 2000
"""Most words whose embeddings are kept: 3 MB."""

LONG = 4
"""Most words that a short question names."""
MOST_WEIGHTY = 3
"""Most words of a question of which one for a purpose, or for what was done, weighs fully."""

DATED_KINDS = frozenset(("time", "year"))
"""The kinds of answers that may stand in a heading, as in a diary."""
DONE_KINDS = frozenset(("place", "person"))
"""The kinds of answers to questions whose verb says which place or person is meant."""


class WordMeanings:
    """Embeddings of single words; those that were asked for last are kept."""

    def __init__(self, encode: Callable[[Sequence[str]], Embeddings]) -> None:
        self._encode = encode
        self._kept: OrderedDict[str, Embeddings] = OrderedDict()

    def __call__(self, told: Sequence[str]) -> Embeddings:
        """float32[words, 384]."""
        new = [word for word in dict.fromkeys(told) if word not in self._kept]
        self._kept.update(zip(new, self._encode(new) if new else (), strict=True))
        for word in told:
            self._kept.move_to_end(word)
        rows = np.stack([self._kept[word] for word in told])
        while len(self._kept) > KEPT_WORDS:
            self._kept.popitem(last=False)
        return rows


def verbs(question: str) -> tuple[str, ...]:
    """The verbs of a question that say more than that something is somewhere."""
    told = (word for word in words(question) if word not in PLAIN_VERBS)
    return tuple(dict.fromkeys(word for word in told if word in VERBS))


class Requirements:
    """What an answer to `question` must hold; `meanings` compares words that are not the same."""

    def __init__(
        self,
        question: str,
        weights: ReaderCalibration,
        meanings: WordMeanings,
    ) -> None:
        self._weights, self._meanings = weights, meanings
        self.kind, self.named = kind_of(question), named(without_hours(question))
        done = verbs(question) if self.kind is not None and self.kind.name in DONE_KINDS else ()
        self.named += done or predicate(question)
        self._done = tuple(w for w in verbs(question) if w not in {*ABOUT_EVENTS, *self.named})
        self._owners = set(OWNER.findall(question.casefold()))
        self.words = frozenset(words(question))
        self._purposes = {found["what"] for found in PURPOSE.finditer(question.casefold())}
        where = self.kind is not None and self.kind.name == "place"
        self._ordinals = ORDINAL_WORDS.intersection(self.words)
        self._weighty = self._purposes.union(done if where else ())

    def missing(self, statement: Statement) -> tuple[str, ...]:
        """The words that name what the question is about and are not said with `statement`."""
        return tuple(word for word in self.named if not holds(statement.own, word))

    def unlike(self, statement: Statement, missing: Sequence[str]) -> tuple[str, ...]:
        """Those of the missing words that no word of `statement` comes near in meaning."""
        free = [word for word in missing if not exact(word)]
        told = sorted(
            word
            for word in statement.own
            if len(word) >= SHORTEST_ALIKE and word not in SEARCH_STOP_WORDS
        )
        if not free or not told:
            return tuple(missing)
        rows = self._meanings([*free, *told])
        nearest = (rows[: len(free)] @ rows[len(free) :].T).max(axis=1)
        near = {w for w, c in zip(free, nearest, strict=True) if c >= self._weights.alike}
        return tuple(word for word in missing if word not in near)

    def penalty(self, statement: Statement, missing: Sequence[str]) -> float:
        """How much counts against `statement`, without the `missing` words, in logits."""
        weights = self._weights
        lacking = 0.0 if self.told(statement) else weights.lacks_kind
        if statement.event:  # "when does Piet play" is not about his birthday
            missing = (*missing, *(v for v in self._done if not holds(statement.own, v)))
        if self._of_another_in_order(statement):
            lacking += weights.lacks_exact
        for word in missing:
            if holds(statement.known, word):
                lacking += weights.named_before / max(1, len(self.named))
            elif self._only_itself(statement, word) or self._for_another(statement, word):
                lacking += weights.lacks_exact
            else:
                lacking += weights.lacks_named / self._share(word)
        return lacking

    def _of_another_in_order(self, statement: Statement) -> bool:
        """Whether the first is asked about, and only the second is told."""
        told = ORDINAL_WORDS.intersection(words(statement.text))
        return bool(self._ordinals and told) and told.isdisjoint(self._ordinals)

    def _only_itself(self, statement: Statement, word: str) -> bool:
        """Whether nothing stands for `word`: an owner, a room, or the only number that is named."""
        if word in self._owners:
            return True
        numbers = [other for other in self.named if any(map(str.isdigit, other))]
        said = word in numbers and any(holds(statement.known, other) for other in numbers)
        return exact(word) and not said

    def _for_another(self, statement: Statement, word: str) -> bool:
        """Whether `word` is what the thing asked about is for, and `statement` says another."""
        return word in self._purposes and PURPOSE.search(statement.text) is not None

    def _share(self, word: str) -> int:
        """Among how many words the weight of `word` is shared: few of a short question."""
        count = max(1, sum(word not in DAY_NAMES for word in self.named))
        if count > LONG:
            return count - 1  # so many words are rarely all said again
        return 1 if count <= MOST_WEIGHTY and word in self._weighty else min(MOST_WEIGHTY, count)

    def told(self, statement: Statement) -> bool:
        """Whether something of the kind that is asked for is said, if only in the heading."""
        kind = self.kind
        if kind is None or self.day_of(statement):
            return True
        if kind.name in DATED_KINDS and statement.day and RELATIVE_DAY.search(statement.text):
            return True
        if kind.name == "steps":
            return not POINTER.search(statement.text)
        if kind.name == "person":
            told = (found.group() for found in kind.held.finditer(statement.text))
            return any(self.words.isdisjoint(words(one)) for one in told)
        if kind.name == "place" and statement.event:
            return LOCATED.search(statement.text, len(statement.heading)) is not None
        return bool(kind.held.search(statement.text)) or (kind.loose and not statement.item)

    def day_of(self, statement: Statement) -> str:
        """The day that is asked for, where it stands above the sentence, as in a diary; else ""."""
        if self.kind is None or self.kind.name not in DATED_KINDS or statement.event:
            return ""
        if statement.entry:
            return statement.heading if statement.heading == statement.entry else ""
        if self.kind.held.search(statement.text):
            return ""
        return statement.heading if DATED.search(statement.heading) else ""

    def fitting(self, statement: Statement, places: Sequence[tuple[int, int]]) -> NDArray[np.bool_]:
        """bool[pieces]: the pieces of the passage, at these `places`, that are of the kind asked.

        All of them where the kind may be anything, or is not said in the sentence.
        """
        kind = self.kind
        first = ITEM_NUMBER.match(statement.text)
        begin = first.end() if first else 0
        closed = kind is not None and not kind.loose
        found = list(kind.held.finditer(statement.text, begin)) if kind and closed else []
        if found and statement.entry and kind is not None and kind.name in DATED_KINDS:
            found = list(ENTRY_DAY.finditer(statement.text, 0, len(statement.entry) + 1)) or found
        if not found:
            return np.ones(len(places), np.bool_)
        values = [(statement.start + m.start(), statement.start + m.end()) for m in found]
        return np.array([any(a < end and b > start for start, end in values) for a, b in places])

    def asked_of(self, statement: Statement) -> bool:
        """Whether the question names the label of `statement`, so that it cannot be the answer."""
        label = words(statement.label)
        label = [word for word in label if word not in SEARCH_STOP_WORDS] or label
        return bool(label) and all(holds(self.words, word) for word in label)
