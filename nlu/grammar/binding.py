"""Binds templates: expands their rules, names lists by their content, makes words canonical."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from hassil.expression import (
    Alternative,
    Expression,
    Group,
    ListReference,
    RuleReference,
    TextChunk,
)
from hassil.expression import Sequence as ExpressionSequence
from hassil.intents import TextSlotList

from assistant.english.contractions import CONTRACTIONS
from assistant.english.replies import NO, YES
from assistant.english.templates import RULES, SPOKEN
from assistant.skill.manifest import IntentSchema, SlotSchema
from assistant.skill.template import parsed
from nlu.grammar.lists import SlotLists, known, phrase
from nlu.text.canonical import canonical, canonical_chunk

_RANGE = re.compile(r"(\d+)\.\.(\d+)(?:,(\d+))?")
_MAX_DEPTH = 20
KINDS = (
    *("text", "integer", "number", "percentage", "boolean", "duration", "time", "date", "datetime"),
    *("period", "recurrence", "temperature", "colour", "choice", "area", "floor", "entity"),
)
"""Kinds of values that a slot may have."""
NAMED_KINDS = ("area", "floor", "entity")
"""Kinds of slots whose values are names of the home."""

IGNORED = "_"
"""Name of slots whose words are only part of a phrase and fill no slot of the intent."""


class UnknownError(Exception):
    """A sentence names a rule or a list that does not exist."""

    def __init__(self, what: str, name: str, known: Iterable[str]) -> None:
        near = difflib.get_close_matches(name, list(known), n=1)
        super().__init__(f"no {what} {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""))


def list_of_slot(lists: SlotLists, slot: SlotSchema) -> str:
    """The name of the list with the values of a slot."""
    if slot.kind == "choice":
        return lists.choices(slot.choices)
    if slot.kind == "entity":
        return lists.entities(slot)
    return list_of_kind(lists, slot.kind)


def list_of_kind(lists: SlotLists, kind: str) -> str:
    """The name of the list with all values of a kind, or with the words of a built-in rule."""
    if kind == "area":
        return lists.areas()
    if kind == "floor":
        return lists.floors()
    if kind == "entity":
        return lists.entities(SlotSchema(name=kind, kind=kind))
    if kind == "text":
        return lists.free_text()
    if kind not in lists:
        lists.take_over(_lists_of(kind))
    return kind


@cache
def _lists_of(kind: str) -> SlotLists:
    """The list of a kind's words, the same in every home, and the lists that it refers to."""
    lists = SlotLists()
    values = _yes_and_no() if kind == "boolean" else _phrases(lists, kind)
    lists.declare(kind, lambda home: values)
    return lists


def _yes_and_no() -> TextSlotList:
    words = ((word, word in YES) for word in (*YES, *NO))
    values = [known(TextChunk(canonical(w).text), TextChunk(w), value) for w, value in words]
    return TextSlotList("boolean", values)


def _phrases(lists: SlotLists, kind: str) -> TextSlotList:
    nobody = IntentSchema(intent="", sentences=())
    spoken = {f"spoken {name}": rule for name, rule in SPOKEN.items()}
    rules = {**RULES, **SPOKEN, **spoken}
    written = Binder(nobody, rules, lists).bind(RuleReference(kind))
    said = Binder(nobody, RULES, lists, canonical=True).bind(RuleReference(kind))
    return TextSlotList(kind, [phrase(said, written)])


class Binder:
    """Copies expressions for one intent, with rules expanded and lists renamed by their content."""

    articles = True
    """Whether the name of a room or a device may have an article that the template lacks."""

    def __init__(
        self,
        schema: IntentSchema,
        rules: Mapping[str, str],
        lists: SlotLists,
        canonical: bool = False,
    ) -> None:
        self.schema, self.rules, self.lists, self.canonical = schema, rules, lists, canonical
        self._depth = 0

    def bind(self, expression: Expression, before: str = "") -> Expression:
        """The bound copy; `before` is the literal text that stands before it."""
        if isinstance(expression, TextChunk):
            return self._chunk(expression.text, before)
        if isinstance(expression, ListReference):
            return self._list(expression)
        if isinstance(expression, RuleReference):
            return self._rule(expression.rule_name)
        if isinstance(expression, Alternative):
            return self._alternative(expression, before)
        if not isinstance(expression, Group):
            raise TypeError(f"no part of a template: {expression!r}")
        bound = []
        for item in expression.items:
            bound.append(self.bind(item, before))
            before = item.text if isinstance(item, TextChunk) else ""
        return type(expression)(bound)

    def _alternative(self, expression: Alternative, before: str) -> Alternative:
        items = _distinct([self.bind(item, before) for item in expression.items])
        return Alternative(items, is_optional=expression.is_optional)

    def _chunk(self, text: str, before: str) -> Expression:
        if not self.canonical:
            return TextChunk(text)
        if text.startswith("'s"):  # "what['s]", "{name}'s timer"
            word = before.rsplit(" ", 1)[-1].casefold()
            ending = " is" if f"{word}'s" in CONTRACTIONS else "'s"
            return TextChunk(ending + canonical_chunk(text[2:]))
        return TextChunk(canonical_chunk(text))

    def _rule(self, name: str) -> Expression:
        if name not in self.rules:
            known = [*self.rules, *(f"{{{kind}}}" for kind in KINDS)]
            raise UnknownError("rule", name, known)
        if self._depth >= _MAX_DEPTH:
            raise UnknownError("end to rule", name, ())
        self._depth += 1
        bound = self.bind(parsed(self.rules[name]))
        self._depth -= 1
        return bound

    def _list(self, reference: ListReference) -> Expression:
        slot = reference.slot_name
        source, kind = self.source(reference.list_name)
        if reference.is_capture:
            slot = IGNORED
        elif slot != IGNORED and all(known.name != slot for known in self.schema.slots):
            raise UnknownError(
                "slot in the signature named", slot, (s.name for s in self.schema.slots)
            )
        bound: Expression = ListReference(
            f"{source}:{slot}", is_end_of_word=reference.is_end_of_word
        )
        if kind not in NAMED_KINDS or not self.articles:
            return bound
        articles = ("my ", "our ", "") if self.canonical else ("the ", "")
        article = Alternative([TextChunk(text) for text in articles], is_optional=True)
        return ExpressionSequence([article, bound])

    def source(self, name: str) -> tuple[str, str]:
        """The list that `{name}` draws from, and the kind of its values."""
        schema = next((slot for slot in self.schema.slots if slot.name == name), None)
        if schema is not None:
            return list_of_slot(self.lists, schema), schema.kind
        if limits := _RANGE.fullmatch(name):
            return self.lists.numbers(*(int(n) for n in limits.groups() if n)), "integer"
        if name in KINDS or name in RULES:
            return list_of_kind(self.lists, name), name
        raise UnknownError("list", name, [*(s.name for s in self.schema.slots), *KINDS])


def _distinct(items: list[Expression]) -> list[Expression]:
    """Drop alternatives with the same words as another: each would match once more."""
    seen: set[Any] = set()
    kept = []
    for item in items:
        only = item.items[0] if isinstance(item, Group) and len(item.items) == 1 else item
        words = only.text if isinstance(only, TextChunk) else None
        if words is None or words not in seen:
            kept.append(item)
        seen.add(words)
    return kept
