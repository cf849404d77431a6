"""Timers asked for together, one after another in few words, and told apart by their lengths."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.support.conversation import Conversation


def minutes(say: Conversation) -> list[float]:
    timers = say.talk.stage._rooms.of("").context.timers.all()
    return sorted(timer.duration.total_seconds() / 60 for timer in timers)


@pytest.mark.parametrize(
    "text",
    [
        "timers for five, ten and fifteen minutes",
        "three timers please, five, ten and fifteen minutes",
        "set three timers one for five minutes, one for ten and one for fifteen minutes",
    ],
)
def test_several_are_started_at_once(say: Conversation, text: str) -> None:
    say(text)
    assert minutes(say) == [5, 10, 15]


def test_each_of_several_has_its_name(say: Conversation) -> None:
    say("timer ten minutes for my pizza and one for twenty for my reading")
    assert sorted(say.timers) == ["pizza", "reading"]
    assert minutes(say) == [10, 20]


def test_each_of_several_has_its_name_before_the_word(say: Conversation) -> None:
    say("four minute egg timer and ten minute toast timer")
    assert sorted(say.timers) == ["egg", "toast"]
    assert minutes(say) == [4, 10]


def test_another_needs_no_name(say: Conversation) -> None:
    say("set a ten minute timer")
    assert say("and another for fifteen") == "Timer for 15 minutes, starting now."
    assert say("and one for twenty five minutes") == "Timer for 25 minutes, starting now."
    assert minutes(say) == [10, 15, 25]
    assert say("cancel the second one") == "Your timer for 15 minutes is cancelled."


@pytest.mark.parametrize("text", ["timer 40", "set a timer 40", "new timer 40 minutes"])
def test_a_number_behind_timer_is_minutes(say: Conversation, text: str) -> None:
    say(text)
    assert minutes(say) == [40]


@pytest.mark.parametrize("text", ["and another", "one for dad", "another one bites the dust"])
def test_without_a_time_no_other_is_started(say: Conversation, text: str) -> None:
    say("set a ten minute timer")
    say(text)
    assert minutes(say) == [10]


def test_the_same_is_for_another_thing(say: Conversation) -> None:
    say("buns six minutes")
    assert say("another one the same for the second tray") == (
        "Second tray timer for six minutes, starting now."
    )


def test_what_is_cooked_may_follow_the_time(say: Conversation) -> None:
    say("6 min buns")
    assert say.timers == {"buns": timedelta(minutes=6)}


def test_the_word_timer_is_no_part_of_what_is_cooked(say: Conversation) -> None:
    say("twenty minute timer rice")
    assert "timer rice" not in say.timers


@pytest.mark.parametrize("text", ["ten minutes late", "two minutes mum", "five minutes peace"])
def test_what_is_not_cooked_does_not(say: Conversation, text: str) -> None:
    say(text)
    assert not say.timers


def test_timers_are_told_apart_by_their_lengths(say: Conversation) -> None:
    say("set a ten minute timer")
    say("and another for thirty")
    assert "timer for ten minutes has" in say("how long is left on the short one")
    assert say("cancel the longer one") == "Your timer for 30 minutes is cancelled."


def test_two_are_cancelled_by_their_names(say: Conversation) -> None:
    say("beans five minutes, potatoes ten minutes, rice eleven minutes")
    assert say("cancel the beans and the potatoes") == (
        "Your beans timer for five minutes is cancelled. "
        "Your potatoes timer for ten minutes is cancelled."
    )
    assert list(say.timers) == ["rice"]
    say("undo")
    assert sorted(say.timers) == ["beans", "potatoes", "rice"]


def test_the_word_one_is_no_part_of_a_name(say: Conversation) -> None:
    say("ten minutes on the clock for maths homework")
    assert "maths homework timer" in say("is the maths one done yet")


def test_a_thing_is_timed_by_its_name(say: Conversation) -> None:
    assert say("time the wash for fifty minutes") == "Wash timer for 50 minutes, starting now."


@pytest.fixture
def cooking(say: Conversation) -> Conversation:
    """Two timers, spoken of last."""
    say("eggs six minutes")
    say("tea four minutes")
    return say


def paused(say: Conversation) -> list[str]:
    timers = say.talk.stage._rooms.of("").context.timers.all()
    return sorted(timer.name for timer in timers if timer.paused)


@pytest.mark.parametrize(
    "text", ["pause them both", "pause both of them", "hold them", "freeze both", "pause them all"]
)
def test_what_is_done_to_them_is_done_to_each(cooking: Conversation, text: str) -> None:
    cooking(text)
    assert paused(cooking) == ["eggs", "tea"]
    cooking("resume them")
    assert paused(cooking) == []


def test_more_time_is_for_each_of_them(cooking: Conversation) -> None:
    cooking("add two minutes to both")
    assert cooking.timers == {"eggs": timedelta(minutes=8), "tea": timedelta(minutes=6)}


def test_they_are_timers_only_while_these_are_spoken_of(cooking: Conversation) -> None:
    cooking("turn on the kettle")
    cooking("pause them both")
    assert paused(cooking) == []


def test_which_two_of_three_are_both_is_asked(cooking: Conversation) -> None:
    cooking("rice ten minutes")
    assert cooking("pause both") == "Which timer: tea, eggs or rice?"
    assert paused(cooking) == []


def test_a_further_timer_without_a_name_runs_beside_the_first(say: Conversation) -> None:
    say("set a timer for ten minutes")
    assert say("set a timer for five minutes") == "Timer for five minutes, starting now."
    assert say.talk.timers() == 2
