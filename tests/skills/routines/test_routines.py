"""Routines by voice: made, run by their names alone, changed, kept on a disk that outlives all."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from assistant.core.messages import NothingHeard, SpokenReply
from nlu.stage import NluStage
from tests.support.conversation import FAR_APART, HOUSE, Conversation
from tests.support.talking import Talk

Say = Callable[..., Conversation]


@pytest.fixture
def begin(talks: Callable[..., Talk], nlu: NluStage) -> Say:
    """Makes conversations in this house, or another."""

    def begun(**settings: object) -> Conversation:
        talk = talks(**{"home": HOUSE, **settings})
        return Conversation(talk, nlu, float(next(FAR_APART)))

    return begun


def movie_time(say: Conversation) -> None:
    told = say("when I say movie time, turn on the ceiling and turn off the desk lamp")
    assert told == "Movie time is saved: it turns on the ceiling and turns off the desk lamp."


MAKING = [
    "make a routine called movie time",
    "create a new routine named movie time please",
    "could you set up a movie time routine",
    "new routine movie time",
    "let me teach you a new routine called movie time",
    "when I say movie time",
    # These match no template: they hold words of politeness, hesitation, or a pause.
    "hey, make me a routine, called movie time, please",
    "can you please create a routine named movie time for me",
    "would you make a new routine called movie time thanks",
    "um, make a routine called movie time",
    "please, a new routine called movie time",
    "okay create a shortcut called movie time",
]


@pytest.mark.parametrize("text", MAKING)
def test_it_is_asked_what_a_new_routine_shall_do(say: Conversation, text: str) -> None:
    assert say(text) == "What shall it do?"
    assert say("turn on the ceiling") == "Anything else?"
    assert say("no") == "Movie time is saved: it turns on the ceiling."


AT_ONCE = [
    "when I say movie time, turn on the ceiling",
    "when i say movie time turn on the ceiling",
    "whenever I say movie time then turn on the ceiling",
    "every time I say movie time, please turn on the ceiling",
    "if I say movie time turn on the ceiling please",
]


@pytest.mark.parametrize("text", AT_ONCE)
def test_what_it_does_may_be_said_at_once(say: Conversation, text: str) -> None:
    assert say(text) == "Movie time is saved: it turns on the ceiling."
    assert say.talk.state("light.ceiling") == "off"


RUNNING = [
    "movie time",
    "movie time please",
    "run movie time",
    "start the movie time routine",
    "do movie time",
    "it is movie time",
    "it's movie time now",
    "time for movie time",
    # These match no template.
    "Movie time!",
    "please, movie time",
    "could you start movie time",
    "can you do movie time please",
    "hey, movie time",
    "okay movie time thanks",
    "run movie-time",
    "would you please run movie time for me",
]


@pytest.mark.parametrize("text", RUNNING)
def test_its_name_runs_it(say: Conversation, text: str) -> None:
    movie_time(say)
    assert say(text) == "I turned on the ceiling. I turned off the desk lamp."
    assert say.talk.state("light.ceiling") == "on"
    assert say.talk.state("light.desk") == "off"


@pytest.mark.parametrize("text", [*RUNNING, "what does movie time do", "delete movie time"])
def test_without_a_routine_of_that_name_it_is_no_name(say: Conversation, text: str) -> None:
    """Control."""
    say(text)
    assert say.talk.state("light.ceiling") == "off"
    assert say.talk.state("light.desk") == "on"


@pytest.mark.parametrize(
    "text",
    [
        "we watched a movie at the time",
        "movie time was fun last night",
        "is it time for a movie",
        "don't run movie time",
        "i told them that it was movie time already",
    ],
)
def test_talk_around_the_name_runs_nothing(say: Conversation, text: str) -> None:
    movie_time(say)
    say(text)
    assert say.talk.state("light.ceiling") == "off"


def test_a_run_can_be_undone(say: Conversation) -> None:
    movie_time(say)
    say("movie time")
    assert say("undo") == "I took that back."
    assert say.talk.state("light.ceiling") == "off"
    assert say.talk.state("light.desk") == "on"


def test_a_greeting_is_one_until_it_is_a_name(say: Conversation) -> None:
    assert say("good night") == "Good night."
    say("create a routine")
    assert say("good night") == "What shall it do?"
    say("turn off the desk lamp")
    assert say("that's all, thanks").startswith("Good night is saved")
    assert say("good night") == "I turned off the desk lamp."
    assert say("good morning") == "Good morning."
    say("delete good night")
    say("yes")
    assert say("good night") == "Good night."


def test_undo_takes_back_a_making_an_addition_and_a_deletion(say: Conversation) -> None:
    movie_time(say)
    say("add turn on the kettle to movie time")
    assert say("what does movie time do").endswith("and turns on the kettle.")
    movie = "Movie time turns on the ceiling and turns off the desk lamp."
    say("undo")
    assert say("what does movie time do") == movie
    say("delete movie time")
    assert say("yes") == "I deleted movie time."
    assert say("what routines do I have") == "You have no routines yet."
    say("undo")
    assert say("what does movie time do") == movie
    assert say("rename movie time to film night") == "Movie time is called film night now."
    say("undo")
    assert say("what routines do I have") == "You have one routine: movie time."
    say("when I say supper, turn on the kettle")
    say("undo")
    assert say("what routines do I have") == "You have one routine: movie time."


def test_more_is_asked_for_where_nothing_is_named(say: Conversation) -> None:
    movie_time(say)
    assert say("add something to movie time") == "What shall it do?"
    assert say("turn on the kettle") == "Anything else?"
    assert say("nothing else").endswith("turns on the kettle now.")
    assert say("extend the movie time routine") == "What shall it do?"
    assert say("nothing") == "Okay, I left it as it is."


def test_a_list_is_not_a_routine(say: Conversation) -> None:
    """Control: "add … to …" is a list's, where there is no routine of that name."""
    movie_time(say)
    assert "shopping list" in say("add flour to the shopping list")


@pytest.mark.parametrize("end", ["no", "that's all", "no, that's it", "nothing else", "I'm done"])
def test_several_ways_to_say_that_it_is_all(say: Conversation, end: str) -> None:
    say("make a routine called supper")
    say("turn on the kettle")
    assert say(end) == "Supper is saved: it turns on the kettle."


def test_silence_keeps_what_was_named(say: Conversation) -> None:
    say("make a routine called supper")
    say("turn on the kettle")
    (told,) = (
        m for m in say.talk.feed(NothingHeard(utterance_id="n")) if isinstance(m, SpokenReply)
    )
    assert told.text == "Supper is saved: it turns on the kettle."


def test_what_is_not_understood_twice_ends_it_and_loses_nothing(say: Conversation) -> None:
    say("make a routine called supper")
    say("turn on the kettle")
    assert say("frobnicate the gizmo") == "Sorry, I didn't get that. Anything else?"
    assert say("frobnicate the gizmo") == "Supper is saved: it turns on the kettle."


def test_stop_keeps_nothing(say: Conversation) -> None:
    say("make a routine called supper")
    say("turn on the kettle")
    assert say("cancel") == "Okay, never mind."
    assert say("what routines do I have") == "You have no routines yet."


def test_what_is_not_understood_is_asked_for_again(say: Conversation) -> None:
    say("make a routine called supper")
    assert say("frobnicate the gizmo") == "Sorry, I didn't get that. What shall it do?"
    assert say("turn on the kettle") == "Anything else?"


def test_what_is_named_at_once_and_not_understood_is_told(say: Conversation) -> None:
    assert say("when I say supper, frobnicate the gizmo") == (
        'I didn\'t understand "frobnicate the gizmo". What shall it do?'
    )
    assert say("turn on the kettle") == "Anything else?"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("turn on the kettle at ten", "I can keep how long to wait, but no time and no date."),
        ("undo", "I can only do that at once."),
        ("stop", "Okay, never mind."),
        ("what routines do I have", "A routine can't have another one in it."),
    ],
)
def test_what_cannot_be_kept_is_told(say: Conversation, text: str, reason: str) -> None:
    say("make a routine called supper")
    assert reason in say(text)
    say("no")
    assert say("what routines do I have") == "You have no routines yet."


def test_what_is_done_after_a_while_is_planned_at_each_run(say: Conversation) -> None:
    assert say("when I say supper, turn on the kettle in ten minutes") == (
        "Supper is saved: it turns on the kettle in ten minutes."
    )
    assert say("supper") == "I will turn on the kettle in ten minutes."
    say.talk.wait(610)
    assert say.talk.state("switch.kettle") == "on"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("turn on the kettle", '"turn on the kettle" is a command already'),
        ("kettle", "There is a device called Kettle already"),
        ("office", "There is a room called Office already"),
        ("movie time", "There is a routine called movie time already"),
        ("name that has too many words", "Please choose a name of at most"),
    ],
)
def test_a_name_that_cannot_be_one_is_refused(say: Conversation, name: str, reason: str) -> None:
    movie_time(say)
    assert say(f"make a routine called {name}").startswith(reason)
    assert say(f"rename movie time to {name}").startswith(reason)
    assert say("what routines do I have") == "You have one routine: movie time."


def test_what_a_command_asks_is_asked_once(say: Conversation) -> None:
    say("when I say tidy up, clear the shopping list")
    assert say("yes") == "Tidy up is saved: it clears the shopping list."
    assert say("read the shopping list") == "On your shopping list: milk and butter."
    assert say("tidy up") == "Your shopping list is empty now."


def test_a_device_that_is_gone_is_told_and_the_rest_done(begin: Say) -> None:
    say = begin()
    movie_time(say)
    say.talk.home = msgspec.structs.replace(
        HOUSE, entities=tuple(e for e in HOUSE.entities if e.id != "light.ceiling")
    )
    say.talk.restart()
    assert say("movie time") == (
        "I don't know of any device called ceiling. I turned off the desk lamp."
    )
    assert say.talk.state("light.desk") == "off"


def test_routines_outlast_a_restart(say: Conversation) -> None:
    movie_time(say)
    say.talk.restart()
    assert say("movie time") == "I turned on the ceiling. I turned off the desk lamp."


def test_a_routine_that_is_damaged_is_passed_over(say: Conversation) -> None:
    movie_time(say)
    say("when I say supper, turn on the kettle")
    say.talk.database.execute(
        "UPDATE skill_values SET value = ? WHERE key = ?", b"\xff", "routine supper"
    )
    assert say("what routines do I have") == "You have one routine: movie time."
    assert say("movie time") == "I turned on the ceiling. I turned off the desk lamp."


def test_a_routine_stops_where_the_user_stops_it(begin: Say) -> None:
    say = begin()
    say("make a routine called tidy up")
    say("turn on the kettle")
    say("clear the shopping list")
    assert say("yes") == "Anything else?"
    say("no")
    say("put bread on the shopping list")
    assert say("tidy up") == "Shall I take three things off your shopping list?"
    assert say("stop") == "I turned on the kettle. Okay, I left the rest."
    assert say.talk.state("switch.kettle") == "on"


def test_help_says_how(say: Conversation) -> None:
    assert say("what can I say about routines").startswith('Say "make a routine')
    assert say("how do I make a routine").startswith('Say "make a routine')
