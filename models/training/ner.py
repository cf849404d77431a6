"""Trains the shipped NER model on HWU64, SNIPS and our own sentences, with our labels.

It also learns whom a sentence is addressed to, an assistant or somebody else, because it reads
every text whole, with the polite words that the intent model does not see.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from models.training import bio, corpora, labels, names, swaps, tokens
from models.training.config import NONE, NOT_OBEYED, Config
from models.training.markup import Sentence
from models.training.tagging import Example, TaggingTask

ASSISTANT, OTHER = "assistant", "other"
"""Whom a sentence is addressed to; one that must not be obeyed counts as said to somebody else."""
UNSAID = ("person", "place", "artist", "date", "time", "number", "currency")
"""Labels that our own sentences mark only where they fill a slot, or never."""
KNOWN = 0.3
"""Share of the public sets' sentences, all said to an assistant, whose addressee is learned."""
UNASKED = "questions"
"""Name of the file of our sentences to an assistant without an intent: no addressee is learned."""
UNMARKED = 0.7
"""Share of the sentences without punctuation, because a recogniser writes none."""
_PUNCTUATION = ",.;:!?"
COPIES = {"own": 1.2, "hwu64": 2, "snips": 0.6}
"""Set → mean number of times per epoch that its sentences are used, each time with other values."""


class NerTask(TaggingTask):
    """Training of the NER model; our own sentences get new names in each epoch."""

    def __init__(self, config: Config) -> None:
        self.seed, self.share = config.seed, config.swapped
        self.public = _public("train")
        self.values = swaps.values(self.public)
        self.own, dev = _own_parts()
        judged = [example(s) for s in _public("dev")] + [example(s, addressee(s)) for s in dev]
        train = self.examples(0)
        super().__init__("ner", config, train, judged, labels.TAGS, unmarked=UNSAID)

    def examples(self, epoch: int) -> Sequence[Example]:
        """The sentences of all sets; the public ones have swapped values, ours have other names."""
        draw = random.Random(self.seed * 1000 + epoch)
        own = [
            names.renamed(s, draw)
            for s in self.own
            for _ in range(int(COPIES["own"] + draw.random()))
        ]
        public = [
            swaps.swapped(s, self.values, draw, self.share)
            for s in self.public
            for _ in range(int(COPIES[s.origin] + draw.random()))
        ]
        made = [example(s, addressee(s)) for s in own]
        made += [example(s, addressee(s) if draw.random() < KNOWN else "") for s in public]
        return [unmarked(e) if draw.random() < UNMARKED else e for e in made]


def addressee(sentence: Sentence) -> str:
    """Whom a sentence is addressed to; "" where that is not learned."""
    if sentence.origin == UNASKED:
        return ""
    outside = sentence.intent == NONE or sentence.origin == NOT_OBEYED
    return OTHER if outside else ASSISTANT


def example(sentence: Sentence, intent: str = "") -> Example:
    """The example of a sentence: its words, with punctuation as words, and tags of our labels."""
    whole = labels.mapped(sentence)
    places = tokens.words(whole.text)
    tags = bio.tags(tokens.on_words(places, whole.spans), len(places))
    partial = sentence.origin not in COPIES
    return Example([whole.text[s:e] for s, e in places], tags, intent, partial)


def unmarked(marked: Example) -> Example:
    """The example without punctuation outside its spans."""
    pairs = zip(marked.words, marked.tags, strict=True)
    kept = [(w, t) for w, t in pairs if t != bio.OUTSIDE or w not in _PUNCTUATION]
    return replace(marked, words=[w for w, _ in kept], tags=[t for _, t in kept])


def test_sets() -> dict[str, list[Example]]:
    """The public test splits, by name."""
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
