"""The shipped NER model: what HWU64, SNIPS and our own sentences call spans, in our labels.

Beside the spans it learns to whom a sentence is said, an assistant or somebody else: it reads every
text whole anyway, with the words of politeness that the intent model is not shown.
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
"""To whom a sentence is said; what must not be obeyed counts as said to somebody else."""
UNSAID = ("person", "place", "artist", "date", "time", "number", "currency")
"""What our own sentences mark only where it fills a slot of theirs, or not at all."""
KNOWN = 0.3
"""Share of the public sets' sentences, all said to an assistant, of which that is learned."""
UNASKED = "questions"
"""The file of our sentences to an assistant that no intent covers: neither is learned of them."""
UNMARKED = 0.7
"""Share of the sentences that lose their punctuation, as a recogniser writes none."""
_PUNCTUATION = ",.;:!?"
COPIES = {"own": 1.2, "hwu64": 2, "snips": 0.6}
"""Times an epoch that a sentence of a set is seen, each time with other names or values."""


class NerTask(TaggingTask):
    """Our own sentences come with new names each epoch."""

    def __init__(self, config: Config) -> None:
        self.seed, self.share = config.seed, config.swapped
        self.public = _public("train")
        self.values = swaps.values(self.public)
        self.own, dev = _own_parts()
        judged = [example(s) for s in _public("dev")] + [example(s, addressee(s)) for s in dev]
        train = self.examples(0)
        super().__init__("ner", config, train, judged, labels.TAGS, unmarked=UNSAID)

    def examples(self, epoch: int) -> Sequence[Example]:
        """Sentences of all sets with values swapped, and our own with other names."""
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
    """To whom a sentence is said; "" where that is not learned."""
    if sentence.origin == UNASKED:
        return ""
    outside = sentence.intent == NONE or sentence.origin == NOT_OBEYED
    return OTHER if outside else ASSISTANT


def example(sentence: Sentence, intent: str = "") -> Example:
    """The sentence's words, punctuation apart, with tags of our labels."""
    whole = labels.mapped(sentence)
    places = tokens.words(whole.text)
    tags = bio.tags(tokens.on_words(places, whole.spans), len(places))
    partial = sentence.origin not in COPIES
    return Example([whole.text[s:e] for s, e in places], tags, intent, partial)


def unmarked(marked: Example) -> Example:
    """The example without the punctuation that stands in no span."""
    pairs = zip(marked.words, marked.tags, strict=True)
    kept = [(w, t) for w, t in pairs if t != bio.OUTSIDE or w not in _PUNCTUATION]
    return replace(marked, words=[w for w, _ in kept], tags=[t for _, t in kept])


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
