"""Decoders as ONNX graphs of onnxruntime's fused operators, int8, with a cache of keys and values.

One graph for GPT-Neo (learned positions, attention without scaling, every other layer local) and
for the generator that ships (rotary positions). The names of inputs and outputs are those of
Hugging Face optimum's exports: `past_key_values.N.key` in, `present.N.key` out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assistant.core.causal.attention import write_lengths, write_waves
from assistant.core.models import int8
from assistant.core.models.onnx_writer import FUSED, ModelFile

Array = NDArray[np.float32]
Weights = Mapping[str, Array]
"""Weights by the names of `models.training.decoder.Decoder`. With `before.weight` each token is
read together with the one before it; with `positions.weight` positions are learned, not rotary."""


@dataclass(frozen=True, kw_only=True)
class Form:
    """What the weights do not show."""

    heads: int
    positions: int
    scaled: bool = True
    """Whether scores are divided by the square root of a head's width; GPT-Neo's are not."""
    windows: tuple[int, ...] = ()
    """Tokens each layer looks back on, itself included; -1 for all. () if every layer sees all."""
    base: float = 10_000.0
    epsilon: float = 1e-5
    int8: bool = True


def graph(weights: Weights, form: Form) -> bytes:
    """The serialized model: logits of the last token, float32[batch, 1, vocabulary]."""
    return _Writer(weights, form).model()


def interface(weights: Weights, heads: int) -> tuple[dict[str, str], dict[str, str]]:
    """The inputs and outputs as the manifest lists them."""
    words, width = weights["words.weight"].shape
    layers, head = _layers(weights), width // heads
    tokens = "int64[batch, tokens]"
    inputs = {"input_ids": tokens, "attention_mask": "int64[batch, total]"}
    inputs |= {"position_ids": tokens} if "positions.weight" in weights else {}
    inputs |= {"before_ids": tokens} if "before.weight" in weights else {}
    outputs = {"logits": f"float32[batch, 1, {words}]"}
    for layer in range(layers):
        for part in ("key", "value"):
            inputs[f"past_key_values.{layer}.{part}"] = f"float32[batch, {heads}, past, {head}]"
            outputs[f"present.{layer}.{part}"] = f"float32[batch, {heads}, present, {head}]"
    return inputs, outputs


def _layers(weights: Weights) -> int:
    return sum(name.endswith("qkv.weight") for name in weights)


class _Writer:
    def __init__(self, weights: Weights, form: Form) -> None:
        self.weights, self.form, self.file = weights, form, ModelFile()
        self.words, self.width = weights["words.weight"].shape
        self.layers = _layers(weights)
        self.learned = "positions.weight" in weights

    def model(self) -> bytes:
        file, form = self.file, self.form
        x = self._embedded()
        write_lengths(file)
        if not self.learned:
            write_waves(file, self.width // form.heads, form.base, form.positions)
        normed = self._norm("layers.0.norm1", x)
        for layer in range(self.layers):
            x, normed = self._layer(layer, x, normed)
        last = file.constant("last", np.array([-1], np.int64))
        state = file.node("Gather", [normed, last], "state", axis=1)
        self._linear("logits", state, self.weights["words.weight"], shared="words")
        return file.serialized(*interface(self.weights, form.heads))

    def _embedded(self) -> str:
        file = self.file
        self._table()
        x = self._rows("input_ids")
        if "before.weight" in self.weights:
            before = self._linear("before", self._rows("before_ids"))
            x = file.node("Add", [x, before], "embedded.paired")
        if self.learned:
            table = file.constant("positions", self.weights["positions.weight"])
            places = file.node("Gather", [table, "position_ids"], "placed")
            x = file.node("Add", [x, places], "embedded.placed")
        return x

    def _table(self) -> None:
        """Write the embeddings, which are the output's matrix too."""
        table = self.weights["words.weight"]
        if self.form.int8:
            int8.matrix(self.file, "words", table, embeds=True)
        else:
            self.file.constant("words", table)

    def _rows(self, ids: str) -> str:
        if not self.form.int8:
            return self.file.node("Gather", ["words", ids], f"{ids}.embedded")
        return int8.rows(self.file, "words", ids, (0, 0, self.width))

    def _layer(self, layer: int, x: str, normed: str) -> tuple[str, str]:
        """The sum so far and its norm → the same after this layer."""
        name, file = f"layers.{layer}", self.file
        mixed = self._attended(layer, self._linear(f"{name}.qkv", normed))
        out = self._linear(f"{name}.out", mixed)
        x, normed = self._added(f"{name}.norm2", out, x, f"{name}.norm2")
        up = self._linear(f"{name}.up", normed)
        wide = file.node("FastGelu", [up], f"{name}.gelu", FUSED)
        down = self._linear(f"{name}.down", wide)
        last = layer + 1 == self.layers
        return self._added(f"{name}.end", down, x, "norm" if last else f"layers.{layer + 1}.norm1")

    def _attended(self, layer: int, qkv: str) -> str:
        form, head = self.form, self.width // self.form.heads
        past = [f"past_key_values.{layer}.{part}" for part in ("key", "value")]
        made = [f"layers.{layer}.mixed", *(f"present.{layer}.{part}" for part in ("key", "value"))]
        waves = [] if self.learned else ["cosines", "sines"]
        return self.file.node(
            "GroupQueryAttention",
            [qkv, "", "", *past, "lengths", "total", *waves],
            made,
            FUSED,
            num_heads=form.heads,
            kv_num_heads=form.heads,
            scale=float(head**-0.5 if form.scaled else 1.0),
            local_window_size=form.windows[layer] if form.windows else -1,
            do_rotary=0 if self.learned else 1,
        )

    def _linear(self, name: str, x: str, matrix: Array | None = None, shared: str = "") -> str:
        """x · Wᵀ + b with W [out, in]; `shared` names codes that are in the graph already."""
        file = self.file
        weight = self.weights[f"{name}.weight"] if matrix is None else matrix
        bias = self.weights.get(f"{name}.bias")
        biases = [] if bias is None else [file.constant(f"{name}.bias", bias)]
        if not self.form.int8:
            # The shared table is written twice here: float32 is only for comparison.
            table = file.constant(f"{name}.matrix", weight.T)
            product = f"{name}.product" if biases else name
            file.node("MatMul", [x, table], product)
            return file.node("Add", [product, *biases], name) if biases else product
        key = shared or int8.matrix(file, name, weight)
        return int8.product(file, name, x, key, weight.shape, *biases)

    def _norm(self, key: str, x: str) -> str:
        inputs = [x, self._weight(f"{key}.weight"), self._weight(f"{key}.bias")]
        return self.file.node(
            "LayerNormalization", inputs, f"{key}.normed", epsilon=self.form.epsilon
        )

    def _added(self, name: str, x: str, skip: str, key: str) -> tuple[str, str]:
        """The sum x + skip, and its norm."""
        inputs = [x, skip, self._weight(f"{key}.weight"), self._weight(f"{key}.bias")]
        outputs = [f"{name}.normed", "", "", f"{name}.sum"]
        self.file.node("SkipLayerNormalization", inputs, outputs, FUSED, epsilon=self.form.epsilon)
        return outputs[3], outputs[0]

    def _weight(self, key: str) -> str:
        return self.file.constant(key, self.weights[key])
