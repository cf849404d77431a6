"""Conversations in short forms: timers, lists and the clock, without models."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from assistant.core.messages import SpokenReply
from nlu.interpreter import Interpreter
from nlu.parts.composer import Composer
from nlu.stage import NluStage
from tests.support.conversation import FAR_APART, HOUSE, Conversation
from tests.support.grammars import templates_of
from tests.support.talking import EVENING, Talk


@pytest.mark.parametrize(
    ("text", "timers"),
    [
        ("carrots, twelve minutes", {"carrots": 12}),
        ("twelve minutes for the carrots", {"carrots": 12}),
        ("the lamb needs an hour and a half", {"lamb": 90}),
        ("rolls ten minutes and carrots four", {"rolls": 10, "carrots": 4}),
        ("lamb an hour ten carrots twenty", {"lamb": 70, "carrots": 20}),
        (
            "start two timers, ten minutes for the rolls and four for the carrots",
            {"rolls": 10, "carrots": 4},
        ),
        ("carrots twelve minutes, no wait, fifteen", {"carrots": 15}),
        ("set a timer for for minutes", {"": 4}),
        ("i need a timer for the rolls for ten minutes", {"rolls": 10}),
        ("give me five minutes", {"": 5}),
    ],
)
def test_timers_are_set_in_few_words(
    say: Conversation, text: str, timers: dict[str, float]
) -> None:
    say(text)
    assert say.timers == {name: timedelta(minutes=m) for name, m in timers.items()}


@pytest.mark.parametrize(
    "text",
    [
        "the lamb one",
        "she waited ten minutes",
        "it took them twenty minutes",
        "desk lamp ten minutes",
        "lamb fifty",
        "add ten",
        "drop the carrots",
        "how is the lamb doing",
        "don't set the lamb for ten minutes",
    ],
)
def test_nothing_is_taken_for_a_timer_where_none_runs(say: Conversation, text: str) -> None:
    assert say(text) == ""
    assert say.timers == {}


def test_a_running_timer_is_known_by_what_it_is_for(say: Conversation) -> None:
    say("lamb one hour, carrots ten minutes")
    assert (
        say("how long have the carrots got")
        == "Your carrots timer for ten minutes has ten minutes left."
    )
    say("give the carrots three more")
    assert say.timers == {"lamb": timedelta(hours=1), "carrots": timedelta(minutes=13)}
    say("take a minute off")
    assert say.timers["carrots"] == timedelta(minutes=12)
    say("drop the lamb, it's not in yet")
    assert list(say.timers) == ["carrots"]
    assert say("cancel the dumplings") == "There is no dumplings timer."


def test_a_bare_change_is_of_the_timer_spoken_of_last(say: Conversation) -> None:
    say("lamb one hour, carrots ten minutes")
    assert say("add ten") == "Which timer: carrots or lamb?"
    say("lamb")
    assert say.timers["lamb"] == timedelta(minutes=70)
    say("twice as long")
    assert say.timers["lamb"] == timedelta(hours=2)
    assert say("how long has the other one got").startswith("Your carrots timer")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("no, twenty", 20),
        ("make it half an hour instead", 30),
        ("sixteen, not sixty", 16),
        ("sorry, carrots one hour ten", 70),
        ("half as long", 30),
    ],
)
def test_the_timer_just_set_is_put_right(say: Conversation, text: str, left: float) -> None:
    say("carrots sixty minutes")
    say(text)
    assert say.timers == {"carrots": timedelta(minutes=left)}
    say("undo")
    assert say.timers == {"carrots": timedelta(minutes=60)}


def test_pausing_and_going_on(say: Conversation) -> None:
    say("carrots ten minutes")
    assert "is paused" in say("pause it there's someone at the door")
    assert "runs on" in say("right, carry on")


def test_what_is_paused_goes_on_again(say: Conversation) -> None:
    say("carrots ten minutes")
    say("pause it")
    assert "runs on" in say("okay go on again")


@pytest.mark.parametrize(
    "text", ["ah no leave it the way it was", "right back to how it was", "put it back as it was"]
)
def test_what_is_left_as_it_was_is_taken_back(say: Conversation, text: str) -> None:
    say("carrots ten minutes")
    assert say(text) == "I took that back."
    assert not say.timers


def test_a_cancelled_timer_comes_back(say: Conversation) -> None:
    say("carrots ten minutes")
    say("cancel it")
    assert say.timers == {}
    assert say("cancel that") == "I took that back."
    assert say.timers == {"carrots": timedelta(minutes=10)}


def test_which_one_is_first_and_what_is_left(say: Conversation) -> None:
    say("lamb one hour, carrots ten minutes")
    assert say("which one's first").startswith("Your carrots timer")
    assert say("what's left on everything").startswith("You have two timers")
    assert say("set another one the same") != ""


def test_a_ring_is_answered(say: Conversation) -> None:
    say("carrots ten minutes")
    (ring,) = say.talk.wait(600)
    assert isinstance(ring, SpokenReply)
    assert say("five more minutes") == "Your carrots timer will ring again in five minutes."
    (again,) = say.talk.wait(300)
    assert isinstance(again, SpokenReply)
    assert say("okay") == "Okay."
    assert say.timers == {}
    say("same again")
    assert say.timers == {"carrots": timedelta(minutes=5)}


def test_stop_is_for_what_rings_before_what_moves(talks: Callable[..., Talk]) -> None:
    templates = templates_of(HOUSE)
    interpreter = Interpreter(templates, compose=Composer(HOUSE))
    nlu = NluStage(templates, interpreter, lambda: EVENING)
    say = Conversation(talks(home=HOUSE), nlu, float(next(FAR_APART)))
    say("open the shade")
    assert say("stop") == "I stopped the shade."
    say("carrots ten minutes")
    say.talk.wait(590)
    say("open the shade")
    say.talk.wait(10)
    assert say("stop") == "Okay."
    assert say.timers == {}


def test_nothing_to_snooze_is_told(say: Conversation) -> None:
    assert say("snooze") == "Nothing is ringing."


def test_a_list_has_what_the_home_says(say: Conversation) -> None:
    assert say("what's on the shopping list") == "On your shopping list: milk and butter."
    say("take the milk off")
    say.talk.restart()
    assert say("read me the list") == "On your shopping list: butter."


def test_several_things_are_several(say: Conversation) -> None:
    say("tea bags and plain flour on the shopping list please")
    assert say("what have I got on there") == (
        "On your shopping list: milk, butter, tea bags and plain flour."
    )
    say("and jam, some honey and that nice cheese")
    assert say("is jam on the list") == "Yes, jam is on your shopping list."
    assert say("is the nice cheese on the list").startswith("Yes")
    assert say("put butter on the list") == "Butter is on your shopping list already."


def test_a_thing_is_moved_ticked_off_and_brought_back(say: Conversation) -> None:
    say("move the butter to the to-do list")
    assert say("what's on the to-do list") == "On your to-do list: butter."
    say("tick off the milk")
    assert say("what's on the shopping list") == "Your shopping list is empty."
    say("undo")
    assert say("what do we still need to buy") == "On your shopping list: milk."


def test_what_is_on_no_list_is_left_to_others(say: Conversation) -> None:
    assert say("take the lid off") == ""
    assert say("and some peace and quiet") == ""


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("what day is the ninth of january", "That is Friday, January 9, 2026."),
        ("what's the date tomorrow", "That is Tuesday, January 6, 2026."),
        ("what was the date on friday", "That was Friday, January 2, 2026."),
        ("how many days until the twelfth", "Seven days until Monday, January 12, 2026."),
        ("what day's the ninth", "That is Friday, January 9, 2026."),
        ("Ugh. How long till eight?", "One hour and 30 minutes until 8 pm."),
        ("how many days till easter", "90 days until Sunday, April 5, 2026."),
        ("what's the date on friday", "That is Friday, January 9, 2026."),
        ("is it monday", "Yes, it's Monday, January 5, 2026."),
        ("is it sunday", "No, it's Monday, January 5, 2026."),
        ("what week is it", "It's week 2."),
        ("how long till eight o'clock", "One hour and 30 minutes until 8 pm."),
        ("what time will it be in two hours", "It will be 8:30 pm."),
        ("in half an hour it's seven, right?", "Yes, it will be 7 pm."),
        ("what time is it in new york", "It's 1:30 pm in New York."),
        ("what's the time in atlantis", "I only know the time here: it's 6:30 pm."),
    ],
)
def test_the_clock_knows_other_times(say: Conversation, text: str, reply: str) -> None:
    assert say(text) == reply


@pytest.mark.parametrize(
    ("texts", "names"),
    [
        (("set a timer for ten minutes", "call it carrots"), ["carrots"]),
        (("carrots ten minutes", "rename the carrots to soup"), ["soup"]),
        (("carrots ten minutes", "call it soup", "undo"), ["carrots"]),
        (("set a timer for ten minutes and call it carrots",), ["carrots"]),
        (("set a timer for ten minutes", "what time is it", "call it carrots"), ["carrots"]),
        (("call it carrots",), []),
    ],
)
def test_a_timer_gets_another_name(
    say: Conversation, texts: tuple[str, ...], names: list[str]
) -> None:
    for text in texts:
        say(text)
    assert list(say.timers) == names


def test_a_cancelled_timer_begins_again_with_another_time(say: Conversation) -> None:
    say("lamb one hour, carrots ten minutes")
    say("stop the carrots")
    say("start again with eight")
    assert say.timers == {"lamb": timedelta(hours=1), "carrots": timedelta(minutes=8)}


def test_a_bare_number_for_what_is_cooked_is_a_timer(say: Conversation) -> None:
    assert say("six for the party") == ""
    say("twelve for the rice")
    assert say.timers == {"rice": timedelta(minutes=12)}


def test_a_misheard_timer_is_one(say: Conversation) -> None:
    say("time her ten minutes")
    assert say.timers == {"": timedelta(minutes=10)}


def test_the_time_of_a_reminder_is_the_timers(say: Conversation) -> None:
    assert "at a time" not in say("remind me in twenty minutes to feed the cat")
    say("just a timer then")
    assert say.timers == {"": timedelta(minutes=20)}


def test_without_a_time_it_is_asked_for(say: Conversation) -> None:
    assert say("just a timer then") == "For how long?"


def test_a_correction_without_a_unit_is_of_what_was_done_last(say: Conversation) -> None:
    say("carrots sixty minutes")
    say("turn on the kettle")
    say("sixteen, not sixty")
    assert say.timers == {"carrots": timedelta(minutes=60)}


def test_the_one_timer_is_paused_where_nothing_plays(say: Conversation) -> None:
    say("carrots ten minutes")
    say("turn on the kettle")
    assert "is paused" in say("pause")
    say("what time is it")
    assert "runs on" in say("carry on")


def test_what_was_named_in_vain_goes_on_a_list(say: Conversation) -> None:
    say("order feed for the geese")
    assert say("then put that on the to-do list") == "I put feed for the geese on your to-do list."
    assert say("put that on as well") == "What is it?"


def test_what_is_missing_on_a_list_is_put_on(say: Conversation) -> None:
    assert say("is there jam on the list") == "No, jam is not on your shopping list."
    assert say("put it on then") == "I put jam on your shopping list."
    assert say("what's on the list") == "On your shopping list: milk, butter and jam."


def test_several_things_are_told_in_one_sentence(say: Conversation) -> None:
    assert say("curry stuff on the list: limes, rice, milk") == (
        "I put limes and rice on your shopping list. Milk is on your shopping list already."
    )
    assert say("no, not the rice") == "I took rice off your shopping list."


def test_what_was_declined_stays_declined(say: Conversation) -> None:
    assert say("tell me a story") == say("another one please")
    say("what time is it")
    assert say("another one please") == ""


@pytest.mark.parametrize(
    "text",
    [
        "drop the lamb, it's done. Start the carrots",
        "turn the oven down, and add ten",
        "add ten, no wait, not that one",
    ],
)
def test_no_clause_is_dropped_that_asks_for_something(say: Conversation, text: str) -> None:
    say("lamb one hour")
    say(text)
    assert say.timers == {"lamb": timedelta(hours=1)}
