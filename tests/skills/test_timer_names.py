"""Timers beside others, and timers named by parts of their names or by their order."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.support.conversation import Conversation


def minutes(**timers: float) -> dict[str, timedelta]:
    """Timers by name, with "_" for a space."""
    return {name.replace("_", " "): timedelta(minutes=m) for name, m in timers.items()}


@pytest.mark.parametrize(
    ("text", "name", "length"),
    [
        ("another for the dumplings two and a half", "dumplings", 2.5),
        ("and one for the sprouts thirteen minutes", "sprouts", 13),
        ("and the noodles in oh say six", "noodles", 6),
        ("and the noodles, um, about six", "noodles", 6),
        ("another nine for the gravy", "gravy", 9),
        ("set another, nine minutes, for the gravy", "gravy", 9),
        ("another one for the stuffing, eight", "stuffing", 8),
        ("one more for the stuffing three and a half", "stuffing", 3.5),
        ("start another stuffing timer eight minutes", "stuffing", 8),
        ("and for the sweet potatoes do me another twenty", "sweet potatoes", 20),
        ("add one for the crackling, a quarter of an hour", "crackling", 15),
    ],
)
def test_another_timer_needs_few_words_beside_one(
    say: Conversation, text: str, name: str, length: float
) -> None:
    say("lamb one hour")
    say(text)
    assert say.timers == minutes(lamb=60) | {name: timedelta(minutes=length)}


@pytest.mark.parametrize(
    "text",
    [
        "another for the eggs four and a half",
        "and one for the jars twelve",
        "another ten for the plantain",
        "another one for the road",
    ],
)
def test_without_a_timer_nothing_is_timed_by_a_bare_number(say: Conversation, text: str) -> None:
    say(text)
    assert say.timers == {}


@pytest.mark.parametrize(
    "text",
    [
        "another one for the road",
        "what about six",
        "and the noodles",
        "we need six for the party, or was it eight",
        "dinner is at seven",
        "hold the first for a minute",
        "for the party six",
    ],
)
def test_what_times_nothing_leaves_the_timers(say: Conversation, text: str) -> None:
    say("lamb one hour")
    say(text)
    assert say.timers == minutes(lamb=60)


@pytest.mark.parametrize(
    ("text", "timers"),
    [
        ("make the jars fifteen", {"jars": 15, "green beans": 20}),
        ("make the jar fifteen", {"jars": 15, "green beans": 20}),
        ("stop the jar one, I've done it", {"green beans": 20}),
        ("scrap the bean one it's boiled dry", {"jars": 10}),
        ("cancel the first", {"green beans": 20}),
        ("stop the first one", {"green beans": 20}),
        ("cancel the second timer", {"jars": 10}),
        ("get rid of the last one", {"jars": 10}),
        ("give the second ten more", {"jars": 10, "green beans": 30}),
        ("make the second fifteen", {"jars": 10, "green beans": 15}),
        ("stop the third", {"jars": 10, "green beans": 20}),
        ("cancel the pepper one", {"jars": 10, "green beans": 20}),
    ],
)
def test_a_timer_is_known_by_a_part_of_its_name_and_by_its_place(
    say: Conversation, text: str, timers: dict[str, float]
) -> None:
    say("jars ten minutes")
    say("green beans twenty minutes")
    say(text)
    assert say.timers == {name: timedelta(minutes=m) for name, m in timers.items()}


def test_a_place_is_that_of_the_start(say: Conversation) -> None:
    say("jars thirty minutes")
    say("beans twenty minutes")
    say("make the jars forty")
    say("pause the beans")
    assert say("cancel the third") == "There is no third timer."
    assert say("stop the first") == "Your jars timer for 40 minutes is cancelled."


def test_where_two_have_the_name_it_is_asked_which(say: Conversation) -> None:
    say("green beans nine minutes")
    say("broad beans seven minutes")
    assert say("stop the bean one") == "Which timer: broad beans or green beans?"
    assert say("the green ones") == "Your green beans timer for nine minutes is cancelled."
    assert say.timers == minutes(broad_beans=7)


def test_the_statement_beside_a_name_is_no_part_of_it(say: Conversation) -> None:
    say("rice ten minutes")
    assert "is paused" in say("pause the rice the ring's gone off")
    assert say("pause the rice cooker") == ""


def test_how_long_a_timer_has_run(say: Conversation) -> None:
    say("chilli three hours")
    say.talk.wait(600)
    told = "Your chilli timer for three hours has run for ten minutes, and has"
    assert say("how long's the chilli had") == f"{told} two hours and 50 minutes left."
    say("give the chilli ten more minutes")
    say("pause the chilli")
    say.talk.wait(600)
    assert say("how long has it been on") == f"{told} three hours left and is paused."
    assert say("how long has the fridge had") == ""


def test_more_time_is_for_the_timer_or_for_none(say: Conversation) -> None:
    assert say("five more minutes") == "There is no timer."
    assert say("five more") == ""
    assert say("another ten minutes for the plantain") != "There is no timer."
    say("undo")
    say("chilli three hours")
    say("five more minutes")
    assert say.timers == minutes(chilli=185)


@pytest.mark.parametrize(
    "text",
    [
        "Sixteen minutes for the crumble, and tell me when there's five left.",
        "crumble sixteen minutes and give me a five minute warning",
        "set a timer for sixteen minutes for the crumble and warn me five minutes before it's done",
    ],
)
def test_what_a_timer_can_not_do_is_said(say: Conversation, text: str) -> None:
    assert say(text) == (
        "Crumble timer for 16 minutes, starting now."
        " I can't tell you five minutes before, only when a timer is done."
    )
    assert say.timers == minutes(crumble=16)
