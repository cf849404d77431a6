"""What onnxruntime's fused attention needs in a graph: the number of tokens, and waves."""

from __future__ import annotations

import numpy as np

from assistant.core.models.onnx_writer import ModelFile


def write_lengths(file: ModelFile) -> None:
    """Write "lengths", the last token's index, and "total", the number of tokens."""
    one = file.constant("one", np.array([1], np.int64))
    count = file.node("ReduceSum", ["attention_mask", one], "count", keepdims=0)
    index = file.node("Sub", [count, one], "index")
    file.node("Cast", [index], "lengths", to=6)
    shape = file.node("Shape", ["attention_mask"], "shape")
    total = file.node("Gather", [shape, file.constant("first", np.array(1, np.int64))], "wide")
    file.node("Cast", [total], "total", to=6)


def write_waves(file: ModelFile, head: int, base: float, positions: int) -> None:
    """Write "cosines" and "sines" of rotary positions (Su et al. 2021) for heads of this width."""
    lengths = base ** -(np.arange(0, head, 2) / head)
    angles = np.arange(positions)[:, None] * lengths
    file.constant("cosines", np.cos(angles).astype(np.float32))
    file.constant("sines", np.sin(angles).astype(np.float32))
