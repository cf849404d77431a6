"""Reads the weights of a CTranslate2 model, `model.bin`, in 16 or 32 bits.

The layout is that of ctranslate2/specs/model_spec.py.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

_ELEMENTS = {0: np.float32, 1: np.int8, 2: np.int16, 3: np.int32, 4: np.float16}
_VERSION = 6

Weights = Mapping[str, NDArray[Any]]


def read_weights(content: bytes) -> Weights:
    """Name → array of the file's own type. Raises ValueError for what is no such file."""
    reader = _Reader(content)
    try:
        version, _, _ = reader.number("I"), reader.text(), reader.number("I")
        if version != _VERSION:
            raise ValueError(f"it is of version {version}, not {_VERSION}")
        found = dict(reader.array() for _ in range(reader.number("I")))
        for _ in range(reader.number("I")):
            alias, name = reader.text(), reader.text()
            found[alias] = found[name]
    except (struct.error, KeyError, UnicodeDecodeError) as error:
        raise ValueError(f"it cannot be read: {error!r}") from error
    return found


class _Reader:
    def __init__(self, content: bytes) -> None:
        self._content, self._at = content, 0

    def number(self, kind: str) -> int:
        (value,) = struct.unpack_from(f"<{kind}", self._content, self._at)
        self._at += struct.calcsize(kind)
        return int(value)

    def text(self) -> str:
        """A name, which ends with a byte of 0."""
        length = self.number("H")
        text = self._content[self._at : self._at + length - 1].decode()
        self._at += length
        return text

    def array(self) -> tuple[str, NDArray[Any]]:
        name = self.text()
        shape = [self.number("I") for _ in range(self.number("B"))]
        element = np.dtype(_ELEMENTS[self.number("B")])
        size = self.number("I")
        values = np.frombuffer(self._content, element, size // element.itemsize, self._at)
        self._at += size
        return name, values.reshape(shape)
