"""What several models have in common, in memory once for all processes.

The models of understanding and of reading were trained with one tokenizer and one table of word
embeddings, and the files of each contain both. The zygote loads them before it forks; a session
that is opened later uses that memory in place of its own copy (onnxruntime's `AddInitializer`).
"""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assistant.core.errors import ModelError
from assistant.core.models.manifest import SHIPPED, Library
from assistant.core.models.onnx import tensors
from assistant.core.models.tokens import keep_tokenizer

Table = NDArray[np.integer[Any]]

SOURCE = "ner"
"""The shipped model whose tokenizer and tables are kept."""
LARGE_BYTES = 1_000_000
KEPT: list[Table] = []
_ELEMENTS = {2: np.uint8, 3: np.int8}
"""ONNX's numbers of the element types that tables are stored in."""

log = logging.getLogger(__name__)


def keep_shared() -> None:
    """Keep what models share with `SOURCE`; when it is damaged, each has its own copy."""
    library = Library(SHIPPED)
    try:
        keep(library.read_file(SOURCE, "model.onnx"))
        keep_tokenizer(library.read_file(SOURCE, "tokenizer.json"))
    except ModelError as error:
        log.warning("models share nothing: %s (%s)", error.message, error.code)


def keep(model: bytes) -> None:
    """Keep the large tensors of a sound ONNX file for as long as the process lives."""
    # Copies: a view would keep the whole file in memory.
    KEPT.extend(table.copy() for _, table in _tables(model))


def shared(model: bytes) -> Iterator[tuple[str, Table]]:
    """The tensors of a sound ONNX file that are kept already, as (name, kept copy)."""
    for name, table in _tables(model) if KEPT else ():
        for kept in KEPT:
            if kept.dtype == table.dtype and np.array_equal(kept, table):
                yield name, kept


def _tables(model: bytes) -> Iterator[tuple[str, Table]]:
    for name, element, shape, data, _ in tensors(model):
        if element in _ELEMENTS and math.prod(shape) == len(data) >= LARGE_BYTES:
            yield name, np.frombuffer(data, _ELEMENTS[element]).reshape(shape)
