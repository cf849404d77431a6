"""What a correction teaches: a label of the head, and never what opens, deletes or takes back."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.composition import Composition
from assistant.core.config import Config, StorageSettings
from assistant.core.messages import Command, Interpretation, Slot, Transcript
from nlu.classifier.corrections import Correction, Use
from nlu.classifier.examples import IntentLabel
from nlu.lessons import Teacher
from nlu.stage import NluStage
from tests.support.conversation import HOUSE


@pytest.fixture(scope="module")
def teacher() -> Teacher:
    return Teacher(Composition(Config()).understanding.templates_of(HOUSE))


@pytest.mark.parametrize(
    ("expect", "label"),
    [
        ("turn on the lights", IntentLabel("HassTurnOn", (("domain", "light"),))),
        ("what's the weather", IntentLabel("HassGetWeather")),
        ("set a timer for five minutes", IntentLabel("HassStartTimer")),
        ("is the front door locked", IntentLabel("HassGetState")),
    ],
)
def test_what_was_really_said_gives_the_label(
    teacher: Teacher, expect: str, label: IntentLabel
) -> None:
    lesson = teacher.lesson(Correction(id="a", heard="please bring me joy", expect=expect))
    assert isinstance(lesson.label, IntentLabel)
    assert lesson.label.intent == label.intent
    assert (lesson.text, set(label.fixed) <= set(lesson.label.fixed)) == ("bring me joy", True)


def test_a_command_that_was_said_next_gives_the_label_that_fixes_most(teacher: Teacher) -> None:
    slots = (
        Slot(name="area", value="Kitchen", raw="kitchen"),
        Slot(name="domain", value="light", raw=""),
    )
    meant = Command(intent="HassTurnOff", slots=slots)
    lesson = teacher.lesson(Correction(id="a", heard="make it gloomy", command=meant))
    assert lesson.label == IntentLabel("HassTurnOff", (("domain", "light"),))


@pytest.mark.parametrize(
    "expect",
    [
        *(
            "unlock the front door",
            "unlock all doors",
            "open the garage door",
            "turn everything off",
        ),
        *("cancel my timer", "cancel all timers", "undo that", "never mind", "run party time"),
        "remove the milk from my to do list",
    ],
)
def test_what_opens_deletes_or_takes_back_is_never_learnt(teacher: Teacher, expect: str) -> None:
    lesson = teacher.lesson(Correction(id="a", heard="please bring me joy", expect=expect))
    assert lesson.label is Use.GUARDED


@pytest.mark.parametrize(
    ("heard", "expect", "use"),
    [
        ("turn off the lights", "turn on the lights", Use.KNOWN),
        ("bring me joy", "bring me more joy", Use.UNCLEAR),
        ("bring me joy", "turn on the lights and what time is it", Use.UNCLEAR),
    ],
)
def test_what_teaches_nothing_says_why(teacher: Teacher, heard: str, expect: str, use: Use) -> None:
    assert teacher.lesson(Correction(id="a", heard=heard, expect=expect)).label is use


def test_words_that_were_not_understood_are_once_they_were_put_right(
    tmp_path: Path, cache: Path
) -> None:
    """The whole way, with the real models: from the recordings to the next start."""
    storage = StorageSettings(state=str(tmp_path / "state"), cache=str(cache))
    composition = Composition(Config(storage=storage), corrected=True)
    stage = composition.nlu()
    put_right = (
        Correction(id="a", heard="skip this rubbish", expect="next track"),
        Correction(id="b", heard="make me a sandwich", expect="unlock the front door"),
    )
    assert [_intents(stage, one.heard) for one in put_right] == [[], []]
    recordings = composition.recordings
    recordings.agree()
    for one in put_right:
        recordings.examples.add(one)
    again = Composition(Config(storage=storage), corrected=True).nlu()
    assert [_intents(again, one.heard) for one in put_right] == [["HassMediaNext"], []]
    used = [one.use for one in recordings.examples.described()]
    assert used == [Use.USED.value, Use.GUARDED.value]


def _intents(stage: NluStage, heard: str) -> list[str]:
    said = Transcript(utterance_id="u", revision=0, text=heard, engine="text", at_s=0.0)
    (meant,) = (m for m in stage.feed(said) if isinstance(m, Interpretation))
    return [command.intent for command in meant.commands]
