"""Writing ONNX files without the package onnx, which only training needs.

The field numbers are those of onnx.proto3, and the encoding is protobuf's
(protobuf.dev/programming-guides/encoding).
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

_ELEMENTS = {"float32": 1, "uint8": 2, "int8": 3, "int32": 6, "int64": 7, "bool": 9}
_VARINT, _BYTES, _FIXED32 = 0, 2, 5
_FLOAT, _INT, _STRING, _INTS = 1, 2, 3, 7
"""Kinds of attributes."""
OPSET, IR = 17, 8
FUSED = "com.microsoft"
"""The domain of onnxruntime's own operators."""

Attribute = int | float | str | Sequence[int]
Size = int | str


@dataclass
class ModelFile:
    """A model under construction: its nodes and constants so far."""

    nodes: list[bytes] = field(default_factory=list)
    constants: list[bytes] = field(default_factory=list)
    opset: int = OPSET

    def node(
        self,
        operator: str,
        inputs: Sequence[str],
        outputs: str | Sequence[str],
        domain: str = "",
        **attributes: Attribute,
    ) -> str:
        """Add a node and return its first output; "" stands for an omitted input or output."""
        made = [outputs] if isinstance(outputs, str) else list(outputs)
        parts = [_text(1, name) for name in inputs] + [_text(2, name) for name in made]
        parts += [_text(3, made[0]), _text(4, operator)]
        parts += [_message(5, _attribute(name, value)) for name, value in attributes.items()]
        self.nodes.append(b"".join([*parts, _text(7, domain)]))
        return made[0]

    def constant(self, name: str, value: NDArray[Any]) -> str:
        """Add a constant and return its name."""
        dims = b"".join(_number(1, size) for size in value.shape)
        element = _number(2, _ELEMENTS[str(value.dtype)])
        raw = _message(9, np.ascontiguousarray(value).tobytes())
        self.constants.append(dims + element + _text(8, name) + raw)
        return name

    def serialized(self, inputs: Mapping[str, str], outputs: Mapping[str, str]) -> bytes:
        """The model's bytes; types are given as in the manifest, such as "int64[batch, tokens]"."""
        graph = [_message(1, node) for node in self.nodes]
        graph += [_text(2, "graph"), *(_message(5, constant) for constant in self.constants)]
        graph += [_message(11, _argument(*item)) for item in inputs.items()]
        graph += [_message(12, _argument(*item)) for item in outputs.items()]
        opsets = [_text(1, "") + _number(2, self.opset), _text(1, FUSED) + _number(2, 1)]
        opset_fields = b"".join(_message(8, opset) for opset in opsets)
        return _number(1, IR) + opset_fields + _message(7, b"".join(graph))


def _argument(name: str, type_: str) -> bytes:
    element, _, shape = type_.rstrip("]").partition("[")
    sizes = [size.strip() for size in shape.split(",")] if shape else []
    dims = (_number(1, int(s)) if s.isdigit() else _text(2, s) for s in sizes)
    tensor = _number(1, _ELEMENTS[element]) + _message(2, b"".join(_message(1, d) for d in dims))
    return _text(1, name) + _message(2, _message(1, tensor))


def _attribute(name: str, value: Attribute) -> bytes:
    if isinstance(value, int):
        return _text(1, name) + _number(3, value) + _number(20, _INT)
    if isinstance(value, float):
        number = _varint(2 << 3 | _FIXED32) + struct.pack("<f", value)
        return _text(1, name) + number + _number(20, _FLOAT)
    if isinstance(value, str):
        return _text(1, name) + _message(4, value.encode()) + _number(20, _STRING)
    return _text(1, name) + b"".join(_number(8, v) for v in value) + _number(20, _INTS)


def _text(number: int, value: str) -> bytes:
    return _message(number, value.encode())


def _message(number: int, value: bytes) -> bytes:
    return _varint(number << 3 | _BYTES) + _varint(len(value)) + value


def _number(number: int, value: int) -> bytes:
    return _varint(number << 3 | _VARINT) + _varint(value & (1 << 64) - 1)


def _varint(value: int) -> bytes:
    made = bytearray()
    while value > 0x7F:
        made.append(value & 0x7F | 0x80)
        value >>= 7
    made.append(value)
    return bytes(made)
