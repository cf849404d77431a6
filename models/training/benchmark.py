"""Trains this architecture on a public set's train split, for figures of int8 on its test split."""

from __future__ import annotations

import random
from collections.abc import Sequence

from models.training import bio, corpora, swaps, tokens
from models.training.config import BENCHMARKS
from models.training.markup import Sentence
from models.training.tagging import Example, TaggingTask


class BenchmarkTask(TaggingTask):
    """Training on a set's own words and labels, with values swapped where its settings say so."""

    def __init__(self, name: str) -> None:
        config = BENCHMARKS[name]
        self.seed, self.share = config.seed, config.swapped
        self.sentences = sentences(name, "train")
        self.values = swaps.values(self.sentences)
        train, dev = [_example(s) for s in self.sentences], examples(name, "dev")
        found = sorted({tag[2:] for e in train for tag in e.tags if tag != bio.OUTSIDE})
        tags = [bio.OUTSIDE, *(f"{prefix}-{label}" for label in found for prefix in "BI")]
        super().__init__(f"benchmark-{name}", config, train, dev, tags, cased=name == "conll")

    def examples(self, epoch: int) -> Sequence[Example]:
        """The training sentences, with swapped values."""
        if not self.share:
            return self.train_set
        draw = random.Random(self.seed * 1000 + epoch)
        return [_example(swaps.swapped(s, self.values, draw, self.share)) for s in self.sentences]


def examples(name: str, split: str) -> list[Example]:
    """The examples of a split, in the set's own words."""
    return [_example(sentence) for sentence in sentences(name, split)]


def sentences(name: str, split: str) -> list[Sentence]:
    """The sentences of a split, as they were read."""
    return corpora.conll2003(split) if name == "conll" else corpora.tagged(name, split)


def _example(sentence: Sentence) -> Example:
    words = sentence.text.split(" ")
    starts = [0]
    for word in words:
        starts.append(starts[-1] + len(word) + 1)
    places = [(s, s + len(w)) for s, w in zip(starts, words, strict=False)]
    found = tokens.on_words(places, sentence.spans)
    return Example(words, bio.tags(found, len(words)), sentence.intent)
