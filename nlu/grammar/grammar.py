"""Compiles skill manifests, Home Assistant's vocabulary and a home into one grammar.

hassil matches it and the sampler walks it. Every sentence is bound once: its rules are expanded,
its lists are named by their content, and its words are brought into canonical form, in which texts
are matched.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec
from hassil.expression import Expression, ListReference, Sentence, TextChunk
from hassil.intents import SlotList, TextSlotList
from hassil.parser import ParseError

from assistant.core.errors import SkillError
from assistant.core.messages import SlotValue
from assistant.skill.home import Home
from assistant.skill.manifest import IntentSchema, SkillManifest, SlotSchema, Traits
from assistant.skill.template import parsed
from nlu.grammar.binding import IGNORED, Binder, UnknownError, list_of_kind, list_of_slot
from nlu.grammar.block_binding import bound
from nlu.grammar.claim import Claim
from nlu.grammar.lists import SlotLists
from nlu.grammar.vocabulary import Vocabulary


@dataclass(frozen=True)
class Grammar:
    """All claims in the skills' order, and the lists of their values.

    `answers` are what people say when they are asked for a slot, or for a yes or no.
    """

    claims: tuple[Claim, ...]
    answers: tuple[Expression, ...]
    lists: dict[str, SlotList]
    skip_words: tuple[str, ...] = ()


def compile_grammar(manifests: Sequence[SkillManifest], home: Home) -> Grammar:
    """Bind every sentence of `manifests` to the names of `home`.

    Raises `SkillError`, naming skill, intent and sentence, for what cannot be a template.
    """
    lists = SlotLists()
    claims = [
        _claim(manifest, schema, lists) for manifest in manifests for schema in manifest.intents
    ]
    answers = _answers(claims, lists)
    return Grammar(tuple(claims), answers, lists.filled(home))


def with_vocabulary(
    grammar: Grammar, manifests: Sequence[SkillManifest], home: Home, vocabulary: Vocabulary
) -> Grammar:
    """The grammar of `manifests` with the sentences of a vocabulary after their own.

    Raises `InputError` for what cannot be a template.
    """
    owners = {s.intent: m.name for m in manifests for s in (*m.intents, *m.served)}
    traits = {s.intent: s.traits for m in manifests for s in (*m.intents, *m.served)}
    common = bound(vocabulary)
    claims = (_owned(claim, owners, traits) for claim in common.claims)
    lists = {**common.lists.filled(home), **grammar.lists}
    return Grammar((*grammar.claims, *claims), grammar.answers, lists, vocabulary.skip_words)


def _answers(claims: Iterable[Claim], lists: SlotLists) -> tuple[Expression, ...]:
    asked = [s for c in claims for s in c.schema.slots if s.required and s.kind != "text"]
    yes_no = list_of_kind(lists, "boolean")
    names = dict.fromkeys([yes_no, *(list_of_slot(lists, slot) for slot in asked)])
    return tuple(ListReference(f"{name}:{IGNORED}") for name in names)


def _claim(manifest: SkillManifest, schema: IntentSchema, lists: SlotLists) -> Claim:
    expressions, sentences = [], []
    for text in schema.sentences:
        try:
            expression = parsed(text)
            matched = Binder(schema, manifest.rules, lists, canonical=True).bind(expression)
        except (ParseError, AssertionError, UnknownError) as error:
            reason = str(error) or type(error).__name__
            raise SkillError(
                "skill.sentence",
                f"skill {manifest.name!r}, intent {schema.intent}: sentence {text!r}: {reason}",
                part=manifest.name,
            ) from error
        expressions.append(expression)
        sentences.append(Sentence(matched, text=text))

    def write() -> tuple[Expression, ...]:
        return tuple(Binder(schema, manifest.rules, lists).bind(one) for one in expressions)

    return Claim(manifest.name, schema, tuple(sentences), write)


def _owned(claim: Claim, owners: Mapping[str, str], traits: Mapping[str, Traits]) -> Claim:
    """Assign a claim of the vocabulary to the skill that serves it, with that skill's traits."""
    intent = claim.schema.intent
    own = traits.get(intent, claim.schema.traits)
    schema = msgspec.structs.replace(claim.schema, traits=own)
    return replace(claim, skill=owners.get(intent, ""), schema=schema)


def named_values(slot: SlotSchema, home: Home) -> dict[str, SlotValue]:
    """The values in a slot's list, by their canonical words; {} when it has no list of words."""
    lists = SlotLists()
    name = list_of_slot(lists, slot)
    values = lists.filled(home)[name]
    if not isinstance(values, TextSlotList):
        return {}
    return {v.text_in.text: v.value_out for v in values.values if isinstance(v.text_in, TextChunk)}
