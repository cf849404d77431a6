"""Delivers trained models: converts them to int8, compares that with float, and publishes them."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import nn

from models.training import (
    benchmark,
    config,
    corpora,
    graph,
    labels,
    ner,
    reading,
    runtime,
    tokens,
)
from models.training.config import IntentConfig
from models.training.intent import IntentTask
from models.training.network import HEADS, pretrained
from models.training.publish import Entry, publish, tokenizer_file
from models.training.reading import ReaderTask
from models.training.tagging import Example, TaggingTask, figures, letter_cases
from nlu.classifier.logistic import Linear, fit_softmax

LOG = logging.getLogger("models.training")
INPUTS = {"input_ids": "int64[batch, tokens]", "attention_mask": "int64[batch, tokens]"}
FIGURES = config.TRAINING / "figures.json"
COMPARED = 1000
"""Number of dev sentences on which int8 is compared with float."""
SHOWN, REPEATS = 10, 10
"""Number of sentences shown of each intent that training has not seen, and of draws of them."""
LATENCY_TOKENS, LATENCY_RUNS = 14, 400


def weights(module: nn.Module) -> dict[str, graph.Array]:
    """The module's parameters as numpy arrays."""
    return {name: value.float().cpu().numpy() for name, value in module.state_dict().items()}


def blended(task: IntentTask, share: float) -> dict[str, graph.Array]:
    """The weights of the trained encoder, of which they are `share`, blended with the base model's.

    Untrained weights, such as word embeddings, stay identical, because other models share them.
    """
    base, trained = weights(pretrained()), weights(task.model.encoder)
    return {name: base[name] + share * (trained[name] - base[name]) for name in base}


def deliver_intent(task: IntentTask, settings: IntentConfig) -> None:
    """Write the intent encoder as int8, with its figures and its manifest entry."""
    made = blended(task, settings.blend)
    int8 = graph.embedding_model(made, HEADS)
    dev = [*corpora.clinc150("val"), *corpora.hwu64("dev")][:: 4000 // COMPARED]
    pieces = tokens.of_texts([s.text for s in dev])
    quick = np.stack([o[0] for o in runtime.run(int8, pieces)])
    exact = np.stack([o[0] for o in runtime.run(graph.embedding_model(made, HEADS, True), pieces)])
    directions = weights(task.model)["directions"]
    same = (quick @ directions.T).argmax(1) == (exact @ directions.T).argmax(1)
    cosines = (quick * exact).sum(axis=1)
    record(
        "intent",
        {
            "int8_float_cosine_mean": float(cosines.mean()),
            "int8_float_cosine_min": float(cosines.min()),
            "int8_float_same_class": float(same.mean()),
            **latency(int8),
        },
    )
    entry = Entry(
        version="1",
        kind="intent",
        summary="Sentence encoder that intents are told apart with (MiniLM-L6, int8)",
        licence="Apache-2.0; trained on CLINC150 (CC BY 3.0), HWU64 (CC BY 4.0), SNIPS (CC0), ATIS",
        inputs=INPUTS,
        outputs={"embedding": "float32[batch, 384]"},
    )
    publish("intent", entry, {"model.onnx": int8, "tokenizer.json": tokenizer_file()})


def deliver_generality(task: IntentTask, settings: IntentConfig) -> None:
    """Record how well held-out intents are distinguished, by this encoder and by the base model."""
    held = sorted(task.held)
    train = [s for s in corpora.clinc150("train") if s.intent in task.held]
    dev = [s for s in corpora.clinc150("val") if s.intent in task.held]
    found = {}
    encoders = {"base": weights(pretrained()), "trained": blended(task, settings.blend)}
    for name, made in encoders.items():
        int8 = graph.embedding_model(made, HEADS)
        known, asked = (
            np.stack([o[0] for o in runtime.run(int8, tokens.of_texts([s.text for s in part]))])
            for part in (train, dev)
        )
        numbers = np.array([held.index(s.intent) for s in train])
        wanted = np.array([held.index(s.intent) for s in dev])
        right = [
            (_shown(known, numbers, seed)(asked).argmax(axis=1) == wanted).mean()
            for seed in range(REPEATS)
        ]
        found[f"unseen_intents_{name}"] = float(np.mean(right))
    record("intent", found)


def _shown(known: graph.Array, numbers: NDArray[np.intp], seed: int) -> Linear:
    """A linear classifier that is fitted to a few sentences of each intent."""
    draw = np.random.default_rng(seed)
    intents = range(int(numbers.max()) + 1)
    rows = [draw.choice(np.flatnonzero(numbers == n), SHOWN, replace=False) for n in intents]
    few = np.concatenate(rows)
    return fit_softmax(known[few], numbers[few])


def deliver_ner(task: TaggingTask) -> None:
    """Write the NER model as int8, with its figures and its manifest entry."""
    int8 = graph.tagging_model(weights(task.model), HEADS, whole="addressee")
    compare(task, int8, "ner")
    tests = ner.test_sets()
    tests["both"] = [example for test in tests.values() for example in test]
    found = {
        f"{name}_f1": evaluate_tagger(task, int8, test)["slot_f1"] for name, test in tests.items()
    }
    record("ner", found | latency(int8))
    entry = Entry(
        version="1",
        kind="slots",
        summary="Names, places, times and the like among words, and to whom they are said",
        licence="Apache-2.0; trained on HWU64 (CC BY 4.0) and SNIPS (CC0)",
        inputs=INPUTS,
        outputs={
            "logits": f"float32[batch, tokens, {len(labels.TAGS)}]",
            "addressee": f"float32[batch, {len(task.intents)}]",
        },
    )
    named = (json.dumps({"tags": labels.TAGS, "addressees": task.intents}) + "\n").encode()
    files = {"model.onnx": int8, "tokenizer.json": tokenizer_file(), "labels.json": named}
    publish("ner", entry, files)


def deliver_reader(task: ReaderTask) -> None:
    """Write the reader as int8, with its comparison with float and its manifest entry."""
    made = weights(task.model)
    int8 = graph.reading_model(made, HEADS)
    exact = graph.reading_model(made, HEADS, float_weights=True)
    compared = reading.compare(task, int8, exact)
    record("reader", compared | task.dev() | latency(int8, {"token_type_ids": 0}))
    entry = Entry(
        version="1",
        kind="reader",
        summary="Embeds passages and questions, and points at the answer (MiniLM-L6, int8)",
        licence="Apache-2.0; trained on our own passages",
        inputs=INPUTS | {"token_type_ids": "int64[batch, tokens]"},
        outputs={
            "embedding": "float32[batch, 384]",
            "spans": "float32[batch, tokens, 2]",
        },
    )
    publish("reader", entry, {"model.onnx": int8, "tokenizer.json": tokenizer_file()})


def deliver_benchmark(name: str, task: TaggingTask) -> None:
    """Measure the int8 model of a benchmark on its test split; only the figures are kept."""
    int8 = graph.tagging_model(weights(task.model), HEADS)
    compare(task, int8, f"benchmark-{name}")
    record(f"benchmark-{name}", evaluate_tagger(task, int8, benchmark.examples(name, "test")))


def compare(task: TaggingTask, int8: bytes, name: str) -> None:
    """Record the figures of int8 and of float on the dev split, both run with onnxruntime."""
    dev = list(task.dev_set)[:COMPARED]
    exact = graph.tagging_model(weights(task.model), HEADS, float_weights=True)
    quick_out, exact_out = outputs(task, int8, dev), outputs(task, exact, dev)
    pairs = [(q[0], e[0]) for q, e in zip(quick_out, exact_out, strict=True)]
    same = [(q.argmax(-1) == e.argmax(-1)).mean() for q, e in pairs]
    found = {
        "int8_float_same_tags": float(np.mean(same)),
        "int8_float_largest_difference": float(max(np.abs(q - e).max() for q, e in pairs)),
    }
    for kind, model in (("int8", int8), ("float", exact)):
        found |= {f"dev_{kind}_{key}": v for key, v in evaluate_tagger(task, model, dev).items()}
    record(name, found)


def outputs(task: TaggingTask, model: bytes, examples: Sequence[Example]) -> list[list[Any]]:
    """The model's outputs for each example."""
    pieces = tokens.of_words([e.words for e in examples])
    cases = [letter_cases(e, p) for e, p in zip(examples, pieces, strict=True)]
    return runtime.run(model, pieces, cases if task.cased else None)


def evaluate_tagger(
    task: TaggingTask, model: bytes, examples: Sequence[Example]
) -> dict[str, float]:
    """The slot F1, intent accuracy and share of right sentences of a written model."""
    pieces = tokens.of_words([e.words for e in examples])
    made = outputs(task, model, examples)
    predictions = [
        task.read(out[0], out[1] if len(out) > 1 else None, piece.firsts)
        for out, piece in zip(made, pieces, strict=True)
    ]
    return figures(examples, predictions, task.intents)


def latency(model: bytes, further: Mapping[str, int] | None = None) -> dict[str, float]:
    """Milliseconds for one sentence of 14 tokens on one thread; `further` inputs are constant."""
    session = runtime.open_model(model)
    ids = np.arange(1000, 1000 + LATENCY_TOKENS, dtype=np.int64)[None]
    inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
    inputs |= {name: np.full_like(ids, value) for name, value in (further or {}).items()}
    times = []
    for _ in range(LATENCY_RUNS):
        started = time.perf_counter()
        session.run(None, inputs)
        times.append((time.perf_counter() - started) * 1000)
    return {"ms_p50": float(np.median(times)), "ms_p99": float(np.quantile(times, 0.99))}


def record(name: str, found: dict[str, float]) -> None:
    """Add a model's figures, with the date, to `figures.json`."""
    known = json.loads(FIGURES.read_text("utf-8")) if FIGURES.exists() else {}
    rounded = {key: round(value, 4) for key, value in found.items()}
    known.setdefault(name, {}).update(rounded, date=datetime.now(UTC).date().isoformat())
    FIGURES.write_text(json.dumps(known, indent=2, sort_keys=True) + "\n", "utf-8")
    LOG.info("%s %s", name, rounded)
