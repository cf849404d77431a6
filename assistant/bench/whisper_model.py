"""Whisper models made here: any shape and weights, in the files that faster-whisper loads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import tokenizers
from ctranslate2.specs.whisper_spec import WhisperSpec
from numpy.typing import NDArray
from tokenizers import decoders, models, pre_tokenizers

Draw = Callable[..., NDArray[np.float32]]
"""Gives weights of a size."""


class WhisperShape(msgspec.Struct, frozen=True, kw_only=True):
    """A whisper model's sizes."""

    layers: int
    width: int
    heads: int
    mels: int = 80
    places: int = 1500
    """Places of the encoder's output: half of 30 s of mel frames."""
    text_places: int = 448


TINY = WhisperShape(layers=4, width=384, heads=6)
"""The shape of tiny.en (Radford et al. 2022)."""


def write_tokenizer(folder: Path, words: Sequence[str], special: Sequence[str]) -> None:
    """Write a tokenizer that has a token for each of `words`, and `special` ones after them."""
    numbered = {token: number for number, token in enumerate((*words, *special))}
    tokenizer = tokenizers.Tokenizer(models.WordLevel(numbered, unk_token=special[0]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(list(special))
    tokenizer.save(str(folder / "tokenizer.json"))


def specified(shape: WhisperShape, vocabulary: Sequence[str], draw: Draw) -> Any:
    """A model of `shape` whose weights `draw` gives, to be changed and saved."""
    spec: Any = WhisperSpec(  # type: ignore[no-untyped-call]
        shape.layers, shape.heads, shape.layers, shape.heads
    )
    _fill(spec, shape, len(vocabulary), draw)
    spec.register_vocabulary(list(vocabulary))
    spec.config.suppress_ids = []
    spec.config.suppress_ids_begin = []
    spec.config.alignment_heads = [(shape.layers - 1, 0)]
    spec.config.lang_ids = []
    return spec


def _fill(spec: Any, shape: WhisperShape, words: int, draw: Draw) -> None:
    width = shape.width

    def linear(layer: Any, outputs: int, inputs: int) -> None:
        layer.weight, layer.bias = draw(outputs, inputs), draw(outputs)

    def norm(layer: Any) -> None:
        layer.gamma, layer.beta = np.ones(width, np.float32), draw(width)

    def attention(layer: Any, own: bool) -> None:
        norm(layer.layer_norm)
        sizes = (3, 1) if own else (1, 2, 1)
        for part, size in zip(layer.linear, sizes, strict=True):
            linear(part, size * width, width)

    encoder, decoder = spec.encoder, spec.decoder
    for convolution, inputs in ((encoder.conv1, shape.mels), (encoder.conv2, width)):
        convolution.weight, convolution.bias = draw(width, inputs, 3), draw(width)
    encoder.position_encodings.encodings = draw(shape.places, width)
    norm(encoder.layer_norm)
    norm(decoder.layer_norm)
    decoder.embeddings.weight = draw(words, width)
    decoder.position_encodings.encodings = draw(shape.text_places, width)
    decoder.projection.weight = decoder.embeddings.weight
    for layer in (*encoder.layer, *decoder.layer):
        attention(layer.self_attention, own=True)
        norm(layer.ffn.layer_norm)
        linear(layer.ffn.linear_0, 4 * width, width)
        linear(layer.ffn.linear_1, width, 4 * width)
    for layer in decoder.layer:
        attention(layer.attention, own=False)
