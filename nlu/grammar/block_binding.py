"""Binds blocks of Home Assistant's format as claims, once for any home."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial

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
from hassil.intents import TextSlotList
from hassil.parser import ParseError

from assistant.core.errors import InputError, one_line
from assistant.skill.manifest import IntentSchema, SlotSchema
from assistant.skill.template import parsed
from nlu.grammar.binding import (
    IGNORED,
    KINDS,
    Binder,
    UnknownError,
    list_of_kind,
    list_of_slot,
)
from nlu.grammar.blocks import Block, ValueList
from nlu.grammar.claim import Claim
from nlu.grammar.flatten import flat_alternative, flat_sequence
from nlu.grammar.lists import SlotLists, known
from nlu.grammar.number_lists import declare_numbers
from nlu.grammar.vocabulary import Vocabulary
from nlu.text.canonical import canonical_chunk

TAKEN = " the"
"""Ending of the name of a free-text slot when a "the" before it belongs to the template."""

SHOWN_CHARACTERS = 200
"""Most characters that an error shows of an invalid sentence, and of the reason."""

_HOME_KINDS = {"name": "entity", "area": "area", "floor": "floor"}
_INLINE_RANGE = re.compile(r"\d+\.\.\d+(?:,\d+)?")
_REFERENCE = re.compile(r"\{([^{}]+)\}")
_RULE = re.compile(r"<([^<>]+)>")


@dataclass(frozen=True)
class BoundVocabulary:
    """A vocabulary's claims in its order, and the lists that they name."""

    claims: tuple[Claim, ...]
    lists: SlotLists


@lru_cache(maxsize=4)
def bound(vocabulary: Vocabulary) -> BoundVocabulary:
    """Bind every sentence; raises `InputError` that names file, intent and sentence."""
    lists = SlotLists()
    shared: dict[object, Expression] = {}
    written: dict[object, Expression] = {}
    claims = tuple(_claim(block, lists, shared, written) for block in vocabulary.blocks)
    return BoundVocabulary(claims, lists)


def _claim(
    block: Block,
    lists: SlotLists,
    shared: dict[object, Expression],
    rules: dict[object, Expression],
) -> Claim:
    schema = _schema(block)
    binder = BlockBinder(block, schema, lists, shared)
    sentences = []
    for text in block.sentences:
        try:
            sentences.append(Sentence(binder.bind(parsed(text)), text=text))
        except (ParseError, AssertionError, UnknownError) as error:
            reason = one_line(str(error) or type(error).__name__, SHOWN_CHARACTERS)
            where = f"{block.origin}: intent {block.intent}: sentence {text[:SHOWN_CHARACTERS]!r}"
            raise InputError("vocabulary.sentence", f"{where}: {reason}") from error
    written = partial(_written, block, schema, lists, rules)
    return Claim("", schema, tuple(sentences), written, block)


def _written(
    block: Block, schema: IntentSchema, lists: SlotLists, shared: dict[object, Expression]
) -> tuple[Expression, ...]:
    binder = BlockBinder(block, schema, lists, shared, canonical=False)
    return tuple(binder.bind(parsed(text)) for text in block.sentences)


def _schema(block: Block) -> IntentSchema:
    found: dict[str, SlotSchema] = {}
    for template in _reached(block.sentences, block.rules):
        for name, slot in _references(template):
            kind = _kind(name, block.lists)
            if slot not in found or found[slot].kind in ("text", "choice"):
                found[slot] = SlotSchema(
                    name=slot,
                    kind=kind,
                    requires=block.requires if kind == "entity" else (),
                    excludes=block.excludes if kind == "entity" else (),
                    choices=tuple(str(v) for _, v in block.lists[name].values)
                    if kind == "choice"
                    else (),
                    required=False,
                )
    return IntentSchema(
        intent=block.intent,
        sentences=block.sentences,
        slots=tuple(found.values()),
        fixed=block.fixed,
        area_slot=block.area_slot,
    )


def _references(template: str) -> Iterator[tuple[str, str]]:
    for reference in _REFERENCE.findall(template):
        name, _, slot = reference.partition(":")
        if not (name.startswith("@") or slot.startswith("@") or slot == IGNORED):
            yield name, slot or name


def _kind(name: str, lists: Mapping[str, ValueList]) -> str:
    if name in lists:
        return lists[name].kind
    if name in _HOME_KINDS:
        return _HOME_KINDS[name]
    return "number" if _INLINE_RANGE.fullmatch(name) else name


def _reached(templates: Iterable[str], rules: Mapping[str, str]) -> list[str]:
    """The templates, then the texts of all known rules that they name, directly or not."""
    found, seen = list(templates), set[str]()
    for template in found:  # grows as it is walked
        for rule in _RULE.findall(template):
            if rule in rules and rule not in seen:
                seen.add(rule)
                found.append(rules[rule])
    return found


class BlockBinder(Binder):
    """Binds the sentences of one block; rules that are the same in several blocks are shared."""

    articles = False

    def __init__(
        self,
        block: Block,
        schema: IntentSchema,
        lists: SlotLists,
        shared: dict[object, Expression],
        canonical: bool = True,
        filling: frozenset[str] = frozenset(),
    ) -> None:
        super().__init__(schema, block.rules, lists, canonical)
        self._block, self._shared, self._filling = block, shared, filling
        self._names = SlotSchema(
            name="name", kind="entity", requires=block.requires, excludes=block.excludes
        )

    def bind(self, expression: Expression, before: str = "") -> Expression:
        """The bound copy, flattened: an expression that fits in two ways would match twice."""
        copied = super().bind(expression, before)
        if not self.canonical:
            return copied
        if isinstance(copied, Alternative):
            return flat_alternative(copied)
        if isinstance(expression, ExpressionSequence) and isinstance(copied, ExpressionSequence):
            return flat_sequence(self._marked(expression, copied))
        return copied

    def source(self, name: str) -> tuple[str, str]:
        """The block's list of that name, the home's names, or a kind of ours."""
        if name in self._block.lists:
            values = self._block.lists[name]
            return self._declared(values), values.kind
        if name == "name":
            return list_of_slot(self.lists, self._names), "entity"
        if name in _HOME_KINDS:
            return list_of_kind(self.lists, _HOME_KINDS[name]), _HOME_KINDS[name]
        if name in KINDS or _INLINE_RANGE.fullmatch(name):
            return super().source(name)
        raise UnknownError("list", name, [*self._block.lists, *_HOME_KINDS, *KINDS])

    def _chunk(self, text: str, before: str) -> Expression:
        if self.canonical and not before and text.startswith("'s"):
            rest = canonical_chunk(text[2:])  # "Floor Lamp 2's" becomes "floor lamp 2 s"
            return Alternative([TextChunk(f"'s{rest}"), TextChunk(f" s{rest}")])
        return super()._chunk(text, before)

    def _rule(self, name: str) -> Expression:
        texts = _reached([f"<{name}>"], self.rules)
        names = (self._names.requires, self._names.excludes)
        local = self._block.lists if len(texts) > 1 else None
        key = (tuple(texts), id(local), names if any("{name" in text for text in texts) else ())
        if key not in self._shared:
            self._shared[key] = super()._rule(name)
        return self._shared[key]

    def _marked(self, given: ExpressionSequence, copied: ExpressionSequence) -> ExpressionSequence:
        """The copy, with the slots marked whose free text follows a "the" of the template."""
        items = list(copied.items)
        for at, (item, copy) in enumerate(zip(given.items, copied.items, strict=True)):
            if (
                isinstance(item, ListReference)
                and isinstance(copy, ListReference)
                and self._free(item)
                and self._takes_the(given.items[:at])
            ):
                slot = f"{copy.list_name}:{copy.slot_name}{TAKEN}"
                items[at] = ListReference(slot, is_end_of_word=copy.is_end_of_word)
        return ExpressionSequence(items)

    def _free(self, reference: ListReference) -> bool:
        values = self._block.lists.get(reference.list_name)
        return values is not None and values.kind == "text"

    def _takes_the(self, items: list[Expression]) -> bool:
        """Whether the words of these items may end in "the"."""
        for item in reversed(items):
            if isinstance(item, TextChunk):
                if item.text.strip():
                    return item.text.split()[-1].casefold() == "the"
            elif isinstance(item, Alternative):
                return any(self._takes_the([choice]) for choice in item.items)
            elif isinstance(item, Group):
                return self._takes_the(item.items)
            elif isinstance(item, RuleReference) and item.rule_name in self.rules:
                return self._takes_the([parsed(self.rules[item.rule_name])])
            else:
                return False
        return False

    def _declared(self, values: ValueList) -> str:
        if values.kind == "text":
            return self.lists.free_text(values.name)
        if values.numbers is not None:
            return declare_numbers(self.lists, values, values.numbers)
        if values.name in self._filling:
            raise UnknownError("end to list", values.name.rpartition(" ")[2], ())
        if values.name not in self.lists:
            filled = self._choices(values)
            self.lists.declare(values.name, lambda home: filled)
        return values.name

    def _choices(self, values: ValueList) -> TextSlotList:
        of = (self._block, self.schema, self.lists)
        filling = self._filling | {values.name}
        said = BlockBinder(*of, self._shared, filling=filling)
        written = BlockBinder(*of, {}, canonical=False, filling=filling)
        known_values = [
            known(said.bind(parsed(words)), written.bind(parsed(words)), value)
            for words, value in values.values
        ]
        return TextSlotList(values.name, known_values)
