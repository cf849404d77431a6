"""Question and passages → the sentence that answers, and the answering words in it.

The network scores where the answer begins and ends. Shared words, rare ones most, and closeness in
meaning between question and sentence count too. Only the likeliest passages are read and only the
likeliest sentences compared, because the network takes the most time.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from assistant.answer.retrieval.calibration import ReaderCalibration
from assistant.answer.retrieval.encoder import Embeddings, Scored
from assistant.answer.retrieval.retriever import PassageCandidate
from assistant.english.sentences import sentences
from assistant.english.stems import stem
from assistant.english.words import words

LONGEST_ANSWER = 30
"""Most pieces of an answer."""
MOST_READ = 3
"""Most passages that are read."""
COMPARED = 3
"""Most sentences whose meaning is compared."""


class ReaderNetwork(Protocol):
    """Reads and embeds."""

    calibration: ReaderCalibration

    def encode(self, texts: Sequence[str]) -> Embeddings:
        """The texts' embeddings, each of length 1."""

    def score(self, question: str, passages: Sequence[str]) -> list[Scored]:
        """The scores of each passage's pieces to answer `question`."""


class AnswerSpan(NamedTuple):
    """A sentence that answers."""

    candidate: PassageCandidate
    sentence: str
    answer: str
    """The words in the sentence that answer."""
    score: float
    """The score that readings are ordered by."""
    certainty: float
    """How sure it is that there is an answer at all, in logits."""
    certain: bool
    """Whether the certainty is enough."""


class _Draft(NamedTuple):
    """A sentence before its meaning is compared."""

    candidate: PassageCandidate
    sentence: str
    answer: str
    likelihood: float
    none: float
    shared: float


class Reader:
    """Reads passages for what answers a question."""

    def __init__(self, network: ReaderNetwork) -> None:
        self._network, self._weights = network, network.calibration

    def read(self, question: str, candidates: Sequence[PassageCandidate]) -> list[AnswerSpan]:
        """The best sentence of each passage that has a likely one, the likeliest first."""
        margin = self._weights.margin
        read = [c for c in candidates if c.score >= candidates[0].score - margin][:MOST_READ]
        scored = self._network.score(question, [c.passage.text for c in read])
        rarity = Rarity(question, [c.passage.text for c in candidates])
        pairs = zip(read, scored, strict=True)
        drafts = [draft for pair in pairs for draft in _drafts(*pair, rarity)]
        drafts.sort(key=self._first_look, reverse=True)
        readings = self._compared(question, drafts[:COMPARED])
        best: dict[int, AnswerSpan] = {}
        for reading in sorted(readings, key=lambda r: r.score, reverse=True):
            best.setdefault(reading.candidate.id, reading)
        return list(best.values())

    def _first_look(self, draft: _Draft) -> float:
        weights = self._weights
        retrieved = weights.retrieved * draft.candidate.score
        return draft.likelihood + weights.shared * draft.shared + retrieved

    def _compared(self, question: str, drafts: Sequence[_Draft]) -> Iterator[AnswerSpan]:
        if not drafts:
            return
        asked, *rows = self._network.encode([question, *(draft.sentence for draft in drafts)])
        for draft, row in zip(drafts, rows, strict=True):
            cosine = float(row @ asked)
            sure = draft.likelihood - draft.none + self._weights.certain_meaning * cosine
            yield AnswerSpan(
                candidate=draft.candidate,
                sentence=draft.sentence,
                answer=draft.answer,
                score=self._first_look(draft) + self._weights.meaning * cosine,
                certainty=sure,
                certain=sure >= self._weights.certain,
            )


def _drafts(candidate: PassageCandidate, scored: Scored, rarity: Rarity) -> Iterator[_Draft]:
    passage, heading = candidate.passage.text, heading_of(candidate)
    for start, sentence in placed(passage):
        span = best_span(scored, start, start + len(sentence))
        if span is None:
            continue
        first, last, likelihood = span
        answer = passage[scored.places[first][0] : scored.places[last][1]]
        shared = rarity.share(f"{heading} {sentence}")
        yield _Draft(candidate, sentence, answer, likelihood, scored.none, shared)


def heading_of(candidate: PassageCandidate) -> str:
    """The words above the passage."""
    return f"{candidate.passage.title} {candidate.passage.place}"


def placed(passage: str) -> Iterator[tuple[int, str]]:
    """The sentences of `passage`, each with the position of its first character."""
    at = 0
    for sentence in sentences(passage):
        at = passage.index(sentence, at)
        yield at, sentence
        at += len(sentence)


def best_span(scored: Scored, start: int, end: int) -> tuple[int, int, float] | None:
    """The likeliest answer between two characters: first and last piece, and its score.

    None if the network did not read that far.
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


class Rarity:
    """How significant each word of a question is among the sentences of the found passages.

    A word that none of them has counts as if `unseen` of them had it.
    """

    def __init__(self, question: str, passages: Sequence[str], unseen: int = 0) -> None:
        texts = [set(_stems(s)) for passage in passages for s in sentences(passage)]
        seen = Counter(word for text in texts for word in text)
        self._weights = {
            word: math.log((1 + len(texts)) / (0.5 + (seen[word] or unseen)))
            for word in set(_stems(question))
        }
        self._whole = sum(self._weights.values()) or 1.0

    def share(self, sentence: str) -> float:
        """The share of the question's weight that the sentence holds, from 0 to 1."""
        said = set(_stems(sentence))
        return sum(w for word, w in self._weights.items() if word in said) / self._whole


def _stems(text: str) -> list[str]:
    return [stem(word) for word in words(text)]
