"""Whisper's decoder as ONNX graphs in eight bits, made of CTranslate2's weights.

Unlike CTranslate2's own search, its step gives the likelihood of every next piece, and keeps what
it has read for as many texts at once as are still in question. There are two graphs: one reads the
encoder's output once, one takes a further piece of each text.
"""

from __future__ import annotations

import numpy as np

from assistant.core.models import int8
from assistant.core.models.onnx_writer import FUSED, ModelFile
from audio.asr.constrained.weights import Weights

_HEADS = "decoder/num_heads"
_WORDS = "decoder/embeddings/weight"
_SCORES = "decoder/projection/weight"
_PLACES = "decoder/position_encodings/encodings"


def heard_graph(weights: Weights) -> bytes:
    """From the encoder's output, float32[frames, width], each layer's keys and values of it."""
    writer = _Writer(weights)
    outputs = {}
    for layer in range(writer.layers):
        both = writer.linear("encoded", f"decoder/layer_{layer}/attention/linear_1")
        halves = [f"{both}.key", f"{both}.value"]
        writer.file.node("Split", [both], halves, axis=1)
        for half, name, order in zip(halves, heard(layer), ((1, 2, 0), (1, 0, 2)), strict=True):
            split = writer.reshaped(half, (-1, writer.heads, writer.head))
            writer.file.node("Transpose", [split], name, perm=order)
        key, value = heard(layer)
        outputs[key] = f"float32[{writer.heads}, {writer.head}, frames]"
        outputs[value] = f"float32[{writer.heads}, frames, {writer.head}]"
    return writer.file.serialized({"encoded": f"float32[frames, {writer.width}]"}, outputs)


def step_graph(weights: Weights) -> bytes:
    """From a piece of each text, and its place, the log-probabilities of what may be the next."""
    return _Writer(weights).step()


def layers_of(weights: Weights) -> int:
    """How many layers the decoder has."""
    last = "/self_attention/linear_0/weight"
    return sum(name.startswith("decoder/") and name.endswith(last) for name in weights)


def heads_of(weights: Weights) -> tuple[int, int]:
    """The number of heads of the decoder's attention, and their width."""
    heads = int(weights[_HEADS])
    return heads, int(weights[_WORDS].shape[1]) // heads


def heard(layer: int) -> tuple[str, str]:
    """The names of a layer's keys and values of the sound."""
    return f"heard.{layer}.key", f"heard.{layer}.value"


def past(layer: int) -> tuple[str, str]:
    """The names of a layer's keys and values of the pieces before."""
    return f"past.{layer}.key", f"past.{layer}.value"


def present(layer: int) -> tuple[str, str]:
    """The names of those after a further piece."""
    return f"present.{layer}.key", f"present.{layer}.value"


class _Writer:
    def __init__(self, weights: Weights) -> None:
        self.weights, self.file = weights, ModelFile()
        self.layers = layers_of(weights)
        self.heads, self.head = heads_of(weights)
        self.width = self.heads * self.head

    def step(self) -> bytes:
        file, words = self.file, self.weights[_WORDS]
        table = int8.matrix(file, "words", words.astype(np.float32), embeds=True)
        embedded = int8.rows(file, table, "piece", (0, self.width))
        places = file.constant("places", self.weights[_PLACES].astype(np.float32))
        x = file.node(
            "Add", [embedded, file.node("Gather", [places, "place"], "placed")], "embedded"
        )
        inputs = {"piece": "int64[texts]", "place": "int64[1]"}
        outputs = {"likelihoods": f"float32[texts, {words.shape[0]}]"}
        cache = f"float32[texts, {self.heads}, {{}}, {self.head}]"
        for layer in range(self.layers):
            x = self._layer(layer, x)
            key, value = heard(layer)
            inputs[key] = f"float32[{self.heads}, {self.head}, frames]"
            inputs[value] = f"float32[{self.heads}, frames, {self.head}]"
            inputs |= dict.fromkeys(past(layer), cache.format("before"))
            outputs |= dict.fromkeys(present(layer), cache.format("now"))
        normed = self._norm(x, "decoder/layer_norm")
        if self.weights[_SCORES] is not words:  # in OpenAI's models they are the same
            table = int8.matrix(file, "scoring", self.weights[_SCORES].astype(np.float32))
        scores = int8.product(file, "scores", normed, table, words.shape)
        file.node("LogSoftmax", [scores], "likelihoods", axis=-1)
        return file.serialized(inputs, outputs)

    def _layer(self, layer: int, x: str) -> str:
        name = f"decoder/layer_{layer}"
        normed = self._norm(x, f"{name}/self_attention/layer_norm")
        x = self._add(
            x, self._remembered(layer, self.linear(normed, f"{name}/self_attention/linear_0"))
        )
        normed = self._norm(x, f"{name}/attention/layer_norm")
        x = self._add(x, self._listened(layer, self.linear(normed, f"{name}/attention/linear_0")))
        normed = self._norm(x, f"{name}/ffn/layer_norm")
        wide = self.linear(normed, f"{name}/ffn/linear_0")
        curved = self.file.node("Gelu", [wide], f"{wide}.curved", FUSED)
        return self._add(x, self.linear(curved, f"{name}/ffn/linear_1"))

    def _remembered(self, layer: int, mixed: str) -> str:
        """Attention to the pieces before; `mixed` are queries, keys and values of the new ones."""
        file = self.file
        parts = [f"{mixed}.{part}" for part in ("query", "key", "value")]
        file.node("Split", [mixed], parts, axis=1)
        query, *new = (self.reshaped(part, (-1, self.heads, 1, self.head)) for part in parts)
        key, value = (
            file.node("Concat", [old, one], now, axis=2)
            for old, one, now in zip(past(layer), new, present(layer), strict=True)
        )
        turned = file.node("Transpose", [key], f"{key}.turned", perm=(0, 1, 3, 2))
        mixed = self._attended(query, turned, value)
        return self.linear(
            self.reshaped(mixed, (-1, self.width)), f"decoder/layer_{layer}/self_attention/linear_1"
        )

    def _listened(self, layer: int, query: str) -> str:
        """Attention to the sound, which is the same for all texts."""
        split = self.reshaped(query, (-1, self.heads, self.head))
        by_head = self.file.node("Transpose", [split], f"{split}.heads", perm=(1, 0, 2))
        mixed = self._attended(by_head, *heard(layer))
        by_text = self.file.node("Transpose", [mixed], f"{mixed}.texts", perm=(1, 0, 2))
        return self.linear(
            self.reshaped(by_text, (-1, self.width)), f"decoder/layer_{layer}/attention/linear_2"
        )

    def _attended(self, query: str, key: str, value: str) -> str:
        file = self.file
        scale = file.constant(f"{query}.scale", np.array(self.head**-0.5, np.float32))
        scaled = file.node("Mul", [query, scale], f"{query}.scaled")
        scores = file.node("MatMul", [scaled, key], f"{query}.scores")
        shares = file.node("Softmax", [scores], f"{query}.shares", axis=-1)
        return file.node("MatMul", [shares, value], f"{query}.attended")

    def linear(self, x: str, name: str) -> str:
        weight = self.weights[f"{name}/weight"].astype(np.float32)
        bias = self.file.constant(f"{name}.bias", self.weights[f"{name}/bias"].astype(np.float32))
        return int8.product(
            self.file, f"{name}.made", x, int8.matrix(self.file, name, weight), weight.shape, bias
        )

    def reshaped(self, x: str, shape: tuple[int, ...]) -> str:
        sizes = self.file.constant(f"{x}.sizes", np.array(shape, np.int64))
        return self.file.node("Reshape", [x, sizes], f"{x}.reshaped")

    def _norm(self, x: str, name: str) -> str:
        parts = [
            self.file.constant(f"{name}.{part}", self.weights[f"{name}/{part}"].astype(np.float32))
            for part in ("gamma", "beta")
        ]
        return self.file.node("LayerNormalization", [x, *parts], f"{name}.normed", epsilon=1e-5)

    def _add(self, x: str, y: str) -> str:
        return self.file.node("Add", [x, y], f"{y}.added")
