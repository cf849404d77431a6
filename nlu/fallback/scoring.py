"""Finds values for an intent's slots in one text, and scores how well they explain the text.

A pattern is one of the ways in which an intent's slots are filled. The weight of a guess is the
intent's belief, lowered for every value that differs from the words, and for what was found in the
text but not used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from assistant.core.messages import Command, Slot
from assistant.english.commands.modifiers import ALL
from assistant.english.stems import singular
from assistant.skill.manifest import SlotSchema, Traits
from nlu.classifier.calibration import IntentCalibration, SlotCalibration
from nlu.classifier.examples import Fixed
from nlu.classifier.intent import Ranking
from nlu.classifier.tagger import TaggedSpan
from nlu.fallback.slot_candidates import SlotCandidate, SlotFinder
from nlu.fallback.slot_patterns import SlotPattern
from nlu.text.canonical import Canonical

_OF_KIND = frozenset(("domain", "device_class", "name"))
"""Fixed slots that only say what kind of device is meant."""
_LEAST_LIKENESS = 0.75
"""Least likeness of words to the list's value that they stand for."""
_BEFORE = frozenset((-1,))
"""Place of a name found in the story: before every word of the command."""
_PASSED_OVER = frozenset(("text", "place", "person"))
"""Labels of spans that a guess need not use: they are often part of a story around the command."""
_WHEN = frozenset(("date", "time"))
_LATER = _WHEN | {"duration", "number"}
_NOW = frozenset(("now", "right", "just", "already", "again", "still", "today", "tonight"))
"""Words that the NER model may take for a time, although they delay nothing."""
_ALL = ("name", "all")
"""Fixed slot of the sentences for all devices of a kind, wherever they are."""
_EVIDENT = 0.9
"""Likeness from which a guess must use a value that was found, or lose weight."""

_Source = tuple[str, SlotSchema]


@dataclass(frozen=True)
class Guessed:
    """A guessed command."""

    command: Command
    weight: float
    """How likely it is: the intent's belief, lowered by what speaks against the guess."""
    pattern: SlotPattern
    """The pattern that it has."""
    at: frozenset[int]
    """The places of the words that its slots use."""
    directed: bool = True
    """Whether a word names its direction, where it has one, and none names the opposite."""


class TextEvidence:
    """What one text holds for the slots of any intent: each slot's values are looked up once.

    `intent` and `slot` are the models' calibrations. A text that names no place may be about the
    one room that the `story` before it names: "it's like an oven in the bedroom, get the fans
    going".
    """

    def __init__(
        self,
        finder: SlotFinder,
        said: Canonical,
        spans: Sequence[TaggedSpan],
        now: datetime,
        story: Canonical,
        intent: IntentCalibration,
        slot: SlotCalibration,
    ) -> None:
        self._intent, self._slot = intent, slot
        self._finder, self._said, self._spans, self._now = finder, said, spans, now
        self._found: dict[str, list[SlotCandidate]] = {}
        self._numbers = list(_numbers(said))
        names = finder.names(said)
        self._story = story if not names and len(finder.names(story)) == 1 else None
        self._evident = {
            kind: [*self._places(_but(spans, passed)), *names]
            for kind, passed in (("asks", _PASSED_OVER | _WHEN), ("acts", _PASSED_OVER))
        }
        self._says_all = not ALL.isdisjoint(token.text for token in said.tokens)
        times = [span for span in spans if span.label in _LATER]
        # The "one" of "back one track" is no amount.
        degrees = (at for at in self._numbers if all(said.tokens[i].text != "1" for i in at))
        self._later = frozenset[int]().union(*degrees, *self._places(times))

    def fill(
        self, patterns: Sequence[SlotPattern], belief: float, ranking: Ranking
    ) -> Iterator[Guessed]:
        """The guesses of one intent, from each of its patterns."""
        traits = patterns[0].traits if patterns else Traits()
        options = {
            key: self._options(*key, traits.placed)
            for pattern in patterns
            for key in _sources(pattern)
        }
        found = (f.at for every in options.values() for f in every if f.likeness >= _EVIDENT)
        evident = self._evident["asks" if traits.asks else "acts"]
        evidence = _merged([*self._numbers, *evident, *found])
        for pattern in patterns:
            if not (pattern.filled or pattern.fixed) and traits.needs_slot:
                continue
            if _ALL in pattern.fixed and not self._says_all:
                continue
            share = belief * self._share(ranking, pattern)
            for known in (options, *_second_best(pattern, options)):
                guess = self._guess(pattern, share, known, evidence)
                if guess is not None:
                    yield guess

    def _guess(
        self,
        pattern: SlotPattern,
        belief: float,
        known: Mapping[_Source, list[SlotCandidate]],
        evidence: Sequence[frozenset[int]],
    ) -> Guessed | None:
        """The guess of one pattern; None when one of its slots is not in the text."""
        options = {key[1].name: known[key] for key in _sources(pattern)}
        used: frozenset[int] = frozenset()
        slots: list[Slot] = []
        weight = belief
        # The longest goes first: "kitchen" is no area once "kitchen light" is the device.
        for name in sorted(options, key=lambda n: -max((len(f.at) for f in options[n]), default=0)):
            found = next((f for f in options[name] if not f.at & used), None)
            if found is None:
                return None
            used |= found.at
            weight *= found.likeness
            slots.append(
                Slot(name=name, value=found.value, raw=found.raw, confidence=float(found.likeness))
            )
        explained = used | self._kinds(pattern)
        for group in evidence:
            left = group - explained
            later = not pattern.traits.asks and left & self._later
            unfit = self._intent.not_now if later else self._intent.left_over
            weight *= unfit ** (len(left) / len(group))
        slots += [Slot(name=n, value=v, raw="") for n, v in pattern.fixed]
        command = Command(
            intent=pattern.intent, slots=tuple(slots), confidence=round(float(weight), 3)
        )
        return Guessed(command, weight, pattern, used)

    def _kinds(self, pattern: SlotPattern) -> frozenset[int]:
        """The words that only say which kind the devices are: "lights" where that is fixed."""
        kinds = {*(str(value) for _, value in pattern.fixed), *pattern.traits.about}
        tokens = enumerate(self._said.tokens)
        return frozenset(i for i, token in tokens if singular(token.text) in kinds)

    def _options(self, source: str, schema: SlotSchema, placed: bool) -> list[SlotCandidate]:
        key = f"{source}:{schema.name}:{schema.kind}:{placed}"
        if key not in self._found:
            found = self._finder.find(source, schema, self._said, self._spans, self._now)
            if not found and placed and self._story and source.startswith("area"):
                in_story = self._finder.find(source, schema, self._story, self._spans, self._now)
                found = [replace(f, at=_BEFORE) for f in in_story]
            listed = self._finder.listed(source)
            least = _LEAST_LIKENESS if listed else self._slot.sure_free_text
            self._found[key] = [f for f in found if f.likeness >= least]
        return self._found[key]

    def _places(self, spans: Sequence[TaggedSpan]) -> Iterator[frozenset[int]]:
        """The words of the spans that a guess should use: those that the NER model is sure of."""
        for span in spans:
            if span.confidence >= self._slot.sure_span:
                places = enumerate(self._said.tokens)
                at = frozenset(i for i, t in places if t.start < span.end and t.end > span.start)
                if any(self._said.tokens[i].text not in _NOW for i in at):
                    yield at

    def _share(self, ranking: Ranking, pattern: SlotPattern) -> float:
        """The share of an intent's belief that a pattern has; a named device needs no kind."""
        fixed = ranking.fixed(pattern.intent)
        named = any(source.startswith("entity") for _, source in pattern.filled)
        if not named:
            exact = fixed.get(pattern.fixed, 0.0)
            # "All the fans" means nearly the same as "the fans".
            near = sum(
                p
                for f, p in fixed.items()
                if f != pattern.fixed and _some(f) == _some(pattern.fixed)
            )
            least = self._intent.other_fixed
            return least + (1 - least) * (exact + self._intent.nearly_fixed * near)
        rest = _without_kind(pattern.fixed)
        if not rest:
            return 1.0
        return sum(share for other, share in fixed.items() if _without_kind(other) == rest)


def _second_best(
    pattern: SlotPattern, options: Mapping[_Source, list[SlotCandidate]]
) -> Iterator[Mapping[_Source, list[SlotCandidate]]]:
    """The options without the likeliest device, where the same words may mean another one."""
    for key in _sources(pattern):
        best, *others = options[key] or (None,)
        others = [other for other in others if best and other.at & best.at]
        if key[0].startswith("entity") and others:
            yield {**options, key: others}


def _sources(pattern: SlotPattern) -> Iterator[_Source]:
    schemas = dict(pattern.schemas)
    return ((source, schemas[name]) for name, source in sorted(pattern.filled))


def _merged(groups: Iterable[frozenset[int]]) -> list[frozenset[int]]:
    """The groups of words, where groups that share a word are merged."""
    merged: list[frozenset[int]] = []
    for group in groups:
        apart = [other for other in merged if not other & group]
        merged = [*apart, group.union(*(other for other in merged if other & group))]
    return merged


def _numbers(said: Canonical) -> Iterator[frozenset[int]]:
    for at, token in enumerate(said.tokens):
        if token.text.isdecimal():
            yield frozenset({at})


def _but(spans: Sequence[TaggedSpan], passed: frozenset[str]) -> list[TaggedSpan]:
    return [span for span in spans if span.label not in passed]


def _some(fixed: Fixed) -> Fixed:
    return tuple(pair for pair in fixed if pair != _ALL)


def _without_kind(fixed: Fixed) -> Fixed:
    return tuple((name, value) for name, value in fixed if name not in _OF_KIND)
