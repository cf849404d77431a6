"""Adapters: a small change of a model, merged on the device with the version that it was made for.

An adapter (LoRA, Hu et al. 2021) holds for each int8 matrix that it changes two thin ones, whose
product is added. The merged file has the base's length, and every byte of it is decided by the two:
products of the thin matrices are exact integers, and each later step is a single operation of IEEE
754 in a stated order, so that all machines make the same file. Its SHA-256 is in the adapter.

For the base's int8 `W` [in, out] with its `scales` [out], and the adapter's `down` [in, rank], `up`
[rank, out] and `steps` [out], in float64 except where it is said:

    P = down · up                                in int32
    V = W · scales + P · steps                   product, product, sum
    new scales = max(max |V| over in, 1e-9) / 127, then rounded to float32
    new W = V / new scales, rounded to the nearest whole number (half to even), at most 127
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from assistant.core.errors import ModelError
from assistant.core.models.onnx import Tensor, tensors
from assistant.core.models.versions import MALFORMED

ADAPTER = "model.adapter"
"""The name of an adapter's file."""
LARGEST_BYTES = 64_000_000
"""Most bytes of an adapter, which is read into memory."""
LARGEST_RANK = 64
_FLOAT32, _INT8 = 1, 3
"""ONNX's numbers of element types."""
_LEAST = 1e-9
_WHOLE = 127

Sha256 = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]


class Change(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is added to one matrix, which the base holds as `NAME.int8` and `NAME.scales`."""

    name: str
    rank: Annotated[int, Meta(ge=1, le=LARGEST_RANK)]
    down: bytes
    """int8[in, rank], row by row."""
    up: bytes
    """int8[rank, out], row by row."""
    steps: bytes
    """float32[out], little-endian: the value of 1 in each column of the product."""


class Adapter(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A change of one ONNX file."""

    format: Literal[1] = 1
    base: Sha256
    """The SHA-256 of the file that it changes."""
    merged: Sha256
    """The SHA-256 of the file that it makes."""
    changes: Annotated[tuple[Change, ...], Meta(min_length=1)]


def encoded(adapter: Adapter) -> bytes:
    """The adapter as a file."""
    return msgspec.msgpack.encode(adapter)


def decoded(content: bytes, where: str) -> Adapter:
    """The adapter of a file; raises `ModelError`."""
    try:
        return msgspec.msgpack.decode(content, type=Adapter)
    except MALFORMED as error:
        raise ModelError("model.adapter", f"{where} is no adapter: {error}") from error


def adapter_of(base: bytes, changes: Sequence[Change]) -> Adapter:
    """The adapter that makes these changes of the file `base`; raises as `merge` does."""
    made = _changed(base, changes)
    return Adapter(base=_sha256(base), merged=_sha256(made), changes=tuple(changes))


def merge(base: bytes, adapter: Adapter, where: str) -> bytes:
    """The file that the adapter makes of `base`; `where` names the adapter in errors.

    Needs the memory of the file twice more. Raises `ModelError` for another base, a change that
    does not fit it, and another result than recorded.
    """
    if _sha256(base) != adapter.base:
        message = f"{where} was made for another file than the one that is here; nothing is merged"
        raise ModelError("model.base", message)
    made = _changed(base, adapter.changes)
    if _sha256(made) != adapter.merged:
        message = f"{where} makes another file here than it should: its SHA-256 differs"
        raise ModelError("model.corrupt", message)
    return made


def _changed(base: bytes, changes: Sequence[Change]) -> bytes:
    # The tensors are views of these bytes, which are changed in their place.
    made = bytearray(base)
    held = {tensor.name: tensor for tensor in tensors(made)}
    names = [change.name for change in changes]
    if len(set(names)) != len(names):
        raise ModelError("model.adapter", "the adapter changes a matrix twice")
    for change in changes:
        _add(change, *_matrix(held, change.name))
    return bytes(made)


def _matrix(held: Mapping[str, Tensor], name: str) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """An int8 matrix [in, out] of the file and its scales [out], both to be written to."""
    whole, scales = held.get(f"{name}.int8"), held.get(f"{name}.scales")
    if (
        whole is None
        or scales is None
        or (whole.element, scales.element) != (_INT8, _FLOAT32)
        or len(whole.shape) != 2
        or scales.shape != whole.shape[1:]
        or (len(whole.data), len(scales.data)) != (_size(whole), 4 * _size(scales))
    ):
        message = f'the adapter changes "{name}", which is no int8 matrix with scales of the model'
        raise ModelError("model.adapter", message)
    matrix = np.frombuffer(whole.data, np.int8).reshape(whole.shape)
    return matrix, np.frombuffer(scales.data, "<f4")


def _add(change: Change, matrix: NDArray[np.int8], scales: NDArray[np.float32]) -> None:
    inner, outer = matrix.shape
    expected = (inner * change.rank, change.rank * outer, 4 * outer)
    if (len(change.down), len(change.up), len(change.steps)) != expected:
        message = f'the adapter\'s change of "{change.name}" does not fit its shape'
        raise ModelError("model.adapter", f"{message}, {inner} to {outer}")
    steps = np.frombuffer(change.steps, "<f4").astype(np.float64)
    if not np.isfinite(steps).all():
        message = f'the adapter\'s change of "{change.name}" has a step that is no finite number'
        raise ModelError("model.adapter", message)
    down = np.frombuffer(change.down, np.int8).reshape(inner, change.rank).astype(np.int32)
    up = np.frombuffer(change.up, np.int8).reshape(change.rank, outer).astype(np.int32)
    values = matrix.astype(np.float64) * scales.astype(np.float64)
    values += (down @ up).astype(np.float64) * steps
    peaks = np.abs(values).max(axis=0)
    scales[:] = (np.maximum(peaks, _LEAST) / _WHOLE).astype(np.float32)
    whole = np.rint(values / scales.astype(np.float64))
    matrix[:] = np.clip(whole, -_WHOLE, _WHOLE).astype(np.int8)


def _size(tensor: Tensor) -> int:
    return int(np.prod(tensor.shape, dtype=np.int64))


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
