"""The intent head: fitted on the device to the embeddings of the installed skills' sentences.

Multinomial logistic regression gives the intent. A second logistic regression gives whether the
text is in scope at all, from features such as the relative Mahalanobis distance (Ren et al. 2021,
arXiv:2106.09022). Both are calibrated in rehearsals: fits without a tenth of the intents and a
tenth of the other sentences. Those intents then serve as out of scope, those sentences as in scope.
What is held out hangs on the name or the sentence alone: an intent more or less moves the scores of
other texts by 0.004 in the mean, where a draw anew moved them by 0.06.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from nlu.classifier.logistic import Linear, fit_binary, fit_softmax, softmax
from nlu.classifier.mahalanobis import Mahalanobis

Array = NDArray[np.floating[Any]]

NEAREST = 3
"""Number of nearest negatives whose mean similarity is a feature."""
SHARE = 0.1
"""Share of the intents, and of the other intents' sentences, held out in a rehearsal."""
REHEARSALS = 3
"""Number of rehearsals, each without other intents and sentences."""
STRONGEST = 6.0
"""Standard deviations at which a feature of the in-scope score is cut off."""

_PREFIX = "mahalanobis."
_LARGE = 1000
"""Size from which an array of numbers ships with half its digits."""


class Scores(NamedTuple):
    """The head's scores of one sentence: `probabilities` float32[labels], `in_scope` 0 to 1."""

    probabilities: Array
    in_scope: float


@dataclass(frozen=True)
class Head:
    """A fitted head; `labels` name the outputs in order."""

    labels: tuple[str, ...]
    classes: Linear
    """One output for each label, then, where there are negatives, one for none of them."""
    mahalanobis: Mahalanobis
    negatives: Array
    scope: Linear
    """One output, from the standardized features."""
    spread: Array
    """Mean and standard deviation of the features, float32[2, features]."""
    temperature: float
    held_out_scores: Array
    """In-scope scores of the sentences that were held out, in rising order."""

    @classmethod
    def fit(cls, embeddings: Array, labels: Sequence[str], negatives: Array) -> Head:
        """Fit to embeddings float32[n, width] of length 1, and negatives float32[m, width].

        Raises `ValueError` for fewer than two labels, or for fewer than four without negatives:
        nothing would show what is out of scope.
        """
        return _fit(embeddings, labels, negatives, None)

    def refit(
        self, embeddings: Array, labels: Sequence[str], negatives: Array, *, warm: bool = True
    ) -> Head:
        """Fit a head to changed sentences, starting from this one; the calibration is kept.

        With `warm` false only the calibration is taken over: nothing else that this one was fitted
        to is known to the new one. Raises `ValueError` as `fit` does.
        """
        return _fit(embeddings, labels, negatives, self, warm)

    def scores(self, embedding: Array) -> Scores:
        """The scores of one embedding float32[width]."""
        probabilities, in_scope = self.score_all(embedding[None])
        return Scores(probabilities[0], float(in_scope[0]))

    def score_all(self, embeddings: Array) -> tuple[Array, Array]:
        """Probabilities float32[n, labels] and in-scope scores float32[n], 0 to 1."""
        logits = self.classes(embeddings)
        probabilities = softmax(logits[:, : len(self.labels)] / self.temperature)
        features = _features(self.mahalanobis, logits, len(self.labels), embeddings, self.negatives)
        standard = np.clip((features - self.spread[0]) / self.spread[1], -STRONGEST, STRONGEST)
        return probabilities, (1 / (1 + np.exp(-self.scope(standard)[:, 0]))).astype(np.float32)

    def threshold(self, false_oos: float, held_out: Array | None = None) -> float:
        """The in-scope score below which this share of in-scope sentences falls.

        It is measured on the sentences held out in the rehearsal, or on the embeddings `held_out`
        float32[n, width], which neither head nor encoder was fitted to.
        """
        scores = self.held_out_scores if held_out is None else self.score_all(held_out)[1]
        return float(np.quantile(scores, false_oos))

    def to_npz(self) -> bytes:
        """The whole head, in the form that `from_npz` reads."""
        file = io.BytesIO()
        np.savez(file, allow_pickle=False, **self._arrays())
        return file.getvalue()

    @classmethod
    def from_npz(cls, content: bytes) -> Head:
        """Read what `to_npz` wrote; raises `ValueError`, `KeyError` or `zipfile.BadZipFile`."""
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            return cls._of(file)

    def to_ship(self, version: str) -> bytes:
        """The head without its negatives and with half the digits, for the encoder of `version`."""
        file = io.BytesIO()
        arrays = self._arrays() | {"negatives": self.negatives[:0]}
        large = {name for name, value in arrays.items() if value.size > _LARGE}
        halves = {name: arrays[name].astype(np.float16) for name in large - {"held_out_scores"}}
        np.savez_compressed(file, allow_pickle=False, version=version, **(arrays | halves))
        return file.getvalue()

    @classmethod
    def from_shipped(cls, content: bytes, version: str, negatives: Array) -> Head | None:
        """Read what `to_ship` wrote, with these negatives; None for another encoder's.

        Raises as `from_npz` does.
        """
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            arrays = dict(file)  # each look into the file would read its array again
        if str(arrays["version"]) != version:
            return None
        wide = {n: a.astype(np.float32) for n, a in arrays.items() if a.dtype == np.float16}
        return cls._of(arrays | wide | {"negatives": negatives})

    def _arrays(self) -> dict[str, NDArray[Any]]:
        whole = {
            "labels": np.array(self.labels, dtype=np.str_),
            "classes": self.classes.stacked(),
            "scope": self.scope.stacked(),
            "negatives": self.negatives,
            "spread": self.spread,
            "temperature": np.array(self.temperature, np.float32),
            "held_out_scores": self.held_out_scores,
        }
        return whole | {f"{_PREFIX}{name}": part for name, part in vars(self.mahalanobis).items()}

    @classmethod
    def _of(cls, arrays: Mapping[str, NDArray[Any]]) -> Head:
        parts = {n.removeprefix(_PREFIX): arrays[n] for n in arrays if n.startswith(_PREFIX)}
        return cls(
            labels=tuple(str(label) for label in arrays["labels"]),
            classes=Linear.unstacked(arrays["classes"]),
            mahalanobis=Mahalanobis(**parts),
            negatives=arrays["negatives"],
            scope=Linear.unstacked(arrays["scope"]),
            spread=arrays["spread"],
            temperature=float(arrays["temperature"]),
            held_out_scores=arrays["held_out_scores"],
        )


def _fit(
    embeddings: Array,
    labels: Sequence[str],
    negatives: Array,
    old: Head | None,
    warm: bool = True,
) -> Head:
    names = tuple(sorted(set(labels)))
    if len(names) < 2 or (len(names) < 4 and not len(negatives)):
        raise ValueError(f"{len(names)} intents and {len(negatives)} negatives are too few to fit")
    positions = {name: index for index, name in enumerate(names)}
    numbers = np.array([positions[label] for label in labels], np.intp)
    start = None
    if old is None:
        scope, spread, temperature, held_out_scores, start = _calibrated(
            embeddings, numbers, names, negatives
        )
    else:
        scope, spread, held_out_scores = old.scope, old.spread, old.held_out_scores
        temperature = old.temperature
        if warm and old.classes.outputs - len(old.labels) == bool(len(negatives)):
            start = _start(old, names, bool(len(negatives)))
    classes = _classes(embeddings, numbers, negatives, start)
    mahalanobis = Mahalanobis.fit(embeddings, numbers)
    return Head(names, classes, mahalanobis, negatives, scope, spread, temperature, held_out_scores)


def _classes(
    embeddings: Array, numbers: NDArray[np.intp], negatives: Array, start: Linear | None
) -> Linear:
    outputs = int(numbers.max()) + 1
    whole = np.concatenate([embeddings, negatives])
    targets = np.concatenate([numbers, np.full(len(negatives), outputs, np.intp)])
    return fit_softmax(whole, targets, start)


class _Rehearsal(NamedTuple):
    """Features of what was held out, and logits of what was in scope with its positions."""

    inside: Array
    outside: Array
    logits: Array
    right: NDArray[np.intp]
    start: Linear | None
    """A start for the fit to all."""


def _calibrated(
    embeddings: Array, numbers: NDArray[np.intp], names: Sequence[str], negatives: Array
) -> tuple[Linear, Array, float, Array, Linear | None]:
    """What rehearsals tell: scope, spread, temperature and scores held out; a start for the fit."""
    rehearsals = [
        _rehearse(embeddings, numbers, names, negatives, turn) for turn in range(REHEARSALS)
    ]
    inside = np.concatenate([one.inside for one in rehearsals])
    scope, spread = _weighed(inside, np.concatenate([one.outside for one in rehearsals]))
    standard = np.clip((inside - spread[0]) / spread[1], -STRONGEST, STRONGEST)
    held_out_scores = np.sort(1 / (1 + np.exp(-scope(standard)[:, 0]))).astype(np.float32)
    temperature = _temperature([(one.logits, one.right) for one in rehearsals])
    return scope, spread, temperature, held_out_scores, rehearsals[-1].start


def _rehearse(
    embeddings: Array,
    numbers: NDArray[np.intp],
    names: Sequence[str],
    negatives: Array,
    turn: int,
) -> _Rehearsal:
    """Fit without a part of the sentences, and see what the head makes of that part."""
    unknown = np.isin(numbers, _held_out_labels(names, turn))
    kept = is_held_out(embeddings, turn, SHARE)
    # The first sentence of every label is always fitted to, however few it has.
    kept[np.unique(numbers, return_index=True)[1]] = False
    few = len(negatives) <= 1 / SHARE
    lost = np.zeros(len(negatives), bool) if few else is_held_out(negatives, turn, 2 * SHARE)
    inner = ~unknown & ~kept
    present, renumbered = np.unique(numbers[inner], return_inverse=True)
    classes = _classes(embeddings[inner], renumbered, negatives[~lost], None)
    mahalanobis = Mahalanobis.fit(embeddings[inner], renumbered)

    def features(part: Array) -> Array:
        return _features(mahalanobis, classes(part), len(present), part, negatives[~lost])

    known = embeddings[kept & ~unknown]
    return _Rehearsal(
        inside=features(known),
        outside=features(np.concatenate([embeddings[unknown], negatives[lost]])),
        logits=classes(known)[:, : len(present)],
        right=np.searchsorted(present, numbers[kept & ~unknown]),
        start=_spread_out(classes, present, len(names), bool(len(negatives))),
    )


def _held_out_labels(names: Sequence[str], turn: int) -> NDArray[np.intp]:
    """The labels held out in a turn, by their names: none where there are fewer than four."""
    count = max(1, round(SHARE * len(names))) if len(names) >= 4 else 0
    order = np.argsort([crc32(name.encode()) for name in names])
    return np.roll(order, -turn * count)[:count]


def is_held_out(embeddings: Array, turn: int, share: float) -> NDArray[np.bool_]:
    """Which rows are held out in a turn, by what they hold, as a hash would choose them."""
    direction = np.random.default_rng(0).standard_normal(embeddings.shape[1]) / SHARE**3
    places = (embeddings @ direction) % 1.0
    return np.asarray((turn * share <= places) & (places < (turn + 1) * share), bool)


def _weighed(inside: Array, outside: Array) -> tuple[Linear, Array]:
    both = np.concatenate([inside, outside])
    spread = np.stack([both.mean(axis=0), both.std(axis=0) + 1e-6])
    standard = np.clip((both - spread[0]) / spread[1], -STRONGEST, STRONGEST)
    targets = np.arange(len(both)) < len(inside)
    return fit_binary(standard, targets), spread


def _features(
    mahalanobis: Mahalanobis, logits: Array, labels: int, x: Array, negatives: Array
) -> Array:
    """Features that separate in-scope from out-of-scope, float32[n, 4]; all rise with scope."""
    best = logits[:, :labels].max(axis=1)
    none = logits[:, labels] if logits.shape[1] > labels else np.zeros_like(best)
    if len(negatives) >= NEAREST:
        similar = np.partition(x @ negatives.T, -NEAREST, axis=1)[:, -NEAREST:].mean(axis=1)
    else:
        similar = np.zeros_like(best)
    return np.column_stack([mahalanobis.features(x), best - none, -similar])


def _temperature(rehearsed: Sequence[tuple[Array, NDArray[np.intp]]]) -> float:
    """The number to divide logits by (Guo et al. 2017), the likeliest on a grid; 1 without data."""
    if not any(len(right) for _, right in rehearsed):
        return 1.0
    grid = np.geomspace(0.2, 5, 60)
    likelihood = [
        sum(
            float(np.log(softmax(logits / t)[np.arange(len(right)), right] + 1e-12).sum())
            for logits, right in rehearsed
        )
        for t in grid
    ]
    return float(grid[int(np.argmax(likelihood))])


def _spread_out(
    classes: Linear, present: NDArray[np.intp], labels: int, none: bool
) -> Linear | None:
    """The start for a fit to all labels, from a fit to some of them."""
    if not len(present):
        return None
    weight = np.zeros((labels + none, classes.weight.shape[1]), np.float32)
    bias = np.full(labels + none, classes.bias.mean(), np.float32)
    weight[present], bias[present] = classes.weight[: len(present)], classes.bias[: len(present)]
    if none:
        weight[-1], bias[-1] = classes.weight[-1], classes.bias[-1]
    return Linear(weight, bias)


def _start(old: Head, names: tuple[str, ...], none: bool) -> Linear:
    """The start for a fit, with the old head's weights of the labels that still exist."""
    weight = np.zeros((len(names) + none, old.classes.weight.shape[1]), np.float32)
    bias = np.full(len(names) + none, old.classes.bias.mean(), np.float32)
    before = {name: index for index, name in enumerate(old.labels)}
    for index, name in enumerate(names):
        if name in before:
            weight[index] = old.classes.weight[before[name]]
            bias[index] = old.classes.bias[before[name]]
    if none:
        weight[-1], bias[-1] = old.classes.weight[-1], old.classes.bias[-1]
    return Linear(weight, bias)
