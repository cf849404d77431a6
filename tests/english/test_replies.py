"""What people reply to a question."""

from __future__ import annotations

import pytest

from assistant.english.replies import CANCEL, NO, NO_MORE, NONE_OF_THEM, THAT_ONE, YES


@pytest.mark.parametrize("reply", ["yes", "yeah", "sure", "correct", "exactly", "please do"])
def test_yes_to_a_question_takes_an_offer_too(reply: str) -> None:
    assert reply in YES
    assert THAT_ONE.fullmatch(reply)


@pytest.mark.parametrize("reply", ["no", "nope", "nah", "no thanks", "no thank you"])
def test_no_to_a_question_turns_an_offer_down_too(reply: str) -> None:
    assert reply in NO
    assert NONE_OF_THEM.fullmatch(reply)


def test_a_reply_is_not_both() -> None:
    assert not {*YES} & {*NO}
    assert not any(NONE_OF_THEM.fullmatch(reply) or CANCEL.fullmatch(reply) for reply in YES)
    assert not any(THAT_ONE.fullmatch(reply) for reply in NO)


def test_no_answers_a_question_and_does_not_end_the_dialog() -> None:
    assert CANCEL.fullmatch("never mind")
    assert not CANCEL.fullmatch("no")


@pytest.mark.parametrize(
    "reply",
    [
        *("no", "no thanks", "nope", "nothing", "nothing else", "no, nothing else", "that's all"),
        *("no that's all", "that is everything", "that's it, thanks", "thanks, that's all"),
        *("done", "i'm done", "i am finished", "all done", "no more", "that will be all"),
        "okay that's all",
    ],
)
def test_all_is_named(reply: str) -> None:
    assert NO_MORE.fullmatch(reply)


@pytest.mark.parametrize(
    "reply",
    ["turn it all off", "no lights", "do nothing", "all the lights", "stop", "cancel", "not that"],
)
def test_not_all_is_named(reply: str) -> None:
    assert not NO_MORE.fullmatch(reply)
