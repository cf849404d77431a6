"""A question that only sounded like one of a skill goes to the documents where the skill knows
nothing."""

from __future__ import annotations

from assistant.core.messages import OpenQuestion, Question, SpokenReply
from tests.support.talking import Talk, command, unsure

STATUS = command("HassTimerStatus")


def test_what_no_timer_answers_may_stand_in_a_document(talk: Talk) -> None:
    (asked,) = talk.hear("how long does the bread bake", unsure(0.6, STATUS))
    assert isinstance(asked, Question)
    assert (asked.task, asked.text) == (OpenQuestion(), "how long does the bread bake")
    assert asked.fallback == "There is no timer."


def test_what_was_surely_meant_is_answered_by_the_skill(talk: Talk) -> None:
    (reply,) = talk.hear("how long is left on my timer", STATUS)
    assert isinstance(reply, SpokenReply)
    assert reply.text == "There is no timer."


def test_a_guess_with_an_answer_stays_with_the_skill(talk: Talk) -> None:
    talk.ask("HassStartTimer", duration=600, name="bread")
    (reply,) = talk.hear("how long does the bread bake", unsure(0.6, STATUS))
    assert isinstance(reply, SpokenReply)
    assert reply.done


TIME = command("HassGetCurrentTime")


def test_right_after_an_answer_from_documents_a_guess_may_go_on_from_it(talk: Talk) -> None:
    talk.hear("is badminton on tonight")
    (asked,) = talk.hear("what time", unsure(0.9, TIME))
    assert isinstance(asked, Question)
    assert (asked.task, asked.text) == (OpenQuestion(follows=True), "what time")
    assert asked.fallback.startswith("It's ")


def test_so_may_a_sentence_that_points_at_what_was_said(talk: Talk) -> None:
    talk.hear("is badminton on tonight")
    (asked,) = talk.hear("what time is that", TIME)
    assert isinstance(asked, Question)
    assert asked.task == OpenQuestion(follows=True)


def test_the_time_itself_is_asked_for_by_a_sentence_of_the_clock(talk: Talk) -> None:
    talk.hear("is badminton on tonight")
    (reply,) = talk.hear("what time is it", TIME)
    assert isinstance(reply, SpokenReply)


def test_a_guess_after_another_reply_stays_with_the_skill(talk: Talk) -> None:
    talk.hear("is badminton on tonight")
    talk.hear("what time is it", TIME)
    (reply,) = talk.hear("what time", unsure(0.9, TIME))
    assert isinstance(reply, SpokenReply)
