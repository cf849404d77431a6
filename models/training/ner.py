"""The shipped NER model: what HWU64, SNIPS and our own sentences call spans, in our labels."""

from __future__ import annotations

import random
from collections.abc import Sequence

from models.training import bio, corpora, labels, names, swaps, tokens
from models.training.config import Config
from models.training.markup import Sentence
from models.training.tagging import Example, TaggingTask

COPIES = {"own": 2, "hwu64": 2, "snips": 0.6}
"""Times an epoch that a sentence of a set is seen, each time with other names or values."""


class NerTask(TaggingTask):
    """Our own sentences come with new names each epoch."""

    def __init__(self, config: Config) -> None:
        self.seed, self.share = config.seed, config.swapped
        self.public = _public("train")
        self.values = swaps.values(self.public)
        self.own, dev = _own_parts()
        dev = [*_public("dev"), *dev]
        train = self.examples(0)
        super().__init__("ner", config, train, [example(s) for s in dev], labels.TAGS)

    def examples(self, epoch: int) -> Sequence[Example]:
        """Sentences of all sets with values swapped, and our own with other names."""
        draw = random.Random(self.seed * 1000 + epoch)
        own = [names.renamed(s, draw) for s in self.own for _ in range(int(COPIES["own"]))]
        public = [
            swaps.swapped(s, self.values, draw, self.share)
            for s in self.public
            for _ in range(int(COPIES[s.origin] + draw.random()))
        ]
        return [example(s) for s in (*public, *own)]


def example(sentence: Sentence) -> Example:
    """The sentence's words, punctuation apart, with tags of our labels."""
    whole = labels.mapped(sentence)
    places = tokens.words(whole.text)
    tags = bio.tags(tokens.on_words(places, whole.spans), len(places))
    return Example([whole.text[s:e] for s, e in places], tags)


def test_sets() -> dict[str, list[Example]]:
    """The public test splits."""
    return {
        "hwu64": [example(s) for s in corpora.hwu64("test")],
        "snips": [example(s) for s in corpora.tagged("snips", "test")],
    }


def _public(split: str) -> list[Sentence]:
    return [*corpora.hwu64(split), *corpora.tagged("snips", split)]


def _own_parts() -> tuple[list[Sentence], list[Sentence]]:
    """Our own sentences for training and, one in twenty, for dev."""
    sentences = corpora.own()
    random.Random(corpora.DEV_SEED).shuffle(sentences)
    cut = len(sentences) // 20
    return sentences[cut:], sentences[:cut]
