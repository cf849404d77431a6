"""The nodes and tensors of an ONNX file, and its references to other files, without loading it.

This walks over the protobuf encoding (protobuf.dev/programming-guides/encoding) with the field
numbers of onnx.proto3. A tensor may name a file next to the model, which no hash of the model
covers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from assistant.core.errors import ModelError

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5

_TENSOR = "tensor"
_MESSAGES = {
    "model": {7: "graph", 20: "training", 25: "function"},
    "training": {1: "graph", 2: "graph"},
    "function": {7: "node", 11: "attribute"},
    "graph": {1: "node", 5: _TENSOR, 15: "sparse"},
    "node": {5: "attribute"},
    "attribute": {
        5: _TENSOR, 6: "graph", 10: _TENSOR, 11: "graph", 22: "sparse", 23: "sparse",
    },
    "sparse": {1: _TENSOR, 2: _TENSOR},
    _TENSOR: {},
}  # fmt: skip
"""Message → field number → kind of message in that field, for fields that may contain a tensor."""
_MODEL_GRAPH, _GRAPH_TENSOR = 7, 5
_DIMENSION, _ELEMENT, _NAME, _RAW_DATA, _EXTERNAL_DATA, _DATA_LOCATION = 1, 2, 8, 9, 13, 14
_MODEL_OPSET, _OPSET_DOMAIN, _OPSET_VERSION = 8, 1, 2
_GRAPH_NODE, _NODE_INPUT, _NODE_OUTPUT, _NODE_OPERATOR = 1, 1, 2, 4


class Tensor(NamedTuple):
    """An initializer of the main graph with its bytes; `element` is ONNX's number of its type."""

    name: str
    element: int
    shape: tuple[int, ...]
    data: memoryview
    """Its numbers, little-endian."""
    message: memoryview
    """All of it, as the file has it."""


class Node(NamedTuple):
    """A node of the main graph; an input that is left out is ""."""

    operator: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    message: memoryview
    """All of it, as the file has it."""


def opset(model: bytes) -> int:
    """The version of ONNX's own operators in a sound `model`."""
    imported = [dict(_fields(message)) for message in _all(memoryview(model), _MODEL_OPSET)]
    versions = (f.get(_OPSET_VERSION) for f in imported if not _text(f.get(_OPSET_DOMAIN)))
    return next(version for version in versions if isinstance(version, int))


def nodes(model: bytes) -> Iterator[Node]:
    """The nodes of a sound `model`'s main graph, in its order."""
    for graph in _all(memoryview(model), _MODEL_GRAPH):
        for message in _all(graph, _GRAPH_NODE):
            yield Node(
                next(map(_text, _all(message, _NODE_OPERATOR))),
                tuple(map(_text, _all(message, _NODE_INPUT))),
                tuple(map(_text, _all(message, _NODE_OUTPUT))),
                message,
            )


def tensors(model: bytes | bytearray) -> Iterator[Tensor]:
    """The initializers of a sound `model`'s main graph that are stored as raw bytes.

    Their data are views of `model`, which can be written to where it can.
    """
    for graph in _all(memoryview(model), _MODEL_GRAPH):
        for message in _all(graph, _GRAPH_TENSOR):
            fields = dict(_fields(message))
            data, element = fields.get(_RAW_DATA), fields.get(_ELEMENT)
            if isinstance(data, memoryview) and isinstance(element, int):
                shape = (v for n, v in _fields(message) if n == _DIMENSION and isinstance(v, int))
                yield Tensor(_text(fields.get(_NAME)), element, tuple(shape), data, message)


def external_tensors(model: bytes, where: str) -> Iterator[str]:
    """Names of the tensors of `model` whose data are in other files.

    Raises `ModelError`, which names `where`, when it is not an ONNX file.
    """
    try:
        yield from _walk(memoryview(model), "model")
    except (IndexError, RecursionError) as error:
        raise ModelError("model.not_onnx", f"{where} is no ONNX file") from error


def _walk(message: memoryview, kind: str) -> Iterator[str]:
    if kind == _TENSOR:
        fields = dict(_fields(message))
        if _EXTERNAL_DATA in fields or fields.get(_DATA_LOCATION):
            yield _text(fields.get(_NAME))
        return
    for number, value in _fields(message):
        below = _MESSAGES[kind].get(number)
        if below and isinstance(value, memoryview):
            yield from _walk(value, below)


def _all(message: memoryview, wanted: int) -> Iterator[memoryview]:
    return (v for n, v in _fields(message) if n == wanted and isinstance(v, memoryview))


def _text(value: int | memoryview | None) -> str:
    return bytes(value).decode("utf-8", "replace") if isinstance(value, memoryview) else ""


def _fields(message: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        wire = key & 7
        if wire == _VARINT:
            value, at = _varint(message, at)
            yield key >> 3, value
            continue
        if wire == _BYTES:
            size, at = _varint(message, at)
        elif wire in (_FIXED32, _FIXED64):
            size = 4 if wire == _FIXED32 else 8
        else:
            raise IndexError(f"wire type {wire}")
        if at + size > len(message):
            raise IndexError("a field ends after its message")
        yield key >> 3, message[at : at + size]
        at += size


def _varint(message: memoryview, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise IndexError("a number has more than ten bytes")
