"""What is said next goes on from the command before it, corrects it, or takes a part of it back."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import pytest
from msgspec import structs

from assistant.core.messages import Command, Interpretation, Slot, Transcript
from nlu.grammar.templates import Templates
from nlu.interpreter import Interpreter
from nlu.parts.composer import Composer
from nlu.parts.questions import Questions
from nlu.stage import NluStage
from nlu.text.canonical import Canonical, canonical
from nlu.understood import By
from tests.nlu.parts.test_composer import HOME, entity
from tests.support.grammars import templates_of

TOLD = ("Fan", "Kitchen", "Kitchen Blind")
"""Values of slots that are looked at."""


@pytest.fixture(scope="module")
def templates() -> Templates:
    return templates_of(HOME)


@pytest.fixture(scope="module")
def without_questions(templates: Templates) -> Interpreter:
    return Interpreter(templates, compose=Composer(HOME, "lounge"))


@pytest.fixture(scope="module")
def with_questions(templates: Templates) -> Interpreter:
    compose, questions = Composer(HOME, "lounge"), Questions(HOME, "lounge")
    return Interpreter(templates, compose=compose, questions=questions)


@pytest.fixture
def stage(templates: Templates, without_questions: Interpreter, now: datetime) -> NluStage:
    """A stage of the test's own, to which nothing was said; its sentences are all tests'."""
    return NluStage(templates, without_questions, lambda: now)


@pytest.fixture
def asked(templates: Templates, with_questions: Interpreter, now: datetime) -> NluStage:
    return NluStage(templates, with_questions, lambda: now)


def said(stage: NluStage, *texts: str) -> Interpretation:
    """What the last of some texts, said one after the other, means."""
    messages = [
        message
        for number, text in enumerate(texts)
        for message in stage.feed(
            Transcript(utterance_id=f"u{number}", revision=1, text=text, at_s=float(number))
        )
    ]
    return [message for message in messages if isinstance(message, Interpretation)][-1]


@pytest.mark.parametrize(
    ("texts", "wanted"),
    [
        (("turn on all the lights", "not the kitchen"), "HassTurnOn -Kitchen instead"),
        (("turn on all the lights", "but not the spots"), "HassTurnOn -Spots instead"),
        (("turn on all the lights", "not the elephant"), ""),
        (("not the kitchen",), ""),
        (("lock up", "not the fan"), ""),
        (("all lights off", "except the kitchen, leave that on"), "HassTurnOff -Kitchen instead"),
        (("all lights off", "except the kitchen, leave it"), "HassTurnOff -Kitchen instead"),
        (("all lights off except the kitchen, leave that on",), "HassTurnOff -Kitchen"),
        (("all lights off in ten minutes please",), "HassTurnOff in"),
        (("all lights off apart from the elephant", "not the spots"), ""),
        (("fan on till five am",), "HassTurnOn Fan until"),
        (("fan on till half past five pm",), "HassTurnOn Fan until"),
        (("fan on till i am home",), "HassTurnOn Fan event"),
        (("all lights off at ten", "not the kitchen"), "HassTurnOff -Kitchen at instead"),
        (
            ("all lights off apart from the spots", "not the kitchen"),
            "HassTurnOff -Kitchen -Spots instead",
        ),
        (("everything off upstairs", "lock up"), "HassTurnOn"),
        (("fan on", "off"), "HassTurnOff Fan"),
        (("open the kitchen blind", "stop"), "HassStopMoving Kitchen Blind"),
        (("close the blinds at sunset", "do it now"), "HassTurnOff instead"),
        (("close the blinds at sunset", "and turn off the spots"), "HassTurnOff at"),
        (("turn the fan off at nine", "no, at ten"), "HassTurnOff Fan at instead"),
        (("close the blinds at sunset", "turn off the spots"), "HassTurnOff"),
        (("close the blinds at sunset", "and turn off the spots now"), "HassTurnOff"),
        (("spots off, nobody is in there",), "HassTurnOff"),
        (("fan on", "actually open the kitchen blind"), "HassTurnOn Kitchen Blind"),
        (("spots on", "actually the fan"), "HassTurnOn Fan instead"),
        (("five minute timer then fan off",), "HassStartTimer HassTurnOff Fan event"),
        (
            ("spots on in the kitchen", "open the blind in there"),
            "HassTurnOn Kitchen Blind",
        ),
        (("kitchen blind up", "lights off in there"), "HassTurnOff Kitchen"),
        (("lights off in there",), ""),
        (("both off",), ""),
        (("is the fan on", "both off"), ""),
        (("fan on and spots on", "both off"), "HassTurnOff Fan HassTurnOff"),
        (("spots on in the kitchen", "and close her blind"), "HassTurnOff Kitchen Blind"),
        (("close her blind",), ""),
        (("fan on", "off in five minutes"), "HassTurnOff Fan in"),
        (("fan on", "off in ten"), "HassTurnOff Fan in"),
        (("spots to 30", "not that bright"), "AdjustDevice"),
        (("spots low, five percent",), "HassLightSet"),
        (("fan, and turn the spots down low",), ""),
        (("fan on", "flobber", "in the kitchen"), ""),
        (("fan on", "flobber", "turn it off"), "HassTurnOff Fan"),
        (("fan off for the night",), "HassTurnOff Fan"),
        (("lights off, the spots can stay",), "HassTurnOff -Spots"),
        (("all lights on, but the spots stay off",), "HassTurnOn -Spots"),
        (("fan on instead of the spots",), "HassTurnOn Fan HassTurnOff"),
        (("fan off instead of the spots",), ""),
        (("fan off and lock up",), "HassTurnOff Fan HassTurnOn"),
        (("fan on and off",), ""),
        (("start robbie", "pause him"), "PauseVacuum"),
        (("start robbie", "carry on"), "HassVacuumStart"),
        (("spots to 30", "no, 20"), "HassLightSet"),
        (("spots to 30", "not so bright"), "AdjustDevice"),
        (("lock the front door if it isn't",), "HassTurnOn"),
        (("lock the front door if it is open",), "HassTurnOn event"),
        (("spots to green", "now red, no purple"), "HassLightSet"),
        (("fan on", "spots, no, the kitchen"), ""),
        (("fan on", "just till nine"), "HassTurnOn Fan until instead"),
        (("fan on", "only at ten tonight"), "HassTurnOn Fan at instead"),
        (("spots to 30", "at ten"), "HassLightSet"),
        (("is the fan on", "till nine"), ""),
        (("fan on", "flobber", "till nine"), ""),
        (("fan on", "till nine?"), ""),
        (("till nine",), ""),
        (("kitchen blind up", "yes down please"), "HassTurnOff Kitchen Blind"),
        (("spots to green", "nah, back to purple"), "HassLightSet"),
        (("spots to green", "nah"), ""),
        (("spots to green", "yes please"), ""),
        (("fan on", "do it again"), "HassTurnOn Fan"),
        (("fan on", "what time is it", "do that again"), "HassTurnOn Fan"),
        (
            ("all lights off", "undo that", "do it again but leave the spots on"),
            "HassTurnOff -Spots",
        ),
        (
            ("all lights off except the kitchen", "do it again but not the spots"),
            "HassTurnOff -Kitchen -Spots",
        ),
        (("all lights off", "do it again at ten"), "HassTurnOff at"),
        (("all lights off", "do it again but leave the elephant"), ""),
        (("kitchen blind up and fan on", "same again"), "HassTurnOn Kitchen Blind HassTurnOn Fan"),
        (("five minute timer", "do it again"), ""),
        (("fan on", "flobber", "do it again"), ""),
        (("don't turn the fan off", "do it again"), ""),
        (("do it again",), ""),
        (("do not turn the fan off", "turn it up a touch"), "AdjustDevice Fan"),
        (("please don't open the kitchen blind", "close it"), "HassTurnOff Kitchen Blind"),
        (("spots on", "don't turn the fan off", "make it slower"), "AdjustDevice Fan"),
        (("don't turn the fan off", "and the spots"), "NameDevice"),
        (("don't turn the fan off", "do it now"), ""),
        (("don't turn the fan off", "till nine"), ""),
        (("fan on", "don't forget the flobber", "turn it off"), "HassTurnOff Fan"),
    ],
)
def test_a_text_goes_on_from_the_command_before(
    stage: NluStage, texts: tuple[str, ...], wanted: str
) -> None:
    commands = said(stage, *texts).commands
    told = []
    for command in commands:
        told.append(command.intent)
        told += [str(slot.value) for slot in command.slots if slot.value in TOLD]
        told += [f"-{slot.value}" for slot in command.excluded]
        told += [command.when.kind] if command.when else []
        told += ["instead"] if command.instead else []
    assert " ".join(told) == wanted


def test_what_puts_right_a_fragment_is_meant_in_its_place(stage: NluStage) -> None:
    (command,) = said(stage, "spots to green", "now red, no purple").commands
    assert command.slots[-1].value == "purple"


@pytest.mark.parametrize(
    ("text", "change"),
    [
        ("plus two", "+2"),
        ("minus three", "-3"),
        ("go on then, plus two", "+2"),
        ("plus ten percent", "+10 %"),
    ],
)
def test_a_number_with_a_sign_is_a_change(stage: NluStage, text: str, change: str) -> None:
    (command,) = said(stage, "nursery thermostat to 19", text).commands
    assert command.intent == "AdjustDevice"
    assert command.slots[-1].value == change


@pytest.mark.parametrize(
    ("text", "wanted", "missed"),
    [
        ("flobbers out, spots off", ["HassTurnOff"], "flobbers out"),
        (
            "spots off, put the flobbers round, fan on",
            ["HassTurnOff", "HassTurnOn"],
            "put the flobbers round",
        ),
        ("fan on, flobbers up and spots off", ["HassTurnOn", "HassTurnOff"], "flobbers up"),
        ("flobbers out, lock the front door", ["HassTurnOn"], "flobbers out"),
        ("flobbers out, unlock the front door", [], ""),
        ("flobbers out, open the kitchen blind", [], ""),
        ("flobbers out, close the kitchen blind", ["HassTurnOff"], "flobbers out"),
        ("flobbers out", [], ""),
        ("flobber time, spots off", [], ""),
        ("flobbers already out, spots off", [], ""),
        ("spots off, well, flobbers not out", [], ""),
        ("flobbers out then spots off", [], ""),
        ("note flobbers out, spots off", [], ""),
        ("she said flobbers out, spots off", [], ""),
        ("flobbers out, gribbles out, spots off", [], ""),
        ("flobbers out, spots off?", [], ""),
        ("spots off, no, flobbers out", [], ""),
    ],
)
def test_a_clause_that_means_nothing_is_told_and_the_others_obeyed(
    stage: NluStage, text: str, wanted: list[str], missed: str
) -> None:
    interpretation = said(stage, text)
    assert [command.intent for command in interpretation.commands] == wanted
    assert interpretation.missed == missed


@pytest.mark.parametrize(
    ("texts", "wanted"),
    [
        (("fan on", "what time is it", "turn it off"), ["HassTurnOff Fan"]),
        (("fan on", "spots on", "turn them off"), ["HassTurnOff Fan", "HassTurnOff Spots"]),
        (("fan on", "spots on", "turn them both off"), ["HassTurnOff Fan", "HassTurnOff Spots"]),
        (("fan on", "spots on", "turn it off"), ["HassTurnOff Spots"]),
        (("fan on", "what time is it", "what time is it", "turn it off"), []),
        (("what time is it", "fan on", "turn them off"), ["HassTurnOff Fan"]),
        (("fan on", "what time is it", "and the spots"), ["HassTurnOn Spots"]),
        (("fan on", "what time is it", "the spots"), ["NameDevice Spots"]),
        (
            ("spots to 30", "what time is it", "a bit brighter"),
            ["AdjustDevice Spots brightness + little"],
        ),
    ],
)
def test_two_utterances_are_remembered(
    stage: NluStage, texts: tuple[str, ...], wanted: list[str]
) -> None:
    commands = said(stage, *texts).commands
    named = [" ".join([c.intent, *(str(s.value) for s in c.slots)]) for c in commands]
    assert named == wanted


def test_an_explanation_tells_the_value_of_a_command_and_what_its_parts_make(
    stage: NluStage,
) -> None:
    said(stage, "turn on all the lights")
    explanation = stage.explain("not the kitchen")
    (command,) = explanation.commands
    assert [slot.value for slot in command.excluded] == ["Kitchen"]
    assert command.instead
    assert [one.intent for one in stage.explain("spots off").composed] == ["HassTurnOff"]


class Surely:
    """Keeps `interpreter.Guess`: every text means one intent, and names nothing."""

    sure_parts = 1.0

    def __init__(self, intent: str) -> None:
        self._command = Command(intent=intent, confidence=0.9)

    def __call__(self, said: Canonical, now: datetime, whole: bool = True) -> Command | None:
        return self._command if whole else None

    def asks(self, said: Canonical, now: datetime) -> tuple[Command, ...]:
        return ()

    def may_be(self, said: Canonical, intent: str) -> bool:
        return False

    def persons(self, said: Canonical) -> tuple[str, ...]:
        return ()

    def talk(self, said: Canonical) -> Command | None:
        return None

    def likeness(self, said: Canonical, sentences: Sequence[str]) -> Sequence[float]:
        return [0.0] * len(sentences)


@pytest.mark.parametrize(
    ("text", "intent", "by"),
    [
        ("pause the spuds", "HassMediaPause", By.DOUBT),
        ("what time is the parents' evening", "HassGetCurrentTime", By.NOTHING),
        ("just pause it all there", "HassMediaPause", By.GUESS),
        ("when's the nativity", "HassGetCurrentDate", By.NOTHING),
        ("which day would that be", "HassGetCurrentDate", By.GUESS),
    ],
)
def test_a_guess_that_leaves_out_what_is_named_is_not_carried_out(
    templates: Templates, now: datetime, text: str, intent: str, by: By
) -> None:
    understood = Interpreter(templates, Surely(intent))(canonical(text), now)
    assert understood.by is by
    assert bool(understood.commands) is (by is By.GUESS)


@pytest.mark.parametrize(
    ("slots", "sentence"),
    [
        ({"name": "Kitchen Blind"}, "close the kitchen blind"),
        ({"name": "Front Door"}, "unlock the front door"),
        ({"name": "TV"}, "turn off the tv"),
        ({"domain": "light", "area": "Kitchen"}, "turn off the lights in the kitchen"),
        ({"name": "all", "domain": "light"}, "turn off all the lights"),
    ],
)
def test_a_command_is_asked_about_in_a_sentence_that_means_it(
    stage: NluStage, templates: Templates, slots: dict[str, str], sentence: str
) -> None:
    filled = tuple(Slot(name=name, value=value, raw=value) for name, value in slots.items())
    assert templates.plain(Command(intent="HassTurnOff", slots=filled)) == sentence
    (command,) = said(stage, sentence).commands
    assert command.intent == "HassTurnOff"
    meant = {slot.name: slot.value for slot in command.slots}
    assert {"name": "all", **meant}.items() >= slots.items()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("it's a bit gloomy in here, isn't it?", "make it brighter"),
        ("I'm freezing", "make it warmer"),
        ("I can't hear a thing", "make it louder"),
        ("it's a dark story", ""),
        ("is it cold", ""),
    ],
)
def test_a_need_is_asked_about(stage: NluStage, text: str, sentence: str) -> None:
    interpretation = said(stage, text)
    assert not interpretation.commands
    assert "".join(choice.sentence for choice in interpretation.choices) == sentence
    if sentence:
        (choice,) = interpretation.choices
        (command,) = said(stage, sentence).commands
        assert (command.intent, choice.command.intent) == ("AdjustDevice", "AdjustDevice")


@pytest.mark.parametrize(
    ("texts", "referring"),
    [
        (("are any blinds closed", "open them"), True),
        (("are all the lights off upstairs", "both off"), True),
        (("is everything locked", "lock the one that isn't"), True),
        (("are any blinds closed", "open them", "close them again"), True),
        (("is the front door locked", "lock it"), False),
        (("close the blinds", "open them"), False),
    ],
)
def test_them_are_those_that_an_answer_names(
    asked: NluStage, texts: tuple[str, ...], referring: bool
) -> None:
    (command,) = said(asked, *texts).commands
    assert command.referring is referring


def test_a_sentence_that_is_asked_about_has_its_unit_once(templates: Templates) -> None:
    slots = (Slot(name="name", value="Spots", raw="spots"),)
    slots += (Slot(name="brightness", value=40, raw="forty percent"),)
    plain = templates.plain(Command(intent="HassLightSet", slots=slots))
    assert canonical(plain).text.split().count("percent") == 1


def test_a_question_that_is_whole_does_not_go_on_from_one(now: datetime) -> None:
    home = structs.replace(HOME, entities=(*HOME.entities, entity("scene.story", "Story Time")))
    read = templates_of(home)
    questions = Questions(home, "lounge")
    asked = NluStage(read, Interpreter(read, questions=questions), lambda: now)
    (time,) = said(asked, "is the fan on", "what's the time").commands
    (spots,) = said(asked, "is the fan on", "what about the spots").commands
    assert (time.intent, spots.intent) == ("HassGetCurrentTime", "HassGetState")


@pytest.mark.parametrize(
    ("text", "intents"),
    [
        ("kitchen blind shut?", ["HassGetState"]),
        ("kitchen blind shut", ["HassTurnOff"]),
        ("could you shut the kitchen blind?", ["HassTurnOff"]),
        ("shut the kitchen blind?", ["HassTurnOff"]),
        ("blind shut or what?", ["HassGetState"]),
        ("it is late. Would you shut the kitchen blind?", ["HassTurnOff"]),
    ],
)
def test_a_question_mark_alone_asks(asked: NluStage, text: str, intents: list[str]) -> None:
    assert [command.intent for command in said(asked, text).commands] == intents


@pytest.mark.parametrize(
    ("texts", "wanted"),
    [
        (("kitchen blind down a bit", "all the way"), "-100 %"),
        (("kitchen blind down a bit", "go on, all the way"), "-100 %"),
        (("close the kitchen blind halfway", "all the way please"), "-100 %"),
        (("tv down a bit", "all the way"), "-100 %"),
        (("spots dimmer", "fully"), "-100 %"),
        (("kitchen blind down a bit", "more", "all the way"), "-100 %"),
        (("kitchen blind down a bit", "and the lounge blind all the way"), "-100 %"),
        (("kitchen blind up a bit", "all the way"), 100),
        (("open the kitchen blind halfway", "the whole way"), 100),
        (("kitchen blind down a bit", "all the way up"), "+100 %"),
        (("kitchen blind down a bit", "spots all the way"), 100),
        (("spots dimmer", "turn them all the way on"), 100),
        (("spots to 30", "all the way"), 100),
        (("kitchen blind to 30", "all the way"), None),
        (("kitchen blind down a bit", "more"), "- little"),
        (("kitchen blind up a bit", "fan more"), "+"),
    ],
)
def test_all_the_way_goes_on_in_the_direction_before(
    stage: NluStage, texts: tuple[str, ...], wanted: str | int | None
) -> None:
    commands = said(stage, *texts).commands
    assert (commands[0].slots[-1].value if commands else None) == wanted


WHITER, WARMER = "colour_temperature +", "colour_temperature -"


@pytest.mark.parametrize(
    ("texts", "wanted"),
    [
        (("reading lamp on", "make that one cooler, colour i mean"), WHITER),
        (("reading lamp a bit warmer",), "colour_temperature - little"),
        (("make the lights cooler",), WHITER),
        (("reading lamp on", "make it warmer"), WARMER),
        (("reading lamp on", "a warmer white"), WARMER),
        (("spots to green", "cooler"), WHITER),
        (("make the spots cooler", "more"), WHITER),
        (("reading lamp on", "warmer"), "temperature +"),
        (("nursery thermostat to 19", "cooler"), "temperature -"),
        (("make it warmer in here",), "temperature +"),
        (("reading lamp two degrees warmer",), ""),
        (("fan on", "make it cooler"), "temperature -"),
    ],
)
def test_a_light_has_a_warmer_or_a_cooler_white(
    stage: NluStage, texts: tuple[str, ...], wanted: str
) -> None:
    told = []
    for command in said(stage, *texts).commands:
        assert not command.instead
        told.append(" ".join(str(s.value) for s in command.slots if s.name in ("level", "change")))
    assert " ".join(told) == wanted


@pytest.mark.parametrize(
    ("texts", "name"),
    [
        (("reading lamp on", "turn the light down, the spots i mean"), "Spots"),
        (("reading lamp on", "lights off, the spots i mean"), "Spots"),
        (("tv on", "quieter, the telly i mean"), "TV"),
        (("fan on", "blind down, the kitchen one i mean"), "Kitchen Blind"),
    ],
)
def test_what_is_explained_takes_nothing_back(
    stage: NluStage, texts: tuple[str, ...], name: str
) -> None:
    (command,) = said(stage, *texts).commands
    assert (command.slots[0].value, command.instead) == (name, False)


def test_what_is_put_right_afterwards_takes_the_last_back(stage: NluStage) -> None:
    (command,) = said(stage, "reading lamp on", "the spots, i meant").commands
    assert (command.slots[0].value, command.instead) == ("Spots", True)
