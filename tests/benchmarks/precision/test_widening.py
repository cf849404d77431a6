"""The float32 network of an int8 file computes what the int8 weights say, without rounding."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from assistant.answer.generation.decoder_graph import Form, graph, interface
from assistant.core.causal.decoder import Decoder
from assistant.core.models.manifest import Artefact, Library
from assistant.core.models.onnx import nodes, opset
from assistant.core.models.onnx_writer import FUSED, ModelFile
from assistant.core.models.session import run, session_of_bytes
from benchmarks.precision.widening import widened, with_float
from tests.support.tiny_decoder import HEADS, weights

ROUNDED = {"DynamicQuantizeMatMul", "MatMulNBits", "DequantizeLinear"}
X = np.array([[1.0, 0.5, -0.003]], np.float32)
"""Its third number is rounded away in int8, as the first is much larger."""
CODES = np.array([[1, -2], [3, 4], [100, -100]], np.int8)
SCALES = np.array([0.5, 0.25], np.float32)
BIAS = np.array([10, 20], np.float32)


def an_artefact(inputs: dict[str, str], outputs: dict[str, str]) -> Artefact:
    return Artefact(
        version="1",
        kind="intent",
        summary="a test",
        licence="CC0",
        source="shipped",
        inputs=inputs,
        outputs=outputs,
        files=(),
    )


def operators(model: bytes) -> set[str]:
    return {node.operator for node in nodes(model)}


@pytest.mark.parametrize("biased", [False, True])
def test_a_product_is_that_of_the_weights_the_codes_stand_for(biased: bool) -> None:
    file = ModelFile(opset=20)
    codes, scales = file.constant("codes", CODES), file.constant("scales", SCALES)
    bias = ["", file.constant("bias", BIAS)] if biased else []
    file.node("DynamicQuantizeMatMul", ["x", codes, scales, *bias], "y", FUSED)
    described = an_artefact({"x": "float32[rows, 3]"}, {"y": "float32[rows, 2]"})
    int8 = file.serialized(described.inputs, described.outputs)
    wide = widened(int8, described)
    exact = X @ (CODES * SCALES) + (BIAS if biased else 0)
    assert opset(wide) == opset(int8) == 20
    assert operators(wide) == ({"MatMul", "Add"} if biased else {"MatMul"})
    assert run(session_of_bytes(wide), {"x": X}) == pytest.approx(exact, abs=1e-6)
    assert run(session_of_bytes(int8), {"x": X}) != pytest.approx(exact, abs=1e-2)


def test_a_decoder_is_near_the_float_graph_of_its_weights() -> None:
    made = weights(64, learned=False)
    int8 = graph(made, Form(heads=HEADS, positions=64))
    wide = widened(int8, an_artefact(*interface(made, HEADS)))
    assert operators(int8) & ROUNDED == {"MatMulNBits"}
    assert not operators(wide) & ROUNDED
    exact = graph(made, Form(heads=HEADS, positions=64, int8=False))
    scores = [_scores(model) for model in (wide, exact, int8)]
    spread = float(np.ptp(scores[1]))
    assert np.abs(scores[0] - scores[1]).max() < 0.05 * spread
    assert not np.array_equal(scores[0], scores[2])


def _scores(model: bytes) -> np.ndarray:
    decoder = Decoder(session_of_bytes(model))
    return decoder.read([5, 9, 11, 2], decoder.nothing())[0]


@pytest.mark.parametrize(("name", "file"), [("ner", "model.onnx"), ("wake", "embedding.onnx")])
def test_a_shipped_model_has_a_float_version_that_says_nearly_the_same(
    tmp_path: Path, name: str, file: str
) -> None:
    library = Library(tmp_path)
    wide = with_float(library, name, file)
    int8, float32 = library.read_file(name, file), wide.read_file(name, file)
    assert operators(int8) & ROUNDED
    assert not operators(float32) & ROUNDED
    assert len(float32) > 2 * len(int8)
    inputs = {
        "ner": {
            "input_ids": np.array([[101, 2735, 2006, 1996, 2422, 102]], np.int64),
            "attention_mask": np.ones((1, 6), np.int64),
        },
        "wake": {"features": np.linspace(0, 1, 77 * 40, dtype=np.float32).reshape(1, 77, 40)},
    }[name]
    ours, theirs = (run(session_of_bytes(model), inputs) for model in (int8, float32))
    alike = float((ours * theirs).sum() / np.linalg.norm(ours) / np.linalg.norm(theirs))
    assert alike > 0.99
    assert (ours == theirs).all() == (name == "wake")
