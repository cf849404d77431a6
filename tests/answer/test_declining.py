"""What no skill claims is declined honestly, with something near that can be done."""

from __future__ import annotations

from typing import cast

import pytest

from assistant.answer.answerer import NOTHING_FOUND, Answer, AnswerTier
from assistant.answer.generation.token_scheduler import Steps
from assistant.answer.stage import ACKNOWLEDGED, AnswerSource, AnswerStage
from assistant.answer.topic import NOTHING, Topic
from assistant.core.messages import Message, OpenQuestion, Question, SpokenReply, Tick


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


class _Answers:
    """Finds passage 7 for everything that it is asked, and keeps what was spoken of before."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, int]] = []

    def answering(
        self, question: str, task: OpenQuestion, at_s: float = 0.0, topic: Topic = NOTHING
    ) -> Steps[Answer]:
        self.asked.append((question, topic.passage))
        return Answer(text="Here.", tier=AnswerTier.EXTRACTED, passage=7)
        yield

    def alerts(self) -> tuple[Message, ...]:
        return ()


@pytest.mark.parametrize(("pause_s", "asked"), [(5.0, True), (600.0, False)])
def test_a_fragment_is_a_question_only_right_after_an_answer(pause_s: float, asked: bool) -> None:
    answers = _Answers()
    stage = AnswerStage(cast(AnswerSource, answers))
    list(stage.feed(Question(utterance_id="u1", text="and the kettle", at_s=1000.0)))
    list(stage.feed(Question(utterance_id="u2", text="who mends the kettle", at_s=1001.0)))
    list(stage.feed(Question(utterance_id="u3", text="and the colour", at_s=1001.0 + pause_s)))
    follow_up = [("and the colour", 7)] if asked else []
    assert answers.asked == [("who mends the kettle", 0), *follow_up]


def test_time_passing_is_no_question() -> None:
    stage = AnswerStage()
    assert list(stage.feed(Tick(at_s=1))) == []
    assert stage.deadline_s() is None


TIME = "It's 9:15 am."


def _further(text: str, at_s: float) -> Question:
    """A question that the clock has answered, in case it goes on from an answer."""
    task = OpenQuestion(follows=True)
    return Question(utterance_id=text, text=text, at_s=at_s, task=task, fallback=TIME)


def test_a_skill_has_the_word_where_nothing_was_told_before() -> None:
    answers = _Answers()
    stage = AnswerStage(cast(AnswerSource, answers))
    (reply,) = stage.feed(_further("what time", 1000.0))
    assert isinstance(reply, SpokenReply)
    assert (reply.text, reply.done, answers.asked) == (TIME, True, [])


def test_what_goes_on_from_an_answer_is_answered_from_it() -> None:
    stage = AnswerStage(cast(AnswerSource, _Answers()))
    list(stage.feed(Question(utterance_id="u1", text="who mends the kettle", at_s=1000.0)))
    (reply,) = stage.feed(_further("what time", 1004.0))
    assert isinstance(reply, SpokenReply)
    assert reply.text == "Here."


def test_what_does_not_is_answered_by_the_skill() -> None:
    class _Silent(_Answers):
        def answering(
            self, question: str, task: OpenQuestion, at_s: float = 0.0, topic: Topic = NOTHING
        ) -> Steps[Answer]:
            if not task.follows:
                return (yield from super().answering(question, task, at_s, topic))
            return Answer(text=NOTHING_FOUND, tier=AnswerTier.DECLINED)
            yield

    stage = AnswerStage(cast(AnswerSource, _Silent()))
    list(stage.feed(Question(utterance_id="u1", text="who mends the kettle", at_s=1000.0)))
    (reply,) = stage.feed(_further("what time", 1004.0))
    assert isinstance(reply, SpokenReply)
    assert (reply.text, reply.done) == (TIME, True)
