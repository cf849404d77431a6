"""Finds what may fill slots in a text: names, numbers, times, free text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from hassil.expression import TextChunk
from hassil.intents import RangeSlotList, SlotList, TextSlotList
from hassil.sample import sample_expression

from assistant.core.messages import Slot, SlotValue
from assistant.english.commands.amounts import BEFORE_NUMBERS
from assistant.skill.manifest import SlotSchema
from nlu.classifier.tagger import TaggedSpan
from nlu.fallback.gazetteer import Gazetteer
from nlu.grammar.lists import NAMED
from nlu.text.canonical import Canonical
from nlu.values import resolve

_LONGEST_VALUE = 9
"""Most words of a duration, time or date that is searched for."""
_MOST_SPELLINGS = 40
_RESOLVED = 0.9
_UNITS = (["percent"], ["degrees"], ["degree"])
"""Words behind a number."""
_AMOUNTS = {"half": 50, "halfway": 50, "full": 100, "max": 100, "maximum": 100, "minimum": 1}

TEXT_LABELS: dict[str, tuple[str, ...]] = {
    "item": ("item", "text", "title"),
    "message": ("text", "title", "item"),
    "search_query": ("title", "artist", "item", "text"),
    "name": ("list", "item", "title", "text", "person", "device"),
    "conversation_command": ("text",),
}
"""Labels of the NER model's spans that may fill a slot of free text, by the slot's name."""


@dataclass(frozen=True)
class SlotCandidate:
    """A value that the canonical words `at` of a text stand for; `likeness` is from 0 to 1."""

    value: SlotValue
    raw: str
    at: frozenset[int]
    likeness: float


class SlotFinder:
    """Finds the values of lists in a text; a home's names are indexed on first use."""

    def __init__(self, lists: Mapping[str, SlotList]) -> None:
        self._lists = lists
        self._names: dict[str, Gazetteer[SlotValue]] = {}
        self._kinds: dict[str, Gazetteer[SlotValue]] = {}

    def find(
        self,
        name: str,
        schema: SlotSchema,
        said: Canonical,
        spans: Sequence[TaggedSpan],
        now: datetime,
    ) -> list[SlotCandidate]:
        """The values of the list `name` in a text, the likeliest first.

        `spans` count the source words of `said`.
        """
        values = self._lists.get(name)
        if isinstance(values, RangeSlotList):
            return list(_numbers(values, said))
        if isinstance(values, TextSlotList):
            if all((value.metadata or {}).get(NAMED) for value in values.values):
                return self._named(name, said)
            return list(_resolved(schema.kind, said, now))
        return list(_free(schema.name, said, spans))

    def listed(self, name: str) -> bool:
        """Whether the list `name` has certain values; a list of free text takes any words."""
        return isinstance(self._lists.get(name), RangeSlotList | TextSlotList)

    def names(self, said: Canonical) -> list[frozenset[int]]:
        """The places where the home's areas, floors and devices are named word for word."""
        tokens = [token.text for token in said.tokens]
        kinds = ("area", "floor", "entity")
        return list(dict.fromkeys(at for kind in kinds for at in self.named(tokens, kind)))

    def place(self, text: str) -> Slot | None:
        """The area or floor that canonical words name as a whole; None for none."""
        words = text.split()
        for kind in ("area", "floor"):
            if frozenset(range(len(words))) in self.named(words, kind):
                return Slot(name=kind, value=text, raw=text)
        return None

    def named(self, tokens: Sequence[str], kind: str) -> list[frozenset[int]]:
        """The places where canonical words name something of a kind of list, word for word."""
        return list(dict.fromkeys(self._gazetteer_of(kind).exactly(tokens)))

    def _named(self, name: str, said: Canonical) -> list[SlotCandidate]:
        found = self._gazetteer(name).find([token.text for token in said.tokens])
        return [SlotCandidate(n.thing, _spoken(said, n.at), n.at, n.likeness) for n in found]

    def _gazetteer_of(self, kind: str) -> Gazetteer[SlotValue]:
        """The names of all lists of a kind."""
        if kind not in self._kinds:
            values = (v for name, v in self._lists.items() if name.partition("=")[0] == kind)
            texts = (one for v in values if isinstance(v, TextSlotList) for one in _spellings(v))
            self._kinds[kind] = Gazetteer(texts)
        return self._kinds[kind]

    def _gazetteer(self, name: str) -> Gazetteer[SlotValue]:
        if name not in self._names:
            values = self._lists[name]
            spellings = _spellings(values) if isinstance(values, TextSlotList) else ()
            self._names[name] = Gazetteer(spellings)
        return self._names[name]


def _spellings(values: TextSlotList) -> Iterator[tuple[str, SlotValue]]:
    for value in values.values:
        if isinstance(value.text_in, TextChunk):
            yield value.text_in.text, value.value_out
        else:
            texts = sample_expression(value.text_in)
            for _, text in zip(range(_MOST_SPELLINGS), texts, strict=False):
                yield text, value.value_out


def _numbers(values: RangeSlotList, said: Canonical) -> Iterator[SlotCandidate]:
    for at, token in enumerate(said.tokens):
        number = int(token.text) if token.text.isdecimal() else _AMOUNTS.get(token.text)
        if number is None or _is_pronoun(said, at):
            continue
        if values.start <= number <= values.stop:
            value = number * (values.multiplier or 1)
            place = frozenset({at})
            yield SlotCandidate(
                value, _spoken(said, place), place, 1.0 if token.text.isdecimal() else 0.9
            )


def _is_pronoun(said: Canonical, at: int) -> bool:
    """Whether the word at a place is a "one" for a thing, and no number: "that one, nicer"."""
    words = [token.text for token in said.tokens]
    counts = at == 0 or words[at - 1] in BEFORE_NUMBERS or words[at + 1 : at + 2] in _UNITS
    return said.source[said.tokens[at].start] == "one" and not counts


def _resolved(kind: str, said: Canonical, now: datetime) -> Iterator[SlotCandidate]:
    """The longest runs of words that a resolver reads, from the left."""
    at = 0
    while at < len(said.tokens):
        for end in range(min(at + _LONGEST_VALUE, len(said.tokens)), at, -1):
            part = said.part(at, end)
            value = resolve.value(part.text, kind, now)
            if value is not None:
                yield SlotCandidate(
                    value, part.spoken(0, len(part.text)), frozenset(range(at, end)), _RESOLVED
                )
                at = end - 1
                break
        at += 1


def _free(slot: str, said: Canonical, spans: Sequence[TaggedSpan]) -> Iterator[SlotCandidate]:
    labels = TEXT_LABELS.get(slot, (slot, "text"))
    wanted = [span for span in spans if span.label in labels]
    if not wanted:
        return
    best = min(labels.index(span.label) for span in wanted)
    chosen = [span for span in wanted if labels.index(span.label) <= max(best, 1)]
    start, end = chosen[0].start, chosen[-1].end
    at = frozenset(i for i, t in enumerate(said.tokens) if t.start < end and t.end > start)
    if at:
        raw = " ".join(said.source[start:end])
        yield SlotCandidate(raw, raw, at, min(span.confidence for span in chosen))


def _spoken(said: Canonical, at: frozenset[int]) -> str:
    tokens = [said.tokens[i] for i in sorted(at)]
    words = dict.fromkeys(i for token in tokens for i in range(token.start, token.end))
    return " ".join(said.source[i] for i in words)
