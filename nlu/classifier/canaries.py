"""How the models of understanding answer their canaries."""

from __future__ import annotations

import re

from assistant.core.models.canary import Answer
from nlu.classifier.encoder import SentenceEncoder
from nlu.classifier.examples import read_shipped
from nlu.classifier.tagger import Tagger

_WORD = re.compile(r"\w+|[^\w\s]")


def of_intent(encoder: SentenceEncoder, examples: bytes) -> Answer:
    """A text → the intent of the most similar of the encoder's `examples`, or "none".

    The answers are right only where encoder, tokenizer and examples belong together.
    """
    known = read_shipped(examples)

    def nearest(text: str) -> str:
        (embedding,) = encoder.encode([text])
        label = known.labels[int((known.embeddings @ embedding).argmax())]
        return label.intent if label else "none"

    return nearest


def of_slots(tagger: Tagger) -> Answer:
    """A text → its spans in order, each a label and the words."""

    def spans(text: str) -> list[list[str]]:
        words = _WORD.findall(text)
        return [[s.label, " ".join(words[s.start : s.end])] for s in tagger.tag(words).spans]

    return spans
