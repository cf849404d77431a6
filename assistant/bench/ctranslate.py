"""A decoder of GPT-2's shape with random weights in CTranslate2, for comparison with onnxruntime.

CTranslate2 cannot load GPT-Neo (unscaled attention, layers with windows); GPT-2 of the same size
does the same work for each token.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from typing import Any

import ctranslate2
import numpy as np
from ctranslate2.specs.common_spec import Activation
from ctranslate2.specs.transformer_spec import TransformerDecoderModelSpec

from assistant.bench.shape import ModelShape


def tokens_per_s(
    shape: ModelShape, threads: int, prompt: int, tokens: int, clock: Callable[[], float]
) -> float:
    """Greedy tokens a second after a prompt, int8, batch 1; the prompt's own time is subtracted."""
    with tempfile.TemporaryDirectory(prefix="hark-bench-") as folder:
        _spec(shape).save(folder)
        model = ctranslate2.Generator(  # type: ignore[attr-defined]
            folder, device="cpu", compute_type="int8", inter_threads=1, intra_threads=threads
        )
        given = [f"w{n % shape.words}" for n in range(prompt)]

        def taken_s(count: int) -> float:
            began_s = clock()
            model.generate_batch(
                [given],
                max_length=count,
                min_length=count,
                sampling_topk=1,
                include_prompt_in_result=False,
            )
            return clock() - began_s

        taken_s(1)
        first, all_of_them = (min(taken_s(count) for _ in range(3)) for count in (1, tokens))
        return (tokens - 1) / (all_of_them - first)


def _spec(shape: ModelShape) -> Any:
    spec = TransformerDecoderModelSpec.from_config(
        shape.layers, shape.heads, pre_norm=True, activation=Activation.GELUTanh
    )
    draw = np.random.default_rng(0)

    def some(*size: int) -> Any:
        return draw.standard_normal(size, np.float32) * np.float32(0.02)

    def norm(part: Any) -> None:
        part.gamma, part.beta = np.ones(shape.width, np.float32), some(shape.width)

    decoder = spec.decoder
    decoder.scale_embeddings = False
    decoder.embeddings.weight = some(shape.words, shape.width)
    decoder.projection.weight = decoder.embeddings.weight
    decoder.position_encodings.encodings = some(shape.positions, shape.width)
    norm(decoder.layer_norm)
    for layer in decoder.layer:
        norm(layer.self_attention.layer_norm)
        norm(layer.ffn.layer_norm)
        sizes = (
            (layer.self_attention.linear[0], 3, 1),
            (layer.self_attention.linear[1], 1, 1),
            (layer.ffn.linear_0, 4, 1),
            (layer.ffn.linear_1, 1, 4),
        )
        for part, rows, columns in sizes:
            part.weight = some(rows * shape.width, columns * shape.width)
            part.bias = some(rows * shape.width)
    spec.register_vocabulary([f"w{n}" for n in range(shape.words)])
    spec.validate()
    spec.optimize(quantization="int8")
    return spec
