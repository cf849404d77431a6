"""A small int8 model, and adapters for it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from assistant.core.models.adapter import ADAPTER, Adapter, Change, adapter_of, encoded, merge
from assistant.core.models.onnx import tensors
from assistant.core.models.onnx_writer import ModelFile

MATRIX: NDArray[np.int8] = np.array([[127, -3], [40, 127]], np.int8)
SCALES = np.array([0.5, 0.25], np.float32)


def int8_model(matrix: NDArray[np.int8] = MATRIX, scales: NDArray[np.float32] = SCALES) -> bytes:
    """`y = x · (matrix · scales)`, which is held as graph.py holds a layer's matrix."""
    made = ModelFile()
    whole, sizes = made.constant("m.int8", matrix), made.constant("m.scales", scales)
    made.node("DequantizeLinear", [whole, sizes], "m", axis=1)
    made.node("MatMul", ["x", "m"], "y")
    return made.serialized({"x": "float32[2]"}, {"y": "float32[2]"})


OWN = {"model.onnx": int8_model(), "labels.json": b'["a","b"]\n'}
"""The files of the program's own version of the model."""


def change(
    down: NDArray[np.int8], up: NDArray[np.int8], steps: NDArray[np.float32], name: str = "m"
) -> Change:
    """A change of a matrix by the product of two."""
    return Change(
        name=name, rank=len(up), down=down.tobytes(), up=up.tobytes(), steps=steps.tobytes()
    )


def small(seed: int) -> Change:
    """A change of rank 1 of the small model's matrix."""
    down, up = np.array([[3], [-2]], np.int8), np.array([[seed, 5]], np.int8)
    return change(down, up, np.array([0.125, 0.5], np.float32))


def adapter(seed: int) -> Adapter:
    """An adapter for the small model."""
    return adapter_of(OWN["model.onnx"], [small(seed)])


def update_of(seed: int) -> dict[str, bytes]:
    """The files of an update of the small model, which keeps its labels."""
    return {ADAPTER: encoded(adapter(seed))}


def updated(seed: int) -> dict[str, bytes]:
    """The files of the model that it makes."""
    return {**OWN, "model.onnx": merge(OWN["model.onnx"], adapter(seed), "the adapter")}


def adapter_by_chance(model: bytes, step: float, rank: int = 8) -> Adapter:
    """An adapter that adds random multiples of `step` to each int8 matrix of the model."""
    draw, held = np.random.default_rng(1), {tensor.name: tensor for tensor in tensors(model)}
    changes = []
    for name in (name.removesuffix(".scales") for name in held if name.endswith(".scales")):
        inner, outer = held[f"{name}.int8"].shape
        if held[f"{name}.scales"].shape == (outer,):
            sizes = ((inner, rank), (rank, outer))
            down, up = (draw.integers(-127, 128, size).astype(np.int8) for size in sizes)
            changes.append(change(down, up, np.full(outer, step, np.float32), name))
    return adapter_of(model, changes)
