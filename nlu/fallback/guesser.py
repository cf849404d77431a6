"""What the models take a text for that no sentence fits.

The intent model says which wish it sounds like, the NER model and the home's names say what it is
about. A wish is believed only in a form that some sentence of the intent has
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
from assistant.english.stems import without_possessive
from nlu.classifier.calibration import IntentCalibration
from nlu.classifier.encoder import MODEL as INTENT
from nlu.classifier.intent import IntentModel, Ranking
from nlu.classifier.tagger import MODEL as NER
from nlu.classifier.tagger import TaggedSpan, Tagger, Tagging
from nlu.discourse.negation import addressed, doubtful, reported, withheld
from nlu.fallback.scoring import Guessed, Look
from nlu.fallback.slot_candidates import SlotFinder
from nlu.fallback.slot_patterns import SlotPattern
from nlu.text.canonical import Canonical, wish

_REMEMBERED = 16
_FEWEST_WORDS = 2
_GOING_ON = frozenset(("and", "then", "also", "plus"))
"""What follows these is one more wish, and the one before it no story."""
_LEAST_STORY = 4
"""Words of the shortest story that is told before a wish."""


class Guesser:
    """Guesses commands for texts of one home and its skills.

    Both models together guess. Where one is missing, or fails, which `faults` is told of, no guess
    is made, and the other does what it does alone: doubts free text, or names people.
    """

    def __init__(
        self,
        intents: IntentModel | None,
        tagger: Tagger | None,
        finder: SlotFinder,
        shapes: Iterable[SlotPattern],
        faults: Degraded | None = None,
    ) -> None:
        self._intents = intents
        self._tagger = tagger
        self._finder = finder
        self._faults = faults or Degraded("nlu")
        self._shapes: dict[str, list[SlotPattern]] = {}
        for shape in shapes:
            self._shapes.setdefault(shape.intent, []).append(shape)
        self._tagged: tuple[tuple[str, ...], Tagging] = ((), Tagging())
        self._remembered = lru_cache(maxsize=_REMEMBERED)(self._all_guesses)

    def use(self, model: IntentModel | Tagger) -> None:
        """Guess by `model` from now on, in the place of the one of its kind."""
        if isinstance(model, Tagger):
            self._tagger = model
        else:
            self._intents = model
        self._tagged = ((), Tagging())
        self._remembered.cache_clear()

    def __call__(self, said: Canonical, now: datetime, whole: bool = True) -> Command | None:
        """The command that a text most likely is; None when nothing is likely enough.

        Without `whole` it is only a part of what was said.
        """
        known, guesses = self._calibration, self.guesses(said, now)
        if known is None:
            return None
        if guesses and guesses[0].weight >= _enough_weight(guesses[0], known):
            return None if guesses[0].shape.traits.whole and not whole else guesses[0].command
        return self._of_subject(said, now, known.in_scope_of_subject, known) if whole else None

    def asks(self, said: Canonical, now: datetime) -> tuple[Command, ...]:
        """The commands to ask about: two where one is as likely as the other, one in doubt."""
        known = self._calibration
        if known is None:
            return ()
        best, *others = self.guesses(said, now) or (None,)
        if best is None or best.weight < _enough_weight(best, known):
            likely = best.command if best and best.weight >= known.accepted else None
            doubted = likely or self._of_subject(said, now, known.in_scope_to_ask, known)
            return (doubted,) if doubted and not self(said, now) else ()
        rival = next((other for other in others if _rivals(best.command, other.command)), None)
        if rival is None or rival.weight < known.near * best.weight:
            return ()
        return best.command, rival.command

    def rank(self, said: Canonical) -> Ranking:
        """Which wish a text sounds like, and whether both models take it for one."""
        ranking, tagging = self._ranking(said), self._tagging(said)
        if ranking is None or tagging is None:
            return Ranking(0.0, ())
        return replace(ranking, in_scope=_agreed(ranking.in_scope, tagging.meant))

    def may_be(self, said: Canonical, intent: str) -> bool:
        """Whether a text that a sentence of `intent` fits with free text may be meant so."""
        # A sentence stands behind it: whether an assistant is meant is not asked as well.
        known, ranking = self._calibration, self._ranking(said)
        if known is None or ranking is None:
            return True
        believed = dict(ranking.intents()).get(intent, 0.0)
        return ranking.in_scope >= known.in_scope_of_free_text and believed >= known.least_belief

    @property
    def sure_parts(self) -> float:
        """Confidence of parts of a text from which on they are several commands and not one."""
        return self._calibration.sure_parts if self._calibration is not None else 1.0

    def persons(self, said: Canonical) -> tuple[str, ...]:
        """Whom a text surely names, as they were named, but for a possessive."""
        spans = (span for span in self.spans(said) if span.label == "person" and self._sure(span))
        named = (" ".join(said.source[span.start : span.end]) for span in spans)
        return tuple(map(without_possessive, named))

    def guesses(self, said: Canonical, now: datetime) -> list[Guessed]:
        """What a text may be, the likeliest first; [] when it is not meant for the assistant."""
        return self._remembered(said, now)

    @property
    def _calibration(self) -> IntentCalibration | None:
        """By which numbers guesses are believed; None without the intent model."""
        return self._intents.calibration if self._intents is not None else None

    def _sure(self, person: TaggedSpan) -> bool:
        tagger = self._tagger
        return tagger is not None and person.confidence >= tagger.calibration.sure_person

    def _of_subject(
        self, said: Canonical, now: datetime, enough: float, known: IntentCalibration
    ) -> Command | None:
        """An evident wish in a text that names what wishes are about and is in scope `enough`."""
        if withheld(said):
            return None
        guesses = self._remembered(said, now, enough)
        return guesses[0].command if guesses and guesses[0].weight >= known.evident else None

    def _all_guesses(
        self, said: Canonical, now: datetime, enough_of_subject: float = 1.0
    ) -> list[Guessed]:
        if addressed(said) or _called(said, self.spans(said)):
            return []
        return max(
            (self._guesses(part, now, said, enough_of_subject) for part in _endings(said)),
            key=lambda guesses: guesses[0].weight if guesses else 0.0,
        )

    def _guesses(
        self, said: Canonical, now: datetime, whole: Canonical, enough_of_subject: float
    ) -> list[Guessed]:
        """What `said`, which is `whole` or its end, may be."""
        text, known, tagger = wish(said), self._calibration, self._tagger
        if len(text.tokens) < _FEWEST_WORDS or known is None or tagger is None:
            return []
        ranking = self.rank(said)
        if ranking.in_scope < known.in_scope:
            return []
        spans, enough = self.spans(said), self._enough(text, enough_of_subject, known)
        careful = ranking.in_scope < enough or doubtful(said)
        story = whole.part(0, len(whole.tokens) - len(said.tokens))
        look = Look(self._finder, text, spans, now, story, known, tagger.calibration)
        made = [
            guess
            for intent, belief in ranking.intents()
            if belief >= known.least_belief and (shapes := self._shapes.get(intent))
            if not careful or shapes[0].traits.asks
            if said is whole or not shapes[0].traits.whole
            for guess in look.fill(shapes, belief, ranking)
        ]
        return sorted(made, key=_likeliest)

    def _enough(self, said: Canonical, of_subject: float, known: IntentCalibration) -> float:
        """How likely meant for the assistant a text must be to be acted on.

        Less where it names something of this home: talk of others seldom does.
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
        """What the intent model says by itself; None without it."""
        if self._intents is None:
            return None
        try:
            return self._intents.rank(spoken(wish(said)))
        except ModelError as error:
            self._faults.note(INTENT, error)
            self._intents = None
            return None

    def _tagging(self, said: Canonical) -> Tagging | None:
        """What the NER model says; None without it."""
        if self._tagger is None:
            return None
        try:
            if self._tagged[0] != said.source:
                self._tagged = (said.source, self._tagger.tag(said.source))
        except ModelError as error:
            self._faults.note(NER, error)
            self._tagger = None
            return None
        return self._tagged[1]


def _rivals(one: Command, other: Command) -> bool:
    """Whether two commands differ in what is done, or in the device it is done to.

    A device and its whole room are no rivals: those words fit both, and the better is taken.
    """
    names = [{s.value for s in command.slots if s.name == "name"} for command in (one, other)]
    return one.intent != other.intent or bool(names[0] and names[1] and names[0] != names[1])


def _enough_weight(guess: Guessed, known: IntentCalibration) -> float:
    of_all = not guess.at and guess.shape.traits.of_all
    return known.accepted_of_all if of_all else known.accepted


def _agreed(in_scope: float, meant: float) -> float:
    """How likely a text is meant for the assistant, by the intent head and by the NER model."""
    odds = log(max(in_scope, 1e-6) / max(1 - in_scope, 1e-6))
    return 1 / (1 + exp(-odds - meant))


def spoken(said: Canonical) -> str:
    """The source words of a text, or of a part of one, as the models take them."""
    return said.spoken(0, len(said.text)) or said.text


def _likeliest(guess: Guessed) -> tuple[float, int, int, int]:
    """Sort key: of two that weigh the same, the form that rests on more of the words.

    Then the one that says of what kind the device is.
    """
    fixed = dict(guess.shape.fixed)
    kind = ("domain" in fixed) - 2 * ("device_class" in fixed)
    return (-round(float(guess.weight), 3), -len(guess.at), -kind, guess.shape.order)


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


def _called(said: Canonical, spans: Sequence[TaggedSpan]) -> bool:
    """Whether a person is named between two pauses: "turn that off, Chloe"."""
    ends = [0, *(at for at in range(1, len(said.tokens)) if said.paused(at)), len(said.tokens)]
    parts = {
        (said.tokens[start].start, said.tokens[end - 1].end)
        for start, end in pairwise(ends)
        if start < end and (start, end) != (0, len(said.tokens))
    }
    return any(span.label == "person" and (span.start, span.end) in parts for span in spans)
