"""Question and passages → the sentence that answers, and the words in it.

The network scores where the answer begins and ends; words that question and sentence share, rare
ones most, decide with it. Only the likeliest passages are read, for reading takes longest.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from assistant.answer.encoder import Scored
from assistant.answer.passages import sentences
from assistant.answer.retriever import Candidate

LONGEST_ANSWER = 30
"""Pieces of an answer at most."""
_WORD = re.compile(r"[^\W_]+")
_ENDING = re.compile(r"(?<=\w{4})(ing|ed|es|s|ly)$")


class Weights(NamedTuple):
    """What counts how much; chosen on XQuAD and our own held-out passages."""

    shared: float = 2.0
    """Of the rare words that question and sentence share, a share of 1."""
    retrieved: float = 6.0
    """Of the passage's score in retrieval."""
    margin: float = 0.15
    """A passage whose score in retrieval is lower by more than this is not read."""
    most: int = 3
    """Passages read at most."""


class Scores(Protocol):
    """The network."""

    def score(self, question: str, passages: Sequence[str]) -> list[Scored]:
        """The scores of each passage's pieces to answer `question`."""


class Reading(NamedTuple):
    """What answers: a sentence of `candidate`, and the words `answer` in it.

    `score` orders readings; `certainty` says how much likelier the answer is than none, in logits.
    """

    candidate: Candidate
    sentence: str
    answer: str
    score: float
    certainty: float


class Reader:
    """Reads passages for what answers a question."""

    def __init__(self, network: Scores, weights: Weights = Weights()) -> None:  # noqa: B008
        self._network, self._weights = network, weights

    def read(self, question: str, candidates: Sequence[Candidate]) -> list[Reading]:
        """The best sentence of each passage that is read, the likeliest answer first."""
        weights = self._weights
        read = [c for c in candidates if c.score >= candidates[0].score - weights.margin]
        read = read[: weights.most]
        scored = self._network.score(question, [c.passage.text for c in read])
        rare = _Rarity(question, [c.passage.text for c in candidates])
        found = [
            reading
            for candidate, one in zip(read, scored, strict=True)
            for reading in self._sentences(candidate, one, rare)
        ]
        best: dict[int, Reading] = {}
        for reading in sorted(found, key=lambda r: r.score, reverse=True):
            best.setdefault(reading.candidate.id, reading)
        return list(best.values())

    def _sentences(self, candidate: Candidate, scored: Scored, rare: _Rarity) -> Iterator[Reading]:
        passage = candidate.passage.text
        for start, sentence in placed(passage):
            span = best_span(scored, start, start + len(sentence))
            if span is None:
                continue
            first, last, likelihood = span
            shared = rare.share(sentence)
            score = likelihood + self._weights.shared * shared
            score += self._weights.retrieved * candidate.score
            answer = passage[scored.places[first][0] : scored.places[last][1]]
            yield Reading(candidate, sentence, answer, score, likelihood - scored.none)


def placed(passage: str) -> Iterator[tuple[int, str]]:
    """The sentences of `passage`, each with its first character's place."""
    at = 0
    for sentence in sentences(passage):
        at = passage.index(sentence, at)
        yield at, sentence
        at += len(sentence)


def best_span(scored: Scored, start: int, end: int) -> tuple[int, int, float] | None:
    """The likeliest answer between two characters: first and last piece, and its score.

    None where the network has not looked so far.
    """
    own = [i for i, (a, b) in enumerate(scored.places) if start <= a and b <= end]
    if not own:
        return None
    spans = scored.spans[own[0] : own[-1] + 1]
    pairs = spans[:, 0][:, None] + spans[:, 1][None, :]
    allowed = np.triu(np.ones_like(pairs, bool)) & ~np.triu(
        np.ones_like(pairs, bool), LONGEST_ANSWER
    )
    pairs = np.where(allowed, pairs, -np.inf)
    first, last = np.unravel_index(int(pairs.argmax()), pairs.shape)
    return own[0] + int(first), own[0] + int(last), float(pairs[first, last])


class _Rarity:
    """How telling each word of a question is among the sentences of the passages found."""

    def __init__(self, question: str, passages: Sequence[str]) -> None:
        texts = [set(_stems(s)) for passage in passages for s in sentences(passage)]
        seen = Counter(word for words in texts for word in words)
        self._weights = {
            word: math.log((1 + len(texts)) / (0.5 + seen[word])) for word in set(_stems(question))
        }
        self._whole = sum(self._weights.values()) or 1.0

    def share(self, sentence: str) -> float:
        """The part of the question's weight that the sentence holds, from 0 to 1."""
        words = set(_stems(sentence))
        return sum(w for word, w in self._weights.items() if word in words) / self._whole


def _stems(text: str) -> list[str]:
    return [_ENDING.sub("", word) for word in _WORD.findall(text.lower())]
