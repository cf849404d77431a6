"""Other speech, by which a phrase is told from the rest: vectors that ship as the model `wake`."""

from __future__ import annotations

import io
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from assistant.core.models.calibration import Share, read_calibration
from assistant.core.models.manifest import Library
from audio.wake.own.embedding import MODEL, Vectors

FILE = "talk.npz"
STEPS_A_DEVIATION = 32
"""Steps of int8 for one standard deviation: four deviations fit."""


class WakeCalibration(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The numbers that decide whether an enrolled phrase was said."""

    share: Share
    """Weight of the network's log-odds beside the nearness to the examples."""
    threshold: float
    """Score that is enough at the usual sensitivity."""
    span: Share
    """How much of the score the whole range of sensitivities is."""
    alike: float
    """Score below which an example is not like the others."""


class Background(NamedTuple):
    """Vectors of half an hour of talk in synthetic voices, standardised."""

    vectors: Vectors
    """float32[n, 96]"""
    mean: Vectors
    """float32[96], of the vectors before"""
    deviation: Vectors
    """float32[96]"""
    calibration: WakeCalibration


def load_background(library: Library) -> Background:
    """The background that ships; raises `ModelError`."""
    with np.load(io.BytesIO(library.read_file(MODEL, FILE)), allow_pickle=False) as arrays:
        vectors = arrays["vectors"].astype(np.float32) / STEPS_A_DEVIATION
        mean, deviation = arrays["mean"], arrays["deviation"]
    return Background(vectors, mean, deviation, read_calibration(library, MODEL, WakeCalibration))


def write_background(file: Path, vectors: Vectors) -> None:
    """Write the vectors of talk, float32[n, 96], as they ship."""
    mean, deviation = vectors.mean(axis=0), vectors.std(axis=0)
    steps = np.round((vectors - mean) / deviation * STEPS_A_DEVIATION)
    np.savez_compressed(
        file, vectors=np.clip(steps, -128, 127).astype(np.int8), mean=mean, deviation=deviation
    )
