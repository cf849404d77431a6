"""The patterns that a guess may have: which slots the sentences of an intent fill together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from hassil.expression import Alternative, Expression, Group, ListReference

from assistant.core.messages import SlotValue
from assistant.skill.manifest import SlotSchema, Traits
from nlu.grammar.binding import IGNORED
from nlu.grammar.block_binding import TAKEN
from nlu.grammar.claim import Claim

Filled = frozenset[tuple[str, str]]
"""Slots, each with the list that its value comes from."""

_MOST = 64
"""Most combinations of slots that are kept of one sentence, the smallest first."""

_MEASURES = frozenset(("number", "integer", "percentage", "temperature", "colour", "choice"))
"""Kinds of slots that say how much or which way, not what."""

_NOTHING: Filled = frozenset()


@dataclass(frozen=True)
class SlotPattern:
    """Slots that are said together for an intent whose other slots are `fixed`."""

    intent: str
    fixed: tuple[tuple[str, SlotValue], ...]
    filled: Filled
    schemas: tuple[tuple[str, SlotSchema], ...]
    area_slot: str
    order: int
    traits: Traits


def slot_patterns(claims: Sequence[Claim]) -> list[SlotPattern]:
    """The patterns of all claims in their order, each once."""
    made: dict[object, SlotPattern] = {}
    for order, claim in enumerate(claims):
        schema = claim.schema
        schemas = {slot.name: slot for slot in schema.slots}
        fixed = tuple(sorted(schema.fixed.items()))
        for filled in sorted(
            {f for s in claim.bound for f in _filled(s.expression)}, key=lambda f: sorted(f)
        ):
            known = tuple((name, schemas[name]) for name, _ in sorted(filled) if name in schemas)
            pattern = SlotPattern(
                schema.intent, fixed, filled, known, schema.area_slot, order, schema.traits
            )
            if len(known) == len({name for name, _ in filled}):
                made.setdefault((pattern.intent, fixed, filled), pattern)
    for intent, pattern in {pattern.intent: pattern for pattern in made.values()}.items():
        if pattern.traits.only_one:
            bare = replace(pattern, fixed=(), filled=_NOTHING, schemas=(), area_slot="")
            made.setdefault((intent, (), _NOTHING), bare)
    for pattern in _unions(list(made.values())):
        made.setdefault((pattern.intent, pattern.fixed, pattern.filled), pattern)
    return list(made.values())


def _unions(single: Sequence[SlotPattern]) -> Iterator[SlotPattern]:
    """Unions of two patterns that are said of one thing: "the lamp, green, at ten percent"."""
    alike: dict[object, list[SlotPattern]] = {}
    for pattern in single:
        alike.setdefault((pattern.intent, pattern.fixed), []).append(pattern)
    for one in single:
        others = alike[one.intent, one.fixed]
        yield from filter(None, (_union(one, o) for o in others[others.index(one) + 1 :]))


def _union(one: SlotPattern, other: SlotPattern) -> SlotPattern | None:
    shared, apart = one.filled & other.filled, one.filled ^ other.filled
    if not shared or len(apart) != 2 or len({name for name, _ in apart}) != 2:
        return None
    schemas = dict(one.schemas) | dict(other.schemas)
    if not _MEASURES.issuperset(schemas[name].kind for name, _ in apart):
        return None
    known = tuple(sorted(schemas.items()))
    return replace(one, filled=one.filled | other.filled, schemas=known)


def _filled(expression: Expression) -> frozenset[Filled]:
    """The slots that each way through an expression fills."""
    if isinstance(expression, ListReference):
        name = expression.slot_name.removesuffix(TAKEN)
        one = (name, expression.list_name)
        return frozenset({_NOTHING if name == IGNORED else frozenset({one})})
    if isinstance(expression, Alternative):
        ways = frozenset(f for item in expression.items for f in _filled(item))
        return ways | {_NOTHING} if expression.is_optional else ways
    if isinstance(expression, Group):
        return _together(_filled(item) for item in expression.items)
    return frozenset({_NOTHING})


def _together(parts: Iterable[frozenset[Filled]]) -> frozenset[Filled]:
    whole: frozenset[Filled] = frozenset({_NOTHING})
    for part in parts:
        if part != {_NOTHING}:
            joined = {a | b for a, b in product(whole, part)}
            whole = frozenset(sorted(joined, key=lambda f: (len(f), sorted(f)))[:_MOST])
    return whole
