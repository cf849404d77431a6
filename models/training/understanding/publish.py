"""Writes a training's adapter as it ships.

`python -m models.training.understanding.publish CHECKPOINT FILE`
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from assistant.core.causal import low_rank
from models.training.understanding.llama import SCALE

_DOWN, _UP = ".down", ".up"


def main(checkpoint: Path, file: Path) -> None:
    """Write the adapter of a checkpoint."""
    learned: dict[str, torch.Tensor] = torch.load(checkpoint)["adapter"]
    file.write_bytes(low_rank.written(_matrices(learned)))


def _matrices(
    learned: dict[str, torch.Tensor],
) -> Iterator[tuple[str, NDArray[np.float32], NDArray[np.float32]]]:
    for key in learned:
        if key.endswith(_DOWN):
            _, layer, _, linear, _ = key.split(".")  # layers.8.linears.attn_q.down
            up, down = (
                learned[key.removesuffix(_DOWN) + part].float().numpy() for part in (_UP, _DOWN)
            )
            yield f"blk.{layer}.{linear}", up * SCALE, down


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:3]))
