"""Guesses, with the models, the command of a text that fits no sentence.

The intent model gives the likely intents; the NER model and the home's names give what the text is
about. A guess must have a pattern that some sentence of the intent has
(`nlu.fallback.slot_patterns`): all its slots must be found in the text, and little that was found
may be left over.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from itertools import pairwise
from math import exp, log

from assistant.core.degraded import Degraded
from assistant.core.errors import ModelError
from assistant.core.messages import Command
from assistant.english import phrases
from assistant.english.commands.directions import opposites
from assistant.english.stems import without_possessive
from nlu.classifier.calibration import IntentCalibration
from nlu.classifier.encoder import MODEL as INTENT
from nlu.classifier.intent import IntentModel, Ranking
from nlu.classifier.tagger import MODEL as NER
from nlu.classifier.tagger import TaggedSpan, Tagger, Tagging
from nlu.discourse.direction import directions
from nlu.discourse.negation import addressed_to_other, not_a_command, reported, unlikely_command
from nlu.fallback.scoring import Guessed, TextEvidence
from nlu.fallback.slot_candidates import SlotFinder
from nlu.fallback.slot_patterns import SlotPattern
from nlu.text.canonical import Canonical, without_politeness

_REMEMBERED = 16
_FEWEST_WORDS = 2
_ONE_WAY = ("scene", "script")
"""Domains that can only be started."""
_OF_DEVICES = frozenset(("on", "open", "close", "lock", "unlock", "up", "down", "start", "next"))
"""Directions that only a device goes in."""
_GOING_ON = frozenset(("and", "then", "also", "plus"))
"""Words before a further command; what comes before them is no story."""
_LEAST_STORY = 4
"""Fewest words of a story before a command."""


class Guesser:
    """Guesses commands for texts of one home and its skills.

    A guess needs both models. Where one is missing or fails, no guess is made, and the other does
    only its own part: the intent model doubts free text, the tagger names people. A failure is
    reported to `faults`. On the simpler path both are left out.
    """

    def __init__(
        self,
        intents: IntentModel | None,
        tagger: Tagger | None,
        finder: SlotFinder,
        patterns: Iterable[SlotPattern],
        faults: Degraded | None = None,
    ) -> None:
        self._intents = intents
        self._tagger = tagger
        self._finder = finder
        self._faults = faults or Degraded("nlu")
        self._patterns: dict[str, list[SlotPattern]] = {}
        for pattern in patterns:
            self._patterns.setdefault(pattern.intent, []).append(pattern)
        self._tagged: tuple[tuple[str, ...], Tagging] = ((), Tagging())
        self._remembered = lru_cache(maxsize=_REMEMBERED)(self._all_guesses)
        self._on_trial: IntentModel | Tagger | None = None
        self.consulted = 0
        """How often a model was asked, or would have been if its answer were not remembered."""

    def model(self, name: str) -> IntentModel | Tagger | None:
        """The model of that name; None where it is missing or has failed."""
        return self._tagger if name == NER else self._intents

    def use(self, model: IntentModel | Tagger, *, on_trial: bool = False) -> None:
        """Replace the model of the same kind with `model`.

        A fault of one that is `on_trial` is raised, and neither reported nor put up with.
        """
        if on_trial or type(model) is type(self._on_trial):
            self._on_trial = model if on_trial else None
        if isinstance(model, Tagger):
            self._tagger = model
        else:
            self._intents = model
        self._tagged = ((), Tagging())
        self._remembered.cache_clear()

    def __call__(self, said: Canonical, now: datetime, whole: bool = True) -> Command | None:
        """The command that a text most likely is; None when nothing is likely enough.

        With `whole` false, the text is only a part of what was said.
        """
        known, guesses = self._calibration, self.guesses(said, now)
        if known is None:
            return None
        if guesses and guesses[0].weight >= _enough_weight(guesses[0], known):
            partly = guesses[0].pattern.traits.whole and not whole
            return guesses[0].command if guesses[0].directed and not partly else None
        return self._of_subject(said, now, known.in_scope_of_subject, known) if whole else None

    def asks(self, said: Canonical, now: datetime) -> tuple[Command, ...]:
        """The commands to ask about: two that are equally likely, or one that is in doubt."""
        known = self._calibration
        if known is None:
            return ()
        best, *others = self.guesses(said, now) or (None,)
        if best is None or best.weight < _enough_weight(best, known):
            likely = best.command if best and best.weight >= known.accepted else None
            doubted = likely or self._of_subject(said, now, known.in_scope_to_ask, known)
            return (doubted,) if doubted and not self(said, now) else ()
        if not best.directed:
            return (best.command,)
        rival = next((other for other in others if _rivals(best.command, other.command)), None)
        if rival is None or rival.weight < known.near * best.weight:
            return ()
        return best.command, rival.command

    def rank(self, said: Canonical) -> Ranking:
        """The ranking of the intents for a text, with the in-scope score of both models."""
        ranking, tagging = self._ranking(said), self._tagging(said)
        if ranking is None or tagging is None:
            return Ranking(0.0, ())
        return replace(ranking, in_scope=_agreed(ranking.in_scope, tagging.meant))

    def may_be(self, said: Canonical, intent: str) -> bool:
        """Whether a text that fits a sentence of `intent` with free text may mean that intent."""
        # A sentence fits, so whether an assistant is addressed does not count as well.
        known, ranking = self._calibration, self._ranking(said)
        if known is None or ranking is None:
            return True
        believed = dict(ranking.intents()).get(intent, 0.0)
        if ranking.in_scope >= known.in_scope_of_free_text and believed >= known.least_belief:
            return True
        return self._talk(said).get(intent, -1.0) >= known.alike_in_free_talk

    def talk(self, said: Canonical) -> Command | None:
        """What a text is like that is only talked about; None where it is like nothing.

        "And of an evening" goes on from something, and greets nobody.
        """
        if len(said.tokens) < _FEWEST_WORDS or not_a_command(said) or addressed_to_other(said):
            return None
        if any(said.source[:length] in phrases.FOLLOWING for length in (1, 2)):
            return None
        near, known = self._talk(said), self._calibration
        intent = max(near, key=lambda one: near[one], default="")
        if not intent or known is None or near[intent] < known.alike_in_talk:
            return None
        return Command(intent=intent, confidence=round(near[intent], 3))

    @property
    def sure_parts(self) -> float:
        """Confidence from which the parts of a text count as several commands, not one."""
        return self._calibration.sure_parts if self._calibration is not None else 1.0

    def persons(self, said: Canonical) -> tuple[str, ...]:
        """The people whom a text surely names, in its words, without a possessive ending."""
        spans = (span for span in self.spans(said) if span.label == "person" and self._sure(span))
        named = (" ".join(said.source[span.start : span.end]) for span in spans)
        return tuple(map(without_possessive, named))

    def likeness(self, said: Canonical, sentences: Sequence[str]) -> Sequence[float]:
        """How near sentences are to a text in meaning, from 0, for another meaning, to 1 each."""
        nothing = [0.0] * len(sentences)
        if self._intents is None or self._faults.simpler:
            return nothing
        least = self._intents.calibration.alike
        try:
            near = self._intents.likeness(spoken(without_politeness(said)), sentences)
        except ModelError as error:
            self._fail_intents(error)
            return nothing
        return [likeness if likeness >= least else 0.0 for likeness in near]

    def guesses(self, said: Canonical, now: datetime) -> list[Guessed]:
        """The guesses for a text, the likeliest first; [] when not meant for the assistant."""
        if self._faults.simpler:
            return []
        self.consulted += 1
        return self._remembered(said, now)

    @property
    def _calibration(self) -> IntentCalibration | None:
        """The thresholds for guesses; None without the intent model."""
        return self._intents.calibration if self._intents is not None else None

    def _sure(self, person: TaggedSpan) -> bool:
        tagger = self._tagger
        return tagger is not None and person.confidence >= tagger.calibration.sure_person

    def _of_subject(
        self, said: Canonical, now: datetime, enough: float, known: IntentCalibration
    ) -> Command | None:
        """The evident guess for a text that names a subject of commands, in scope `enough`."""
        if not_a_command(said):
            return None
        guesses = self._remembered(said, now, enough)
        evident = guesses and guesses[0].weight >= known.evident and guesses[0].directed
        return guesses[0].command if evident else None

    def _all_guesses(
        self, said: Canonical, now: datetime, enough_of_subject: float = 1.0
    ) -> list[Guessed]:
        if addressed_to_other(said) or _called(said, self.spans(said)):
            return []
        return max(
            (self._guesses(part, now, said, enough_of_subject) for part in _endings(said)),
            key=lambda guesses: guesses[0].weight if guesses else 0.0,
        )

    def _guesses(
        self, said: Canonical, now: datetime, whole: Canonical, enough_of_subject: float
    ) -> list[Guessed]:
        """The guesses for `said`, which is `whole` or its end."""
        text, known, tagger = without_politeness(said), self._calibration, self._tagger
        if len(text.tokens) < _FEWEST_WORDS or known is None or tagger is None:
            return []
        ranking = self.rank(said)
        if ranking.in_scope < known.in_scope:
            return []
        spans, enough = self.spans(said), self._enough(text, enough_of_subject, known)
        careful = ranking.in_scope < enough or unlikely_command(said)
        story = whole.part(0, len(whole.tokens) - len(said.tokens))
        evidence = TextEvidence(self._finder, text, spans, now, story, known, tagger.calibration)
        made = [
            guess
            for intent, belief in ranking.intents()
            if belief >= known.least_belief and (patterns := self._patterns.get(intent))
            if not careful or patterns[0].traits.asks
            if said is whole or not patterns[0].traits.whole
            for guess in evidence.fill(patterns, belief, ranking)
        ]
        heard = directions(text, self._finder.place)
        return sorted(filter(None, (_directed(guess, heard) for guess in made)), key=_likeliest)

    def _enough(self, said: Canonical, of_subject: float, known: IntentCalibration) -> float:
        """The in-scope score from which a text may be acted on.

        It is lower where the text names something of this home, as other talk seldom does.
        """
        tokens = [token.text for token in said.tokens]
        if self._finder.named(tokens, "entity"):
            return known.in_scope_of_device
        if self._finder.named(tokens, "area"):
            return known.in_scope_of_area
        subject = phrases.SUBJECTS.intersection(tokens)
        return min(of_subject, known.in_scope_to_act) if subject else known.in_scope_to_act

    def spans(self, said: Canonical) -> tuple[TaggedSpan, ...]:
        """The NER model's spans, counted in source words; parts of one text share them."""
        tagging = self._tagging(said)
        return tagging.spans if tagging is not None else ()

    def _ranking(self, said: Canonical) -> Ranking | None:
        """The intent model's own ranking; None without the model."""
        if self._faults.simpler:
            return None
        self.consulted += 1
        if self._intents is None:
            return None
        try:
            return self._intents.rank(spoken(without_politeness(said)))
        except ModelError as error:
            self._fail_intents(error)
            return None

    def _talk(self, said: Canonical) -> dict[str, float]:
        """For each intent that is only talked about, how near a text is to its examples."""
        if self._faults.simpler:
            return {}
        self.consulted += 1
        if self._intents is None:
            return {}
        try:
            return self._intents.talk(spoken(without_politeness(said)))
        except ModelError as error:
            self._fail_intents(error)
            return {}

    def _fail_intents(self, error: ModelError) -> None:
        if self._intents is self._on_trial:
            raise error
        self._faults.note(INTENT, error)
        self._intents = None

    def _tagging(self, said: Canonical) -> Tagging | None:
        """The NER model's output; None without the model."""
        if self._faults.simpler:
            return None
        self.consulted += 1
        if self._tagger is None:
            return None
        try:
            if self._tagged[0] != said.source:
                self._tagged = (said.source, self._tagger.tag(said.source))
        except ModelError as error:
            if self._tagger is self._on_trial:
                raise
            self._faults.note(NER, error)
            self._tagger = None
            return None
        return self._tagged[1]


def _directed(guess: Guessed, heard: Sequence[str]) -> Guessed | None:
    """The guess, in doubt where no word names its direction; None where one names the opposite."""
    wanted = guess.pattern.traits.directions
    one_way = dict(guess.pattern.fixed).get("domain") in _ONE_WAY
    if guess.pattern.traits.whole and not _OF_DEVICES.isdisjoint(heard):
        return None  # "close it" is said of a door, not for "never mind"
    if not wanted or one_way:
        return guess
    said = set(wanted).intersection(heard)
    if not said:
        return replace(guess, directed=False) if opposites(wanted).isdisjoint(heard) else None
    return replace(guess, directed=opposites(said).isdisjoint(heard))


def _rivals(one: Command, other: Command) -> bool:
    """Whether two commands differ in what is done, or in the device that it is done to.

    A device and its whole room are no rivals: the words fit both, and the better fit is taken.
    """
    names = [{s.value for s in command.slots if s.name == "name"} for command in (one, other)]
    return one.intent != other.intent or bool(names[0] and names[1] and names[0] != names[1])


def _enough_weight(guess: Guessed, known: IntentCalibration) -> float:
    of_all = not guess.at and guess.pattern.traits.of_all
    return known.accepted_of_all if of_all else known.accepted


def _agreed(in_scope: float, meant: float) -> float:
    """How likely a text is meant for the assistant, from the intent head and the NER model."""
    odds = log(max(in_scope, 1e-6) / max(1 - in_scope, 1e-6))
    return 1 / (1 + exp(-odds - meant))


def spoken(said: Canonical) -> str:
    """The source words of a text, or of a part of one, as the models read them."""
    return said.spoken(0, len(said.text)) or said.text


def _likeliest(guess: Guessed) -> tuple[float, int, int, int]:
    """Sort key: by weight, then the pattern that uses more of the words.

    After that, the pattern that says which kind the device is.
    """
    fixed = dict(guess.pattern.fixed)
    kind = ("domain" in fixed) - 2 * ("device_class" in fixed)
    return (-round(float(guess.weight), 3), -len(guess.at), -kind, guess.pattern.order)


def _endings(said: Canonical) -> Iterator[Canonical]:
    """A text, and what follows each of its pauses: people tell a story before a command.

    What follows fewer than four words, such as a name, is left out, and so is reported speech.
    """
    yield said
    for at in range(_LEAST_STORY, len(said.tokens) - 1):
        before, after = said.part(0, at), said.part(at, len(said.tokens))
        word = said.tokens[at].text
        new_start = said.paused(at) or word in phrases.NEW_BREATH
        if new_start and word not in _GOING_ON and not reported(before):
            yield after


def _called(said: Canonical, spans: Sequence[TaggedSpan]) -> bool:
    """Whether a person is addressed by a name between two pauses: "turn that off, Chloe"."""
    ends = [0, *(at for at in range(1, len(said.tokens)) if said.paused(at)), len(said.tokens)]
    parts = {
        (said.tokens[start].start, said.tokens[end - 1].end)
        for start, end in pairwise(ends)
        if start < end and (start, end) != (0, len(said.tokens))
    }
    return any(span.label == "person" and (span.start, span.end) in parts for span in spans)
