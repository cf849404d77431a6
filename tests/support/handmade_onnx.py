"""ONNX files written byte by byte (onnx.proto3), so that tests need no package to make them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

FLOAT, INT64 = 1, 7


def varint(value: int) -> bytes:
    """Seven bits a byte, the lowest first; negative numbers take ten bytes."""
    value &= (1 << 64) - 1
    low, rest = value & 0x7F, value >> 7
    return bytes([low | 0x80]) + varint(rest) if rest else bytes([low])


def field(number: int, value: int | str | bytes) -> bytes:
    """One protobuf field: a number, or text or a message with its length."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    content = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(content)) + content


def argument(name: str, element: int, *shape: int | str) -> bytes:
    """A ValueInfoProto; a dimension is a number or a name."""
    dims = b"".join(field(1, field(1 if isinstance(d, int) else 2, d)) for d in shape)
    return field(1, name) + field(2, field(1, field(1, element) + field(2, dims)))


def tensor(name: str, element: int, values: Sequence[float]) -> bytes:
    """A TensorProto of one dimension."""
    raw = np.array(values, np.float32 if element == FLOAT else np.int64).tobytes()
    return field(1, len(values)) + field(2, element) + field(8, name) + field(9, raw)


def node(operator: str, inputs: Sequence[str], output: str, attribute: bytes = b"") -> bytes:
    """A NodeProto."""
    arguments = b"".join(field(1, name) for name in inputs) + field(2, output)
    return arguments + field(4, operator) + (field(5, attribute) if attribute else b"")


def model(
    nodes: Sequence[bytes], tensors: Sequence[bytes], inputs: Sequence[bytes], output: bytes
) -> bytes:
    """A ModelProto of opset 13."""
    graph = b"".join(field(1, n) for n in nodes) + field(2, "g")
    graph += b"".join(field(5, t) for t in tensors) + b"".join(field(11, i) for i in inputs)
    return field(1, 8) + field(8, field(2, 13)) + field(7, graph + field(12, output))


def adding_model(weights: bytes = b"") -> bytes:
    """`y = x + w` with w = [1, 2], or with `weights` as w's TensorProto."""
    return model(
        [node("Add", ["x", "w"], "y")],
        [weights or tensor("w", FLOAT, [1, 2])],
        [argument("x", FLOAT, 2)],
        argument("y", FLOAT, 2),
    )


def buzzing_model() -> bytes:
    """A Piper voice that gives 200 samples for each phoneme, as loud as its number."""
    to_float = field(1, "to") + field(3, FLOAT) + field(20, 2)
    return model(
        [
            node("Cast", ["input"], "numbers", to_float),
            node("Tile", ["numbers", "repeats"], "tiled"),
            node("Reshape", ["tiled", "shape"], "output"),
        ],
        [tensor("repeats", INT64, [1, 200]), tensor("shape", INT64, [1, 1, 1, -1])],
        [
            argument("input", INT64, 1, "phonemes"),
            argument("input_lengths", INT64, 1),
            argument("scales", FLOAT, 3),
        ],
        argument("output", FLOAT, 1, 1, 1, "samples"),
    )
