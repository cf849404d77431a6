"""One way to read a text: an intent, the words of its slots, and how well it fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from hassil.models import MatchEntity

from assistant.core.messages import SlotValue
from assistant.english.stop_words import NO_CONTENT
from assistant.skill.manifest import SlotSchema
from nlu.grammar.block_binding import TAKEN
from nlu.grammar.claim import Claim
from nlu.grammar.lists import NAMED, TIMES
from nlu.text.canonical import Canonical
from nlu.values import resolve

_RESOLVED = ("duration", "time", "date", "datetime", "period")
"""Kinds of slots for which free text counts only where it is such a value."""

LATER = "conversation_command"
"""Slot of free text that is a command of its own, to be carried out later."""


@dataclass(frozen=True)
class Captured:
    """The words that fill one slot."""

    schema: SlotSchema
    raw: str
    """The words as spoken."""
    text: str
    """The canonical words."""
    value: SlotValue = None
    """The list's value for a name, a choice or a boolean; None where the words have yet to be
    resolved."""
    wildcard: bool = False
    times: float = 1
    """Factor for a number that the words are resolved to."""

    def resolved(self, now: datetime) -> SlotValue:
        """The slot's value at `now` (aware); None when the words have no value."""
        if self.value is not None:
            return self.value
        if self.schema.kind == "text" or (self.wildcard and self.schema.kind not in _RESOLVED):
            return self.raw
        value = resolve.value(self.text, self.schema.kind, now)
        return value * self.times if self.times != 1 and isinstance(value, int | float) else value


@dataclass(frozen=True)
class Match:
    """One way to read a text: an intent with the words of its slots."""

    intent: str
    skill: str
    slots: tuple[Captured, ...]
    fixed: tuple[tuple[str, SlotValue], ...]
    missing: tuple[str, ...]
    wildcard: int
    """Characters of free text."""
    literal: int
    """Letters of the sentence itself, outside its slots."""
    open_ended: bool
    """Whether free text reaches the end of the text."""
    order: int
    """The claim's place in the grammar."""
    precedence: tuple[int, int] = field(default=(1, 0))
    """The claim's precedence."""

    def counts_pronoun(self, said: Canonical) -> bool:
        """Whether it takes the "one" after a name for a number: "the bedroom one"."""
        pronoun = said.source[said.tokens[-1].start] == "one"
        ends = (f"{s.text} 1" for s in self.slots if s.schema.kind in ("area", "entity"))
        return pronoun and any(map(said.text.endswith, ends))

    def fit(self) -> tuple[int, ...]:
        """Sort key of how well the sentence fits, best first.

        The criteria in order: less free text, fewer missing slots, the longest device name
        ("kitchen light" before the light of the kitchen), the longer literal text, fewer slots, and
        a room of the home before a word that is its name.
        """
        device = max((len(s.text) for s in self.slots if s.schema.kind == "entity"), default=0)
        rooms = sum(len(s.text) for s in self.slots if s.schema.kind in ("area", "floor"))
        shape = (-device, -self.literal, len(self.slots), -rooms)
        return (self.wildcard, len(self.missing), *shape)

    def rank(self) -> tuple[object, ...]:
        """Sort key, best first: how well it fits, its claim's precedence and place."""
        values = tuple((s.schema.name, s.text) for s in self.slots)
        return (*self.fit(), *self.precedence, self.order, values)

    def refines(self, other: Match) -> bool:
        """Whether it is the same command with more fixed slots than `other`, and fits as well."""
        mine, others = ({s.schema.name for s in match.slots} for match in (self, other))
        return (
            self.intent == other.intent
            and mine == others
            and self.fit() == other.fit()
            and {name for name, _ in self.fixed} > {name for name, _ in other.fixed}
        )


def read_match(
    claim: Claim, order: int, said: Canonical, found: Sequence[MatchEntity], area: str
) -> Match | None:
    """Read what hassil found for a claim, in the speaker's `area`; None when it makes no sense."""
    schemas = {slot.name: slot for slot in claim.schema.slots}
    captured = _captured(said, schemas, found, whole=claim.block is not None)
    names = {c.schema.name for c in captured}
    free = [c for c in captured if c.wildcard]
    if len(names) < len(captured) or any(NO_CONTENT.issuperset(c.text.split()) for c in free):
        return None
    if claim.block is not None and claim.block.area.casefold() not in ("", area.casefold()):
        return None
    return Match(
        intent=claim.schema.intent,
        skill=claim.skill,
        slots=captured,
        fixed=_fixed(claim, names, area),
        missing=tuple(s.name for s in schemas.values() if s.required and s.name not in names),
        wildcard=sum(len(c.text) for c in free),
        literal=_letters(said.text) - sum(_letters(c.text) for c in captured),
        open_ended=bool(free) and captured[-1].wildcard and said.text.endswith(captured[-1].text),
        order=order,
        precedence=claim.precedence,
    )


def _letters(text: str) -> int:
    return len(text) - text.count(" ")


def _fixed(claim: Claim, names: set[str], area: str) -> tuple[tuple[str, SlotValue], ...]:
    fixed = dict(claim.schema.fixed)
    if claim.schema.area_slot and area:
        fixed.setdefault(claim.schema.area_slot, area)
    return tuple((name, value) for name, value in fixed.items() if name not in names)


def _captured(
    said: Canonical,
    schemas: dict[str, SlotSchema],
    found: Sequence[MatchEntity],
    whole: bool,
) -> tuple[Captured, ...]:
    """The slots' words; with `whole`, free text keeps a "the" at its start."""
    captured: list[Captured] = []
    free_until = 0
    for entity in found:
        schema = schemas.get(entity.name.removesuffix(TAKEN))
        if schema is None:
            continue
        start, end = entity.text_span or (0, 0)
        # hassil counts free text before a phrase of several parts as part of that phrase too
        start = max(start, free_until)
        free_until = end if entity.is_wildcard else 0
        raw = said.spoken(start, end)
        if whole and entity.is_wildcard and not entity.name.endswith(TAKEN):
            raw = _article(said, start) + raw
        captured.append(
            Captured(
                schema=schema,
                raw=raw,
                text=said.text[start:end].strip(),
                value=_value(entity, schema),
                wildcard=entity.is_wildcard,
                times=(entity.metadata or {}).get(TIMES, 1),
            )
        )
    return tuple(captured)


def _value(entity: MatchEntity, schema: SlotSchema) -> SlotValue:
    """The value from the list itself: of a name its value, of a number the multiplied one."""
    if (entity.metadata or {}).get(NAMED):
        value: SlotValue = entity.value
        return value
    if isinstance(entity.value, float) and schema.kind in ("integer", "number"):
        return int(entity.value) if entity.value.is_integer() else entity.value
    return None


def _article(said: Canonical, start: int) -> str:
    """The "the " that was spoken before the canonical word at a character, or ""."""
    at = 0
    for token in said.tokens:
        if at + len(token.text) > start:
            return "the " if token.start and said.source[token.start - 1] == "the" else ""
        at += len(token.text) + 1
    return ""
