"""Sentences with their intent and the place of every slot: what the models learn from."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import NamedTuple

from nlu.grammar import Grammar
from nlu.sampling import Filled, Source, articles, spoken

_GLUED = re.compile(r"['’]?[a-z]+")
"""An ending that hangs on the word before it: "phone's", "lights"."""

_MOST_TRIES = 3


class Span(NamedTuple):
    """The characters `start` to `end` of a text, which fill a slot of a kind."""

    slot: str
    kind: str
    start: int
    end: int


class Labelled(NamedTuple):
    """A spoken sentence, the intent that it means, and its slots as they stand in it."""

    intent: str
    text: str
    spans: tuple[Span, ...]


def labelled(grammar: Grammar, limit: int, seed: int) -> list[Labelled]:
    """About `limit` different sentences, every intent's share the same as far as it has so many.

    Within an intent each block's share grows with the log of its size. Intents follow each other
    in the grammar's order. The same grammar, limit and seed give the same list.
    """
    sources: dict[str, list[tuple[Source, dict[str, str]]]] = {}
    for index, claim in enumerate(grammar.claims):
        source = Source(grammar.lists, claim.written, f"{seed} labelled {index}")
        kinds = {slot.name: slot.kind for slot in claim.schema.slots}
        if source.size:
            sources.setdefault(claim.schema.intent, []).append((source, kinds))
    share = math.ceil(limit / max(len(sources), 1))
    return [
        Labelled(intent, text, spans)
        for intent, group in sources.items()
        for text, spans in _drawn(group, share).items()
    ]


def _drawn(group: list[tuple[Source, dict[str, str]]], share: int) -> dict[str, tuple[Span, ...]]:
    weights = [1 + math.log2(source.size) for source, _ in group]
    found: dict[str, tuple[Span, ...]] = {}
    for (source, kinds), weight in zip(group, weights, strict=True):
        wanted = math.ceil(share * weight / sum(weights))
        before = len(found)
        for _ in range(_MOST_TRIES * wanted):
            text, spans = _placed(*source.draw_written(), kinds)
            if text:
                found.setdefault(text, spans)
            if len(found) - before == wanted:
                break
    return found


def _placed(
    written: str, filled: list[Filled], kinds: dict[str, str]
) -> tuple[str, tuple[Span, ...]]:
    """A written sentence in spoken form, and where its slots then stand."""
    text, spans = "", []
    for words, slot, glued in _pieces(written, filled):
        space = "" if glued or not text or not words else " "
        start = len(text) + len(space)
        text += space + words
        if slot and words:
            spans.append(Span(slot, kinds[slot], start, len(text)))
    return text, tuple(spans)


def _pieces(written: str, filled: list[Filled]) -> Iterator[tuple[str, str, bool]]:
    """The words between and in the slots as spoken, the slot, and whether they hang on."""
    at = 0
    for slot, start, end in sorted(filled, key=lambda f: f.start):
        words = spoken(written[start:end])
        yield from _between(written[at:start], _ends_in_letter(written, at), words)
        yield words, slot, False
        at = end
    yield from _between(written[at:], _ends_in_letter(written, at), "")


def _ends_in_letter(written: str, at: int) -> bool:
    return written[:at][-1:].isalpha()


def _between(written: str, hanging: bool, following: str) -> Iterator[tuple[str, str, bool]]:
    ending = _GLUED.match(written) if hanging else None
    if ending is not None:
        yield ending[0], "", True
        written = written[ending.end() :]
    # whether it is "a" or "an" hangs on the word that follows
    words = articles(f"{spoken(written)} {following}".strip())
    yield words.removesuffix(following).rstrip() if following else words, "", False
