"""Draws sentences with their intent and the place of every slot, to train the models."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from assistant.core.messages import SlotValue
from assistant.english.spoken import articles
from assistant.skill.manifest import IntentSchema
from nlu.grammar.grammar import Grammar
from nlu.speakable.source import Filled, SentenceSource
from nlu.speakable.spoken import spoken

_ENDING = re.compile(r"(?<=[^\W\d_])[a-z]+|['’][a-z]+")
"""Ending attached to the word before it: of "lights" or "floor lamp 2's", but not of "3000k"."""

_MOST_TRIES = 3


class LabelledSpan(NamedTuple):
    """The characters `start` to `end` of a text, which fill a slot of that kind."""

    slot: str
    kind: str
    start: int
    end: int


class Labelled(NamedTuple):
    """A spoken sentence, its intent, the spans of its slots, and the slots that are not said."""

    intent: str
    text: str
    spans: tuple[LabelledSpan, ...]
    fixed: tuple[tuple[str, SlotValue], ...]


def labelled(grammar: Grammar, each: int, seed: int, talk: bool = False) -> list[Labelled]:
    """About `each` different sentences for every intent that has enough.

    Within an intent, each block's share grows with the log of its size. Intents are in the
    grammar's order. With `talk`, they are the skills' sentences for what is only talked about, else
    all others. The same grammar, number and seed give the same list.
    """
    sources: dict[str, list[tuple[SentenceSource, IntentSchema]]] = {}
    for index, claim in enumerate(grammar.claims):
        if (claim.block is None and claim.schema.traits.only_talk) is not talk:
            continue
        source = SentenceSource(grammar.lists, claim.written, f"{seed} labelled {index}")
        if source.size:
            sources.setdefault(claim.schema.intent, []).append((source, claim.schema))
    return [one for group in sources.values() for one in _drawn(group, each)]


def labelled_of(grammar: Grammar, intent: str, most: int) -> list[Labelled]:
    """Up to `most` different sentences of each claim of one intent, always the same."""
    sources = (
        (SentenceSource(grammar.lists, claim.written, f"{index}"), claim.schema)
        for index, claim in enumerate(grammar.claims)
        if claim.schema.intent == intent
    )
    return [
        one for source, schema in sources if source.size for one in _drawn([(source, schema)], most)
    ]


def _drawn(group: list[tuple[SentenceSource, IntentSchema]], share: int) -> Iterable[Labelled]:
    weights = [1 + math.log2(source.size) for source, _ in group]
    found: dict[str, Labelled] = {}
    for (source, schema), weight in zip(group, weights, strict=True):
        wanted = math.ceil(share * weight / sum(weights))
        before = len(found)
        for _ in range(_MOST_TRIES * wanted):
            one = _labelled(schema, *source.draw_written())
            if one.text:
                found.setdefault(one.text, one)
            if len(found) - before == wanted:
                break
    return found.values()


def _labelled(schema: IntentSchema, written: str, filled: list[Filled]) -> Labelled:
    kinds = {slot.name: slot.kind for slot in schema.slots}
    text, spans = _placed(written, filled, kinds)
    said = {span.slot for span in spans}
    fixed = tuple((name, value) for name, value in schema.fixed.items() if name not in said)
    return Labelled(schema.intent, text, spans, fixed)


def _placed(
    written: str, filled: list[Filled], kinds: dict[str, str]
) -> tuple[str, tuple[LabelledSpan, ...]]:
    """A written sentence in spoken form, and the places of its slots there."""
    text, spans = "", []
    for words, slot, glued in _pieces(written, filled):
        space = "" if glued or not text or not words else " "
        start = len(text) + len(space)
        text += space + words
        if slot and words:
            spans.append(LabelledSpan(slot, kinds[slot], start, len(text)))
    return text, tuple(spans)


def _pieces(written: str, filled: list[Filled]) -> Iterator[tuple[str, str, bool]]:
    """Each run of spoken words, the slot it fills, and whether the word before is joined to it."""
    at = 0
    for slot, start, end in sorted(filled, key=lambda f: f.start):
        words = spoken(written[start:end])
        yield from _between(written, at, start, words)
        yield words, slot, False
        at = end
    yield from _between(written, at, len(written), "")


def _between(written: str, at: int, end: int, following: str) -> Iterator[tuple[str, str, bool]]:
    """The words between two slots; an ending of the first slot's last word is a run of its own."""
    ending = _ENDING.match(written, at, end) if at else None
    if ending is not None:
        yield ending[0], "", True
        at = ending.end()
    # whether it is "a" or "an" depends on the word that follows
    words = articles(f"{spoken(written[at:end])} {following}".strip())
    yield words.removesuffix(following).rstrip() if following else words, "", False
