"""A time that may be one of two is asked about where the skill must not guess."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, time
from typing import Annotated
from zoneinfo import ZoneInfo

import pytest

from assistant.core.messages import Command
from assistant.skill import Reply, Skill, unambiguous
from assistant.skill.home import Home
from nlu.build import answer_reader
from nlu.grammar.templates import Templates
from skills.registry import Registry
from skills.stage import SkillsStage
from tests.support.talking import Talk

FRIDAY_EVENING = datetime(2026, 11, 20, 19, 0, tzinfo=ZoneInfo("Europe/Berlin"))
"""At seven: six may be tomorrow morning's or evening's, eight is in an hour."""

alarm = Skill("alarm")


@alarm.intent("SetAlarm", "wake me at {at}")
def set_alarm(at: Annotated[time, unambiguous()]) -> Reply:
    return Reply(f"Alarm at {at:%H:%M}.")


@alarm.intent("Guess", "roughly at {at}")
def guess(at: time) -> Reply:
    return Reply(f"Roughly at {at:%H:%M}.")


@pytest.fixture
def say() -> Iterator[Callable[[str], str]]:
    """Says a sentence to the alarm skill, through its templates and the stage."""
    registry = Registry()
    registry.add("alarm", lambda: alarm)
    assert registry.faults == ()
    templates = Templates.compile(registry.manifests, Home())
    talk = Talk(registry=registry, now=FRIDAY_EVENING)
    talk.stage = SkillsStage(
        registry,
        talk.database,
        Home(),
        answer_reader(Home(), lambda: FRIDAY_EVENING),
        lambda: FRIDAY_EVENING,
        "boot",
    )

    def say_one(text: str) -> str:
        commands = []
        for match in templates.match(text)[:1]:
            slots = templates.slots(match, FRIDAY_EVENING)
            assert slots is not None
            commands.append(Command(intent=match.intent, slots=slots))
        return talk.say(text, *commands)

    yield say_one
    talk.database.close()


@pytest.mark.parametrize(
    ("answer", "reply"),
    [
        ("in the evening", "Alarm at 18:00."),
        ("6 a.m. please", "Alarm at 06:00."),
        ("the second one", "Alarm at 18:00."),
    ],
)
def test_which_of_two_times_is_asked(say: Callable[[str], str], answer: str, reply: str) -> None:
    assert say("wake me at six") == "Do you mean 6 am or 6 pm?"
    assert say(answer) == reply


def test_an_answer_that_settles_nothing_is_asked_again(say: Callable[[str], str]) -> None:
    say("wake me at six")
    assert say("six") == "Sorry, I didn't get that. Do you mean 6 am or 6 pm?"
    assert say("stop") == "Okay, never mind."


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("wake me at six thirty pm", "Alarm at 18:30."),
        ("wake me at eight", "Alarm at 20:00."),
        ("roughly at six", "Roughly at 06:00."),
    ],
)
def test_a_clear_time_or_an_easy_skill_asks_nothing(
    say: Callable[[str], str], text: str, reply: str
) -> None:
    assert say(text) == reply
