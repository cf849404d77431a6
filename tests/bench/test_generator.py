"""The bench of the generator on tiny shapes: both engines, and who comes before whom."""

from __future__ import annotations

import time
from functools import partial
from itertools import count
from pathlib import Path

import pytest

from assistant.answer.generation.decoder_graph import Form
from assistant.answer.generation.generator import Generator
from assistant.answer.generation.prompt import Notation
from assistant.answer.generation.token_scheduler import Order, round_robin, shortest_first
from assistant.bench import generator as bench
from assistant.bench.shape import ModelShape
from assistant.core.models.manifest import Library
from tests.support.tiny_decoder import HEADS, decoder, tokenizer, weights

TINY = ModelShape(words=128, layers=2, width=64, heads=2, positions=160)


def test_both_engines_are_timed_on_one_thread_and_on_two(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "TOKENS", 32)
    monkeypatch.setattr(bench, "MODEL", "none")
    monkeypatch.setattr(bench, "_READ_BYTES", 1 << 22)
    # Each span of time is longer than the one before: a tiny model's own would be lost in noise.
    moments = (n * n / 1e6 for n in count())
    clock = partial(next, moments)
    figures = bench.measure(
        Library(Path("/nowhere")), runs=1, shapes=(("tiny", TINY),), clock=clock
    )
    assert [(s.engine.split()[0], s.threads) for s in figures.speeds] == [
        ("onnxruntime", 1),
        ("ctranslate2", 1),
        ("onnxruntime", 2),
        ("ctranslate2", 2),
    ]
    assert all(s.tokens_per_s > 0 and s.limit > 0 for s in figures.speeds)
    assert figures.first_sentence_ms is None
    assert figures.memory_gb_per_s > 0


@pytest.mark.parametrize("order", [shortest_first, round_robin])
def test_of_fifty_none_is_lost_and_fifty_more_are_turned_away(order: Order) -> None:
    notation = Notation(tokenizer([bench.TEXT, *bench.QUESTIONS]))
    made = weights(notation.tokenizer.get_vocab_size(), learned=False, layers=1)
    model = decoder(made, Form(heads=HEADS, positions=2000))
    crowd = bench._crowd(Generator(model, notation, 2000), order, time.perf_counter)
    assert (crowd.requests, crowd.lost, crowd.turned_away) == (50, 0, 50)
    assert 0 < crowd.short_p50_ms <= crowd.short_max_ms
