"""PocketSphinx's English acoustic model, and the map that moves its means to voices across a room.

The map is affine, one for each of the model's three streams of features (`models/training/acoustic`
fits it), in PocketSphinx's own format.
"""

from __future__ import annotations

from pathlib import Path

import pocketsphinx

from assistant.core.errors import ModelError
from assistant.core.models.manifest import Library

MODEL, FILE = "acoustic", "transform.mllr"
"""The map that ships, and its file."""

STREAMS, WIDTH = 3, 13
"""Streams of features, and numbers in each."""
STREAM_NUMBERS = 1 + WIDTH * WIDTH + 2 * WIDTH
"""Numbers of one stream: its width, a matrix, an offset, and what variances are multiplied by."""


def model_folder() -> Path:
    """The folder of the acoustic model."""
    return Path(pocketsphinx.get_model_path("en-us")) / "en-us"


def model_options(transform: Path | None = None) -> dict[str, str]:
    """PocketSphinx's options for the model; `transform` is the file of a map of its means."""
    moved = {} if transform is None else {"mllr": str(transform)}
    return {"hmm": str(model_folder()), **moved}


def transform_file(library: Library) -> Path:
    """The file of the map that ships; raises `ModelError` where it is missing, changed, or none."""
    content = library.read_file(MODEL, FILE)
    file = library.folder(MODEL) / FILE
    try:
        numbers_of(content.decode())
    except ValueError as error:
        message = f"{file}: {error}; {library.remedy(MODEL)}"
        raise ModelError("model.unusable", message) from error
    return file


def numbers_of(text: str) -> list[float]:
    """The numbers of a map's streams, one after the other; raises `ValueError` for another file."""
    numbers = [float(number) for number in text.split()]
    if numbers[:2] != [1, STREAMS] or len(numbers) != 2 + STREAMS * STREAM_NUMBERS:
        raise ValueError("it is no transform of three streams of 13 features")
    return numbers[2:]
