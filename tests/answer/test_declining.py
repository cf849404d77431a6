"""What no skill claims is declined honestly, with something near that can be done."""

from __future__ import annotations

import pytest

from assistant.answer.answerer import NOTHING_FOUND
from assistant.answer.stage import ACKNOWLEDGED, AnswerStage
from assistant.core.messages import OpenQuestion, Question, SpokenReply, Tick


def test_what_is_near_is_named() -> None:
    question = Question(
        utterance_id="u1", text="order a pizza", task=OpenQuestion(nearest="set a pizza timer")
    )
    assert list(AnswerStage().feed(question)) == [
        SpokenReply(
            utterance_id="u1",
            text='I can\'t do that yet. You could say "set a pizza timer".',
            done=False,
        )
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("order a pizza", "I can't do that yet."),
        ("could you iron my shirt", "I can't do that yet."),
        ("purple cats sideways", "I didn't understand that."),
        ("who won", NOTHING_FOUND),
    ],
)
def test_with_nothing_near_there_is_a_plain_no(text: str, told: str) -> None:
    (reply,) = AnswerStage().feed(Question(utterance_id="u1", text=text))
    assert isinstance(reply, SpokenReply)
    assert (reply.text, reply.done) == (told, False)


def test_a_statement_gets_a_nod() -> None:
    question = Question(
        utterance_id="u1",
        text="it was only the cat",
        task=OpenQuestion(nearest="turn it off"),
    )
    (reply,) = AnswerStage().feed(question)
    assert isinstance(reply, SpokenReply)
    assert (reply.text, reply.done) == (ACKNOWLEDGED, True)


def test_time_passing_is_no_question() -> None:
    stage = AnswerStage()
    assert list(stage.feed(Tick(at_s=1))) == []
    assert stage.deadline_s() is None
