"""Matrices in eight bits, as onnxruntime's `MatMulNBits` multiplies them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from assistant.core.models.onnx_writer import FUSED, ModelFile

Array = NDArray[np.float32]

BLOCK = 32
"""Number of weights that share a scale; onnxruntime quantizes activations by the same blocks."""
ZERO = 128
"""The code of a weight of 0."""
_INT8 = 4
"""Accuracy level that stands for int8 activations."""


def blocks(weight: Array) -> tuple[NDArray[np.uint8], Array]:
    """W [out, in] as codes uint8[out, blocks, BLOCK] around 128 and scales float32[out, blocks]."""
    rows, columns = weight.shape
    parts = weight.reshape(rows, columns // BLOCK, BLOCK)
    scales = np.maximum(np.abs(parts).max(axis=2), 1e-9) / 127
    codes = np.round(parts / scales[..., None]) + ZERO
    return codes.astype(np.uint8), scales.astype(np.float32)


def matrix(file: ModelFile, name: str, weight: Array, embeds: bool = False) -> str:
    """Write W [out, in] as constants of that `name`; with `embeds`, `rows` can read it, too."""
    codes, scales = blocks(weight)
    file.constant(f"{name}.codes", codes)
    file.constant(f"{name}.scales", scales.reshape(-1))
    if embeds:
        file.constant(f"{name}.sizes", scales[..., None])
        file.constant(f"{name}.zero", np.array(ZERO, np.float32))
    return name


def rows(file: ModelFile, name: str, ids: str, shape: Sequence[int]) -> str:
    """Write the rows of the matrix `name` that `ids` number; 0 in `shape` is a size of `ids`."""
    codes = file.node("Gather", [f"{name}.codes", ids], f"{ids}.rows")
    wide = file.node("Cast", [codes], f"{ids}.wide", to=1)
    centred = file.node("Sub", [wide, f"{name}.zero"], f"{ids}.centred")
    sizes = file.node("Gather", [f"{name}.sizes", ids], f"{ids}.sizes")
    values = file.node("Mul", [centred, sizes], f"{ids}.values")
    wanted = file.constant(f"{ids}.shape", np.array(shape, np.int64))
    return file.node("Reshape", [values, wanted], f"{ids}.embedded")


def product(
    file: ModelFile, output: str, x: str, name: str, shape: tuple[int, ...], bias: str = ""
) -> str:
    """Write x · Wᵀ + b as `output`, for the matrix `name` of the `shape` [out, in]."""
    inputs = [x, f"{name}.codes", f"{name}.scales", *(["", "", bias] if bias else [])]
    sizes = {"K": shape[1], "N": shape[0], "bits": 8, "block_size": BLOCK}
    return file.node("MatMulNBits", inputs, output, FUSED, accuracy_level=_INT8, **sizes)
