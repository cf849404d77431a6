"""Adapters of a language model: what is added to its matrices, in eight bits.

For each of them the product of a thin matrix `up` [out, rank] and one `down` [rank, in] is added$
et al. 2021). An adapter is a NumPy archive with `NAME.up` and `NAME.down` in int8, and the sizes of
their steps, `NAME.up.steps` float32[out] and `NAME.down.steps` float32[rank].
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

_WHOLE = 127
Array = NDArray[np.float32]


def written(matrices: Iterable[tuple[str, Array, Array]]) -> bytes:
    """An adapter of the names, the `up` and the `down` matrices."""
    arrays: dict[str, NDArray[np.int8] | Array] = {}
    for name, *pair in matrices:
        for part, matrix in zip(("up", "down"), pair, strict=True):
            steps = np.maximum(np.abs(matrix).max(axis=1), 1e-9) / _WHOLE
            arrays[f"{name}.{part}"] = np.round(matrix / steps[:, None]).astype(np.int8)
            arrays[f"{name}.{part}.steps"] = steps.astype(np.float32)
    made = io.BytesIO()
    np.savez(made, allow_pickle=False, **arrays)
    return made.getvalue()


def read(content: bytes) -> dict[str, Array]:
    """The name of each matrix → what is added to it. Raises ValueError for what is no adapter."""
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as archive:
            arrays: Mapping[str, NDArray[np.float32]] = dict(archive)
        names = [name.removesuffix(".up") for name in arrays if name.endswith(".up")]
        return {name: _part(arrays, f"{name}.up") @ _part(arrays, f"{name}.down") for name in names}
    except (EOFError, KeyError, OSError, ValueError, zipfile.BadZipFile) as error:
        raise ValueError(f"it is no adapter: {error}") from error


def _part(arrays: Mapping[str, Array], name: str) -> Array:
    part: Array = arrays[name].astype(np.float32) * arrays[f"{name}.steps"][:, None]
    return part
