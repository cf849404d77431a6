"""Sentences of the installed skills that a head fitted without them takes for something else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from assistant.evaluation.intents import Encodes, Progress
from assistant.evaluation.skills import Confusion
from nlu.classifier.encoder import Embeddings
from nlu.classifier.examples import Examples, IntentLabel
from nlu.classifier.head import Head
from nlu.grammar.labelled import Labelled

FOLDS = 5
_IN_SCOPE = 0.5
"""In-scope score below which a text counts as background talk."""


def confusions(
    sentences: Sequence[Labelled],
    encoder: Encodes,
    others: Examples,
    owners: Mapping[str, str],
    progress: Progress = lambda done, total: None,
) -> dict[str, list[Confusion]]:
    """The `sentences`, by skill, that a head fitted without them takes for another intent.

    The head is fitted to four fifths of them and to `others`, repeatedly, so that each sentence is
    left out once; the first head is calibrated, which takes the longest, and the others take that
    over. `owners` gives the skill that carries out an intent.
    """
    if not sentences:
        return {}
    embeddings = encoder.encode([one.text for one in sentences])
    folds = _folds([one.intent for one in sentences])
    found: dict[str, list[Confusion]] = {}
    head: Head | None = None
    for fold in range(FOLDS):
        out = folds == fold
        head = _fitted(sentences, embeddings, ~out, others, head)
        for index, confusion in _wrong(head, sentences, embeddings, np.flatnonzero(out), owners):
            found.setdefault(owners.get(sentences[index].intent, ""), []).append(confusion)
        progress(fold + 1, FOLDS)
    return found


def _folds(intents: Sequence[str]) -> NDArray[np.intp]:
    """Each sentence's fold: those of one intent are spread over all of them."""
    seen: dict[str, int] = {}
    folds = []
    for intent in intents:
        seen[intent] = seen.get(intent, -1) + 1
        folds.append(seen[intent] % FOLDS)
    return np.array(folds)


def _fitted(
    sentences: Sequence[Labelled],
    embeddings: Embeddings,
    kept: NDArray[np.bool_],
    others: Examples,
    calibrated: Head | None,
) -> Head:
    labels = [
        IntentLabel(s.intent, s.fixed).text for s, keep in zip(sentences, kept, strict=True) if keep
    ]
    inside = np.array([label is not None for label in others.labels], bool)
    labels += [label.text for label in others.labels if label is not None]
    known = np.concatenate([embeddings[kept], others.embeddings[inside]])
    negatives = others.embeddings[~inside]
    if calibrated is None:
        return Head.fit(known, labels, negatives)
    return calibrated.refit(known, labels, negatives, warm=False)


def _wrong(
    head: Head,
    sentences: Sequence[Labelled],
    embeddings: Embeddings,
    indices: NDArray[np.intp],
    owners: Mapping[str, str],
) -> Iterator[tuple[int, Confusion]]:
    intents = [IntentLabel.read(label).intent for label in head.labels]
    probabilities, in_scope = head.score_all(embeddings[indices])
    for index, row, scope in zip(indices, probabilities, in_scope, strict=True):
        beliefs: dict[str, float] = {}
        for intent, probability in zip(intents, row, strict=True):
            beliefs[intent] = beliefs.get(intent, 0.0) + float(probability)
        taken = max(beliefs, key=lambda intent: beliefs[intent])
        wanted, talk = sentences[index].intent, scope < _IN_SCOPE
        if talk or taken != wanted:
            yield (
                int(index),
                Confusion(
                    sentence=sentences[index].text,
                    intent=wanted,
                    other_skill="" if talk else owners.get(taken, ""),
                    other_intent="" if talk else taken,
                    belief=round(1 - float(scope) if talk else beliefs[taken], 3),
                ),
            )
