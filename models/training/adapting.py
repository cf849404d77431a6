"""Trains an adapter of the shipped NER model on a new domain, beside a full training of it.

The domain is flights (ATIS), which the NER model has not seen, with sentences of its own training
in equal number, so that it forgets less. Both trainings begin with the int8 weights that ship,
and both results are judged as int8 models by one function.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor, nn

from assistant.core.models.adapter import ADAPTER, Change, adapter_of, encoded, merge
from assistant.core.models.calibration import FILE as CALIBRATION
from assistant.core.models.onnx import tensors
from models.training import bio, config, corpora, delivery, graph, labels, loop, ner, tokens
from models.training.config import BUILD, MODELS, Config
from models.training.markup import Sentence, Span
from models.training.network import HEADS, LAYERS
from models.training.tagging import Example, TaggingTask

RANK = 8
SENTENCES = 2000
"""Number of sentences of each kind, new and known, in the trainings."""
KNOWN = 1000
"""Number of sentences of the NER model's own dev split that results are judged on."""
PARTS = ("qkv", "out", "up", "down")
"""The matrices of a layer."""
FULL = Config(epochs=4, learning_rate=1e-4, batch=32, smoothing=0.05)
LOW_RANK = Config(epochs=4, learning_rate=2e-3, batch=32, smoothing=0.05)

_LABELS = {
    "city_name": "place",
    "airport_name": "place",
    "state_name": "place",
    "day_name": "date",
    "day_number": "date",
    "month_name": "date",
    "today_relative": "date",
    "year": "date",
    "time": "time",
    "start_time": "time",
    "end_time": "time",
    "period_of_day": "time",
}
"""Last part of a label of ATIS → our label."""
_DTYPES = {1: np.dtype("<f4"), 3: np.dtype(np.int8)}


class LowRank(nn.Module):
    """A layer that stays as it is, and two thin matrices whose product is added to its own."""

    def __init__(self, linear: nn.Linear, rank: int) -> None:
        super().__init__()
        self.linear = linear
        self.down = nn.Parameter(torch.randn(linear.in_features, rank) * linear.in_features**-0.5)
        self.up = nn.Parameter(torch.zeros(rank, linear.out_features))

    def forward(self, x: Tensor) -> Tensor:
        """float32[…, in] → float32[…, out]."""
        return self.linear(x) + x @ self.down @ self.up


class FlightsTask(TaggingTask):
    """Further training of the shipped NER model: of all its weights, or of an adapter alone."""

    def __init__(self, settings: Config, train: Sequence[Example], rank: int = 0) -> None:
        name = "adapter" if rank else "adapter-full"
        super().__init__(name, settings, train, flights("dev"), labels.TAGS, unmarked=ner.UNSAID)
        self.model.load_state_dict(weights_of(shipped()))
        if rank:
            self.model.requires_grad_(False)
            for layer in self.model.encoder.layers:
                for part in PARTS:
                    setattr(layer, part, LowRank(getattr(layer, part), rank))


def run() -> None:
    """Train both, write the adapter to the folder of checkpoints, and record the figures."""
    known = ner.NerTask(config.NER)
    draw = random.Random(config.NER.seed)
    train = draw.sample(flights("train"), SENTENCES)
    train += draw.sample(list(known.examples(0)), SENTENCES)
    sets = {
        "flights_dev": flights("dev"),
        "flights_test": flights("test"),
        "known_dev": draw.sample(list(known.dev_set), KNOWN),
    }
    whole, low = FlightsTask(FULL, train), FlightsTask(LOW_RANK, train, RANK)
    loop.train(whole, FULL)
    loop.train(low, LOW_RANK)
    base = shipped()
    adapter = adapter_of(base, tuple(changes(low.model)))
    written = BUILD / low.name / ADAPTER
    written.write_bytes(encoded(adapter))
    shutil.copy(MODELS / "ner" / CALIBRATION, written.parent)
    models = {
        "before": base,
        "full": graph.tagging_model(delivery.weights(whole.model), HEADS, whole="addressee"),
        "adapter": merge(base, adapter, str(written)),
    }
    found = {"bytes": float(written.stat().st_size), "share": written.stat().st_size / len(base)}
    for name, model in models.items():
        for part, judged in sets.items():
            found[f"{name}_{part}_f1"] = delivery.evaluate_tagger(whole, model, judged)["slot_f1"]
    delivery.record("adapter", found)


def shipped() -> bytes:
    """The NER model that ships."""
    return (MODELS / "ner" / "model.onnx").read_bytes()


def weights_of(model: bytes) -> dict[str, Tensor]:
    """The parameters of a `Tagger`, in float32, of the int8 model that `graph` made of one."""
    held = {
        tensor.name: np.frombuffer(tensor.data, _DTYPES[tensor.element]).reshape(tensor.shape)
        for tensor in tensors(model)
        if tensor.element in _DTYPES
    }
    found = {
        "encoder.words.weight": held["words.int8"] * held["words.scales"],
        # The first segment's embedding is in that of the positions already.
        "encoder.positions.weight": held["positions"],
        "encoder.segments.weight": np.zeros((2, held["positions"].shape[1]), np.float32),
        "encoder.norm.weight": held["embedded.weight"],
        "encoder.norm.bias": held["embedded.shift"],
    }
    for layer in (f"layers.{index}" for index in range(LAYERS)):
        for part in (f"{layer}.{part}" for part in PARTS):
            found[f"encoder.{part}.weight"] = (held[f"{part}.int8"] * held[f"{part}.scales"]).T
            found[f"encoder.{part}.bias"] = held[f"{part}.bias"]
        for norm in (f"{layer}.norm1", f"{layer}.norm2"):
            found[f"encoder.{norm}.weight"] = held[f"{norm}.weight"]
            found[f"encoder.{norm}.bias"] = held[f"{norm}.shift"]
    for head in ("tags", "intents"):
        found[f"{head}.weight"] = held[f"{head}.weight"].T
        found[f"{head}.bias"] = held[f"{head}.bias"]
    return {name: torch.tensor(np.array(value, np.float32)) for name, value in found.items()}


def changes(model: nn.Module) -> Iterator[Change]:
    """What the adapter that was trained in the model adds to each matrix."""
    for name, module in model.named_modules():
        if isinstance(module, LowRank):
            down, up = (m.detach().float().cpu().numpy() for m in (module.down, module.up))
            yield change(name.removeprefix("encoder."), down, up)


def change(name: str, down: graph.Array, up: graph.Array) -> Change:
    """The int8 form of down · up, float32[in, rank] and [rank, out].

    The product is written by its singular vectors first: then no row of one factor is so large that
    the others are lost beside it.
    """
    rank = len(up)
    left, sizes, right = np.linalg.svd(down.astype(np.float64) @ up, full_matrices=False)
    left, right = left[:, :rank], sizes[:rank, None] * right[:rank]
    step = np.abs(left).max() / 127
    steps = np.maximum(np.abs(right).max(axis=0), 1e-12) / 127
    return Change(
        name=name,
        rank=rank,
        down=np.rint(left / step).astype(np.int8).tobytes(),
        up=np.rint(right / steps).astype(np.int8).tobytes(),
        steps=(step * steps).astype("<f4").tobytes(),
    )


def flights(split: str) -> list[Example]:
    """The sentences of a split of ATIS, with our labels of places, dates and times alone."""
    return [example(sentence) for sentence in corpora.tagged("atis", split)]


def example(sentence: Sentence) -> Example:
    """The example of a sentence of ATIS."""
    places = tokens.words(sentence.text)
    marked = tokens.on_words(places, tuple(_joined(sentence)))
    return Example([sentence.text[s:e] for s, e in places], bio.tags(marked, len(places)))


def _joined(sentence: Sentence) -> Iterator[Span]:
    """The spans with our labels; "june" beside "fourteenth" is one date."""
    spans = (replace(s, label=_LABELS.get(s.label.rpartition(".")[2], "")) for s in sentence.spans)
    last: Span | None = None
    for span in (s for s in spans if s.label):
        if last is not None and (last.label, last.end + 1) == (span.label, span.start):
            last = replace(last, end=span.end)
            continue
        if last is not None:
            yield last
        last = span
    if last is not None:
        yield last
