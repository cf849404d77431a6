"""A whisper model of a few kilobytes that says a given sentence, whatever it hears.

All weights are zero but the decoder's positions: at each place the position alone decides the next
token, through layers that only pass it on. CTranslate2 and faster-whisper run it like any other.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import tokenizers
from ctranslate2.specs import WhisperSpec
from ctranslate2.specs.model_spec import LayerSpec
from tokenizers import decoders, models, pre_tokenizers

WIDTH = 64
MELS = 80
ENCODER_PLACES = 1500
DECODER_PLACES = 448
SPECIAL = ("<|endoftext|>", "<|startoftranscript|>", "<|nospeech|>", "<|notimestamps|>")
STAMPS = tuple(f"<|{n * 0.02:.2f}|>" for n in range(1501))


def write_whisper(folder: Path, says: list[str], no_speech: bool = False) -> Path:
    """Write the model that says the words of `says` in turn."""
    tokens = ["Ġ" + word for word in dict.fromkeys(says)]
    vocabulary = [*tokens, *SPECIAL, *STAMPS]
    folder.mkdir(parents=True, exist_ok=True)
    _write_tokenizer(folder, vocabulary)
    spec = WhisperSpec(1, 1, 1, 1)
    _fill(spec, len(vocabulary))
    script = [vocabulary.index("Ġ" + word) for word in says]
    script.append(vocabulary.index("<|endoftext|>"))
    positions = np.zeros((DECODER_PLACES, WIDTH), np.float32)
    projection = np.zeros((len(vocabulary), WIDTH), np.float32)
    for place, token in enumerate(script, start=1):  # 0 is <|startoftranscript|>
        positions[place, place] = 8.0
        projection[token, place] += 8.0
    positions[0, 0] = 8.0
    projection[vocabulary.index("<|nospeech|>"), 0] = 8.0 if no_speech else -8.0
    spec.decoder.position_encodings.encodings = positions
    spec.decoder.projection.weight = projection
    spec.register_vocabulary(vocabulary)
    spec.config.suppress_ids = []
    spec.config.suppress_ids_begin = []
    spec.config.alignment_heads = [(0, 0)]
    spec.config.lang_ids = []
    spec.validate()
    spec.save(str(folder))
    return folder


def _write_tokenizer(folder: Path, vocabulary: list[str]) -> None:
    numbered = {token: number for number, token in enumerate(vocabulary)}
    tokenizer = tokenizers.Tokenizer(models.WordLevel(numbered, unk_token="<|endoftext|>"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([*SPECIAL, *STAMPS])
    tokenizer.save(str(folder / "tokenizer.json"))


def _fill(spec: WhisperSpec, vocabulary: int) -> None:
    """Zeros of the right shapes everywhere, ones in the layer norms."""

    def zeros(*shape: int) -> np.ndarray:
        return np.zeros(shape, np.float32)

    def linear(layer: LayerSpec, outputs: int, inputs: int) -> None:
        layer.weight, layer.bias = zeros(outputs, inputs), zeros(outputs)

    def norm(layer: LayerSpec) -> None:
        layer.gamma, layer.beta = np.ones(WIDTH, np.float32), zeros(WIDTH)

    def attention(layer: LayerSpec, own: bool) -> None:
        norm(layer.layer_norm)
        sizes = (3, 1) if own else (1, 2, 1)
        for part, size in zip(layer.linear, sizes, strict=True):
            linear(part, size * WIDTH, WIDTH)

    def feed_forward(layer: LayerSpec) -> None:
        norm(layer.layer_norm)
        linear(layer.linear_0, WIDTH, WIDTH)
        linear(layer.linear_1, WIDTH, WIDTH)

    encoder, decoder = spec.encoder, spec.decoder
    for convolution, inputs in ((encoder.conv1, MELS), (encoder.conv2, WIDTH)):
        convolution.weight, convolution.bias = zeros(WIDTH, inputs, 3), zeros(WIDTH)
    encoder.position_encodings.encodings = zeros(ENCODER_PLACES, WIDTH)
    norm(encoder.layer_norm)
    norm(decoder.layer_norm)
    decoder.embeddings.weight = zeros(vocabulary, WIDTH)
    for layer in (*encoder.layer, *decoder.layer):
        attention(layer.self_attention, own=True)
        feed_forward(layer.ffn)
    for layer in decoder.layer:
        attention(layer.attention, own=False)
