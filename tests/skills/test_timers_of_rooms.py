"""Timers of other rooms: set for one, told with it, and found by it. It is said in the kitchen."""

from __future__ import annotations

import pytest

from assistant.core.messages import SpokenReply
from tests.support.conversation import Conversation
from tests.support.talking import Talk


def test_it_is_told_with_its_room_at_once_and_when_it_rings(talk: Talk) -> None:
    told = talk.ask("HassStartTimer", duration=300, area="Office")
    assert told == "Timer for five minutes in the office, starting now."
    (ring,) = talk.wait(300)
    assert isinstance(ring, SpokenReply)
    assert ring.text == "Your timer for five minutes in the office is done."


def test_one_of_the_room_where_it_was_set_is_told_without(talk: Talk) -> None:
    assert talk.ask("HassStartTimer", duration=300) == "Timer for five minutes, starting now."
    (ring,) = talk.wait(300)
    assert isinstance(ring, SpokenReply)
    assert ring.text == "Your timer for five minutes is done."


def test_its_room_outlives_the_process(talk: Talk) -> None:
    talk.ask("HassStartTimer", duration=300, area="Office")
    talk.restart()
    assert "in the office" in talk.ask("HassTimerStatus", area="Office")


def test_and_a_cancel_that_is_taken_back(talk: Talk) -> None:
    talk.ask("HassStartTimer", duration=300, area="Office")
    talk.ask("HassCancelTimer", area="Office")
    talk.ask("Undo")
    assert "in the office" in talk.ask("HassTimerStatus", area="Office")


def test_those_of_one_room_are_cancelled_and_no_other(talk: Talk) -> None:
    for area in ("Kitchen", "Office", "Office"):
        talk.ask("HassStartTimer", duration=300, area=area)
    assert talk.ask("HassCancelAllTimers", area="Office") == "I cancelled two timers."
    assert talk.timers() == 1
    none = "There is no such timer in the office."
    assert talk.ask("HassCancelAllTimers", area="Office") == none
    assert talk.ask("HassPauseTimer", area="Office") == none


def test_of_two_the_one_of_this_room_is_meant(talk: Talk) -> None:
    talk.ask("HassStartTimer", duration=300, area="Office")
    talk.ask("HassStartTimer", duration=600)
    assert talk.ask("HassCancelTimer") == "Your timer for ten minutes is cancelled."


@pytest.mark.parametrize(
    "text",
    [
        "set a timer for five minutes in the office",
        "set a five minute timer in the office",
        "set a timer in the office for five minutes",
        "in the office set a timer for five minutes",
        "five minute timer in the office",
    ],
)
def test_a_room_may_be_said_anywhere(say: Conversation, text: str) -> None:
    assert say(text) == "Timer for five minutes in the office, starting now."


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("how long is left on the office timer", "Your tea timer for five minutes in the office"),
        ("is there a timer in the office", "Your tea timer for five minutes in the office"),
        ("how long is left on the timer in the kitchen", "Your timer for ten minutes has"),
        ("cancel the timer in the office", "Your tea timer for five minutes in the office is"),
        ("pause the office timer", "Your tea timer for five minutes in the office is paused"),
        ("add two minutes to the timer in the office", "Your tea timer for five minutes in"),
    ],
)
def test_it_is_found_by_its_room(say: Conversation, text: str, told: str) -> None:
    say("set a timer for ten minutes")
    say("set a tea timer for five minutes in the office")
    assert say(text).startswith(told)


def test_one_called_like_a_room_with_a_timer_is_one_more(say: Conversation) -> None:
    say("set a timer for ten minutes")
    assert (
        say("set a kitchen timer for five minutes")
        == "Kitchen timer for five minutes, starting now."
    )
    assert sorted(say.timers) == ["", "kitchen"]
