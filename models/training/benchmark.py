"""The public benchmarks: this architecture on a set's own train split, judged as int8 on test."""

from __future__ import annotations

from models.training import bio, corpora, tokens
from models.training.config import BENCHMARKS
from models.training.markup import Sentence
from models.training.tagging import Example, TaggingTask


def task(name: str) -> TaggingTask:
    """Training on "snips", "atis" or "conll"."""
    train, dev = examples(name, "train"), examples(name, "dev")
    found = sorted({tag[2:] for e in train for tag in e.tags if tag != bio.OUTSIDE})
    tags = [bio.OUTSIDE, *(f"{prefix}-{label}" for label in found for prefix in "BI")]
    return TaggingTask(f"benchmark-{name}", BENCHMARKS[name], train, dev, tags, name == "conll")


def examples(name: str, split: str) -> list[Example]:
    """The sentences of a split, in the set's own words."""
    read = corpora.conll2003(split) if name == "conll" else corpora.tagged(name, split)
    return [_example(sentence) for sentence in read]


def _example(sentence: Sentence) -> Example:
    words = sentence.text.split(" ")
    starts = [0]
    for word in words:
        starts.append(starts[-1] + len(word) + 1)
    places = [(s, s + len(w)) for s, w in zip(starts, words, strict=False)]
    found = tokens.on_words(places, sentence.spans)
    return Example(words, bio.tags(found, len(words)), sentence.intent)
