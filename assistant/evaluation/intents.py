"""How well intents, and out-of-scope texts, are told apart on a public data set.

As on the device: the shipped encoder unchanged, and a head fitted to the set's train split.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import NamedTuple, Protocol

import msgspec
import numpy as np

from assistant.control.metrics import percentile
from assistant.core.errors import InputError
from assistant.evaluation.data_sets import DataSet, Sentence
from nlu.classifier.encoder import Embeddings
from nlu.classifier.head import Head

FALSE_OOS = 0.035
"""Share of dev that the threshold may reject; the aim is at most 0.04 of test."""
TIMED = 500
"""Number of sentences that are timed one by one."""
_BATCH = 1024
_NEW_INTENT = "a new skill's"
_NEW_SKILL = tuple(
    f"{verb} the {plant}"
    for verb, plant in product(
        ("water", "prune", "repot", "feed", "harvest"),
        ("tomatoes", "roses", "basil", "ivy", "orchids", "ferns"),
    )
)
"""Thirty sentences of a skill that is added to those fitted already."""

Progress = Callable[[int, int], None]


class Encodes(Protocol):
    """Embeds texts: float32[texts, dimensions], each of length 1."""

    def encode(self, texts: Sequence[str]) -> Embeddings:
        """The texts' embeddings."""


class IntentFigures(msgspec.Struct, frozen=True, kw_only=True):
    """Shares, from 0 to 1, of the test split.

    `accuracy` is that of the likeliest intent, before any is rejected. `oos_recall` is the share of
    out-of-scope texts that are rejected, None for a set without any; `false_oos` is the share of
    the other texts that are. `fit_s` is the time of embedding and fitting, `refit_s` the same with
    30 more sentences of one intent, `ms` that of one sentence through tokenizer, encoder and head
    on one thread.
    """

    accuracy: float
    oos_recall: float | None
    false_oos: float
    fit_s: float
    refit_s: float
    ms_p50: float
    ms_p99: float


class _Fitted(NamedTuple):
    """A head, and the seconds that fitting and refitting it with a new skill took."""

    head: Head
    fit_s: float
    refit_s: float


def evaluate_intents(
    data: DataSet,
    encoder: Encodes,
    alone: Encodes,
    negatives: Embeddings,
    progress: Progress = lambda done, total: None,
    clock: Callable[[], float] = time.perf_counter,
) -> IntentFigures:
    """Fit to train and `negatives` float32[n, dimensions], choose the threshold on dev, judge test.

    `alone` is the encoder on one thread, which is timed. Raises `InputError` when train is too
    small to fit to.
    """
    told = _Counted(progress, data.size)
    head, fit_s, refit_s = _fitted(data, encoder, negatives, told, clock)
    threshold = head.threshold(FALSE_OOS, _embedded(encoder, _texts(data.dev), told))
    test = _texts(data.test)
    probabilities, in_scope = head.score_all(_embedded(encoder, test, told))
    best = [head.labels[index] for index in probabilities.argmax(axis=1)]
    right = [mine == wanted.intent for mine, wanted in zip(best, data.test, strict=True)]
    spent_s = list(_timed(alone, head, test[:TIMED], clock))
    return IntentFigures(
        accuracy=float(np.mean(right)),
        oos_recall=_rejected(head, encoder, data.oos_test, threshold, told),
        false_oos=float((in_scope < threshold).mean()),
        fit_s=round(fit_s, 2),
        refit_s=round(refit_s, 2),
        ms_p50=round(percentile(spent_s, 0.50) * 1000, 2),
        ms_p99=round(percentile(spent_s, 0.99) * 1000, 2),
    )


class _Counted:
    """Reports how many sentences are embedded."""

    def __init__(self, progress: Progress, total: int) -> None:
        self._progress, self._total, self._done = progress, total, 0

    def add(self, count: int) -> None:
        """Report so many more."""
        self._done += count
        self._progress(self._done, self._total)


def _fitted(
    data: DataSet,
    encoder: Encodes,
    negatives: Embeddings,
    told: _Counted,
    clock: Callable[[], float],
) -> _Fitted:
    labels = [sentence.intent for sentence in data.train]
    began_s = clock()
    train = _embedded(encoder, _texts(data.train), told)
    strangers = np.concatenate([negatives, *_parts(encoder, data.oos_train, told)])
    try:
        head = Head.fit(train, labels, strangers)
    except ValueError as error:
        raise InputError("intents.few", f"the train split: {error}") from error
    fitted_s = clock()
    grown = np.concatenate([train, encoder.encode(_NEW_SKILL)])
    head.refit(grown, [*labels, *[_NEW_INTENT] * len(_NEW_SKILL)], strangers)
    return _Fitted(head, fitted_s - began_s, clock() - fitted_s)


def _texts(sentences: Sequence[Sentence]) -> list[str]:
    return [sentence.text for sentence in sentences]


def _embedded(encoder: Encodes, texts: Sequence[str], told: _Counted) -> Embeddings:
    return np.concatenate(list(_parts(encoder, texts, told)))


def _parts(encoder: Encodes, texts: Sequence[str], told: _Counted) -> Iterator[Embeddings]:
    for at in range(0, len(texts), _BATCH):
        batch = texts[at : at + _BATCH]
        yield encoder.encode(batch)
        told.add(len(batch))


def _rejected(
    head: Head, encoder: Encodes, texts: Sequence[str], threshold: float, told: _Counted
) -> float | None:
    if not texts:
        return None
    _, in_scope = head.score_all(_embedded(encoder, texts, told))
    return float((in_scope < threshold).mean())


def _timed(
    encoder: Encodes, head: Head, texts: Sequence[str], clock: Callable[[], float]
) -> Iterator[float]:
    for text in texts:
        began_s = clock()
        head.scores(encoder.encode([text])[0])
        yield clock() - began_s
