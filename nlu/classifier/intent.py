"""Ranks the intents that a text may mean: the sentence encoder and a head fitted on the device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

from nlu.classifier.encoder import SentenceEncoder
from nlu.classifier.examples import Examples, Fixed, IntentLabel
from nlu.classifier.head import Head

_REMEMBERED = 512
NO_EXAMPLES = Examples([], np.zeros((0, 0), np.float32))


class Belief(NamedTuple):
    """A label with its probability."""

    label: IntentLabel
    probability: float


@dataclass(frozen=True)
class Ranking:
    """How likely a text is meant for the assistant at all, and if so, what it means."""

    in_scope: float
    beliefs: tuple[Belief, ...]

    def intents(self) -> list[tuple[str, float]]:
        """Intents with their probabilities, the likeliest first."""
        total: dict[str, float] = {}
        for label, probability in self.beliefs:
            total[label.intent] = total.get(label.intent, 0.0) + probability
        return sorted(total.items(), key=lambda item: -item[1])

    def fixed(self, intent: str) -> dict[Fixed, float]:
        """The share of an intent's probability that each set of fixed slots has."""
        shares = {b.label.fixed: b.probability for b in self.beliefs if b.label.intent == intent}
        total = sum(shares.values()) or 1.0
        return {fixed: share / total for fixed, share in shares.items()}


class IntentModel:
    """Ranks the intents for texts; `calibration` holds the thresholds for its scores.

    `talk` are examples that the head is not fitted to: what is only talked about need not be told
    from commands as finely as commands from each other, and must not blur those. One that is
    `provisional` was fitted from another in little time, or to other skills, and is to be replaced.
    """

    def __init__(
        self,
        encoder: SentenceEncoder,
        head: Head,
        talk: Examples = NO_EXAMPLES,
        provisional: bool = False,
    ) -> None:
        # Not a method: the cache would refer to the model, and keep one alive that is out of use.
        rank = partial(_rank, encoder, head, tuple(map(IntentLabel.read, head.labels)))
        self._remembered = lru_cache(maxsize=_REMEMBERED)(rank)
        self._encoder, self._talk = encoder, talk
        self.head = head
        self.version = encoder.version
        self.provisional = provisional
        self.calibration = encoder.calibration

    def provisionally(self) -> IntentModel:
        """The same model, as one that is to be replaced."""
        return IntentModel(self._encoder, self.head, self._talk, provisional=True)

    @staticmethod
    def fit(examples: Examples) -> Head:
        """Fit a head to `examples`; those without a label are out of scope."""
        inside = np.array([label is not None for label in examples.labels], bool)
        names = [label.text for label in examples.labels if label]
        return Head.fit(examples.embeddings[inside], names, examples.embeddings[~inside])

    def rank(self, text: str) -> Ranking:
        """The probability of every label for one text; the last texts are cached."""
        return self._remembered(text)

    def talk(self, text: str) -> dict[str, float]:
        """For each intent of the talk, the cosine of a text and the intent's nearest example."""
        if not self._talk.labels:
            return {}
        nearness = self._talk.embeddings @ self._encoder.encode([text])[0]
        found: dict[str, float] = {}
        for label, near in zip(self._talk.labels, nearness.tolist(), strict=True):
            if label is not None:
                found[label.intent] = max(near, found.get(label.intent, -1.0))
        return found

    def likeness(self, text: str, sentences: Sequence[str]) -> list[float]:
        """The cosine of the embeddings of a text and of each sentence."""
        first, *others = self._encoder.encode([text, *sentences])
        return [float(first @ other) for other in others]


def _rank(
    encoder: SentenceEncoder, head: Head, labels: Sequence[IntentLabel], text: str
) -> Ranking:
    (embedding,) = encoder.encode([text])
    scores = head.scores(embedding)
    order = np.argsort(-scores.probabilities)
    beliefs = (Belief(labels[i], float(scores.probabilities[i])) for i in order)
    return Ranking(scores.in_scope, tuple(beliefs))
