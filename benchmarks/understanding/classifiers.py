"""Classifiers of whole sentences: one model, several that vote, and one that routes.

Each is fitted to `(label, text)`, where None is the label of what no assistant should act on, and
then gives the label of a text, or None.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.svm import LinearSVC

from nlu.classifier.encoder import SentenceEncoder
from nlu.classifier.examples import IntentLabel
from nlu.classifier.head import Head
from nlu.fallback.guesser import spoken
from nlu.text.canonical import canonical, without_politeness

Sentences = Sequence[tuple[IntentLabel | None, str]]
Classify = Callable[[str], IntentLabel | None]
Shares = NDArray[np.float64]

IN_SCOPE = 0.5
WEIGHTS = (0.6, 0.25, 0.15)
"""Weights of the single model, the SVC and the neighbours in the vote."""
NEIGHBOURS = 5


class Embedded(NamedTuple):
    """Sentences with their embeddings float32[n, width]."""

    sentences: Sentences
    embeddings: NDArray[np.float32]


def embed(encoder: SentenceEncoder, sentences: Sentences) -> Embedded:
    """Embed the texts once, for all classifiers that use embeddings."""
    return Embedded(sentences, encoder.encode([text for _, text in sentences]))


def svc(sentences: Sentences) -> Classify:
    """TF-IDF of words and characters, and a linear SVC with one class for no intent."""
    predict = _svc_shares(sentences)
    return lambda text: _likeliest(predict(text))


def single(encoder: SentenceEncoder, known: Embedded) -> Classify:
    """The head that the device fits: the likeliest label, if the text is in scope."""
    predict = _head_shares(encoder, known)
    return lambda text: _likeliest(predict(text))


def ensemble(encoder: SentenceEncoder, known: Embedded) -> Classify:
    """A weighted vote of the head, the SVC and the nearest sentences."""
    voters = (
        _head_shares(encoder, known),
        _svc_shares(known.sentences),
        _neighbour_shares(encoder, known),
    )

    def classify(text: str) -> IntentLabel | None:
        votes: dict[IntentLabel | None, float] = {}
        for voter, weight in zip(voters, WEIGHTS, strict=True):
            for label, share in voter(text).items():
                votes[label] = votes.get(label, 0.0) + weight * share
        return _likeliest(votes)

    return classify


def router(encoder: SentenceEncoder, known: Embedded, skills: dict[str, str]) -> Classify:
    """One head that chooses the skill, then a head of that skill's intents alone."""
    inside = [i for i, (label, _) in enumerate(known.sentences) if label is not None]
    groups = [(_group(label, skills), text) for label, text in known.sentences]
    route = _head_shares(encoder, Embedded(groups, known.embeddings))
    heads = {}
    for name in dict.fromkeys(group for group, _ in groups if group is not None):
        rows = [i for i in inside if groups[i][0] == name]
        labels = [known.sentences[i][0] for i in rows]
        if len(set(labels)) > 1:
            others = [i for i in range(len(groups)) if groups[i][0] != name]
            part = Embedded(
                [(label, "") for label in labels] + [(None, "") for _ in others],
                known.embeddings[rows + others],
            )
            heads[name] = _head_shares(encoder, part, reject=False)
        else:
            only = labels[0]
            heads[name] = lambda text, only=only: {only: 1.0}  # type: ignore[misc]

    def classify(text: str) -> IntentLabel | None:
        group = _likeliest(route(text))
        return _likeliest(heads[group](text)) if group is not None else None

    return classify


def _group(label: IntentLabel | None, skills: dict[str, str]) -> IntentLabel | None:
    return None if label is None else IntentLabel(skills.get(label.intent, label.intent))


def _as_asked(text: str) -> str:
    """A text in the form that the device's models are given."""
    return spoken(without_politeness(canonical(text)))


def _head_shares(
    encoder: SentenceEncoder, known: Embedded, reject: bool = True
) -> Callable[[str], dict[IntentLabel | None, float]]:
    labels = [label for label, _ in known.sentences]
    inside = np.array([label is not None for label in labels], bool)
    names = [label.text for label in labels if label is not None]
    head = Head.fit(known.embeddings[inside], names, known.embeddings[~inside])
    outputs = [IntentLabel.read(name) for name in head.labels]

    def shares(text: str) -> dict[IntentLabel | None, float]:
        scores = head.scores(encoder.encode([_as_asked(text)])[0])
        if reject and scores.in_scope < IN_SCOPE:
            return {None: 1.0}
        return dict(zip(outputs, map(float, scores.probabilities), strict=True))

    return shares


def _svc_shares(sentences: Sentences) -> Callable[[str], dict[IntentLabel | None, float]]:
    labels = [label for label, _ in sentences]
    outputs = sorted({label for label in labels if label}, key=lambda label: label.text)
    numbers = {label: index for index, label in enumerate(outputs)}
    features = FeatureUnion(
        [
            ("words", TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)),
            ("letters", TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4), sublinear_tf=True)),
        ]
    )
    model = make_pipeline(features, LinearSVC(C=1.0, random_state=0))
    targets = [numbers[label] if label else len(outputs) for label in labels]
    model.fit([text for _, text in sentences], targets)
    order = model.classes_

    def shares(text: str) -> dict[IntentLabel | None, float]:
        margins = model.decision_function([_as_asked(text)])[0]
        powers = np.exp(3 * (margins - margins.max()))
        known = (outputs[i] if i < len(outputs) else None for i in order)
        return dict(zip(known, map(float, powers / powers.sum()), strict=True))

    return shares


def _neighbour_shares(
    encoder: SentenceEncoder, known: Embedded
) -> Callable[[str], dict[IntentLabel | None, float]]:
    def shares(text: str) -> dict[IntentLabel | None, float]:
        near = known.embeddings @ encoder.encode([_as_asked(text)])[0]
        best = np.argpartition(near, -NEIGHBOURS)[-NEIGHBOURS:]
        votes: dict[IntentLabel | None, float] = {}
        for index in best:
            label = known.sentences[int(index)][0]
            votes[label] = votes.get(label, 0.0) + float(near[index])
        total = sum(votes.values()) or 1.0
        return {label: vote / total for label, vote in votes.items()}

    return shares


def _likeliest(shares: dict[IntentLabel | None, float]) -> IntentLabel | None:
    """The label of the most likely intent; all sets of fixed slots of an intent are added up."""
    intents: dict[str | None, float] = {}
    for label, share in shares.items():
        name = label.intent if label else None
        intents[name] = intents.get(name, 0.0) + share
    best = max(intents, key=lambda name: intents[name])
    alike = {label: s for label, s in shares.items() if (label.intent if label else None) == best}
    return max(alike, key=lambda label: alike[label])
