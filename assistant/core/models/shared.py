"""Large tensors that several models have in common, in memory once for all processes.

The models of understanding and of reading were trained with one table of word embeddings, and each
file contains it. The zygote loads the table before it forks; a session that is opened later uses
that memory in place of its own copy (onnxruntime's `AddInitializer`).
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

Table = NDArray[np.integer[Any]]

SOURCE = "ner"
"""The shipped model whose tables are kept."""
LARGE_BYTES = 1_000_000
KEPT: list[Table] = []
_ELEMENTS = {2: np.uint8, 3: np.int8}
"""ONNX's numbers of the element types that tables are stored in."""

log = logging.getLogger(__name__)


def keep_tables() -> None:
    """Keep the tables of `SOURCE`; when it is damaged, each model has its own copy."""
    try:
        keep(Library(SHIPPED).read_file(SOURCE, "model.onnx"))
    except ModelError as error:
        log.warning("models share no table: %s (%s)", error.message, error.code)


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
    for name, element, shape, data in tensors(model):
        if element in _ELEMENTS and math.prod(shape) == len(data) >= LARGE_BYTES:
            yield name, np.frombuffer(data, _ELEMENTS[element]).reshape(shape)
