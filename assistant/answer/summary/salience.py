"""A text's central sentences: the few that say most of what it says.

A sentence counts by how near it is to the whole (the centroid of Radev et al. 2004), by its place,
the title's words and cue words (Edmundson 1969), and by its length; of sentences that say the same
only one is taken (maximal marginal relevance, Carbonell and Goldstein 1998). A long text is first
cut into chunks, and what is central in each is then compared with what is in the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from assistant.answer.knowledge.passages import Passage
from assistant.answer.summary.chunks import SummarySentence, chunks
from assistant.english.cue_words import CUE_HEADINGS, CUE_WORDS

LOOKED_AT = 8
"""Most sentences of a chunk that are embedded, so that a book takes a second and not a minute."""
KEPT = 3
"""Most sentences that each chunk offers; more where the chunks are few for what is wanted."""
FULL_WORDS = 28
"""Words beyond which a longer sentence counts for no more."""
SAME = 0.9
"""Cosine from which two sentences say the same."""
ENOUGH_SENTENCES = 2
"""Number of chosen sentences from which a further one is left out if it is worth much less."""
MUCH_LESS = 0.2
"""Difference in worth to the least of the chosen sentences that counts as much less."""
MOST_CUES = 2
"""Number of cue words in a sentence beyond which more count for nothing."""
LEAST_NORM = 1e-9
"""Length of a centroid below which it is taken for this long, to divide by it."""

Embeddings = NDArray[np.float32]


class Encodes(Protocol):
    """Embeds texts: float32[texts, dimensions], each of length 1."""

    def encode(self, texts: Sequence[str]) -> Embeddings:
        """The texts' embeddings."""


class SalienceWeights(NamedTuple):
    """Weights beside the nearness to the whole, a cosine that counts 1.

    Chosen on 15 documents with summaries, where anything between half and twice of each does about
    as well.
    """

    title: float = 0.3
    """Weight of the cosine to the title."""
    lead: float = 0.4
    """Weight of the text's first sentence; the second has half of it."""
    length: float = 0.5
    """Weight of a sentence of `FULL_WORDS` words; a shorter one has its share of it."""
    cue_words: float = 0.35
    """Weight of a sentence with `MOST_CUES` cue words; one with fewer has its share of it."""
    cue_heading: float = 0.2
    """Weight of a sentence under a heading such as "Summary"."""
    redundancy: float = 0.2
    """Weight of the cosine to the most similar chosen sentence."""
    chunk: float = 0.05
    """Weight of each sentence chosen from the same chunk."""


class SummaryBudget(NamedTuple):
    """The most that may be chosen."""

    sentences: int = 3
    words: int = 75
    filled: bool = False
    """Whether as much as fits is wanted, and not just what is worth as much as the rest."""


def central(
    passages: Sequence[Passage],
    title: str,
    encoder: Encodes,
    budget: SummaryBudget = SummaryBudget(),  # noqa: B008
    weights: SalienceWeights = SalienceWeights(),  # noqa: B008
) -> list[str]:
    """The central sentences of consecutive `passages`, in order."""
    scale = _Scale(title, encoder, weights)
    every = list(chunks(passages))
    kept = max(KEPT, -(-budget.sentences // max(1, len(every))))
    offered = [scale.offer(chunk, kept) for chunk in every]
    lines = [line for chunk, _ in offered for line in chunk]
    if not lines:
        return []
    vectors = np.concatenate([rows for _, rows in offered])
    return [line.text for line in scale.choose(lines, vectors, budget)]


class _Scale:
    """Weighs sentences of one text."""

    def __init__(self, title: str, encoder: Encodes, weights: SalienceWeights) -> None:
        self._encoder, self._weights = encoder, weights
        self._title = encoder.encode([title])[0]

    def offer(
        self, chunk: Sequence[SummarySentence], kept: int
    ) -> tuple[list[SummarySentence], Embeddings]:
        """A chunk's `kept` central sentences, each with what depends on it, and embeddings."""
        looked_at = sorted(chunk, key=self._plain_worth, reverse=True)[: max(LOOKED_AT, kept)]
        looked_at = sorted({*looked_at, *_leaning_on(chunk, looked_at)})
        vectors = self._encoder.encode([line.text for line in looked_at])
        worth = self._worth(looked_at, vectors)
        standing = [i for i, line in enumerate(looked_at) if not line.leans]
        best = sorted(standing, key=worth.__getitem__, reverse=True)[:kept]
        taken = [looked_at[i] for i in best]
        offered = {*taken, *_leaning_on(looked_at, taken)}
        own = [i for i, line in enumerate(looked_at) if line in offered]
        return [looked_at[i] for i in own], vectors[own]

    def choose(
        self, lines: Sequence[SummarySentence], vectors: Embeddings, budget: SummaryBudget
    ) -> list[SummarySentence]:
        """The best of the offered sentences that say something new, one after another."""
        worth, alike = self._worth(lines, vectors), vectors @ vectors.T
        chosen: list[int] = []
        while len(chosen) < budget.sentences:
            said = alike[:, chosen].max(axis=1, initial=0)
            gain = worth - self._weights.redundancy * said
            gain -= self._weights.chunk * _said_of_chunk(lines, chosen)
            gain[(said >= SAME) | ~_speakable(lines, chosen, budget)] = -np.inf
            best = int(gain.argmax())
            little = not budget.filled and self._adds_little(worth, chosen, best)
            if gain[best] == -np.inf or little:
                break
            chosen.append(best)
        return [lines[i] for i in sorted(chosen)]

    @staticmethod
    def _adds_little(worth: NDArray[np.float32], chosen: list[int], best: int) -> bool:
        enough = len(chosen) >= ENOUGH_SENTENCES
        return enough and bool(worth[best] < worth[chosen].min() - MUCH_LESS)

    def _worth(self, lines: Sequence[SummarySentence], vectors: Embeddings) -> NDArray[np.float32]:
        centre = vectors.mean(axis=0)
        near = vectors @ (centre / max(float(np.linalg.norm(centre)), LEAST_NORM))
        plain = np.array([self._plain_worth(line) for line in lines], np.float32)
        worth: NDArray[np.float32] = near + self._weights.title * (vectors @ self._title) + plain
        return worth

    def _plain_worth(self, line: SummarySentence) -> float:
        cues = len(CUE_WORDS.findall(line.text))
        return (
            self._weights.lead / (1 + line.at)
            + self._weights.length * min(line.words, FULL_WORDS) / FULL_WORDS
            + self._weights.cue_words * min(cues, MOST_CUES) / MOST_CUES
            + self._weights.cue_heading * bool(CUE_HEADINGS.search(line.place))
        )


def _speakable(
    lines: Sequence[SummarySentence], chosen: Sequence[int], budget: SummaryBudget
) -> NDArray[np.bool_]:
    """Which lines fit into the words that are left, and follow what they depend on.

    Where none fits, the shortest is still better than none.
    """
    left = budget.words - sum(lines[i].words for i in chosen)
    if not chosen:
        left = max(left, min(line.words for line in lines if not line.leans))
    said = {lines[i].at for i in chosen}
    fits = [line.words <= left and (not line.leans or line.at - 1 in said) for line in lines]
    return np.array(fits, np.bool_)


def _said_of_chunk(lines: Sequence[SummarySentence], chosen: Sequence[int]) -> NDArray[np.float32]:
    """The number of sentences chosen from each line's chunk."""
    said = Counter(lines[i].chunk for i in chosen)
    return np.array([said[line.chunk] for line in lines], np.float32)


def _leaning_on(
    lines: Sequence[SummarySentence], chosen: Sequence[SummarySentence]
) -> list[SummarySentence]:
    before = {line.at for line in chosen}
    return [line for line in lines if line.leans and line.at - 1 in before]
