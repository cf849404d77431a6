"""The Gaussians of PocketSphinx's English model, read from its files.

The model has a codebook of 128 Gaussians for each phone and for each of three streams: 13 cepstra,
their differences, and the differences of these. Its states ("senones") weigh the Gaussians of their
phone's codebook ("phonetically tied mixtures").
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from audio.asr.acoustic import STREAMS, WIDTH, model_folder
from audio.asr.pronunciation import PHONES

CODEBOOKS = {phone: at for at, phone in enumerate(sorted(("+NSN+", "+SPN+", "SIL", *PHONES)))}
"""Phone or noise → its codebook."""

_BYTE_ORDER = 0x11223344
_END_OF_HEADER = b"endhdr\n"
_LEAST_VARIANCE = 1e-4  # PocketSphinx's default `varfloor`
_LOG_BASE = 1.0001  # weights are stored as logarithms to this base, without their last ten bits
_WEIGHT_STEP = 1024


class Gaussians(NamedTuple):
    """Means and variances, float64[42, 3, 128, 13], and weights, float64[3, 128, senones]."""

    means: NDArray[np.float64]
    variances: NDArray[np.float64]
    weights: NDArray[np.float64]

    @classmethod
    def load(cls) -> Self:
        """Those of the model that comes with PocketSphinx; raises `OSError` or `ValueError`."""
        folder = model_folder()
        means, variances = (_densities(folder / name) for name in ("means", "variances"))
        weights = _weights(folder / "sendump", means.shape[2])
        return cls(means, np.maximum(variances, _LEAST_VARIANCE), weights)


def _densities(file: Path) -> NDArray[np.float64]:
    """Sphinx 3's format: a text header, then counts, then numbers."""
    content = file.read_bytes()
    at = content.index(_END_OF_HEADER) + len(_END_OF_HEADER)
    order, codebooks, streams, densities = struct.unpack_from("<I3i", content, at)
    widths = struct.unpack_from(f"<{streams}i", content, at + 16)
    if order != _BYTE_ORDER or widths != (WIDTH,) * STREAMS or codebooks != len(CODEBOOKS):
        raise ValueError(f"{file} is another acoustic model than PocketSphinx's English one")
    at += 16 + 4 * streams + 4
    numbers = np.frombuffer(content, "<f4", codebooks * streams * densities * WIDTH, at)
    return numbers.reshape(codebooks, streams, densities, WIDTH).astype(np.float64)


def _weights(file: Path, densities: int) -> NDArray[np.float64]:
    """A header of strings, each with its length before it, then a byte for each weight."""
    content = file.read_bytes()
    at = 0
    while length := struct.unpack_from("<i", content, at)[0]:
        at += 4 + length
    rows, senones = struct.unpack_from("<2i", content, at + 4)
    if rows != densities:
        raise ValueError(f"{file} is no file of weights for {densities} densities")
    steps = np.frombuffer(content, np.uint8, STREAMS * rows * senones, at + 12)
    weights = _LOG_BASE ** (-_WEIGHT_STEP * np.arange(256.0))
    return weights[steps.reshape(STREAMS, rows, senones)]
