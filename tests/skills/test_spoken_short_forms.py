"""Short forms that are said aloud: heard by the real ear, and obeyed only where they are meant."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import msgspec
import pytest

from assistant.core.messages import Transcript
from tests.support.conversation import Conversation
from tests.support.few_words_ear import ear_of

SENTENCES = (
    *("set a timer for ten minutes", "set a timer for five minutes", "cancel the timer"),
    *("turn on the ceiling", "turn off the ceiling", "what time is it", "add milk to my list"),
)
FORMS = ("another five minutes", "five more minutes", "cancel it", "twice as long", "and bread")


@pytest.fixture(scope="module")
def hear(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Transcript]:
    return ear_of((*SENTENCES, *FORMS), tmp_path_factory.mktemp("asr"))


def test_a_short_form_is_obeyed_where_it_goes_on_from_a_command(
    say: Conversation, hear: Callable[[str], Transcript]
) -> None:
    say("set a timer for ten minutes")
    said = hear("another five minutes")
    assert said.text == "another five minutes"
    assert "now has" in say.hear(said)
    assert say.timers == {"": timedelta(minutes=15)}


def test_it_does_nothing_where_there_is_nothing_that_it_goes_on_from(
    say: Conversation, hear: Callable[[str], Transcript]
) -> None:
    say.hear(hear("another five minutes"))
    say.hear(hear("twice as long"))
    assert say.timers == {}


@pytest.mark.parametrize(
    "talk", ["did you see my keys", "my mother called again", "it was longer than last time"]
)
def test_talk_changes_no_timer(
    say: Conversation, hear: Callable[[str], Transcript], talk: str
) -> None:
    say("set a timer for ten minutes")
    say.hear(hear(talk))
    assert say.timers == {"": timedelta(minutes=10)}


OTHERWISE = Transcript(
    utterance_id="",
    revision=1,
    text="twice as long",
    confidence=0.9,
    alternatives=("set a timer for seven minutes",),
)


def test_a_short_form_that_holds_comes_before_what_may_have_been_said_otherwise(
    say: Conversation,
) -> None:
    say("set a timer for ten minutes")
    say.hear(OTHERWISE)
    assert say.timers == {"": timedelta(minutes=20)}


@pytest.mark.parametrize("confidence", [0.9, 0.6])
def test_one_that_does_not_hold_leaves_what_may_have_been_said_otherwise(
    say: Conversation, confidence: float
) -> None:
    say.hear(msgspec.structs.replace(OTHERWISE, confidence=confidence))
    assert say.timers == {"": timedelta(minutes=7)}
