"""Reads the public data sets, and our own annotated sentences."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from models.training import bio
from models.training.config import DATA, SENTENCES
from models.training.markup import Sentence, Span, read

DEV_SHARE = 0.1
DEV_SEED = 20_26
"""Seed that draws `DEV_SHARE` of HWU64's train split as its dev split; it has none of its own."""


def clinc150(split: str) -> list[Sentence]:
    """The sentences of CLINC150's "train", "val", "test", "oos_train", "oos_val" or "oos_test"."""
    whole = json.loads((DATA / "nlu/clinc150/data_full.json").read_text("utf-8"))
    return [Sentence(text, (), intent, "clinc150") for text, intent in whole[split]]


def hwu64(split: str) -> list[Sentence]:
    """The sentences of HWU64's "train" (nine tenths of the file), "dev" (the rest) or "test"."""
    if split == "test":
        return _rasa(DATA / "nlu/hwu64/test.json")
    sentences = _rasa(DATA / "nlu/hwu64/train.json")
    random.Random(DEV_SEED).shuffle(sentences)
    cut = int(len(sentences) * DEV_SHARE)
    return sentences[:cut] if split == "dev" else sentences[cut:]


def tagged(name: str, split: str) -> list[Sentence]:
    """The sentences of a split of SNIPS or ATIS; "#" joins the two intents of a sentence."""
    folder = DATA / "nlu" / name / split
    columns = [(folder / part).read_text("utf-8").splitlines() for part in ("seq.in", "seq.out")]
    intents = (folder / "label").read_text("utf-8").splitlines()
    return [
        from_words(text.split(), tags.split(), intent.strip(), name)
        for text, tags, intent in zip(*columns, intents, strict=True)
    ]


def conll2003(split: str) -> list[Sentence]:
    """The sentences of CoNLL-2003's "train", "dev" or "test", with its IOB1 tags as spans."""
    file = {"train": "eng.train", "dev": "eng.testa", "test": "eng.testb"}[split]
    lines = (DATA / "ner/conll2003" / file).read_text("utf-8").splitlines()
    sentences = []
    for filled, group in groupby(lines, key=lambda line: bool(line.strip())):
        rows = [line.split() for line in group] if filled else []
        if rows and rows[0][0] != "-DOCSTART-":
            words, tags = [row[0] for row in rows], [row[-1] for row in rows]
            sentences.append(from_words(words, tags, "", "conll"))
    return sentences


def own() -> list[Sentence]:
    """Our own annotated sentences, from all files."""
    return [sentence for file in sorted(SENTENCES.glob("*.txt")) for sentence in read(file)]


def from_words(words: Sequence[str], tags: Sequence[str], intent: str, origin: str) -> Sentence:
    """The sentence of these words, joined by single spaces."""
    starts = [0]
    for word in words:
        starts.append(starts[-1] + len(word) + 1)
    found = (Span(starts[s], starts[e] - 1, label) for s, e, label in bio.spans(tags))
    return Sentence(" ".join(words), tuple(found), intent, origin)


def _rasa(file: Path) -> list[Sentence]:
    examples = json.loads(file.read_text("utf-8"))["rasa_nlu_data"]["common_examples"]
    return [
        Sentence(example["text"], tuple(_rasa_spans(example)), example["intent"], "hwu64")
        for example in examples
    ]


def _rasa_spans(example: dict[str, Any]) -> Iterator[Span]:
    end = 0
    for entity in sorted(example["entities"], key=lambda entity: entity["start"]):
        if entity["start"] >= end:  # a few lines mark the same words twice
            end = entity["end"]
            yield Span(entity["start"], end, entity["entity"])
