"""What is said to the skill, in the words that people use, and what it answers and does."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from assistant.core.messages import (
    Reload,
    SensorsRequest,
    Tick,
)
from assistant.core.speakable import read_names
from nlu.stage import NluStage
from skills.capabilities.sensors.telling import REPEAT_S
from skills.capabilities.sensors.watched import REPORT_LASTS_S
from skills.sensors.asking import NO_REPORT, NOTHING
from skills.sensors.naming import FRESH
from tests.support.conversation import FAR_APART, HOUSE, Conversation
from tests.support.grammars import speakable_of
from tests.support.sensing import (
    FREEZER,
    HEAT,
    PLANT,
    SHAKES,
    THAWS,
    VIBRATION,
    anomaly,
    at,
    begins,
    over,
    played,
    report,
    said,
    thaw,
)
from tests.support.talking import Talk


@pytest.fixture
def well(say: Conversation) -> Conversation:
    """All is well with motor three."""
    say.talk.feed(report())
    return say


@pytest.fixture
def shaking(well: Conversation) -> Conversation:
    """Motor three shakes, which was told."""
    played(well.talk, *well.talk.feed(begins(anomaly(began=well.talk.now))))
    return well


def requests(say: Conversation) -> list[SensorsRequest]:
    return [one for one in say.given if isinstance(one, SensorsRequest)]


ASKED = (
    "what is wrong",
    "what's wrong with motor three",
    "what's wrong with the vibration of motor 3",
    "is anything wrong with the machines",
    "what is wrong with the sensors",
    "is motor three okay",
    "is everything all right with the machines",
)


@pytest.mark.parametrize("text", ASKED)
def test_what_is_wrong_is_told(shaking: Conversation, text: str) -> None:
    assert shaking(text) == SHAKES


def test_nothing_is_wrong_with_what_is_well(shaking: Conversation) -> None:
    told = shaking("what's wrong with the freezer")
    assert told == "Nothing is wrong with the temperature of the freezer."
    shaking.talk.feed(over(anomaly(began=shaking.talk.now)))
    assert shaking("is anything wrong with the machines") == NOTHING


def test_of_sensors_that_nobody_reports_nothing_is_known(say: Conversation) -> None:
    assert say("is anything wrong with the machines") == NO_REPORT
    assert say("did anything happen with the machines today") == NO_REPORT
    say.talk.feed(report())
    assert say("is anything wrong with the machines") == NOTHING
    say.talk.at_s += REPORT_LASTS_S + 1.0
    assert say("how is motor three") == NO_REPORT


def test_the_cause_of_the_file_is_told_once(shaking: Conversation) -> None:
    talk = shaking.talk
    talk.feed(begins(anomaly(HEAT, value=80.0, usual=20.0, began=talk.now)))
    told = shaking("what is wrong")
    assert told.startswith(SHAKES)
    assert told.count("According to your rules the bearing may be worn.") == 1


def test_since_when_is_told(shaking: Conversation) -> None:
    shaking.talk.wait(300.0)
    told = "Since today at 6:30 pm, for five minutes now."
    assert shaking("since when") == told
    assert shaking("how long has it been going on") == told
    assert shaking("since when is something wrong with motor three") == told


def test_since_when_is_left_alone_where_nothing_was_told_of_it(shaking: Conversation) -> None:
    shaking.talk.wait(FRESH.total_seconds() + 1.0)
    assert shaking("since when") == ""


def test_how_a_machine_is_is_told(well: Conversation) -> None:
    told = "Motor three: vibration is 3 millimetres per second, temperature is 61 degrees Celsius"
    assert well("how is motor three") == f"{told} and no current has come yet."
    vibration = "Motor three: vibration is 3 millimetres per second."
    assert well("what is the vibration of motor three") == vibration
    assert well("how is the boiler") == "The boiler: no pressure has come yet."


def test_how_a_machine_is_begins_with_what_is_wrong(shaking: Conversation) -> None:
    told = shaking("how is motor three doing")
    assert told.startswith(f"{SHAKES} Motor three: temperature is 61 degrees Celsius")


def test_an_alarm_is_acknowledged(well: Conversation) -> None:
    talk = well.talk
    one = thaw(began=talk.now)
    played(talk, *talk.feed(begins(one)))
    told = "Acknowledged: the temperature of the freezer. I will tell you when it is over."
    assert well("acknowledge that") == told
    assert said(talk.wait(2 * REPEAT_S)) == []
    assert well("undo that") == "I took that back."
    assert said(talk.wait(2 * REPEAT_S))[0].startswith(THAWS)
    assert well("i know about the freezer") == told
    assert well("acknowledge") == "There is nothing to acknowledge."


def test_only_what_was_told_last_is_acknowledged(shaking: Conversation) -> None:
    talk = shaking.talk
    talk.wait(60.0)
    played(talk, *talk.feed(begins(thaw(began=talk.now))))
    assert "the temperature of the freezer." in shaking("acknowledge")
    told = shaking("acknowledge everything")
    assert told.startswith("Acknowledged: the vibration of motor three.")


def test_that_is_muted_for_a_while(shaking: Conversation) -> None:
    talk = shaking.talk
    told = "Okay, I say nothing about the vibration of motor three for one hour."
    assert shaking("mute that for an hour") == told
    talk.feed(over(anomaly(began=talk.now)))
    again = anomaly(id="again", began=talk.now)
    assert said([*talk.feed(begins(again)), *talk.wait(3000.0)]) == []
    talk.feed(report())
    assert "I say nothing of it unasked for ten minutes." in shaking("how is motor three")
    talk.wait(700.0)
    assert said(talk.feed(begins(anomaly(id="third", began=talk.now)))) == [SHAKES]


def test_a_machine_is_muted_by_its_name(well: Conversation) -> None:
    talk = well.talk
    told = "Okay, I say nothing about motor three for two hours."
    assert well("mute motor three for two hours") == told
    assert said(talk.feed(begins(anomaly(began=talk.now)))) == []
    assert well("unmute motor three") == "Okay, I tell you about motor three again."
    assert well("unmute motor three") == "Motor three is not muted."


def test_muting_is_undone(well: Conversation) -> None:
    well("mute motor three for two hours")
    assert well("undo that") == "I took that back."
    well.talk.feed(begins(anomaly(began=well.talk.now)))
    assert SHAKES in said(well.talk.wait(30.0))


def test_too_long_is_declined(well: Conversation) -> None:
    assert well("mute motor three for forty days") == "I can be silent for 30 days at most."
    assert well("learn motor three for two weeks") == "I can learn for one day at most."
    assert requests(well) == []


def test_what_happened_last_night_is_told(well: Conversation) -> None:
    talk = well.talk
    night, noon = at(3, 15), at(12)
    talk.feed(over(anomaly(id="night", began=night)))
    talk.feed(over(anomaly(HEAT, id="noon", value=80.0, usual=20.0, began=noon)))
    told = well("what happened last night")
    assert told == (
        "Today at 3:15 am vibration of motor three was four times its usual value:"
        " 12 millimetres per second. It was over after eight minutes."
    )
    both = well("what happened today")
    assert both.startswith(told)
    assert both.endswith("usual was 20. It was over after eight minutes.")
    assert well("what happened yesterday") == "Nothing was wrong then."


def test_a_false_alarm_is_learnt_from(shaking: Conversation) -> None:
    told = "Okay, I will learn that the vibration of motor three was well."
    assert shaking("that was a false alarm") == told
    (request,) = requests(shaking)
    assert (request.what, request.anomaly) == ("false_alarm", f"a-{VIBRATION}")
    assert shaking.talk.feed(Tick()) == []


def test_whether_it_was_a_false_alarm_is_asked_back(
    shaking: Conversation, talks: Callable[..., Talk]
) -> None:
    asked = "Shall I take the alarm about the vibration of motor three for a false one?"
    assert shaking("was that a false alarm") == asked
    assert requests(shaking) == []
    assert shaking("no") == "Okay, I left it as it is."
    assert requests(shaking) == []
    assert shaking("was that a false alarm") == asked
    assert shaking("yes").startswith("Okay, I will learn")
    assert [one.what for one in requests(shaking)] == ["false_alarm"]


@pytest.mark.parametrize(
    ("text", "length_s"),
    [
        ("learn motor three now", 600.0),
        ("learn motor three for twenty minutes", 1200.0),
        ("learn motor three now for an hour", 3600.0),
    ],
)
def test_a_machine_is_learnt_anew(well: Conversation, text: str, length_s: float) -> None:
    length = {600.0: "ten minutes", 1200.0: "20 minutes", 3600.0: "one hour"}[length_s]
    assert well(text) == f"Okay, for {length} I take what motor three shows for normal."
    (request,) = requests(well)
    assert (request.what, request.for_s) == ("learn", length_s)
    assert request.sensors == tuple(one.id for one in PLANT.sensors if one.of == "motor three")


def test_a_request_is_sent_after_a_restart(well: Conversation) -> None:
    talk = well.talk
    talk.stage._sensors.learn([FREEZER], timedelta(minutes=1))
    talk.restart()
    sent = [one for one in talk.feed(Tick()) if isinstance(one, SensorsRequest)]
    assert [one.sensors for one in sent] == [(FREEZER,)]
    assert not any(isinstance(one, SensorsRequest) for one in talk.feed(Tick()))


OTHERS = (
    "what is wrong with you",
    "what is the time",
    "mute the music",
    "how are you",
    "is the kitchen light on",
    "what is the temperature in the kitchen",
    "how is necessary spelled",
    "turn off the kettle",
    "unmute the music",
)


@pytest.mark.parametrize("text", OTHERS)
def test_other_sentences_stay_what_they_are(
    shaking: Conversation, talks: Callable[..., Talk], nlu: NluStage, text: str
) -> None:
    without = Conversation(talks(home=HOUSE), nlu, float(next(FAR_APART)))
    without.talk.at_s, without.talk.now = shaking.talk.at_s, shaking.talk.now
    assert shaking(text) == without(text)


UNCLAIMED = ("what is wrong", "since when", "acknowledge that", "mute that for an hour")


@pytest.mark.parametrize("text", UNCLAIMED)
def test_where_nothing_is_wrong_short_sentences_are_left_alone(
    well: Conversation, talks: Callable[..., Talk], nlu: NluStage, text: str
) -> None:
    without = Conversation(talks(home=HOUSE), nlu, float(next(FAR_APART)))
    assert well(text) == without(text)


def test_the_names_are_told_to_recognition(talks: Callable[..., Talk], tmp_path: Path) -> None:
    file = tmp_path / "names.json"
    messages = talks(sensors=PLANT, names=file).feed(Tick())
    assert [one.stage for one in messages if isinstance(one, Reload)] == ["asr"]
    names = read_names(file)
    assert names["sensors"]["machine"][:3] == ("motor three", "the boiler", "the freezer")
    expected = speakable_of({"sensors"}, HOUSE, names=names)
    classes = {word: set(phrases) for word, phrases in expected.classes.items()}
    (machine,) = [word for word, phrases in classes.items() if "the boiler" in phrases]
    assert {"motor three", "vibration of motor three"} <= classes[machine]
    assert any(machine in sentence for sentence in expected.sentences)
