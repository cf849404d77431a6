"""The sentences of the installed skills, compiled once: match texts, or draw sentences."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from copy import copy
from datetime import UTC, datetime
from functools import cache, cached_property, partial

import msgspec
from hassil.intents import SlotList
from hassil.recognize import recognize_all

from assistant.core.messages import Command, Slot
from assistant.core.speakable import NO_NAMES, GivenNames, Speakable
from assistant.skill.home import Home
from assistant.skill.manifest import SkillManifest, SlotSchema, Traits
from nlu.grammar.claim import Claim
from nlu.grammar.grammar import Grammar, compile_grammar, named_values, with_vocabulary
from nlu.grammar.labelled import Labelled, labelled
from nlu.grammar.match import LATER, Captured, Match, read_match
from nlu.grammar.paraphrase import plain_sentence
from nlu.grammar.prefilter import Prefilter
from nlu.grammar.vocabulary import NO_VOCABULARY, Vocabulary
from nlu.speakable import sampling
from nlu.speakable.speakable import possible, speakable
from nlu.text.canonical import Canonical, Token, canonical, cuts, readings, without_politeness
from nlu.text.kinds import names_of_others
from nlu.values import resolve

_LONGEST = 80
"""Most words of a text that is matched: nobody says more to an assistant at once."""

_REMEMBERED = 512
"""Most texts of which the matches are kept: the parts of one text are read many times."""

SPEAKABLE_SENTENCES = 20_000
"""Number of sentences that the recogniser's language model is made of. Of 54 home commands it hears
44 with half of them, and with twice as many, 46."""
SAMPLING_SEED = 1
"""The seed that draws them."""

_ANY_DAY = datetime(2026, 1, 1, tzinfo=UTC)

__all__ = ["Captured", "Match", "Templates"]


class Templates:
    """All sentences of all skills, with the home's names in them."""

    def __init__(self, grammar: Grammar, home: Home) -> None:
        self._grammar = grammar
        self._home = home
        kinds = [SlotSchema(name=kind, kind=kind) for kind in ("boolean", "area", "entity")]
        asked = [s for claim in grammar.claims for s in claim.schema.slots if s.required]
        self._answers = {name for kind in kinds for name in named_values(kind, home)}
        self._names = {
            text: Slot(name="name" if kind == "entity" else kind, value=value, raw=text)
            for kind in ("floor", "area", "entity")  # of equal names the device's wins
            for text, value in named_values(SlotSchema(name=kind, kind=kind), home).items()
        }
        for area in home.areas:  # "all lights but not Mia's"
            owner, _, room = area.name.partition("'s ")
            if room:
                text = canonical(f"{owner}'s").text
                self._names.setdefault(text, Slot(name="area", value=area.name, raw=text))
        self._choices = {name for slot in asked for name in named_values(slot, home)}
        self._asked = sorted({slot.kind for slot in asked})
        self._skip_words = [tuple(canonical(w).text.split()) for w in grammar.skip_words]
        self._skipped = {word for words in self._skip_words for word in words}
        self._traits = {claim.schema.intent: claim.schema.traits for claim in grammar.claims}
        self._words_of: dict[str, frozenset[str]] = {}
        self._area, self._others_in = "", cache(partial(names_of_others, home))
        self._matched: dict[Canonical, tuple[Match, ...]] = {}
        self.short: Templates | None = None
        """The short forms of the same skills that are always meant; None where there are none."""
        self.conditional: Templates | None = None
        """Their short forms that are meant only while the skills say so."""

    @cached_property
    def _candidates(self) -> Prefilter:
        return Prefilter(self._grammar.claims, self._grammar.lists)

    @classmethod
    def compile(
        cls,
        manifests: Sequence[SkillManifest],
        home: Home,
        vocabulary: Vocabulary = NO_VOCABULARY,
    ) -> Templates:
        """Compile the sentences of `manifests` and those of `vocabulary`.

        Raises `SkillError` or, for the vocabulary, `InputError`, naming the sentence.
        """
        templates = cls(compile_grammar(manifests, home), home)
        for conditional in (False, True):
            forms = [
                msgspec.structs.replace(
                    manifest,
                    intents=tuple(i for i in manifest.short if i.conditional is conditional),
                )
                for manifest in manifests
            ]
            if any(manifest.intents for manifest in forms):
                compiled = cls(compile_grammar(forms, home), home)
                if conditional:
                    templates.conditional = compiled
                else:
                    templates.short = compiled
        if vocabulary is NO_VOCABULARY:
            return templates
        return templates.with_vocabulary(manifests, vocabulary)

    def with_vocabulary(
        self, manifests: Sequence[SkillManifest], vocabulary: Vocabulary
    ) -> Templates:
        """The sentences of these `manifests` with those of a vocabulary after them.

        Raises `InputError`, naming the sentence.
        """
        grammar = with_vocabulary(self._grammar, manifests, self._home, vocabulary)
        templates = Templates(grammar, self._home)
        templates.short, templates.conditional = self.short, self.conditional
        return templates

    def in_area(self, area: str) -> Templates:
        """The same sentences as said in an area, by name or id; an unknown one counts as none."""
        self.prepare()  # the copies share it
        there = copy(self)
        known = (a.name for a in self._home.areas if area.casefold() in (a.id, a.name.casefold()))
        there._area, there._matched = next(known, ""), {}
        return there

    def prepare(self) -> None:
        """Make what finds the sentences that a text may be, before a text is matched."""
        self._candidates  # noqa: B018 - a property that is made once

    @property
    def home(self) -> Home:
        """The home whose names the sentences have."""
        return self._home

    @property
    def area(self) -> str:
        """The name of the area where they are said; "" where it is not known."""
        return self._area

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The intents in the skills' order, one for each block of sentences."""
        return self._grammar.claims

    def traits(self, intent: str) -> Traits:
        """The traits that an intent declares."""
        return self._traits.get(intent, Traits())

    @property
    def lists(self) -> Mapping[str, SlotList]:
        """The claims' lists with the values of this home, by name."""
        return self._grammar.lists

    def match(self, text: str) -> tuple[Match, ...]:
        """Every way to read the whole of `text`, best first; () when no sentence fits."""
        return self.match_canonical(canonical(text))

    def match_canonical(self, said: Canonical) -> tuple[Match, ...]:
        """Match as `match` does a text, or a part of one, that is already in canonical words."""
        if len(said.tokens) > _LONGEST:
            return ()
        if said not in self._matched:
            if len(self._matched) >= _REMEMBERED:
                self._matched.clear()
            self._matched[said] = self._match(said)
        return self._matched[said]

    def _match(self, said: Canonical) -> tuple[Match, ...]:
        found: set[Match] = set()
        for reading in reversed(readings(said)):
            found.update(self._matches(reading))
            if any(match.wildcard == 0 for match in found):
                break
        if not found and self._skip_words:
            plain = self._without_skip_words(said)
            if 0 < len(plain.tokens) < len(said.tokens):
                found.update(self._matches(plain))
        ranked = sorted(found, key=Match.rank)
        finer = next((m for m in ranked if m.refines(ranked[0])), None)
        return (finer, *(m for m in ranked if m is not finer)) if finer else tuple(ranked)

    def spells(self, said: Canonical) -> bool:
        """Whether a sentence may fit a text without free text, as each word is in some sentence.

        It is quick, and most talk has a word that no sentence has.
        """
        words = (token.text for token in without_politeness(said).tokens)
        return all(self._candidates.spells(word) or word in self._skipped for word in words)

    def spelt(self, word: str) -> bool:
        """Whether any sentence may have a canonical word in it."""
        return self._candidates.spells(word)

    def words_of(self, intent: str) -> frozenset[str]:
        """The words in the sentences of an intent, without names and values."""
        if intent not in self._words_of:
            claims = [i for i, c in enumerate(self._grammar.claims) if c.schema.intent == intent]
            self._words_of[intent] = self._candidates.words_of(claims)
        return self._words_of[intent]

    def may_hold(self, said: Canonical) -> bool:
        """Whether a part of a text may be a sentence, as far as the words tell that it needs."""
        return bool(said.tokens) and self._candidates.may_hold(said.text)

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
            value = captured.resolved(now)
            if value is None:
                return None
            schema = captured.schema
            others = resolve.rivals(captured.text, schema.kind, now) if schema.unambiguous else ()
            filled.append(Slot(name=schema.name, value=value, raw=captured.raw, others=others))
        return (*filled, *(Slot(name=n, value=v, raw="") for n, v in match.fixed))

    def is_answer(self, said: Canonical) -> bool:
        """Whether the whole of a text is a yes or no, a duration or a name, so nothing follows."""
        texts = [reading.text for reading in readings(said)]
        return not self._answers.isdisjoint(texts) or resolve.duration(texts[-1]) is not None

    def named(self, text: str) -> Slot | None:
        """The floor, area or device that canonical words name, as its slot; None for none."""
        return None if text in self._others_in(self._area) else self._names.get(text)

    def sample(self, limit: int, seed: int = 0, *, vocabulary: bool = False) -> list[str]:
        """Draw about `limit` sentences as people speak them, with a fair share for every skill.

        Repeats are weights. The same templates, limit and seed give the same list. Home
        Assistant's vocabulary, far larger than the skills' own, is included only with `vocabulary`.
        """
        return sampling.sample(self._grammar, limit, seed, vocabulary)

    def speakable(
        self,
        names: GivenNames = NO_NAMES,
        share: float = 1.0,
    ) -> Speakable:
        """What people may say in this home, for a recogniser's language model.

        `names` are those that users gave. With a `share`, as much less is drawn.
        """
        short = [forms._grammar for forms in (self.short, self.conditional) if forms is not None]
        drawn = SPEAKABLE_SENTENCES, SAMPLING_SEED
        return speakable(self._grammar, self._home, *drawn, short, names, share)

    def example(self, intent: str) -> str:
        """One short sentence for `intent` as a person would say it; "" for an unknown intent."""
        return sampling.example(self._grammar, intent)

    def examples(self, *, vocabulary: bool = False) -> dict[str, list[str]]:
        """Some sentences for each intent of the skills, as people speak them.

        With `vocabulary` they are for all intents that have a meaning in this home.
        """
        claims = possible(self._grammar, self._home) if vocabulary else ()
        return sampling.examples(self._grammar, claims)

    def labelled(self, each: int, seed: int = 0, *, talk: bool = False) -> list[Labelled]:
        """About `each` sentences for every intent, of the vocabulary too, with its slots' spans.

        With `talk`, they are the skills' sentences for what is only talked about, else the others.
        """
        return labelled(self._grammar, each, seed, talk)

    def served(self, text: str) -> str:
        """The intent of a sentence that a skill carries out as it stands; "" for any other."""
        best = next(iter(self.match(text)), None)
        if best is None or best.missing or best.wildcard or not best.skill:
            return ""
        return "" if self.traits(best.intent).only_talk else best.intent

    def plain_examples(self, but: Container[str]) -> list[str]:
        """A sentence without a slot of each of the skills' intents that has one, `but` those."""
        names = dict.fromkeys(c.schema.intent for c in self.claims if c.block is None)
        drawn = filter(None, (self.example(name) for name in names if name not in but))
        return [said for said in drawn if not any(m.slots for m in self.match(said)[:1])]

    def plain(self, command: Command) -> str:
        """A sentence that says plainly what a command would do; "" where there is none."""
        return plain_sentence(self._grammar, self._home, command)

    def _answers_something(self, said: Canonical) -> bool:
        text = without_politeness(said).text
        if self.is_answer(said) or text in self._choices:
            return True
        return any(resolve.value(text, kind, _ANY_DAY) is not None for kind in self._asked)

    def _matches(self, said: Canonical) -> Iterator[Match]:
        intents = self._candidates.intents(said.text) if said.text else None
        if intents is None:
            return
        for result in recognize_all(said.text, intents):
            order = int(result.intent.name)
            claim = self._grammar.claims[order]
            match = read_match(claim, order, said, result.entities_list, self._area)
            if match is not None and self._is_meant(match):
                yield match

    def _is_meant(self, match: Match) -> bool:
        """Whether names are those of the place, and free text that must be a command is one.

        "Back in five minutes" is none, and "the telly in the bedroom" is not the lounge's.
        """
        places = (str(s.value) for s in match.slots if s.schema.kind == "area")
        others = self._others_in(next(places, self._area))
        named = (s.text for s in match.slots if s.schema.kind == "entity")
        later = (s.raw for s in match.slots if s.wildcard and s.schema.name == LATER)
        return others.isdisjoint(named) and all(map(self.match, later))

    def _without_skip_words(self, said: Canonical) -> Canonical:
        tokens: list[Token] = []
        at = 0
        while at < len(said.tokens):
            rest = [token.text for token in said.tokens[at:]]
            skipped = next((len(w) for w in self._skip_words if tuple(rest[: len(w)]) == w), 0)
            tokens += [] if skipped else [said.tokens[at]]
            at += skipped or 1
        return said._replace(tokens=tuple(tokens))
