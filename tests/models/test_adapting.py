"""An adapter's int8 form, and the weights that a training of one begins with."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch", reason="the extra [train] is not installed")
pytest.importorskip("onnx", reason="the extra [train] is not installed")

from assistant.core.models.adapter import adapter_of, merge
from assistant.core.models.onnx import tensors
from models.training import adapting, graph
from models.training.markup import Sentence, Span
from models.training.network import HEADS
from tests.support.adapters import int8_model


def test_the_training_begins_with_exactly_what_ships() -> None:
    shipped = adapting.shipped()
    weights = {name: value.numpy() for name, value in adapting.weights_of(shipped).items()}
    made = graph.tagging_model(weights, HEADS, whole="addressee")
    ours, theirs = ({t.name: bytes(t.data) for t in tensors(model)} for model in (made, shipped))
    assert ours == theirs
    weights["encoder.layers.3.up.weight"] = weights["encoder.layers.3.up.weight"] * 2
    changed = graph.tagging_model(weights, HEADS, whole="addressee")
    assert {t.name: bytes(t.data) for t in tensors(changed)} != theirs


def test_the_int8_form_is_near_what_was_trained() -> None:
    draw = np.random.default_rng(2)
    down = draw.normal(size=(60, 4)).astype(np.float32) * np.array([8, 1, 0.3, 1], np.float32)
    up = draw.normal(size=(4, 90)).astype(np.float32)
    base = int8_model(np.zeros((60, 90), np.int8), np.ones(90, np.float32))
    made = merge(base, adapter_of(base, [adapting.change("m", down, up)]), "it")
    found = {tensor.name: tensor.data for tensor in tensors(made)}
    whole, scales = np.frombuffer(found["m.int8"], np.int8), np.frombuffer(found["m.scales"], "<f4")
    wrong = whole.reshape(60, 90) * scales - down @ up
    assert np.linalg.norm(wrong) < 0.02 * np.linalg.norm(down @ up)


def test_parts_of_one_date_are_one_span() -> None:
    text = "to new york city on june fourteenth"
    spans = (
        Span(3, 16, "toloc.city_name"),
        Span(20, 24, "arrive_date.month_name"),
        Span(25, 35, "arrive_date.day_number"),
    )
    example = adapting.example(Sentence(text, spans, "atis_flight", "atis"))
    assert example.tags == ["O", "B-place", "I-place", "I-place", "O", "B-date", "I-date"]
    assert example.intent == ""
