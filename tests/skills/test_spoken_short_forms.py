"""Short forms that are said aloud: heard by the real ear, and obeyed only where they are meant."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import msgspec
import numpy as np
import pytest

from assistant.core.messages import Transcript
from assistant.core.speakable import Speakable, SpeakableSource
from assistant.evaluation.commands import transcribe
from audio.asr.pocketsphinx import PocketSphinxRecognizer
from audio.asr.stage import AsrStage
from tests.audio.asr.test_short_forms import CALIBRATION
from tests.support.conversation import Conversation
from tests.support.voices import silence, speech

SENTENCES = (
    *("set a timer for ten minutes", "set a timer for five minutes", "cancel the timer"),
    *("turn on the ceiling", "turn off the ceiling", "what time is it", "add milk to my list"),
)
FORMS = ("another five minutes", "five more minutes", "cancel it", "twice as long", "and bread")


@pytest.fixture(scope="module")
def hear(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Transcript]:
    said = Speakable(sentences=dict.fromkeys(SENTENCES, 1.0), short=dict.fromkeys(FORMS, 1.0))
    source = SpeakableSource("spoken short forms", lambda: said)
    ear = PocketSphinxRecognizer(
        source, cache_dir=tmp_path_factory.mktemp("asr"), short_forms=CALIBRATION
    )
    stage = AsrStage(ear)

    def heard(text: str) -> Transcript:
        frames = (*silence(0.3), *speech(text), *silence(0.3))
        return transcribe(stage, np.frombuffer(b"".join(frames), np.int16))[0]

    return heard


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
