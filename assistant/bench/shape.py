"""Sizes of decoders for benches, and random weights for them."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]


class ModelShape(msgspec.Struct, frozen=True, kw_only=True):
    """A decoder's sizes; `paired` reads each token with the one before, as ours does."""

    words: int
    layers: int
    width: int
    heads: int
    positions: int
    paired: bool = False

    def weights(self, seed: int = 0) -> dict[str, Array]:
        """Random weights by the names that `assistant.answer.generation.decoder_graph` reads."""
        draw, width = np.random.default_rng(seed), self.width

        def some(*size: int) -> Array:
            return draw.standard_normal(size, np.float32) * np.float32(0.02)

        made = {"words.weight": some(self.words, width)}
        if self.paired:
            made["before.weight"] = some(width, width)
        else:
            made["positions.weight"] = some(self.positions, width)
        norms = ["norm"]
        for layer in range(self.layers):
            name = f"layers.{layer}"
            norms += [f"{name}.norm1", f"{name}.norm2"]
            made[f"{name}.qkv.weight"] = some(3 * width, width)
            for part, rows, columns in (("out", 1, 1), ("up", 4, 1), ("down", 1, 4)):
                made[f"{name}.{part}.weight"] = some(rows * width, columns * width)
                made[f"{name}.{part}.bias"] = some(rows * width)
        for norm in norms:
            made[f"{norm}.weight"], made[f"{norm}.bias"] = np.ones(width, np.float32), some(width)
        return made


OWN = ModelShape(words=5000, layers=4, width=384, heads=6, positions=320, paired=True)
"""Sizes of the shipped generator."""
NEO = ModelShape(words=50_257, layers=12, width=768, heads=12, positions=2048)
"""Sizes of GPT-Neo-125M (Black et al. 2021); GPT-2's smallest has the same."""
NEO_WINDOW = 256
