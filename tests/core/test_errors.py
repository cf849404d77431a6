"""A fault's code, its words, and what is told and logged of it."""

from __future__ import annotations

import logging
import pickle

import pytest

from assistant.core.errors import AnswerError, AssistantError, SkillError, UnreachableError
from assistant.core.failure import report_failure
from assistant.core.messages import StageFailed

SECRET = "unlock the cellar"


def raised(error: Exception) -> Exception:
    try:
        raise error
    except Exception as caught:  # noqa: BLE001 - any, as the worker does
        return caught


def test_an_error_says_its_message_and_carries_its_code() -> None:
    error = AnswerError("answer.hung", "the parser was given up")
    assert str(error) == error.message == "the parser was given up"
    assert (error.code, error.part) == ("answer.hung", "")
    assert isinstance(error, AssistantError)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (SkillError("skill.fault", "it failed", part="coffee"), "skill.fault"),
        (UnreachableError("no answer", part="coffee"), "skill.unreachable"),
    ],
)
def test_an_error_reaches_another_process_as_it_was(error: AssistantError, code: str) -> None:
    assert error.code == code
    there = pickle.loads(pickle.dumps(error))
    assert type(there) is type(error)
    assert (there.code, there.message, there.part) == (error.code, error.message, "coffee")


@pytest.mark.parametrize("length", [0, 783])
def test_a_message_is_told_whole(length: int) -> None:
    message = f"a.toml: {'x' * length}; mend it"
    assert AssistantError("config.wrong", message).message == message


def test_of_a_message_that_quotes_a_whole_file_the_beginning_and_the_mend_are_told() -> None:
    error = AssistantError("config.wrong", f"a.toml: {'x' * 100_000}; mend it")
    assert str(error) == error.message
    assert len(error.message) == 799
    assert error.message.startswith("a.toml: x")
    assert error.message.endswith("x; mend it")


def test_of_a_message_one_too_long_the_middle_is_left_out() -> None:
    message = "a" * 398 + "b" * 5 + "c" * 398
    assert AssistantError("config.wrong", message).message == f"{'a' * 398} … {'c' * 398}"


def test_of_our_own_fault_code_words_and_part_are_told(caplog: pytest.LogCaptureFixture) -> None:
    error = raised(SkillError("skill.fault", "the coffee skill failed", part="coffee"))
    told = report_failure("skills", error, "u7")
    assert told == StageFailed(
        stage="skills",
        code="skill.fault",
        message="the coffee skill failed",
        part="coffee",
        utterance_id="u7",
    )
    (record,) = caplog.records
    assert record.levelno == logging.ERROR
    head = "skills: the coffee skill failed (skill.fault) utterance=u7"
    assert record.message.startswith(head)


def test_of_a_foreign_fault_only_its_type_and_place_are_told(
    caplog: pytest.LogCaptureFixture,
) -> None:
    told = report_failure("nlu", raised(KeyError(SECRET)))
    assert told == StageFailed(stage="nlu", code="nlu.internal", message="KeyError")
    assert SECRET not in caplog.text
    assert "in raised" in caplog.text


def test_of_a_deep_fault_the_last_four_places_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    def dig(depth: int) -> None:
        if depth == 0:
            raise ZeroDivisionError
        deeper(depth)

    def deeper(depth: int) -> None:
        dig(depth - 1)

    with pytest.raises(ZeroDivisionError) as fault:
        dig(9)
    report_failure("nlu", fault.value)
    assert caplog.text.count('\n  File "') == 4
    assert "raise ZeroDivisionError" in caplog.text
