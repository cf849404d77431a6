"""What was not heard well never opens the door, all the way from the transcript."""

from __future__ import annotations

from functools import cache

import pytest

from assistant.core.messages import Interpretation, SpokenReply, Transcript
from nlu.interpreter import Interpreter
from nlu.stage import NluStage
from tests.support.grammars import templates_of
from tests.support.talking import EVENING, HOME, Talk

SENTENCE = "unlock the front door"


@cache
def stage() -> NluStage:
    templates = templates_of(HOME, vocabulary=True)
    return NluStage(templates, Interpreter(templates), lambda: EVENING)


def heard(talk: Talk, least: float) -> SpokenReply:
    """The reply when the sentence was heard with this confidence."""
    said = Transcript(utterance_id="u", revision=1, text=SENTENCE, confidence=least)
    (meant,) = (m for m in stage().feed(said) if isinstance(m, Interpretation))
    (reply,) = (m for m in talk.hear(meant.text, *meant.commands) if isinstance(m, SpokenReply))
    return reply


@pytest.mark.parametrize("confidence", [0.2, 0.69])
def test_a_low_confidence_makes_it_a_question(talk: Talk, confidence: float) -> None:
    reply = heard(talk, confidence)
    assert (reply.text, reply.listen) == ("Shall I unlock the front door?", True)
    assert talk.state("lock.front_door") == "locked"


def test_words_that_were_heard_well_do_not(talk: Talk) -> None:
    assert heard(talk, 0.95).text == "I unlocked the front door."
    assert talk.state("lock.front_door") == "unlocked"
