"""The sentences of the installed skills, compiled once: match a text, or make sentences of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from hassil.expression import TextChunk
from hassil.models import MatchEntity
from hassil.recognize import RecognizeResult, recognize_all

from assistant.core.messages import Slot, SlotValue
from assistant.skill.home import Home
from assistant.skill.manifest import SkillManifest, SlotSchema
from nlu import answers, resolve, sampling
from nlu.grammar import WRITTEN, Claim, Grammar, compile_grammar, named_values
from nlu.normalize import Canonical, canonical, cuts, readings, wish
from nlu.phrases import words

_LONGEST = 80
"""Words of the longest text that is looked at: nobody says more to an assistant in one breath."""

_ANY_DAY = datetime(2026, 1, 1, tzinfo=UTC)

_NO_CONTENT = frozenset(words("a an my our your this that of to for in on at and it is"))


@dataclass(frozen=True)
class Captured:
    """The words that fill one slot: `raw` as spoken, `text` in canonical words.

    `value` is the list's value for a name, a choice or a boolean, and None where the words have
    yet to be resolved.
    """

    schema: SlotSchema
    raw: str
    text: str
    value: SlotValue = None
    wildcard: bool = False


@dataclass(frozen=True)
class Match:
    """One way to read a text: an intent with the words of its slots.

    `wildcard` counts the characters that free text took, `literal` those of the sentence itself.
    `open_ended` tells that free text runs to the end of the text.
    """

    intent: str
    skill: str
    slots: tuple[Captured, ...]
    fixed: tuple[tuple[str, str], ...]
    missing: tuple[str, ...]
    wildcard: int
    literal: int
    open_ended: bool
    order: int

    def rank(self) -> tuple[object, ...]:
        """Sort key, best first.

        Nothing taken as free text comes before free text, the less the better; then nothing
        missing, the longest device name ("kitchen light" before the light of the kitchen), the
        longer literal text, fewer slots, and the order in which the skills gave their sentences.
        """
        device = max((len(s.text) for s in self.slots if s.schema.kind == "entity"), default=0)
        values = tuple((s.schema.name, s.text) for s in self.slots)
        shape = (-device, -self.literal, len(self.slots), self.order, values)
        return (self.wildcard, len(self.missing), *shape)


class Templates:
    """All sentences of all skills, with the home's names in them."""

    def __init__(self, grammar: Grammar, home: Home) -> None:
        self._grammar = grammar
        self._home = home
        kinds = [SlotSchema(name=kind, kind=kind) for kind in ("boolean", "area", "entity")]
        asked = [s for claim in grammar.claims for s in claim.schema.slots if s.required]
        self._answers = {name for kind in kinds for name in named_values(kind, home)}
        self._choices = {name for slot in asked for name in named_values(slot, home)}
        self._asked = sorted({slot.kind for slot in asked})

    @classmethod
    def compile(cls, manifests: Sequence[SkillManifest], home: Home) -> Templates:
        """Compile what `manifests` claim to understand; raises `SkillError` naming the sentence."""
        return cls(compile_grammar(manifests, home), home)

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The intents in the skills' order, one for each block of sentences."""
        return self._grammar.claims

    def match(self, text: str) -> tuple[Match, ...]:
        """Every way to read the whole of `text`, best first; () when no sentence fits."""
        return self.match_canonical(canonical(text))

    def match_canonical(self, said: Canonical) -> tuple[Match, ...]:
        """`match` for a text, or a part of one, that is in canonical words already."""
        if len(said.tokens) > _LONGEST:
            return ()
        found: set[Match] = set()
        for reading in reversed(readings(said)):
            found.update(self._matches(reading))
            if any(match.wildcard == 0 for match in found):
                break
        return tuple(sorted(found, key=Match.rank))

    def accepts(self, text: str) -> bool:
        """Whether the whole of `text` is a sentence, two joined by "and", or a bare answer."""
        said = canonical(text)
        if self.match_canonical(said) or self._answers_something(said):
            return True
        return any(
            self.match_canonical(said.part(0, end))
            and self.match_canonical(said.part(start, len(said.tokens)))
            for end, start in cuts(said)
        )

    def slots(self, match: Match, now: datetime) -> tuple[Slot, ...] | None:
        """The match's slots with their values at `now` (aware); None when a value makes no sense.

        Slots that the intent's sentences fix come last.
        """
        filled = []
        for captured in match.slots:
            value = _value(captured, now)
            if value is None:
                return None
            filled.append(Slot(name=captured.schema.name, value=value, raw=captured.raw))
        names = {slot.name for slot in filled}
        fixed = (Slot(name=n, value=v, raw="") for n, v in match.fixed if n not in names)
        return (*filled, *fixed)

    def resolve(self, text: str, schema: SlotSchema, now: datetime) -> Slot | None:
        """Read `text` as the bare answer to a question for one slot; None when it is none."""
        return answers.resolve_answer(text, schema, named_values(schema, self._home), now)

    def is_answer(self, said: Canonical) -> bool:
        """Whether the whole of a text is a yes or no, a duration or a name: nothing is to come."""
        texts = [reading.text for reading in readings(said)]
        return not self._answers.isdisjoint(texts) or resolve.duration(texts[-1]) is not None

    def sample(self, limit: int, seed: int = 0) -> list[str]:
        """Draw about `limit` sentences as people speak them, every skill's in fair share.

        Repeats are weights. The same templates, limit and seed give the same list.
        """
        return sampling.sample(self._grammar, limit, seed)

    def example(self, intent: str) -> str:
        """One short sentence for `intent` as a person would say it; "" for an unknown intent."""
        return sampling.example(self._grammar, intent)

    def examples(self) -> dict[str, list[str]]:
        """Some sentences for each intent, as people speak them."""
        return sampling.examples(self._grammar)

    def _answers_something(self, said: Canonical) -> bool:
        text = wish(said).text
        if self.is_answer(said) or text in self._choices:
            return True
        return any(resolve.value(text, kind, _ANY_DAY) is not None for kind in self._asked)

    def _matches(self, said: Canonical) -> Iterator[Match]:
        if said.text:
            for result in recognize_all(said.text, self._grammar.intents):
                match = self._match(said, result)
                if match is not None:
                    yield match

    def _match(self, said: Canonical, result: RecognizeResult) -> Match | None:
        order = int(result.intent.name)
        claim = self._grammar.claims[order]
        schemas = {slot.name: slot for slot in claim.schema.slots}
        entities = [e for e in result.entities_list if e.name in schemas]
        captured = _captured(said, schemas, entities)
        names = {c.schema.name for c in captured}
        free = [c for c in captured if c.wildcard]
        if len(names) < len(captured) or any(_NO_CONTENT.issuperset(c.text.split()) for c in free):
            return None
        open_ended = bool(free) and captured[-1].wildcard and said.text.endswith(captured[-1].text)
        return Match(
            intent=claim.schema.intent,
            skill=claim.skill,
            slots=captured,
            fixed=tuple(claim.schema.fixed.items()),
            missing=tuple(s.name for s in schemas.values() if s.required and s.name not in names),
            wildcard=sum(len(c.text) for c in free),
            literal=len(said.text) - sum(len(c.text) for c in captured),
            open_ended=open_ended,
            order=order,
        )


def _value(captured: Captured, now: datetime) -> SlotValue:
    if captured.value is not None:
        return captured.value
    kind = captured.schema.kind
    return captured.raw if kind == "text" else resolve.value(captured.text, kind, now)


def _captured(
    said: Canonical, schemas: dict[str, SlotSchema], entities: Sequence[MatchEntity]
) -> tuple[Captured, ...]:
    captured: list[Captured] = []
    free_until = 0
    for entity in entities:
        start, end = entity.text_span or (0, 0)
        # hassil counts free text before a phrase with parts of its own to the phrase as well
        start = max(start, free_until)
        free_until = end if entity.is_wildcard else 0
        named = isinstance((entity.metadata or {}).get(WRITTEN), TextChunk)
        captured.append(
            Captured(
                schema=schemas[entity.name],
                raw=said.spoken(start, end),
                text=said.text[start:end].strip(),
                value=entity.value if named else None,
                wildcard=entity.is_wildcard,
            )
        )
    return tuple(captured)
