"""Delivers the trained generator: int8, its comparison with float, its figures and its entry."""

from __future__ import annotations

import logging
import random
from collections.abc import Sequence

import numpy as np

from assistant.answer.generation.decoder_graph import Form, graph, interface
from assistant.answer.generation.generator import GenerationBudget, Generator
from assistant.answer.generation.prompt import Mark
from assistant.core.causal.decoder import Decoder as Runtime
from assistant.core.models.session import session_of_bytes
from models.training import dialogue, generator, grounded
from models.training.config import GENERATOR
from models.training.decoder import BASE, EPSILON, Decoder
from models.training.delivery import record, weights
from models.training.dialogue import Example
from models.training.generator import Examples, Row
from models.training.publish import Entry, publish

LOG = logging.getLogger("models.training")
COMPARED = 200
"""Number of dev examples of each sort on which int8 is compared with float."""


def run() -> None:
    """Train for the remaining rounds, and deliver."""
    deliver(*generator.train(GENERATOR))


def deliver(model: Decoder, examples: Examples) -> None:
    """Write the generator as int8, with its figures and its manifest entry."""
    made = weights(model)
    form = Form(heads=GENERATOR.heads, positions=GENERATOR.positions, base=BASE, epsilon=EPSILON)
    int8 = graph(made, form)
    exact = graph(made, Form(**{**vars(form), "int8": False}))
    found = generator.dev_losses(model, examples)
    draw = random.Random(0)
    for name, rows in examples.dev().items():
        some = draw.sample(rows, min(COMPARED, len(rows)))
        found |= _compared(name, _runtime(int8), _runtime(exact), some)
    found |= _spoken(_runtime(int8), examples)
    record("generator", found)
    inputs, outputs = interface(made, form.heads)
    entry = Entry(
        version="1",
        kind="generator",
        summary="Phrases facts and sentences of documents as speech (9 M parameters, int8)",
        licence="CC BY-SA 4.0; trained on Schema-Guided Dialogue (CC BY-SA 4.0) and our own texts",
        inputs=inputs,
        outputs=outputs,
    )
    pieces = examples.notation.tokenizer.to_str().encode()
    publish("generator", entry, {"model.onnx": int8, "tokenizer.json": pieces})


def _runtime(model: bytes) -> Runtime:
    return Runtime(session_of_bytes(model, threads=2))


def _compared(name: str, int8: Runtime, exact: Runtime, rows: Sequence[Row]) -> dict[str, float]:
    """The losses of both models on the replies, and how often they choose the same token."""
    losses: dict[str, list[float]] = {"int8": [], "float": []}
    same = []
    for row in rows:
        start = len(row.ids) - row.said
        choices = {}
        for kind, model in (("int8", int8), ("float", exact)):
            scores, memory = model.read(row.ids[:start], model.nothing())
            choices[kind] = []
            for token in row.ids[start:]:
                high = scores.max()
                losses[kind].append(
                    float(np.log(np.exp(scores - high).sum()) + high - scores[token])
                )
                choices[kind].append(int(scores.argmax()))
                scores, memory = model.read([token], memory)
        same += [a == b for a, b in zip(choices["int8"], choices["float"], strict=True)]
    found = {f"dev_{name}_{kind}": float(np.mean(lost)) for kind, lost in losses.items()}
    return found | {f"dev_{name}_int8_float_same_token": float(np.mean(same))}


def _spoken(model: Runtime, examples: Examples) -> dict[str, float]:
    """The share of values that greedy dev replies say, and of replies with known facts only."""
    speaker = Generator(model, examples.notation)
    draw = random.Random(0)
    turns = [t for t in dialogue.read("dev") if t.values]
    said = [
        value in text
        for turn in draw.sample(turns, COMPARED)
        for text in [_greedy(speaker, (dialogue.about_facts(turn.acts, turn.kind), ""))]
        for value in turn.values
    ]
    asked = [a for a in grounded.read(dev=True) if a.said]
    facts = [
        _facts(_greedy(speaker, grounded.plain(a)), a)
        for a in draw.sample(asked, min(COMPARED, len(asked)))
    ]
    return {"dev_values_said": float(np.mean(said)), "dev_only_known_facts": float(np.mean(facts))}


def _greedy(speaker: Generator, example: Example) -> str:
    *_, last = speaker.stream(example[0], budget=GenerationBudget(tokens=80, seconds=30))
    return last.text


def _facts(said: str, asked: grounded.Asked) -> bool:
    shown = " ".join(text for mark, text in grounded.plain(asked)[0] if mark is not Mark.SAY)
    return not set(grounded.facts(said)) - set(grounded.words(shown))
