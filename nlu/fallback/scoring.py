"""Finds values for an intent's slots in one text, and scores how well they explain the text.

A form is one of the ways in which an intent's slots are filled. Its weight is the intent's belief,
lowered for every value that differs from the words, and for what was found in the text but not
used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from assistant.core.messages import Command, Slot
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
_EVIDENT = 0.9
"""Likeness from which a guess must use a value that was found, or lose weight."""

_Source = tuple[str, SlotSchema]


@dataclass(frozen=True)
class Guessed:
    """A guessed command."""

    command: Command
    weight: float
    """How likely it is: the intent's belief, lowered by what speaks against the guess."""
    shape: SlotPattern
    """The form that it has."""
    at: frozenset[int]
    """The places of the words that its slots use."""


class Look:
    """Looks up the values that one text has for any slot, each once.

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
        times = [span for span in spans if span.label in _LATER]
        # The "one" of "back one track" is no amount.
        degrees = (at for at in self._numbers if all(said.tokens[i].text != "1" for i in at))
        self._later = frozenset[int]().union(*degrees, *self._places(times))

    def fill(
        self, shapes: Sequence[SlotPattern], belief: float, ranking: Ranking
    ) -> Iterator[Guessed]:
        """The guesses of one intent, from each of its forms."""
        traits = shapes[0].traits if shapes else Traits()
        options = {
            key: self._options(*key, traits.placed) for shape in shapes for key in _sources(shape)
        }
        found = (f.at for every in options.values() for f in every if f.likeness >= _EVIDENT)
        evident = self._evident["asks" if traits.asks else "acts"]
        evidence = _merged([*self._numbers, *evident, *found])
        for shape in shapes:
            if not (shape.filled or shape.fixed) and traits.needs_slot:
                continue
            share = belief * self._share(ranking, shape)
            for known in (options, *_second_best(shape, options)):
                guess = self._guess(shape, share, known, evidence)
                if guess is not None:
                    yield guess

    def _guess(
        self,
        shape: SlotPattern,
        belief: float,
        known: Mapping[_Source, list[SlotCandidate]],
        evidence: Sequence[frozenset[int]],
    ) -> Guessed | None:
        """The guess of one form; None when one of its slots is not in the text."""
        options = {key[1].name: known[key] for key in _sources(shape)}
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
        explained = used | self._kinds(shape)
        for group in evidence:
            left = group - explained
            later = not shape.traits.asks and left & self._later
            unfit = self._intent.not_now if later else self._intent.left_over
            weight *= unfit ** (len(left) / len(group))
        slots += [Slot(name=n, value=v, raw="") for n, v in shape.fixed]
        command = Command(
            intent=shape.intent, slots=tuple(slots), confidence=round(float(weight), 3)
        )
        return Guessed(command, weight, shape, used)

    def _kinds(self, shape: SlotPattern) -> frozenset[int]:
        """The words that only say which kind the devices are: "lights" where that is fixed."""
        kinds = {*(str(value) for _, value in shape.fixed), *shape.traits.about}
        tokens = enumerate(self._said.tokens)
        return frozenset(i for i, token in tokens if singular(token.text) in kinds)

    def _options(self, source: str, schema: SlotSchema, placed: bool) -> list[SlotCandidate]:
        key = f"{source}:{schema.name}:{schema.kind}:{placed}"
        if key not in self._found:
            found = self._finder.find(source, schema, self._said, self._spans, self._now)
            if not found and placed and self._story and source.startswith("area"):
                told = self._finder.find(source, schema, self._story, self._spans, self._now)
                found = [replace(f, at=_BEFORE) for f in told]
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

    def _share(self, ranking: Ranking, shape: SlotPattern) -> float:
        """The share of an intent's belief that a form has; a named device needs no kind."""
        fixed = ranking.fixed(shape.intent)
        named = any(source.startswith("entity") for _, source in shape.filled)
        if not named:
            exact = fixed.get(shape.fixed, 0.0)
            # "All the fans" means nearly the same as "the fans".
            near = sum(
                p for f, p in fixed.items() if f != shape.fixed and _some(f) == _some(shape.fixed)
            )
            least = self._intent.other_fixed
            return least + (1 - least) * (exact + self._intent.nearly_fixed * near)
        rest = _without_kind(shape.fixed)
        if not rest:
            return 1.0
        return sum(share for other, share in fixed.items() if _without_kind(other) == rest)


def _second_best(
    shape: SlotPattern, options: Mapping[_Source, list[SlotCandidate]]
) -> Iterator[Mapping[_Source, list[SlotCandidate]]]:
    """The options without the likeliest device, where the same words may mean another one."""
    for key in _sources(shape):
        best, *others = options[key] or (None,)
        others = [other for other in others if best and other.at & best.at]
        if key[0].startswith("entity") and others:
            yield {**options, key: others}


def _sources(shape: SlotPattern) -> Iterator[_Source]:
    schemas = dict(shape.schemas)
    return ((source, schemas[name]) for name, source in sorted(shape.filled))


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
    return tuple(pair for pair in fixed if pair != ("name", "all"))


def _without_kind(fixed: Fixed) -> Fixed:
    return tuple((name, value) for name, value in fixed if name not in _OF_KIND)
