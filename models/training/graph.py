"""Writes an encoder's weights as an int8 ONNX graph of onnxruntime's fused operators.

The graph is written operator by operator instead of traced and rewritten: it does not depend on
pattern matching, and exactly these operators run. Weights are int8 per output channel, the word
embeddings int8 per row; activations are quantized per tensor at run time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

Array = NDArray[np.float32]
Weights = Mapping[str, Array]
"""The parameters, by their names in `network.Encoder`."""

OPSET = 20
FUSED = "com.microsoft"
EPSILON = 1e-12


def quantized(weights: Array, axis: int) -> tuple[NDArray[np.int8], Array]:
    """The int8 weights and their float32 scales along `axis`, symmetric: weights ≈ int8 · scale."""
    others = tuple(a for a in range(weights.ndim) if a != axis)
    scales = np.maximum(np.abs(weights).max(axis=others, keepdims=True), 1e-9) / 127
    return np.round(weights / scales).astype(np.int8), scales.astype(np.float32)


@dataclass
class Graph:
    """Nodes and constants of an ONNX graph that is built; with `float_weights` nothing is int8."""

    float_weights: bool = False
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    constants: list[onnx.TensorProto] = field(default_factory=list)

    def node(
        self, operator: str, inputs: list[str], out: str, domain: str = "", **attributes: object
    ) -> str:
        """Add a node of one output and return the output's name."""
        made = helper.make_node(operator, inputs, [out], name=out, domain=domain, **attributes)
        self.nodes.append(made)
        return out

    def constant(self, name: str, value: NDArray[np.generic]) -> str:
        """Add a constant and return its name."""
        self.constants.append(numpy_helper.from_array(np.require(value, requirements="C"), name))
        return name

    def lookup(self, name: str, table: Array, ids: str) -> str:
        """Add a lookup of rows in an int8 table with a scale for each row; return its name."""
        if self.float_weights:
            return self.node("Gather", [self.constant(f"{name}.float", table), ids], name)
        whole, scales = quantized(table, axis=0)
        rows = self.node("Gather", [self.constant(f"{name}.int8", whole), ids], f"{name}.rows")
        wide = self.node("Cast", [rows], f"{name}.wide", to=TensorProto.FLOAT)
        sizes = self.node("Gather", [self.constant(f"{name}.scales", scales), ids], f"{name}.sizes")
        return self.node("Mul", [wide, sizes], name)

    def linear(self, name: str, x: str, weight: Array, bias: Array | None) -> str:
        """Add x · weight + bias, with `weight` float32[in, out]; return its name."""
        biases = [] if bias is None else [self.constant(f"{name}.bias", bias)]
        if self.float_weights:
            product = [x, self.constant(f"{name}.float", weight)]
            if not biases:
                return self.node("MatMul", product, name)
            return self.node(
                "Add", [self.node("MatMul", product, f"{name}.product"), *biases], name
            )
        whole, scales = quantized(weight, axis=1)
        int8 = self.constant(f"{name}.int8", whole)
        sizes = self.constant(f"{name}.scales", scales.reshape(-1))
        inputs = [x, int8, sizes, "", *biases]
        return self.node("DynamicQuantizeMatMul", inputs, name, FUSED)

    def norm(self, name: str, x: str, skip: str, weights: Weights, key: str, bias: str) -> str:
        """Add the layer norm of x + skip + bias; `bias` names a constant, or is empty."""
        scale = self.constant(f"{name}.weight", weights[f"{key}.weight"])
        shift = self.constant(f"{name}.shift", weights[f"{key}.bias"])
        inputs = [x, skip, scale, shift, *([bias] if bias else [])]
        return self.node("SkipLayerNormalization", inputs, name, FUSED, epsilon=EPSILON)

    def model(self, inputs: Mapping[str, str], outputs: Mapping[str, list[str | int]]) -> bytes:
        """The serialized model: int64 `inputs` [batch, tokens], float32 outputs of these shapes."""
        given = [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
            for name in inputs
        ]
        made = [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
            for name, shape in outputs.items()
        ]
        graph = helper.make_graph(self.nodes, "encoder", given, made, self.constants)
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(FUSED, 1)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
        return bytes(model.SerializeToString())


def encode(graph: Graph, weights: Weights, heads: int, extra: str = "") -> str:
    """Add the encoder; returns the name of the hidden states float32[batch, tokens, width].

    `extra` names a tensor of the embeddings' shape that is added to them.
    """
    words = graph.lookup("words", weights["words.weight"], "input_ids")
    if extra:
        words = graph.node("Add", [words, extra], "words.extra")
    x = graph.norm("embedded", words, _places(graph, weights), weights, "norm", "")
    mask = graph.node("Cast", ["attention_mask"], "mask", to=TensorProto.INT32)
    layers = sum(name.endswith("qkv.weight") for name in weights)
    for index in range(layers):
        x = _layer(graph, weights, f"layers.{index}", x, mask, heads)
    return x


def _places(graph: Graph, weights: Weights) -> str:
    """Add the embeddings of the tokens' positions, to which that of the first segment is added."""
    table = weights["positions.weight"] + weights["segments.weight"][0]
    shape = graph.node("Shape", ["input_ids"], "tokens", start=1, end=2)
    zero = graph.constant("zero", np.zeros(1, np.int64))
    rows = graph.node("Slice", [graph.constant("positions", table), zero, shape, zero], "places")
    return graph.node("Unsqueeze", [rows, zero], "places.wide")


def _layer(graph: Graph, weights: Weights, name: str, x: str, mask: str, heads: int) -> str:
    def transposed(part: str) -> Array:
        return weights[f"{name}.{part}.weight"].T

    def bias(part: str) -> Array:
        return weights[f"{name}.{part}.bias"]

    qkv = graph.linear(f"{name}.qkv", x, transposed("qkv"), bias("qkv"))
    parts = [f"{name}.{part}" for part in ("query", "key", "value")]
    split = helper.make_node("Split", [qkv], parts, name=f"{name}.split", axis=2, num_outputs=3)
    graph.nodes.append(split)
    mixed = graph.node(
        "MultiHeadAttention", [*parts, "", mask], f"{name}.mixed", FUSED, num_heads=heads
    )
    out = graph.linear(f"{name}.out", mixed, transposed("out"), None)
    out_bias = graph.constant(f"{name}.out.bias", bias("out"))
    x = graph.norm(f"{name}.norm1", out, x, weights, f"{name}.norm1", out_bias)
    up = graph.linear(f"{name}.up", x, transposed("up"), None)
    up_bias = graph.constant(f"{name}.up.bias", bias("up"))
    wide = graph.node("BiasGelu", [up, up_bias], f"{name}.gelu", FUSED)
    down = graph.linear(f"{name}.down", wide, transposed("down"), None)
    down_bias = graph.constant(f"{name}.down.bias", bias("down"))
    return graph.norm(f"{name}.norm2", down, x, weights, f"{name}.norm2", down_bias)


def pool(graph: Graph, states: str, out: str) -> str:
    """Add the sum over the real tokens, normalized to length 1: it equals the normalized mean."""
    floats = graph.node("Cast", ["attention_mask"], "mask.float", to=TensorProto.FLOAT)
    one = graph.constant("one", np.ones(1, np.int64))
    row = graph.node("Unsqueeze", [floats, one], "mask.row")
    total = graph.node("MatMul", [row, states], "pooled")
    flat = graph.node("Squeeze", [total, one], "pooled.flat")
    return graph.node("LpNormalization", [flat], out, axis=-1, p=2)


def embedding_model(weights: Weights, heads: int, float_weights: bool = False) -> bytes:
    """The model with the output `embedding` float32[batch, width], of length 1."""
    graph = Graph(float_weights)
    pool(graph, encode(graph, weights, heads), "embedding")
    width = weights["words.weight"].shape[1]
    inputs = {"input_ids": "", "attention_mask": ""}
    return graph.model(inputs, {"embedding": ["batch", width]})


def tagging_model(
    weights: Weights, heads: int, float_weights: bool = False, whole: str = "intents"
) -> bytes:
    """The model with outputs `logits` float32[batch, tokens, tags] and, with that head, `whole`.

    `weights` are those of `tagging.Tagger`; with case embeddings there is an input `casing`. The
    heads stay float32: they are small, and their output is the result.
    """
    graph = Graph(float_weights)
    inputs = {"input_ids": "", "attention_mask": ""}
    extra = ""
    if "cases.weight" in weights:
        inputs["casing"] = ""
        table = graph.constant("cases", weights["cases.weight"])
        extra = graph.node("Gather", [table, "casing"], "cased")
    encoder = {
        k.removeprefix("encoder."): v for k, v in weights.items() if k.startswith("encoder.")
    }
    states = encode(graph, encoder, heads, extra)
    _head(graph, weights, "tags", states, "logits")
    outputs: dict[str, list[str | int]] = {"logits": ["batch", "tokens", len(weights["tags.bias"])]}
    if "intents.weight" in weights:
        first = graph.constant("first", np.array(0, np.int64))
        cls = graph.node("Gather", [states, first], "cls", axis=1)
        _head(graph, weights, "intents", cls, whole)
        outputs[whole] = ["batch", len(weights["intents.bias"])]
    return graph.model(inputs, outputs)


def _head(graph: Graph, weights: Weights, name: str, x: str, out: str) -> None:
    weight = graph.constant(f"{name}.weight", weights[f"{name}.weight"].T)
    product = graph.node("MatMul", [x, weight], f"{name}.product")
    graph.node("Add", [product, graph.constant(f"{name}.bias", weights[f"{name}.bias"])], out)


def reading_model(weights: Weights, heads: int, float_weights: bool = False) -> bytes:
    """The model with outputs `embedding` float32[batch, width] and `spans` [batch, tokens, 2].

    `weights` are those of `reading.Reader`; embeddings have length 1. Pieces with 1 in the input
    `token_type_ids` belong to a passage that is read after a question.
    """
    graph = Graph(float_weights)
    encoder = {
        k.removeprefix("encoder."): v for k, v in weights.items() if k.startswith("encoder.")
    }
    segments = encoder["segments.weight"]
    table = graph.constant("segments", segments - segments[0])
    extra = graph.node("Gather", [table, "token_type_ids"], "segmented")
    states = encode(graph, encoder, heads, extra)
    pool(graph, states, "embedding")
    _head(graph, weights, "spans", states, "spans")
    inputs = {"input_ids": "", "attention_mask": "", "token_type_ids": ""}
    width = segments.shape[1]
    return graph.model(inputs, {"embedding": ["batch", width], "spans": ["batch", "tokens", 2]})
