"""Questions from a file, answers to a file, whatever interrupts the work.

The file of answers is the checkpoint. Its lines are in the order of the questions and begin with
their question, so that the next run knows what is done, cuts off an incomplete line, and continues
from there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

import msgspec

from assistant.answer.answerer import Answer
from assistant.answer.generation.token_scheduler import Steps, TokenScheduler, Workers
from assistant.core.errors import InputError
from assistant.documents.answer_file import Answered, AnswerFile, AskedQuestion

AT_ONCE = 32
"""Questions that are answered, and then written, together."""
WORKERS = 2
"""Threads that the generator runs in."""
MOST_TOKENS = 64
"""Most tokens of an answer, as an estimate before its prompt is known."""

Progress = Callable[[int, int], None]


class BatchAnswerer(Protocol):
    """Answers questions; several together are faster than one after the other."""

    def answering_all(self, questions: Sequence[str]) -> Sequence[Steps[Answer]]:
        """The steps to each answer, in the order of the questions."""


class BatchFigures(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome for a file: `tiers` counts all its answers, `continued` those of earlier runs.

    `seconds` is how long this run took to answer the rest, `per_second` how many it answered a
    second.
    """

    questions: int
    continued: int
    tiers: dict[str, int]
    seconds: float
    per_second: float


class _BatchLine(msgspec.Struct, frozen=True):
    question: str
    id: str | int | None = None


_LINE: Any = msgspec.json.Decoder(_BatchLine | str)
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def count(file: Path) -> int:
    """The number of questions in `file`; raises `InputError` that names the first wrong line."""
    fine, faults = 0, []
    for number, line in _lines(file):
        try:
            _asked(file, number, line)
            fine += 1
        except InputError as error:
            faults.append(error)
    if faults:
        more = f" ({len(faults) - 1} more lines are wrong)" if len(faults) > 1 else ""
        raise InputError(faults[0].code, faults[0].message + more)
    if not fine:
        raise InputError("batch.empty", f"{file}: holds no question")
    return fine


def read(file: Path) -> Iterator[AskedQuestion]:
    """The questions of `file` that are wanted; blank lines are skipped.

    A question without an id gets its line's number.
    """
    return (_asked(file, number, line) for number, line in _lines(file))


def answer_rest(
    questions: Path,
    answers: AnswerFile,
    answerer: BatchAnswerer,
    total: int,
    progress: Progress = lambda done, total: None,
    clock: Callable[[], float] = time.monotonic,
) -> BatchFigures:
    """Answer those of the `total` questions of a file that have no answer in `answers`.

    Raises `StorageError` when the disk is full.
    """
    continued, began_s = answers.done, clock()
    left = islice(read(questions), continued, None)
    progress(continued, total)
    while chunk := list(islice(left, AT_ONCE)):
        made = _answered([asked.question for asked in chunk], answerer)
        answers.append([_row(asked, answer) for asked, answer in zip(chunk, made, strict=True)])
        progress(answers.done, total)
    return figures(answers, continued, clock() - began_s)


def figures(answers: AnswerFile, continued: int, seconds: float = 0.0) -> BatchFigures:
    """The figures of a file with `continued` earlier answers, where the rest took `seconds`."""
    return BatchFigures(
        questions=answers.done,
        continued=continued,
        tiers=dict(answers.tiers.most_common()),
        seconds=round(seconds, 2),
        per_second=round((answers.done - continued) / seconds, 1) if seconds > 0 else 0.0,
    )


def _answered(questions: Sequence[str], answerer: BatchAnswerer) -> list[Answer]:
    """The answers in order; the generator's work on them is shared among the workers."""
    scheduler = TokenScheduler(limit=AT_ONCE)
    requests = [scheduler.submit(s, MOST_TOKENS) for s in answerer.answering_all(questions)]
    Workers(scheduler, WORKERS).close()
    return [request.wait() for request in requests]


def _row(asked: AskedQuestion, answer: Answer) -> Answered:
    return Answered(
        id=asked.id,
        question=asked.question,
        answer=answer.text,
        tier=answer.tier,
        sentence=answer.sentence,
        title=answer.title,
        place=answer.place,
        source=str(answer.source or ""),
        certainty=round(answer.certainty, 4),
    )


def _lines(file: Path) -> Iterator[tuple[int, bytes]]:
    if file.exists() and not file.is_file():
        # What comes through a pipe cannot be read again after an interruption.
        raise InputError("batch.unreadable", f"{file}: questions come from a file")
    try:
        with file.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                if text := line.removeprefix(_BYTE_ORDER_MARK if number == 1 else b"").strip():
                    yield number, text
    except FileNotFoundError as error:
        raise InputError("batch.missing", f"{file}: no such file") from error
    except OSError as error:
        raise InputError("batch.unreadable", f"{file}: {error.strerror}") from error


def _asked(file: Path, number: int, line: bytes) -> AskedQuestion:
    try:
        found = _LINE.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        message = f'{file}:{number}: write {{"id": …, "question": "…"}} or "…" ({error})'
        raise InputError("batch.malformed", message) from error
    text, own = (found, None) if isinstance(found, str) else (found.question, found.id)
    if not text.strip():
        raise InputError("batch.malformed", f"{file}:{number}: the question is empty")
    return AskedQuestion(number if own is None else own, text)
