"""The clock, and stop, repeat, undo and help."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import msgspec
import pytest

from assistant.core.messages import Question, RepeatAnswer, SpokenReply
from assistant.skill.testing import converse, memory_context
from skills import clock
from tests.support.talking import Talk, command


@pytest.mark.parametrize(
    ("now", "told"),
    [
        (datetime(2026, 1, 5, 18, 30, tzinfo=UTC), "It's 6:30 pm."),
        (datetime(2026, 1, 5, 0, 0, tzinfo=UTC), "It's 12 am."),
        (datetime(2026, 7, 5, 9, 5, tzinfo=ZoneInfo("Europe/Zurich")), "It's 9:05 am."),
    ],
)
def test_the_time_is_the_wall_clocks(now: datetime, told: str) -> None:
    assert converse(clock.skill, "HassGetCurrentTime", memory_context(now=now)) == [told]


def test_the_date_comes_with_its_day() -> None:
    assert converse(clock.skill, "HassGetCurrentDate") == ["It's Monday, January 5, 2026."]


def test_the_last_reply_is_repeated(talk: Talk) -> None:
    assert talk.ask("Repeat") == "I haven't said anything yet."
    told = talk.ask("HassGetCurrentTime")
    assert talk.ask("Repeat") == told
    assert talk.ask("Repeat") == told


def test_what_was_left_to_the_documents_is_repeated_by_the_answering(talk: Talk) -> None:
    talk.ask("HassGetCurrentTime")
    talk.hear("where is the fuse box")
    for _ in range(2):
        (question,) = talk.hear("say that again", command("Repeat"))
        assert isinstance(question, Question)
        assert question.task == RepeatAnswer()
    told = talk.ask("HassGetCurrentTime")
    assert talk.ask("Repeat") == told


def test_help_names_what_each_skill_can_do(talk: Talk) -> None:
    assert talk.ask("Help") == (
        "I can tell the time and the date, set timers, turn lights and switches on and off, "
        "do things later, do sums and convert units, tell a joke, answer questions from your "
        "documents, wake you at a time, remind you of things, keep your calendar, run routines "
        "of your own, play music, tell the news, tell what is wrong with your machines and speak "
        "louder or quieter."
    )


def test_with_nothing_ringing_stop_does_nothing(talk: Talk) -> None:
    talk.ask("HassStartTimer", duration=600)
    assert talk.ask("HassNevermind") == "Okay."
    assert talk.timers() == 1


def test_there_may_be_nothing_to_take_back(talk: Talk) -> None:
    assert talk.ask("Undo") == "There is nothing that I can take back."


def test_after_what_led_to_nothing_an_undo_is_asked_about(talk: Talk) -> None:
    talk.ask("HassTurnOn", name="Kettle")
    talk.hear("gibberish")
    asked = "I did nothing just now. Before, I said: I turned on the kettle. Shall I undo that?"
    assert talk.ask("Undo") == asked
    assert talk.say("no") == "Okay, I left it as it is."
    assert talk.state("switch.kettle") == "on"
    talk.hear("gibberish")
    talk.ask("Undo")
    assert talk.say("yes") == "I took that back."
    assert talk.state("switch.kettle") == "off"


@pytest.mark.parametrize(("between", "left"), [((), "off"), (("gibberish",), "on")])
def test_what_led_to_nothing_is_corrected_and_not_what_was_before(
    talk: Talk, between: tuple[str, ...], left: str
) -> None:
    talk.ask("HassTurnOn", name="Kettle")
    for text in between:
        talk.hear(text)
    counter = msgspec.structs.replace(command("HassTurnOn", name="Counter"), instead=True)
    talk.hear("no, the counter", counter)
    assert talk.state("switch.kettle") == left
    assert talk.state("light.counter") == "on"


def test_a_correction_takes_back_what_was_done_to_devices_of_its_kind(talk: Talk) -> None:
    kettle, ceiling = (command("HassTurnOn", name=name) for name in ("Kettle", "Ceiling"))
    talk.hear("kettle on and ceiling on", kettle, ceiling)
    counter = msgspec.structs.replace(command("HassTurnOn", name="Counter"), instead=True)
    talk.hear("no, the counter", counter)
    states = [talk.state(one) for one in ("switch.kettle", "light.ceiling", "light.counter")]
    assert states == ["on", "off", "on"]


def test_a_question_in_between_leaves_the_undo_in_place(talk: Talk) -> None:
    talk.ask("HassTurnOn", name="Kettle")
    talk.ask("HassGetCurrentTime")
    assert talk.ask("Undo") == "I took that back."
    assert talk.state("switch.kettle") == "off"
    assert talk.ask("Undo") == "There is nothing that I can take back."


@pytest.mark.parametrize("recording", [True, False])
def test_a_mistake_is_marked_where_it_was_recorded(
    talks: Callable[..., Talk], recording: bool
) -> None:
    talk = talks(recording=lambda: recording)
    told = talk.ask("MarkWrong")
    assert ("I marked that" in told) is recording
    assert ("no recordings" in told) is not recording


def test_notices_are_told_once(talks: Callable[..., Talk]) -> None:
    notices = ["I keep recordings of what you say to me."]
    talk = talks(notices=notices)
    (told,) = talk.wait(1.0)
    assert isinstance(told, SpokenReply)
    assert told.text == "I keep recordings of what you say to me."
    talk.rebuild()
    assert talk.wait(1.0) == []
    assert notices == []
