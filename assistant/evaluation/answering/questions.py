"""How well a household's questions are answered from its documents, in what is said aloud.

A file holds questions, each with the answers that are accepted, or with none where the documents do
not answer it; the documents are in the folder `documents` beside it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from assistant.control.metrics import percentile
from assistant.core.database import Database
from assistant.core.errors import InputError
from assistant.core.files import read_text
from assistant.core.messages import SpokenReply
from assistant.core.stage import Stage
from assistant.core.yaml_text import YamlError, read_yaml
from assistant.english.words import words
from assistant.pipeline import run, typed
from skills.state import open_state

DOCUMENTS = "documents"
"""Name of the folder beside the file."""
MOST_BYTES = 4 << 20
_PAUSE_S = 600.0
"""Seconds between two questions, after which a conversation is over."""
_REPLY_S = 4.0
"""Seconds between two utterances of a conversation."""

Answered = Literal["right", "wrong", "declined"]


class DocumentQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """A question with the answers that are accepted; none where the documents do not answer it."""

    ask: str
    answers: tuple[str, ...] = ()
    document: str = ""
    at: str = ""
    """Local time at which it is asked, "2026-11-23 06:45"; "" for the present."""
    after: tuple[str, ...] = ()
    """What is said just before it, in the same conversation."""

    @property
    def asked(self) -> datetime | None:
        """When it is asked, without a zone; None for the present."""
        return datetime.fromisoformat(self.at) if self.at else None


class QuestionSet(msgspec.Struct, frozen=True, kw_only=True):
    """The questions of one file."""

    questions: tuple[DocumentQuestion, ...]


class QuestionFigures(msgspec.Struct, frozen=True, kw_only=True):
    """Shares, from 0 to 1.

    `right` is the share of the answerable questions whose reply holds an accepted answer, and
    `declined_wrongly` the share of them that are declined. `wrong` is the share of all questions
    that get another answer. `ms_p50` is the median from the question to the whole reply.
    """

    questions: int
    answerable: int
    right: float
    wrong: float
    declined_wrongly: float
    ms_p50: float


class QuestionMiss(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """A question that was not answered as accepted, or that should have been declined."""

    ask: str
    answers: tuple[str, ...]
    document: str
    answered: Answered
    reply: str


class _Outcome(NamedTuple):
    asked: DocumentQuestion
    answered: Answered
    ms: float


def load_questions(file: Path) -> QuestionSet:
    """Read a file of questions; raises `InputError` where it is none."""
    try:
        read = msgspec.convert(read_yaml(read_text(file, MOST_BYTES)), QuestionSet)
        for question in read.questions:
            _ = question.asked
    except OSError as error:
        raise InputError("questions.unreadable", f"{file}: {error.strerror}") from error
    except (YamlError, UnicodeDecodeError, msgspec.ValidationError, ValueError) as error:
        raise InputError("questions.malformed", f"{file}: {error}") from error
    if not read.questions:
        raise InputError("questions.none", f"{file}: holds no question")
    return read


def evaluate_questions(
    asked: QuestionSet,
    stages: Callable[[DocumentQuestion, Database], Sequence[Stage]],
    miss: Callable[[QuestionMiss], None] = lambda miss: None,
    progress: Callable[[int, int], None] = lambda done, total: None,
    clock: Callable[[], float] = time.perf_counter,
) -> QuestionFigures:
    """Ask every question in a conversation of its own, on fresh state."""
    outcomes = []
    for number, question in enumerate(asked.questions, 1):
        begins_s = number * _PAUSE_S
        with closing(open_state(None)) as state:
            conversation = stages(question, state)
            for before, text in enumerate(question.after):
                for _ in run(conversation, typed(f"q{number}.{before}", text, begins_s)):
                    pass
                begins_s += _REPLY_S
            heard = typed(f"q{number}", question.ask, begins_s)
            began_s = clock()
            said = list(run(conversation, heard))
            ms = (clock() - began_s) * 1000
        replies = [message for message in said if isinstance(message, SpokenReply)]
        reply = " ".join(one.text for one in replies)
        answered = _answered(question, reply, any(one.done for one in replies))
        outcomes.append(_Outcome(question, answered, ms))
        if answered != ("right" if question.answers else "declined"):
            miss(
                QuestionMiss(
                    ask=question.ask,
                    answers=question.answers,
                    document=question.document,
                    answered=answered,
                    reply=reply,
                )
            )
        progress(number, len(asked.questions))
    return _figures(outcomes)


def holds(reply: str, answer: str) -> bool:
    """Whether the words of `answer` are said in a row, whatever their case and punctuation."""
    said, wanted = words(reply), words(answer)
    size = len(wanted)
    return any(said[at : at + size] == wanted for at in range(len(said) - size + 1))


def _answered(asked: DocumentQuestion, reply: str, done: bool) -> Answered:
    if not done:
        return "declined"
    return "right" if any(holds(reply, answer) for answer in asked.answers) else "wrong"


def _figures(outcomes: Sequence[_Outcome]) -> QuestionFigures:
    answerable = [one for one in outcomes if one.asked.answers]

    def share(of: Sequence[_Outcome], answered: Answered) -> float:
        return sum(one.answered == answered for one in of) / max(1, len(of))

    return QuestionFigures(
        questions=len(outcomes),
        answerable=len(answerable),
        right=share(answerable, "right"),
        wrong=share(outcomes, "wrong"),
        declined_wrongly=share(answerable, "declined"),
        ms_p50=percentile([one.ms for one in outcomes], 0.5),
    )
