"""Moving the acoustic model's means to other voices, rooms and microphones.

One affine map for all Gaussians of a stream, fitted by maximum likelihood (Leggetter and Woodland,
1995, "Maximum likelihood linear regression for speaker adaptation of continuous density hidden
Markov models"). It has so few numbers that half a minute of speech is enough.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from audio.asr.acoustic import STREAM_NUMBERS, STREAMS, WIDTH, numbers_of
from models.training.alignment import Aligned
from models.training.gaussians import Gaussians

_LEAST_SHARE = 1e-3
"""Share of a frame below which a Gaussian does not count for it."""
_TINY = 1e-12


class Transform(NamedTuple):
    """The affine map of each stream: `matrices`, float64[3, 13, 13], and `offsets`, [3, 13]."""

    matrices: NDArray[np.float64]
    offsets: NDArray[np.float64]

    @classmethod
    def identity(cls) -> Self:
        """The map that changes nothing."""
        return cls(np.stack([np.eye(WIDTH)] * STREAMS), np.zeros((STREAMS, WIDTH)))

    @classmethod
    def read(cls, text: str) -> Self:
        """The map of a file in PocketSphinx's format; raises `ValueError`."""
        streams = np.array(numbers_of(text)).reshape(STREAMS, STREAM_NUMBERS)[:, 1:]
        matrices = streams[:, : WIDTH * WIDTH].reshape(STREAMS, WIDTH, WIDTH)
        return cls(matrices, streams[:, WIDTH * WIDTH : -WIDTH])

    def text(self) -> str:
        """The map in PocketSphinx's format (its option `mllr`); variances stay as they are."""
        lines = ["1", str(STREAMS)]
        for matrix, offset in zip(self.matrices, self.offsets, strict=True):
            lines.append(str(WIDTH))
            lines += (" ".join(f"{n:.6f}" for n in row) for row in (*matrix, offset))
            lines.append(" ".join(["1.0"] * WIDTH))
        return "\n".join(lines) + "\n"

    def towards(self, other: Transform, share: float) -> Transform:
        """The map that goes `share` of the way to the `other`."""
        pairs = zip(self, other, strict=True)
        return Transform(*((1 - share) * ours + share * theirs for ours, theirs in pairs))

    def moved(self, means: NDArray[np.float64]) -> NDArray[np.float64]:
        """Means, float64[codebooks, 3, densities, 13], as the map gives them."""
        moved: NDArray[np.float64] = np.einsum("sij,csdj->csdi", self.matrices, means)
        return moved + self.offsets[:, None]


class Statistics:
    """All that the fit needs of the speech that was added: a few numbers, and no sound."""

    def __init__(self) -> None:
        self.squares = np.zeros((STREAMS, WIDTH, WIDTH + 1, WIDTH + 1))
        """Σ of the means' products, weighed by a Gaussian's share and precision."""
        self.products = np.zeros((STREAMS, WIDTH, WIDTH + 1))
        """Σ of the features times the means, weighed likewise."""
        self.frames = 0

    def add(self, speech: Aligned, model: Gaussians, transform: Transform) -> None:
        """Count a sentence; Gaussians share each frame as they do after `transform`."""
        books = np.unique(speech.codebooks)
        moved = transform.moved(model.means[books])
        for book, means in zip(books, moved, strict=True):
            chosen = speech.codebooks == book
            for stream, shares in enumerate(_shares(speech, chosen, book, means, model)):
                self._count(stream, shares, speech.features[chosen, stream], model, book)
        self.frames += len(speech.codebooks)

    def solve(self, before: Transform, weight: float) -> Transform:
        """The likeliest map, drawn to the map `before` as if that had `weight` frames."""
        matrices, offsets = np.empty_like(before.matrices), np.empty_like(before.offsets)
        for stream in range(STREAMS):
            for row in range(WIDTH):
                squares = self.squares[stream, row]
                drawn = np.diag(np.diag(squares)) * weight / max(self.frames, 1)
                known = np.append(before.matrices[stream, row], before.offsets[stream, row])
                found = np.linalg.solve(squares + drawn, self.products[stream, row] + drawn @ known)
                matrices[stream, row], offsets[stream, row] = found[:-1], found[-1]
        return Transform(matrices, offsets)

    def _count(
        self,
        stream: int,
        shares: NDArray[np.float64],
        features: NDArray[np.float64],
        model: Gaussians,
        book: int,
    ) -> None:
        used = shares.sum(axis=0) > 0
        occupied, heard = shares.sum(axis=0)[used], shares[:, used].T @ features
        means = model.means[book, stream][used]
        extended = np.concatenate([means, np.ones((len(means), 1))], axis=1)
        precise = 1 / model.variances[book, stream][used]
        self.squares[stream] += np.einsum(
            "dr,d,di,dj->rij", precise, occupied, extended, extended, optimize=True
        )
        self.products[stream] += np.einsum("dr,dr,di->ri", precise, heard, extended, optimize=True)


def fit(speech: Aligned, model: Gaussians, transform: Transform) -> float:
    """The mean log-likelihood of a frame in the Gaussians of its state, as `transform` moves them.

    A constant of the features' width is left out, so that only differences say anything.
    """
    books = np.unique(speech.codebooks)
    whole = 0.0
    for book, means in zip(books, transform.moved(model.means[books]), strict=True):
        for weighed in _weighed(speech, speech.codebooks == book, book, means, model):
            whole += float(np.logaddexp.reduce(weighed, axis=1).sum())
    return whole / len(speech.codebooks)


def _shares(
    speech: Aligned,
    chosen: NDArray[np.bool_],
    book: int,
    means: NDArray[np.float64],
    model: Gaussians,
) -> Iterator[NDArray[np.float64]]:
    """How much of each frame is of each Gaussian, float64[frames, densities], a stream each."""
    for weighed in _weighed(speech, chosen, book, means, model):
        shares = np.exp(weighed - weighed.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        yield np.where(shares < _LEAST_SHARE, 0.0, shares)


def _weighed(
    speech: Aligned,
    chosen: NDArray[np.bool_],
    book: int,
    means: NDArray[np.float64],
    model: Gaussians,
) -> Iterator[NDArray[np.float64]]:
    """The log-likelihood of each frame in each Gaussian with its weight, a stream each."""
    for stream in range(STREAMS):
        variances = model.variances[book, stream]
        apart = speech.features[chosen, stream][:, None] - means[stream]
        density = -0.5 * (apart**2 / variances + np.log(variances)).sum(axis=2)
        yield density + np.log(model.weights[stream][:, speech.senones[chosen]].T + _TINY)
