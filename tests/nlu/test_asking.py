"""Where it is in doubt which command was meant, or whether one was, the user is asked."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec
import pytest

from assistant.composition import Composition
from assistant.core.codec import encode
from assistant.core.config import Config
from assistant.core.messages import Command, Interpretation, Slot, Transcript
from assistant.core.rooms.newest import ROOMS
from assistant.skill.manifest import Traits
from nlu.classifier.examples import IntentLabel
from nlu.classifier.intent import Belief, Ranking
from nlu.classifier.tagger import TaggedSpan, Tagging
from nlu.fallback.guesser import Guesser
from nlu.fallback.scoring import Guessed
from nlu.fallback.slot_patterns import SlotPattern
from nlu.grammar.templates import Templates
from nlu.interpreter import Interpreter
from nlu.stage import NluStage
from nlu.text.canonical import Canonical, canonical
from nlu.understood import By
from tests.support.believing import Believes, guesses
from tests.support.calibrations import INTENT
from tests.support.stand_ins import HOME

LAMP, LIGHT = (entity.name for entity in HOME.entities[:2])
TEXT = "make it a little like it was"


def command_of(intent: str, **slots: str) -> Command:
    return Command(
        intent=intent,
        slots=tuple(Slot(name=name, value=value, raw=value) for name, value in slots.items()),
    )


class Torn:
    """Keeps `interpreter.Guess`: one text may be either of two commands, and no other is any."""

    consulted = 0
    sure_parts = 0.7

    def __init__(self, *commands: Command) -> None:
        self._commands = commands

    def __call__(self, said: Canonical, now: datetime, whole: bool = True) -> Command | None:
        return self._commands[0] if said.text == TEXT else None

    def asks(self, said: Canonical, now: datetime) -> tuple[Command, ...]:
        return self._commands if len(self._commands) > 1 else ()

    def may_be(self, said: Canonical, intent: str) -> bool:
        return True

    def persons(self, said: Canonical) -> tuple[str, ...]:
        return ("agnes tolliver",)

    def talk(self, said: Canonical) -> Command | None:
        return None

    def likeness(self, said: Canonical, sentences: Sequence[str]) -> Sequence[float]:
        return [0.0] * len(sentences)


def heard(templates: Templates, now: datetime, *commands: Command) -> Interpretation:
    stage = NluStage(templates, Interpreter(templates, Torn(*commands)), lambda: now)
    transcript = Transcript(utterance_id="u", revision=1, text=TEXT)
    return next(m for m in stage.feed(transcript) if isinstance(m, Interpretation))


def test_who_is_surely_named_in_what_nothing_claims_is_told(
    templates: Templates, now: datetime
) -> None:
    stage = NluStage(templates, Interpreter(templates, Torn(command_of("A"))), lambda: now)
    text = "what number has Agnes Tolliver's dear bob"
    for said, persons in ((text, ("agnes tolliver",)), (TEXT, ())):
        transcript = Transcript(utterance_id=said, revision=1, text=said)
        heard = next(m for m in stage.feed(transcript) if isinstance(m, Interpretation))
        assert heard.unclaimed.persons == persons


def test_a_tie_is_asked_about_in_plain_sentences_and_is_no_command(
    templates: Templates, now: datetime
) -> None:
    both = command_of("HassTurnOn", name=LAMP), command_of("HassTurnOff", name=LAMP)
    interpretation = heard(templates, now, *both)
    assert not interpretation.commands
    plain = (msgspec.structs.replace(c.command, directions=()) for c in interpretation.choices)
    assert tuple(plain) == both
    for choice in interpretation.choices:
        (command,) = Interpreter(templates)(canonical(choice.sentence), now).commands
        assert command.intent == choice.command.intent
        assert {slot.name: slot.value for slot in command.slots}["name"] == LAMP


def test_one_that_stands_out_is_not_asked_about(templates: Templates, now: datetime) -> None:
    alone = command_of("HassTurnOn", name=LAMP)
    interpretation = heard(templates, now, alone)
    assert interpretation.commands == (alone,)
    assert not interpretation.choices


@pytest.mark.parametrize(("confidence", "taken"), [(0.4, False), (0.6, True)])
def test_what_is_badly_heard_and_no_sentence_does_nothing(
    templates: Templates, now: datetime, confidence: float, taken: bool
) -> None:
    alone = command_of("HassTurnOn", name=LAMP)
    stage = NluStage(templates, Interpreter(templates, Torn(alone)), lambda: now)
    said = (
        Transcript(utterance_id=text, revision=1, text=text, confidence=confidence)
        for text in (TEXT, "turn on the lamp")
    )
    of_models, of_a_sentence = (
        next(m for m in stage.feed(one) if isinstance(m, Interpretation)) for one in said
    )
    assert bool(of_models.commands) is taken
    assert of_a_sentence.commands


def test_the_explanation_tells_of_a_tie(templates: Templates, now: datetime) -> None:
    torn = Torn(command_of("HassTurnOn", name=LAMP), command_of("HassTurnOff", name=LAMP))
    assert Interpreter(templates, torn)(canonical(TEXT), now).by is By.TIE


@pytest.fixture(scope="module")
def guesser() -> Guesser:
    composition = Composition(Config())
    guess = composition.understanding.interpreter(composition.understanding.templates).guess
    assert isinstance(guess, Guesser)
    return guess


def test_every_room_guesses_by_the_models_that_are_in_use(now: datetime) -> None:
    stage = Composition(Config()).understanding.stage(lambda: now)
    den, elsewhere = stage._room("den"), stage._room("")
    assert den is not elsewhere
    assert den.interpreter.guess is elsewhere.interpreter.guess is stage.guess is not None
    assert stage._room("den") is den
    for number in range(ROOMS):  # a hub's callers may name any
        stage._rooms[f"room{number}"] = den
    assert stage._room("den") is not den


def test_what_goes_on_from_something_is_no_talk(guesser: Guesser) -> None:
    evening = guesser.talk(canonical("lovely evening"))
    assert evening is not None
    assert evening.intent == "TalkEvening"
    assert guesser.talk(canonical("and lovely evening")) is None


@pytest.mark.parametrize("text", ["shopping list, add milk to it", "play some jazz would you"])
def test_a_guess_can_be_sent(guesser: Guesser, now: datetime, text: str) -> None:
    """Regression: a weight or a likeness of NumPy's own kind ended the message there."""
    for guess in guesser.guesses(canonical(text), now):
        message = Interpretation(utterance_id="u", revision=1, text="", commands=(guess.command,))
        assert encode(message)


@pytest.mark.parametrize(
    ("best", "other", "weights", "tied"),
    [
        (command_of("A", name=LAMP), command_of("B", name=LAMP), (0.5, 0.45), True),
        (command_of("A", name=LAMP), command_of("A", name=LIGHT), (0.5, 0.45), True),
        (command_of("A", name=LAMP), command_of("A", area="Kitchen"), (0.5, 0.45), False),
        (command_of("A", name=LAMP), command_of("B", name=LAMP), (0.5, 0.3), False),
    ],
    ids=["intents", "devices", "a device and its room", "one is likelier"],
)
def test_a_tie_is_between_two_likely_commands_that_differ(
    guesser: Guesser,
    now: datetime,
    monkeypatch: pytest.MonkeyPatch,
    best: Command,
    other: Command,
    weights: tuple[float, float],
    tied: bool,
) -> None:
    shape = SlotPattern("", (), frozenset(), (), "", 0, Traits())
    made = [
        Guessed(command, weight, shape, frozenset())
        for command, weight in zip((best, other), weights, strict=True)
    ]
    monkeypatch.setattr(guesser, "guesses", lambda said, now: made)
    assert guesser.asks(canonical(TEXT), now) == ((best, other) if tied else ())


@pytest.mark.parametrize(
    ("in_scope", "does", "asks"),
    [(0.95, True, False), (0.7, True, False), (0.5, False, True), (0.2, False, False)],
)
@pytest.mark.parametrize("subject", [True, False])
def test_what_may_be_meant_for_others_is_done_asked_about_or_left(
    templates: Templates,
    now: datetime,
    subject: bool,
    in_scope: float,
    does: bool,
    asks: bool,
) -> None:
    """By how likely it is meant for the assistant, and whether it names a subject of commands."""
    said = canonical("bin that wretched timer" if subject else "bin that wretched pillow")
    label = IntentLabel("HassCancelTimer", ())
    ranking = Ranking(in_scope, (Belief(label, 0.99),))
    guesser = guesses(templates, ranking, Tagging())
    done, asked = guesser(said, now), guesser.asks(said, now)
    assert (done is not None) is (does and (subject or in_scope > 0.8))
    assert bool(asked) is (asks and subject)


@pytest.mark.parametrize(("meant", "done"), [(0.0, True), (-8.0, False)])
def test_what_the_other_model_takes_for_talk_is_not_done(
    templates: Templates,
    now: datetime,
    meant: float,
    done: bool,
) -> None:
    said = canonical("bin that wretched timer")
    ranking = Ranking(0.95, (Belief(IntentLabel("HassCancelTimer", ()), 0.99),))
    guesser = guesses(templates, ranking, Tagging(meant=meant))
    assert (guesser(said, now) is not None) is done


def test_a_version_of_a_model_is_believed_by_its_own_numbers(
    templates: Templates, now: datetime
) -> None:
    said = canonical("bin that wretched timer")
    ranking = Ranking(0.95, (Belief(IntentLabel("HassCancelTimer", ()), 0.99),))
    cautious: Any = Believes(ranking)
    cautious.calibration = msgspec.structs.replace(INTENT, in_scope=0.99)
    guesser = guesses(templates, ranking, Tagging())
    assert guesser(said, now) is not None
    guesser.use(cautious)
    assert guesser(said, now) is None


def test_whom_a_text_names_is_reported_where_that_is_sure(templates: Templates) -> None:
    spans = (
        TaggedSpan("person", 3, 5, 0.9),
        TaggedSpan("person", 6, 7, 0.5),
        TaggedSpan("text", 1, 2, 0.9),
    )
    guesser = guesses(templates, Ranking(0.0, ()), Tagging(spans))
    said = canonical("what number has Agnes Tolliver's dear bob")
    assert guesser.persons(said) == ("agnes tolliver",)


@pytest.mark.parametrize("intent", ["HassTurnOn", "Unheard"])
def test_where_no_sentence_says_it_there_is_none(templates: Templates, intent: str) -> None:
    assert templates.plain(command_of(intent, elsewhere="x")) == ""


def test_a_timer_is_named_in_the_words_that_were_said(templates: Templates) -> None:
    duration = Slot(name="duration", value=600, raw="ten minutes")
    plain = templates.plain(Command(intent="HassStartTimer", slots=(duration,)))
    assert "ten minutes" in plain
    assert "timer" in plain
