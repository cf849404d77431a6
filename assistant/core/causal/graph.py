"""A decoder of the Llama family as an ONNX graph in eight bits, made of a GGUF file's weights.

The names of inputs and outputs are those of Hugging Face optimum's exports, so that whatever reads
one of them reads this one. A step takes any number of tokens of each text.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from assistant.core.causal.attention import write_lengths, write_waves
from assistant.core.causal.gguf import Form, Model
from assistant.core.models import int8
from assistant.core.models.onnx_writer import FUSED, ModelFile

Adapter = Mapping[str, NDArray[np.float32]]
"""What is added to matrices, by GGUF's names of them."""
_POSITIONS = 2048
"""Most tokens that are read; the model would take more."""
_PARTS = ("key", "value")


def graph(model: Model, adapter: Adapter) -> bytes:
    """The serialized model: scores of the token behind the last one, float32[texts, 1, pieces]."""
    return _Writer(model, adapter).model()


class _Writer:
    def __init__(self, model: Model, adapter: Adapter) -> None:
        self.form: Form = model.form
        self.weights, self.adapter, self.file = model.weights, adapter, ModelFile()
        self.head = self.form.width // self.form.heads

    def model(self) -> bytes:
        file, form = self.file, self.form
        words = self.weights["token_embd.weight"]
        table = int8.matrix(file, "words", words, embeds=True)
        x = int8.rows(file, table, "input_ids", (0, 0, form.width))
        write_lengths(file)
        write_waves(file, self.head, form.base, _POSITIONS)
        inputs = {"input_ids": "int64[texts, tokens]", "attention_mask": "int64[texts, total]"}
        outputs = {"logits": f"float32[texts, 1, {words.shape[0]}]"}
        normed = file.node(
            "SimplifiedLayerNormalization",
            [x, self._constant("blk.0.attn_norm")],
            "normed",
            epsilon=form.epsilon,
            axis=-1,
        )
        for layer in range(form.layers):
            x, normed = self._layer(layer, x, normed)
            for part in _PARTS:
                cache = f"float32[texts, {form.shared}, {{}}, {self.head}]"
                inputs[f"past_key_values.{layer}.{part}"] = cache.format("past")
                outputs[f"present.{layer}.{part}"] = cache.format("present")
        last = file.constant("last", np.array([-1], np.int64))
        state = file.node("Gather", [normed, last], "state", axis=1)
        int8.product(file, "logits", state, table, words.shape)
        return file.serialized(inputs, outputs)

    def _layer(self, layer: int, x: str, normed: str) -> tuple[str, str]:
        """The sum so far and its norm → the same behind this layer."""
        name = f"blk.{layer}"
        mixed = self._attended(layer, normed)
        x, normed = self._added(x, self._linear(f"{name}.attn_output", mixed), f"{name}.ffn_norm")
        gate = self._linear(f"{name}.ffn_gate", normed)
        share = self.file.node("Sigmoid", [gate], f"{gate}.share")
        opened = self.file.node("Mul", [gate, share], f"{gate}.opened")
        wide = self.file.node(
            "Mul", [opened, self._linear(f"{name}.ffn_up", normed)], f"{name}.wide"
        )
        last = layer + 1 == self.form.layers
        norm = "output_norm" if last else f"blk.{layer + 1}.attn_norm"
        return self._added(x, self._linear(f"{name}.ffn_down", wide), norm)

    def _attended(self, layer: int, normed: str) -> str:
        parts = [self._linear(f"blk.{layer}.attn_{part}", normed) for part in ("q", "k", "v")]
        past = [f"past_key_values.{layer}.{part}" for part in _PARTS]
        made = [f"blk.{layer}.mixed", *(f"present.{layer}.{part}" for part in _PARTS)]
        return self.file.node(
            "GroupQueryAttention",
            [*parts, *past, "lengths", "total", "cosines", "sines"],
            made,
            FUSED,
            num_heads=self.form.heads,
            kv_num_heads=self.form.shared,
            scale=float(self.head**-0.5),
            do_rotary=1,
            rotary_interleaved=1,  # as GGUF orders the rows
        )

    def _linear(self, name: str, x: str) -> str:
        weight = self.weights[f"{name}.weight"]
        if name in self.adapter:
            weight = weight + self.adapter[name]
        key = int8.matrix(self.file, name, weight)
        return int8.product(self.file, f"{name}.made", x, key, weight.shape)

    def _added(self, x: str, more: str, norm: str) -> tuple[str, str]:
        """The sum, and its norm."""
        outputs = [f"{more}.normed", "", "", f"{more}.sum"]
        inputs = [more, x, self._constant(norm)]
        self.file.node(
            "SkipSimplifiedLayerNormalization", inputs, outputs, FUSED, epsilon=self.form.epsilon
        )
        return outputs[3], outputs[0]

    def _constant(self, norm: str) -> str:
        return self.file.constant(norm, self.weights[f"{norm}.weight"])
