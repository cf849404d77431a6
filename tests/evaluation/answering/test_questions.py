"""Questions with accepted answers in, figures out; and stages that drive them to either end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import ClassVar

import pytest

from assistant.core.database import Database
from assistant.core.errors import InputError
from assistant.core.messages import Commit, Message, SpokenReply
from assistant.core.stage import Stage
from assistant.evaluation.answering.questions import (
    DocumentQuestion,
    QuestionMiss,
    QuestionSet,
    evaluate_questions,
    holds,
    load_questions,
)

QUESTIONS = """
questions:
  - ask: "when is the tap mended"
    answers: ["3 May", "May 3"]
    document: tap.md
  - ask: "who mends the tap"
    answers: ["Mrs Abbot"]
  - ask: "what colour is the tap"
    answers: []
"""


class Says:
    """A stage that says the same to every question."""

    consumes: ClassVar[tuple[type[Message], ...]] = (Commit,)

    def __init__(self, text: str, done: bool = True) -> None:
        self._text, self._done = text, done

    def feed(self, message: Message) -> Iterator[Message]:
        assert isinstance(message, Commit)
        yield SpokenReply(utterance_id=message.utterance_id, text=self._text, done=self._done)

    def deadline_s(self) -> float | None:
        return None


@pytest.fixture
def asked(tmp_path: Path) -> QuestionSet:
    file = tmp_path / "questions.yaml"
    file.write_text(QUESTIONS)
    return load_questions(file)


def always(stage: Stage) -> Callable[[], list[Stage]]:
    return lambda question, state: [stage]


def test_an_accepted_answer_is_right_and_any_other_wrong(asked: QuestionSet) -> None:
    missed: list[QuestionMiss] = []
    figures = evaluate_questions(asked, always(Says("On 3 May, by a plumber.")), missed.append)
    assert (figures.questions, figures.answerable) == (3, 2)
    assert (figures.right, figures.wrong, figures.declined_wrongly) == (1 / 2, 2 / 3, 0.0)
    assert [miss.ask for miss in missed] == ["who mends the tap", "what colour is the tap"]


def test_what_declines_everything_is_never_wrong(asked: QuestionSet) -> None:
    figures = evaluate_questions(asked, always(Says("I found nothing.", done=False)))
    assert (figures.right, figures.wrong, figures.declined_wrongly) == (0.0, 0.0, 1.0)


@pytest.mark.parametrize(
    ("reply", "answer", "held"),
    [
        ("It costs £1,340 a month.", "£1,340", True),
        ("From 7:30 PM.", "7:30 pm", True),
        ("It is 190 °C.", "19", False),
        ("Space 23.", "space number 23", False),
    ],
)
def test_answers_are_compared_by_whole_words(reply: str, answer: str, held: bool) -> None:
    assert holds(reply, answer) is held


def test_what_is_no_such_file_is_refused_in_one_line(tmp_path: Path) -> None:
    file = tmp_path / "wrong.yaml"
    file.write_text("questions: 3")
    with pytest.raises(InputError, match=r"wrong\.yaml"):
        load_questions(file)
    file.write_text("questions: []")
    with pytest.raises(InputError, match="holds no question"):
        load_questions(file)
    with pytest.raises(InputError, match="No such file"):
        load_questions(tmp_path / "absent.yaml")


def test_a_question_is_asked_at_its_time_and_after_what_was_said_before_it(tmp_path: Path) -> None:
    file = tmp_path / "questions.yaml"
    file.write_text(
        'questions:\n  - {ask: "and who mends it", after: ["when is the tap mended"], '
        'at: "2026-12-01 17:00"}'
    )
    heard: list[tuple[str, float]] = []
    times = []

    class Hears(Says):
        def feed(self, message: Message) -> Iterator[Message]:
            heard.append((message.utterance_id, message.at_s))
            yield from super().feed(message)

    def stages(question: DocumentQuestion, state: Database) -> list[Stage]:
        times.append(question.asked)
        return [Hears("I found nothing.", done=False)]

    evaluate_questions(load_questions(file), stages)
    assert times == [datetime(2026, 12, 1, 17)]
    assert [name for name, _ in heard] == ["q1.0", "q1"]
    assert heard[0][1] < heard[1][1]


def test_a_time_that_is_none_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "questions.yaml"
    file.write_text('questions: [{ask: "is it on", at: "tomorrow"}]')
    with pytest.raises(InputError, match="tomorrow"):
        load_questions(file)
