"""Skill manifests and a home as one grammar, which hassil matches and the sampler walks.

Every sentence is bound once: rules are put in place, lists are named by what they hold, and the
words are brought into the canonical form that texts are matched in.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from hassil.expression import (
    Alternative,
    Expression,
    Group,
    ListReference,
    RuleReference,
    Sentence,
    TextChunk,
)
from hassil.expression import Sequence as ExpressionSequence
from hassil.intents import (
    Intent,
    IntentData,
    Intents,
    RangeSlotList,
    SlotList,
    TextSlotList,
    TextSlotValue,
    WildcardSlotList,
)
from hassil.parse_expression import parse_sentence
from hassil.parser import ParseError

from assistant.core.errors import SkillError
from assistant.core.messages import SlotValue
from assistant.skill.home import Home
from assistant.skill.manifest import IntentSchema, SkillManifest, SlotSchema
from nlu import phrases, slots
from nlu.normalize import canonical, canonical_chunk

_RANGE = re.compile(r"(\d+)\.\.(\d+)(?:,(\d+))?")
_MAX_DEPTH = 20
_NAMED = ("area", "entity")

IGNORED = "_"
"""Name of the slots whose words are only part of a phrase."""

WRITTEN = "written"
"""Key of a list value's metadata: the expression as people write and say it."""


@dataclass(frozen=True)
class BoundData(IntentData):
    """hassil's block of sentences, given parsed instead of as text."""

    bound: tuple[Sentence, ...] = ()

    @property
    def sentences(self) -> list[Sentence]:
        """The canonical sentences."""
        return list(self.bound)


@dataclass(frozen=True)
class Claim:
    """One intent of one skill; `written` are its sentences in the author's own words."""

    skill: str
    schema: IntentSchema
    written: tuple[Expression, ...]
    bound: tuple[Sentence, ...]


@dataclass(frozen=True)
class Grammar:
    """All claims in the skills' order, the lists of their values, and both as hassil takes them.

    `answers` are what people say when they are asked for a slot, or for a yes or no.
    """

    claims: tuple[Claim, ...]
    answers: tuple[Expression, ...]
    lists: dict[str, SlotList]
    intents: Intents


def compile_grammar(manifests: Sequence[SkillManifest], home: Home) -> Grammar:
    """Bind every sentence of `manifests` to the names of `home`.

    Raises `SkillError`, naming skill, intent and sentence, for what cannot be a template.
    """
    lists = _Lists(home)
    claims = tuple(
        _claim(manifest, schema, lists) for manifest in manifests for schema in manifest.intents
    )
    intents = {
        str(index): Intent(name=str(index), data=[BoundData(sentence_texts=[], bound=claim.bound)])
        for index, claim in enumerate(claims)
    }
    # No language: hassil would look for number words, which canonical texts do not hold.
    compiled = Intents("", intents, slot_lists=lists.made)
    return Grammar(claims, _answers(claims, lists), lists.made, compiled)


def _answers(claims: Iterable[Claim], lists: _Lists) -> tuple[Expression, ...]:
    asked = [s for c in claims for s in c.schema.slots if s.required and s.kind != "text"]
    names = dict.fromkeys([lists.of_kind("boolean"), *(lists.of_slot(slot) for slot in asked)])
    return tuple(ListReference(f"{name}:{IGNORED}") for name in names)


def _claim(manifest: SkillManifest, schema: IntentSchema, lists: _Lists) -> Claim:
    written, bound = [], []
    for text in schema.sentences:
        try:
            parsed = parse_sentence(text).expression
            written.append(_Binder(schema, manifest.rules, lists).bind(parsed))
            matched = _Binder(schema, manifest.rules, lists, canonical=True).bind(parsed)
            bound.append(Sentence(matched, text=text))
        except (ParseError, AssertionError, _UnknownError) as error:
            reason = str(error) or type(error).__name__
            raise SkillError(
                "skill.sentence",
                f"skill {manifest.name!r}, intent {schema.intent}: sentence {text!r}: {reason}",
            ) from error
    return Claim(manifest.name, schema, tuple(written), tuple(bound))


def named_values(slot: SlotSchema, home: Home) -> dict[str, SlotValue]:
    """The values that a slot's list names, by their canonical words; {} when it has no list."""
    lists = _Lists(home)
    values = lists.made.get(lists.of_slot(slot))
    if not isinstance(values, TextSlotList):
        return {}
    return {v.text_in.text: v.value_out for v in values.values if isinstance(v.text_in, TextChunk)}


class _UnknownError(Exception):
    """A sentence names a rule or a list that does not exist."""

    def __init__(self, what: str, name: str, known: Iterable[str]) -> None:
        near = difflib.get_close_matches(name, list(known), n=1)
        super().__init__(f"no {what} {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""))


class _Lists:
    """The value lists, each made when a sentence first asks for it."""

    def __init__(self, home: Home) -> None:
        self.made: dict[str, SlotList] = {}
        self._home = home

    def of_slot(self, slot: SlotSchema) -> str:
        """The name of the list with the values of a slot."""
        if slot.kind == "choice":
            name = f"choice={'|'.join(slot.choices)}".replace(":", " ")  # hassil splits at a colon
            return self._text(name, [(c, c) for c in slot.choices])
        if slot.kind == "entity":
            return self._entities(slot.domains)
        return self.of_kind(slot.kind)

    def of_kind(self, kind: str) -> str:
        """The name of the list with all values of a kind."""
        if kind == "area":
            names = [(n, a.name) for a in self._home.areas for n in (a.name, *a.aliases)]
            return self._text("area", names)
        if kind == "entity":
            return self._entities(())
        if kind == "text":
            self.made.setdefault("text", WildcardSlotList(name="text"))
            return "text"
        if kind not in self.made:
            self.made[kind] = self._phrases(kind)
        return kind

    def of_range(self, start: int, stop: int, step: int = 1) -> str:
        """The name of the list of the whole numbers from `start` to `stop`."""
        name = f"{start}..{stop},{step}"
        self.made.setdefault(name, RangeSlotList(name, start, stop, step, words=False))
        return name

    def _entities(self, domains: tuple[str, ...]) -> str:
        wanted = [e for e in self._home.entities if not domains or e.domain in domains]
        names = [(n, e.name) for e in wanted for n in (e.name, *e.aliases)]
        return self._text(f"entity={'|'.join(domains)}", names)

    def _text(self, name: str, values: list[tuple[str, str]]) -> str:
        if name not in self.made:
            said = {
                canonical(variant).text: (variant, value)
                for text, value in reversed(values)
                for variant in slots.name_variants(text)
            }
            self.made[name] = TextSlotList(
                name,
                [
                    TextSlotValue(TextChunk(text), value, metadata={WRITTEN: TextChunk(written)})
                    for text, (written, value) in sorted(said.items())
                    if text
                ],
            )
        return name

    def _phrases(self, kind: str) -> TextSlotList:
        if kind == "boolean":
            words = [(w, w in slots.YES) for w in (*slots.YES, *slots.NO)]
            values = [
                TextSlotValue(TextChunk(canonical(w).text), v, metadata={WRITTEN: TextChunk(w)})
                for w, v in words
            ]
            return TextSlotList(kind, values)
        nobody = IntentSchema(intent="", sentences=())
        spoken = {f"spoken {name}": rule for name, rule in slots.SPOKEN.items()}
        binder = _Binder(nobody, {**slots.RULES, **slots.SPOKEN, **spoken}, self)
        written = binder.bind(RuleReference(kind))
        said = _Binder(nobody, slots.RULES, self, canonical=True).bind(RuleReference(kind))
        return TextSlotList(kind, [TextSlotValue(said, None, metadata={WRITTEN: written})])


@dataclass
class _Binder:
    """Copies an expression for one intent, with rules in place and lists by their own names."""

    schema: IntentSchema
    rules: dict[str, str]
    lists: _Lists
    canonical: bool = False
    depth: int = field(default=0)

    def bind(self, expression: Expression, before: str = "") -> Expression:
        """The bound copy; `before` is the literal text that stands before it."""
        if isinstance(expression, TextChunk):
            return self._chunk(expression.text, before)
        if isinstance(expression, ListReference):
            return self._list(expression)
        if isinstance(expression, RuleReference):
            return self._rule(expression.rule_name)
        if isinstance(expression, Alternative):
            items = _distinct([self.bind(item, before) for item in expression.items])
            return Alternative(items, is_optional=expression.is_optional)
        if not isinstance(expression, Group):
            raise TypeError(f"no part of a template: {expression!r}")
        bound = []
        for item in expression.items:
            bound.append(self.bind(item, before))
            before = item.text if isinstance(item, TextChunk) else ""
        return type(expression)(bound)

    def _chunk(self, text: str, before: str) -> TextChunk:
        if not self.canonical:
            return TextChunk(text)
        if text.startswith("'s"):  # "what['s]", "{name}'s timer"
            word = before.rsplit(" ", 1)[-1].casefold()
            ending = " is" if f"{word}'s" in phrases.CONTRACTIONS else "'s"
            return TextChunk(ending + canonical_chunk(text[2:]))
        return TextChunk(canonical_chunk(text))

    def _rule(self, name: str) -> Expression:
        if name not in self.rules:
            known = [*self.rules, *(f"{{{kind}}}" for kind in slots.KINDS)]
            raise _UnknownError("rule", name, known)
        if self.depth >= _MAX_DEPTH:
            raise _UnknownError("end to rule", name, ())
        self.depth += 1
        bound = self.bind(parse_sentence(self.rules[name]).expression)
        self.depth -= 1
        return bound

    def _list(self, reference: ListReference) -> Expression:
        slot = reference.slot_name
        source, kind = self._source(reference.list_name)
        if reference.is_capture:
            slot = IGNORED
        elif slot != IGNORED and all(known.name != slot for known in self.schema.slots):
            raise _UnknownError(
                "slot in the signature named", slot, (s.name for s in self.schema.slots)
            )
        bound: Expression = ListReference(
            f"{source}:{slot}", is_end_of_word=reference.is_end_of_word
        )
        if kind not in _NAMED:
            return bound
        articles = ("my ", "our ", "") if self.canonical else ("the ", "")
        article = Alternative([TextChunk(text) for text in articles], is_optional=True)
        return ExpressionSequence([article, bound])

    def _slot_names(self) -> list[str]:
        return [slot.name for slot in self.schema.slots]

    def _source(self, name: str) -> tuple[str, str]:
        """The list that `{name}` draws from, and the kind of its values."""
        schema = next((slot for slot in self.schema.slots if slot.name == name), None)
        if schema is not None:
            return self.lists.of_slot(schema), schema.kind
        if limits := _RANGE.fullmatch(name):
            return self.lists.of_range(*(int(n) for n in limits.groups() if n)), "integer"
        if name in slots.KINDS:
            return self.lists.of_kind(name), name
        if name in slots.RULES:
            return self.lists.of_kind(name), name
        raise _UnknownError("list", name, [*self._slot_names(), *slots.KINDS])


def _distinct(items: list[Expression]) -> list[Expression]:
    """Drop an alternative that became the same words as another: each would match anew."""
    seen: set[Any] = set()
    kept = []
    for item in items:
        only = item.items[0] if isinstance(item, Group) and len(item.items) == 1 else item
        words = only.text if isinstance(only, TextChunk) else None
        if words is None or words not in seen:
            kept.append(item)
        seen.add(words)
    return kept
