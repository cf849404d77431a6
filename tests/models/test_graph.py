"""The int8 graph of a tiny random encoder: what numpy says, and what the assistant loads."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.core.models.manifest import Library
from assistant.core.models.session import open_session

pytest.importorskip("onnx", reason="the extra [train] is not installed")

from models.training import graph, publish

WIDTH, HEADS, INNER, LAYERS, WORDS = 32, 4, 64, 2, 50
Array = NDArray[np.float32]
IDS = np.array([[2, 7, 11, 3, 0, 0], [2, 5, 6, 8, 9, 3]], np.int64)
MASK = np.array([[1, 1, 1, 1, 0, 0], [1, 1, 1, 1, 1, 1]], np.int64)
ENTRY = publish.Entry(
    version="1",
    kind="intent",
    summary='a "tiny" one',
    licence="none",
    inputs={"input_ids": "int64[batch, tokens]", "attention_mask": "int64[batch, tokens]"},
    outputs={"embedding": "float32[batch, 32]"},
)


def random_weights() -> dict[str, Array]:
    draw = np.random.default_rng(3)

    def some(*shape: int) -> Array:
        return draw.normal(0, 0.15, shape).astype(np.float32)

    made = {"words.weight": some(WORDS, WIDTH), "positions.weight": some(16, WIDTH)}
    made["segments.weight"] = some(2, WIDTH)
    shapes = {"qkv": (3 * WIDTH, WIDTH), "out": (WIDTH, WIDTH), "up": (INNER, WIDTH)}
    shapes["down"] = (WIDTH, INNER)
    for layer in range(LAYERS):
        for name, shape in shapes.items():
            made[f"layers.{layer}.{name}.weight"] = some(*shape)
            made[f"layers.{layer}.{name}.bias"] = some(shape[0])
    for norm in ["norm", *(f"layers.{n}.norm{i}" for n in range(LAYERS) for i in (1, 2))]:
        made[f"{norm}.weight"], made[f"{norm}.bias"] = 1 + some(WIDTH), some(WIDTH)
    return made


def by_numpy(weights: dict[str, Array]) -> Array:
    """The embeddings as BERT's paper has them, in plain numpy."""

    def norm(x: Array, name: str) -> Array:
        spread = np.sqrt(x.var(-1, keepdims=True) + graph.EPSILON)
        scaled = (x - x.mean(-1, keepdims=True)) / spread
        return np.asarray(scaled * weights[f"{name}.weight"] + weights[f"{name}.bias"], np.float32)

    def linear(x: Array, name: str) -> Array:
        return np.asarray(x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"], np.float32)

    def attend(x: Array, name: str) -> Array:
        parts = linear(x, f"{name}.qkv").reshape(*x.shape[:2], 3, HEADS, WIDTH // HEADS)
        query, key, value = parts.transpose(2, 0, 3, 1, 4)
        scores = query @ key.swapaxes(-1, -2) / math.sqrt(WIDTH // HEADS)
        scores = np.where(MASK[:, None, None, :] == 1, scores, -1e9)
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        shares /= shares.sum(-1, keepdims=True)
        return linear((shares @ value).swapaxes(1, 2).reshape(x.shape), f"{name}.out")

    x = weights["words.weight"][IDS] + weights["positions.weight"][: IDS.shape[1]]
    x = norm(x + weights["segments.weight"][0], "norm")
    for layer in range(LAYERS):
        name = f"layers.{layer}"
        x = norm(x + attend(x, name), f"{name}.norm1")
        wide = linear(x, f"{name}.up")
        wide = 0.5 * wide * (1 + np.vectorize(math.erf)(wide / math.sqrt(2)))
        x = norm(x + linear(wide, f"{name}.down"), f"{name}.norm2")
    total = (x * MASK[..., None]).sum(1)
    return np.asarray(total / np.linalg.norm(total, axis=1, keepdims=True), np.float32)


def embedded(model: bytes, tmp_path: Path) -> Array:
    """The embeddings through the assistant's own checked loading."""
    (tmp_path / "manifest.toml").write_text("# none yet\n", "utf-8")
    publish.publish("tiny", ENTRY, {"model.onnx": model}, tmp_path)
    session = open_session(Library(tmp_path / "pulled", tmp_path), "tiny", "model.onnx")
    (made,) = session.run(None, {"input_ids": IDS, "attention_mask": MASK})
    return np.asarray(made, np.float32)


def test_the_float_graph_says_what_numpy_says(tmp_path: Path) -> None:
    weights = random_weights()
    made = embedded(graph.embedding_model(weights, HEADS, float_weights=True), tmp_path)
    np.testing.assert_allclose(made, by_numpy(weights), atol=2e-5)


def test_the_int8_graph_says_nearly_the_same(tmp_path: Path) -> None:
    weights = random_weights()
    made = embedded(graph.embedding_model(weights, HEADS), tmp_path)
    np.testing.assert_allclose(np.linalg.norm(made, axis=1), 1, atol=1e-5)
    assert (made * by_numpy(weights)).sum(axis=1).min() > 0.995
    broken = {**weights, "layers.0.up.weight": -weights["layers.0.up.weight"]}
    assert (made * by_numpy(broken)).sum(axis=1).min() < 0.995


def test_the_int8_graph_is_a_fourth_of_the_float_graph() -> None:
    weights = random_weights() | {"words.weight": np.ones((5000, WIDTH), np.float32)}
    whole = graph.embedding_model(weights, HEADS, float_weights=True)
    assert len(graph.embedding_model(weights, HEADS)) < 0.35 * len(whole)


def test_quantized_weights_are_within_half_a_step() -> None:
    weights = np.random.default_rng(0).normal(size=(7, 5)).astype(np.float32)
    whole, scales = graph.quantized(weights, axis=1)
    assert whole.dtype == np.int8
    assert scales.shape == (1, 5)
    assert np.all(np.abs(whole * scales - weights) <= scales / 2 + 1e-7)


def test_a_tagging_graph_has_logits_intents_and_cases(tmp_path: Path) -> None:
    draw = np.random.default_rng(5)
    weights = {f"encoder.{name}": value for name, value in random_weights().items()}
    for name, rows in (("tags", 5), ("intents", 3), ("cases", 4)):
        weights[f"{name}.weight"] = draw.normal(size=(rows, WIDTH)).astype(np.float32)
        weights[f"{name}.bias"] = np.zeros(rows, np.float32)
    model = graph.tagging_model(weights, HEADS)
    inputs = ENTRY.inputs | {"casing": "int64[batch, tokens]"}
    entry = publish.Entry(
        **{**vars(ENTRY), "inputs": inputs, "outputs": {"logits": "", "intents": ""}}
    )
    (tmp_path / "manifest.toml").write_text("", "utf-8")
    publish.publish("tiny", entry, {"model.onnx": model}, tmp_path)
    session = open_session(Library(tmp_path / "pulled", tmp_path), "tiny", "model.onnx")
    feeds = {"input_ids": IDS, "attention_mask": MASK, "casing": np.zeros_like(IDS)}
    logits, intents = session.run(["logits", "intents"], feeds)
    assert logits.shape == (2, 6, 5)
    assert intents.shape == (2, 3)
    other = session.run(["logits"], feeds | {"casing": np.ones_like(IDS)})[0]
    assert np.abs(other - logits).max() > 1e-3


def test_torch_and_the_graph_agree(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="the extra [train] is not installed")
    from models.training import network

    torch.manual_seed(0)
    encoder = network.Encoder().eval()
    weights = {name: value.numpy() for name, value in encoder.state_dict().items()}
    with torch.no_grad():
        ids, mask = torch.from_numpy(IDS), torch.from_numpy(MASK)
        expected = network.pooled(encoder(ids, mask), mask).numpy()
    made = embedded(graph.embedding_model(weights, network.HEADS, True), tmp_path)
    np.testing.assert_allclose(made, expected, atol=1e-4)
