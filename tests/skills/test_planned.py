"""Commands for later as people say them, through understanding and the skills."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from assistant.core.messages import SpokenReply
from nlu.stage import NluStage
from skills.later.sun import Position
from tests.support.conversation import FAR_APART, HOUSE, Conversation
from tests.support.talking import Talk


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("turn on the kettle in ten minutes", "I will turn on the kettle in ten minutes."),
        ("turn on the kettle in an hour", "I will turn on the kettle in one hour."),
        ("turn on the kettle at ten", "I will turn on the kettle at 10 pm."),
        ("at ten turn on the kettle", "I will turn on the kettle at 10 pm."),
        (
            "turn on the kettle at half past seven tomorrow",
            "I will turn on the kettle tomorrow at 7:30 am.",
        ),
        (
            "turn on the kettle every weekday at seven",
            "I will turn on the kettle every weekday at 7 am.",
        ),
        ("turn off the desk lamp for half an hour", "I turned off the desk lamp for 30 minutes."),
        ("turn on the kettle until ten", "I turned on the kettle until 10 pm."),
        (
            "turn on the kettle at ten for half an hour",
            "I will turn on the kettle for 30 minutes at 10 pm.",
        ),
        (
            "turn on the kettle for half an hour at ten",
            "I will turn on the kettle for 30 minutes at 10 pm.",
        ),
        (
            "at ten turn on the kettle for half an hour",
            "I will turn on the kettle for 30 minutes at 10 pm.",
        ),
        (
            "in ten minutes turn on the kettle until nine",
            "I will turn on the kettle for two hours and 20 minutes in ten minutes.",
        ),
        (
            "turn on the kettle from nine till eleven",
            "I will turn on the kettle for two hours at 9 pm.",
        ),
        (
            "turn on the kettle from nine to eleven tomorrow morning",
            "I will turn on the kettle for two hours tomorrow at 9 am.",
        ),
        (
            "turn on the desk lamp between nine and half past nine",
            "I will turn on the desk lamp for 30 minutes at 9 pm.",
        ),
        (
            "turn on the kettle every weekday at seven for ten minutes",
            "I will turn on the kettle for ten minutes every weekday at 7 am.",
        ),
        ("turn on the kettle at sunset", "I will turn on the kettle tomorrow at sunset."),
        (
            "turn on the kettle ten minutes before sunrise",
            "I will turn on the kettle tomorrow ten minutes before sunrise.",
        ),
        (
            "turn on the kettle every day at sunset",
            "I will turn on the kettle every day at sunset.",
        ),
        (
            "turn on the ceiling and the counter at nine",
            "I will turn on the ceiling and turn on the counter at 9 pm.",
        ),
        (
            "turn on the kettle when i get home",
            "I can't do that when you get home yet; I need a time.",
        ),
        ("turn on the kettle after dinner", "I can't do that after dinner yet; I need a time."),
        ("turn on the kettle if it rains", "I can't do that if it rains yet; I need a time."),
        ("what time is it in ten minutes", "It will be 6:40 pm."),
        ("set a timer for ten minutes", "Timer for ten minutes, starting now."),
    ],
)
def test_a_wish_for_later(talks: Callable[..., Talk], nlu: NluStage, text: str, told: str) -> None:
    talk = talks(home=HOUSE, where=Position(47.4, 8.5))
    assert Conversation(talk, nlu, float(next(FAR_APART)))(text) == told


def test_without_the_place_of_the_home_no_sunset_is_known(say: Conversation) -> None:
    told = "I don't know where your home is, so I can't tell when the sun sets."
    assert say("turn on the kettle at sunset") == told


def test_a_day_without_a_time_is_asked_about(say: Conversation) -> None:
    assert say("turn on the kettle every day") == "At what time?"
    assert say("cancel") == "Okay, never mind."
    assert say("what is planned") == "I have nothing planned."


def test_a_plan_is_told_and_taken_back(say: Conversation) -> None:
    say("turn on the kettle at ten")
    assert say("what is planned") == "I will turn on the kettle at 10 pm."
    assert say("what have you got planned for tomorrow") == "I have nothing planned then."
    assert say("what have you got planned for today") == "I will turn on the kettle at 10 pm."
    assert say("cancel that") == "I will not turn on the kettle."
    assert say("undo") == "I took that back."
    assert say("cancel the plan for the kettle") == "I will not turn on the kettle."
    say("turn on the kettle at ten")
    assert say("cancel that") == "I took that back."
    assert say("what is planned") == "I have nothing planned."


def test_a_plan_gets_another_time(say: Conversation) -> None:
    say("turn on the kettle at nine")
    assert say("no, at ten") == "I will turn on the kettle at 10 pm."
    assert say("what is planned") == "I will turn on the kettle at 10 pm."


def test_what_is_planned_is_done(say: Conversation) -> None:
    say("turn on the kettle at ten")
    (told, *_) = say.talk.wait(3.5 * 3600)
    assert isinstance(told, SpokenReply)
    assert told.text == "I turned on the kettle, as planned."
    assert say.talk.state("switch.kettle") == "on"
