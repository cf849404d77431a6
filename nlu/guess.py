"""What the models take a text for that no sentence fits.

The intent model says which wish it sounds like, the NER model and the home's names say what it is
about. A wish is believed only in a form that some sentence of the intent has (`nlu.shapes`): all
its slots must be found in the text, and little that was found may be left over.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from itertools import pairwise

from assistant.core.messages import Command, Slot
from assistant.skill.manifest import SlotSchema
from nlu import phrases
from nlu.examples import Fixed
from nlu.findings import Finder, Found
from nlu.intent import IntentModel, Ranking
from nlu.normalize import Canonical, wish
from nlu.shapes import Shape
from nlu.tagger import Span, Tagger
from nlu.withheld import addressed, doubtful, reported, withheld

QUERIES = ("HassGet", "HassClimateGet", "HassTimerStatus", "HassNevermind", "Repeat", "Undo")
"""Openings of the names of intents that change nothing: these may also be guessed at in a text
that tells of something, "did I lock the door"."""

_IN_SCOPE, _IN_SCOPE_TO_ACT = 0.15, 0.8
_IN_SCOPE_OF_DEVICE, _IN_SCOPE_OF_AREA = 0.15, 0.3
_IN_SCOPE_OF_SUBJECT, _IN_SCOPE_TO_ASK = 0.6, 0.4
_NEEDS_SLOT = frozenset(
    f"Hass{name}"
    for name in ("TurnOn", "TurnOff", "LightSet", "SetPosition", "VacuumCleanArea", "FanSetSpeed")
)
"""Intents that mean nothing without a word on what they are about."""
_IN_SCOPE_OF_FREE_TEXT = 0.3
_REMEMBERED = 16
_FEWEST_WORDS = 2
_LEAST_BELIEF = 0.05
_OF_KIND = frozenset(("domain", "device_class", "name"))
"""Fixed slots that only say what kind of device is meant."""
_SMALL_TALK = frozenset(("HassNevermind", "HassRespond", "Repeat", "Undo", "Help"))
"""Intents that a whole text may be, and hardly the end of one: "the lamp, get rid of it"."""
_ACCEPTED = 0.3
_EVIDENT_WISH = 0.8
"""Weight of a guess that would be certain, were it certain that the text is meant."""
_NEAR = 0.8
"""Share of the better guess's weight from which on another one is as likely."""
_LEFT_OVER = 0.35
"""What a thing that was found and not used takes off a guess."""
_OTHER_FIXED = 0.1
"""Share of an intent's belief that a form has whose fixed slots the model does not see."""
_LEAST_LIKENESS = 0.75
_SURE_SPAN = 0.6
_GOING_ON = frozenset(("and", "then", "also", "plus"))
"""What follows these is one more wish, and the one before it no story."""
_LEAST_STORY = 4
"""Words of the shortest story that is told before a wish."""
_PASSED_OVER = frozenset(("text", "place", "person"))
"""Spans that are often in a story around the wish, and in none that can be carried out."""
_WHEN = frozenset(("date", "time"))
_EVIDENT = 0.9
"""Likeness from which on a value that was found asks to be used."""

_Source = tuple[str, SlotSchema]


@dataclass(frozen=True)
class Guessed:
    """A command with its weight, the form that it has and the words that it rests on."""

    command: Command
    weight: float
    shape: Shape
    at: frozenset[int]


class Guesser:
    """Guesses commands for texts of one home and its skills."""

    def __init__(
        self, intents: IntentModel, tagger: Tagger, finder: Finder, shapes: Iterable[Shape]
    ) -> None:
        self._intents = intents
        self._tagger = tagger
        self._finder = finder
        self._shapes: dict[str, list[Shape]] = {}
        for shape in shapes:
            self._shapes.setdefault(shape.intent, []).append(shape)
        self._tagged: tuple[tuple[str, ...], tuple[Span, ...]] = ((), ())
        self._remembered = lru_cache(maxsize=_REMEMBERED)(self._all_guesses)

    def use(self, model: IntentModel | Tagger) -> None:
        """Guess by `model` from now on, in the place of the one of its kind."""
        if isinstance(model, Tagger):
            self._tagger = model
        else:
            self._intents = model
        self._tagged = ((), ())
        self._remembered.cache_clear()

    def __call__(self, said: Canonical, now: datetime, whole: bool = True) -> Command | None:
        """The command that a text most likely is; None when nothing is likely enough.

        Without `whole` it is only a part of what was said.
        """
        guesses = self.guesses(said, now)
        if guesses and guesses[0].weight >= _ACCEPTED:
            command = guesses[0].command
            return None if command.intent in _SMALL_TALK and not whole else command
        return self._of_subject(said, now, _IN_SCOPE_OF_SUBJECT) if whole else None

    def asks(self, said: Canonical, now: datetime) -> tuple[Command, ...]:
        """The commands to ask about: two where one is as likely as the other, one in doubt."""
        best, *others = self.guesses(said, now) or (None,)
        if best is None or best.weight < _ACCEPTED:
            doubted = self._of_subject(said, now, _IN_SCOPE_TO_ASK)
            return (doubted,) if doubted and not self(said, now) else ()
        rival = next((other for other in others if _rivals(best.command, other.command)), None)
        if rival is None or rival.weight < _NEAR * best.weight:
            return ()
        return best.command, rival.command

    def rank(self, said: Canonical) -> Ranking:
        """What the intent model alone believes of a text."""
        return self._intents.rank(spoken(wish(said)))

    def may_be(self, said: Canonical, intent: str) -> bool:
        """Whether a text that a sentence of `intent` fits with free text may be meant so."""
        ranking = self.rank(said)
        believed = dict(ranking.intents()).get(intent, 0.0)
        return ranking.in_scope >= _IN_SCOPE_OF_FREE_TEXT and believed >= _LEAST_BELIEF

    def guesses(self, said: Canonical, now: datetime) -> list[Guessed]:
        """What a text may be, the likeliest first; [] when it is not meant for the assistant."""
        return self._remembered(said, now)

    def _of_subject(self, said: Canonical, now: datetime, enough: float) -> Command | None:
        """An evident wish in a text that names what wishes are about and is in scope `enough`."""
        if withheld(said):
            return None
        guesses = self._remembered(said, now, enough)
        return guesses[0].command if guesses and guesses[0].weight >= _EVIDENT_WISH else None

    def _all_guesses(
        self, said: Canonical, now: datetime, enough_of_subject: float = 1.0
    ) -> list[Guessed]:
        if addressed(said) or _called(said, self.spans(said)):
            return []
        return max(
            (self._guesses(part, now, part is said, enough_of_subject) for part in _endings(said)),
            key=lambda guesses: guesses[0].weight if guesses else 0.0,
        )

    def _guesses(
        self, said: Canonical, now: datetime, whole: bool, enough_of_subject: float
    ) -> list[Guessed]:
        text = wish(said)
        if len(text.tokens) < _FEWEST_WORDS:
            return []
        ranking = self._intents.rank(spoken(text))
        if ranking.in_scope < _IN_SCOPE:
            return []
        spans = self.spans(said)
        careful = ranking.in_scope < self._enough(text, enough_of_subject) or doubtful(said)
        look = _Look(self._finder, text, spans, now)
        made = [
            guess
            for intent, belief in ranking.intents()
            if belief >= _LEAST_BELIEF and not (careful and not intent.startswith(QUERIES))
            for guess in look.fill(self._shapes.get(intent, ()), belief, ranking)
            if whole or intent not in _SMALL_TALK
        ]
        return sorted(made, key=_likeliest)

    def _enough(self, said: Canonical, of_subject: float) -> float:
        """How likely meant for the assistant a text must be to be acted on.

        Less where it names something of this home: talk of others seldom does.
        """
        tokens = [token.text for token in said.tokens]
        if self._finder.named(tokens, "entity"):
            return _IN_SCOPE_OF_DEVICE
        if self._finder.named(tokens, "area"):
            return _IN_SCOPE_OF_AREA
        subject = phrases.SUBJECTS.intersection(tokens)
        return min(of_subject, _IN_SCOPE_TO_ACT) if subject else _IN_SCOPE_TO_ACT

    def spans(self, said: Canonical) -> tuple[Span, ...]:
        """The NER model's spans, counted in source words; parts of one text share them."""
        if self._tagged[0] != said.source:
            self._tagged = (said.source, self._tagger.tag(said.source))
        return self._tagged[1]


def _rivals(one: Command, other: Command) -> bool:
    """Whether two commands differ in what is done, or in the device it is done to.

    A device and its whole room are no rivals: those words fit both, and the better is taken.
    """
    names = [{s.value for s in command.slots if s.name == "name"} for command in (one, other)]
    return one.intent != other.intent or bool(names[0] and names[1] and names[0] != names[1])


def spoken(said: Canonical) -> str:
    """The source words of a text, or of a part of one, as the models take them."""
    return said.spoken(0, len(said.text)) or said.text


def _likeliest(guess: Guessed) -> tuple[float, int, int]:
    """Sort key: of two that weigh the same, the form that says of what kind the device is."""
    fixed = dict(guess.shape.fixed)
    kind = ("domain" in fixed) - 2 * ("device_class" in fixed)
    return (-round(float(guess.weight), 3), -kind, guess.shape.order)


def _endings(said: Canonical) -> Iterator[Canonical]:
    """A text, and what follows each of its pauses: people tell a story before they wish.

    Not what follows a name or a few words of address, nor what somebody is said to have said.
    """
    yield said
    for at in range(_LEAST_STORY, len(said.tokens) - 1):
        before, after = said.part(0, at), said.part(at, len(said.tokens))
        word = said.tokens[at].text
        anew = said.paused(at) or word in phrases.NEW_BREATH
        if anew and word not in _GOING_ON and not reported(before):
            yield after


def _called(said: Canonical, spans: Sequence[Span]) -> bool:
    """Whether a person is named between two pauses: "turn that off, Chloe"."""
    ends = [0, *(at for at in range(1, len(said.tokens)) if said.paused(at)), len(said.tokens)]
    parts = {
        (said.tokens[start].start, said.tokens[end - 1].end)
        for start, end in pairwise(ends)
        if start < end and (start, end) != (0, len(said.tokens))
    }
    return any(span.label == "person" and (span.start, span.end) in parts for span in spans)


def _share(ranking: Ranking, shape: Shape) -> float:
    """How much of an intent's belief a form has: a device that is named needs no kind."""
    fixed = ranking.fixed(shape.intent)
    named = any(source.startswith("entity") for _, source in shape.filled)
    if not named:
        return _OTHER_FIXED + (1 - _OTHER_FIXED) * fixed.get(shape.fixed, 0.0)
    rest = _without_kind(shape.fixed)
    if not rest:
        return 1.0
    return sum(share for other, share in fixed.items() if _without_kind(other) == rest)


def _without_kind(fixed: Fixed) -> Fixed:
    return tuple((name, value) for name, value in fixed if name not in _OF_KIND)


class _Look:
    """What one text holds for any slot, looked up once each."""

    def __init__(
        self, finder: Finder, said: Canonical, spans: Sequence[Span], now: datetime
    ) -> None:
        self._finder, self._said, self._spans, self._now = finder, said, spans, now
        self._found: dict[str, list[Found]] = {}
        self._numbers = list(_numbers(said))
        names = finder.names(said)
        self._evident = {
            kind: [*_places(said, spans, passed), *names]
            for kind, passed in (("asks", _PASSED_OVER | _WHEN), ("acts", _PASSED_OVER))
        }

    def fill(self, shapes: Sequence[Shape], belief: float, ranking: Ranking) -> Iterator[Guessed]:
        """The guesses of one intent, a form each."""
        options = {key: self._options(*key) for shape in shapes for key in _sources(shape)}
        found = (f.at for every in options.values() for f in every if f.likeness >= _EVIDENT)
        asks = bool(shapes) and shapes[0].intent.startswith(QUERIES)
        evidence = _merged([*self._numbers, *self._evident["asks" if asks else "acts"], *found])
        for shape in shapes:
            if not (shape.filled or shape.fixed) and shape.intent in _NEEDS_SLOT:
                continue
            share = belief * _share(ranking, shape)
            for known in (options, *_second_best(shape, options)):
                guess = self._guess(shape, share, known, evidence)
                if guess is not None:
                    yield guess

    def _guess(
        self,
        shape: Shape,
        belief: float,
        known: Mapping[_Source, list[Found]],
        evidence: Sequence[frozenset[int]],
    ) -> Guessed | None:
        """The guess of one form; None when one of its slots is not in the text."""
        options = {key[1].name: known[key] for key in _sources(shape)}
        used: frozenset[int] = frozenset()
        slots: list[Slot] = []
        weight = belief
        # The longest first: "kitchen" is not an area once "kitchen light" is the device.
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
        weight *= _LEFT_OVER ** sum(len(group - explained) / len(group) for group in evidence)
        slots += [Slot(name=n, value=v, raw="") for n, v in shape.fixed]
        command = Command(
            intent=shape.intent, slots=tuple(slots), confidence=round(float(weight), 3)
        )
        return Guessed(command, weight, shape, used)

    def _kinds(self, shape: Shape) -> frozenset[int]:
        """The words that only say of what kind the devices are: "lights" where that is fixed."""
        kinds = {str(value) for _, value in shape.fixed}
        tokens = enumerate(self._said.tokens)
        return frozenset(i for i, token in tokens if token.text.removesuffix("s") in kinds)

    def _options(self, source: str, schema: SlotSchema) -> list[Found]:
        key = f"{source}:{schema.name}:{schema.kind}"
        if key not in self._found:
            found = self._finder.find(source, schema, self._said, self._spans, self._now)
            self._found[key] = [f for f in found if f.likeness >= _LEAST_LIKENESS]
        return self._found[key]


def _second_best(
    shape: Shape, options: Mapping[_Source, list[Found]]
) -> Iterator[Mapping[_Source, list[Found]]]:
    """The same options without the likeliest device, where the same words may mean another."""
    for key in _sources(shape):
        best, *others = options[key] or (None,)
        others = [other for other in others if best and other.at & best.at]
        if key[0].startswith("entity") and others:
            yield {**options, key: others}


def _sources(shape: Shape) -> Iterator[_Source]:
    schemas = dict(shape.schemas)
    return ((source, schemas[name]) for name, source in sorted(shape.filled))


def _merged(groups: Iterable[frozenset[int]]) -> list[frozenset[int]]:
    """The groups of words with those that share one made one."""
    merged: list[frozenset[int]] = []
    for group in groups:
        apart = [other for other in merged if not other & group]
        merged = [*apart, group.union(*(other for other in merged if other & group))]
    return merged


def _numbers(said: Canonical) -> Iterator[frozenset[int]]:
    for at, token in enumerate(said.tokens):
        if token.text.isdecimal():
            yield frozenset({at})


def _places(
    said: Canonical, spans: Sequence[Span], passed: frozenset[str]
) -> Iterator[frozenset[int]]:
    """The words of the spans that a wish should explain: what the NER model is sure of."""
    for span in spans:
        if span.confidence >= _SURE_SPAN and span.label not in passed:
            places = enumerate(said.tokens)
            at = frozenset(i for i, t in places if t.start < span.end and t.end > span.start)
            if at:
                yield at
