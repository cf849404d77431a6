"""What no skill claims is declined honestly, with something near that can be done."""

from __future__ import annotations

from assistant.answer.stage import AnswerStage
from assistant.core.messages import OpenQuestion, Question, SpokenReply, Tick

ABILITIES = ("tell the time", "set timers")


def test_what_is_near_is_named() -> None:
    question = Question(
        utterance_id="u1", text="order a pizza", task=OpenQuestion(nearest="set a pizza timer")
    )
    assert list(AnswerStage(ABILITIES).feed(question)) == [
        SpokenReply(
            utterance_id="u1",
            text='I can\'t do that yet. You could say "set a pizza timer".',
            done=False,
        )
    ]


def test_with_nothing_near_all_that_can_be_done_is_named() -> None:
    (reply,) = AnswerStage(ABILITIES).feed(Question(utterance_id="u1", text="order a pizza"))
    assert reply.text == "I can't do that yet. I can tell the time and set timers."
    assert not reply.done


def test_without_skills_there_is_only_the_no() -> None:
    (reply,) = AnswerStage().feed(Question(utterance_id="u1", text="order a pizza"))
    assert reply.text == "I can't do that yet."


def test_time_passing_is_no_question() -> None:
    stage = AnswerStage()
    assert list(stage.feed(Tick(at_s=1))) == []
    assert stage.deadline_s() is None
