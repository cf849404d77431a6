"""Questions from a file, written or in recordings, answers to a file, whatever interrupts it.

The file of answers is the checkpoint. Its lines are in the order of the questions and begin with
their question, so that the next run knows what is done, cuts off an incomplete line, and continues
from there.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec

from assistant.core.errors import UNDECODABLE, InputError
from assistant.core.messages import Found
from assistant.documents.answer_file import Answered, AnswerFile, AskedQuestion
from assistant.documents.workers import AnswersQuestions, Reply, check_recording

AT_ONCE = 32
"""Questions that are worked on at once, and so many answers are written together."""
RECORDINGS_AT_ONCE = 8
UNHEARD = "unheard"
"""The tier of a recording in which nothing was said."""

Progress = Callable[[int, int], None]
T = TypeVar("T")
U = TypeVar("U")


class Heard(NamedTuple):
    """A question with its text."""

    asked: AskedQuestion
    text: str


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
    question: str = ""
    recording: str = ""
    id: str | int | None = None


_LINE: Any = msgspec.json.Decoder(_BatchLine | str)
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Counted(NamedTuple):
    """How many questions a file holds, and how many of them in recordings."""

    questions: int
    recordings: int


def count(file: Path) -> Counted:
    """The questions in `file`; raises `InputError` that names the first wrong line or recording."""
    fine, recordings, faults = 0, 0, []
    for number, line in _lines(file):
        try:
            asked = _asked(file, number, line)
            if asked.recording:
                check_recording(file.parent / asked.recording)
            fine, recordings = fine + 1, recordings + bool(asked.recording)
        except InputError as error:
            faults.append(error)
    if faults:
        more = f" ({len(faults) - 1} more lines are wrong)" if len(faults) > 1 else ""
        raise InputError(faults[0].code, faults[0].message + more)
    if not fine:
        raise InputError("batch.empty", f"{file}: holds no question")
    return Counted(fine, recordings)


def read(file: Path) -> Iterator[AskedQuestion]:
    """The questions of `file` that are wanted; blank lines are skipped.

    A question without an id gets its line's number.
    """
    return (_asked(file, number, line) for number, line in _lines(file))


def answer_rest(
    questions: Path,
    answers: AnswerFile,
    answerer: AnswersQuestions,
    total: int,
    progress: Progress = lambda done, total: None,
    clock: Callable[[], float] = time.monotonic,
) -> BatchFigures:
    """Answer those of the `total` questions of a file that have no answer in `answers`.

    Raises `StorageError` when the disk is full, and `AnswerError` where a worker cannot answer.
    """
    continued, began_s = answers.done, clock()
    left = islice(read(questions), continued, None)
    progress(continued, total)
    hear = partial(_heard, folder=questions.parent, answerer=answerer)
    heard = _ahead(left, hear, RECORDINGS_AT_ONCE)
    rows = _ahead(heard, partial(_answered, answerer=answerer), AT_ONCE)
    chunk = list[Answered]()
    try:
        for row in rows:
            chunk.append(row)
            if len(chunk) == AT_ONCE:
                answers.append(chunk)
                chunk = []
                progress(answers.done, total)
    finally:  # also where a question cannot be answered: what came before is kept
        if chunk:
            answers.append(chunk)
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


def _heard(asked: AskedQuestion, folder: Path, answerer: AnswersQuestions) -> Callable[[], Heard]:
    """Begin with what is to be heard first; what is returned waits for that."""
    if not asked.recording:
        return lambda: Heard(asked, asked.question)
    text = answerer.transcribe(folder / asked.recording)
    return lambda: Heard(asked, text())


def _answered(heard: Heard, answerer: AnswersQuestions) -> Callable[[], Answered]:
    """Begin with a question; what is returned waits for the row."""
    if not heard.text:
        return lambda: _row(heard, Reply("", Found(tier=UNHEARD)))
    reply = answerer.answer(heard.text)
    return lambda: _row(heard, reply())


def _ahead(items: Iterable[T], begin: Callable[[T], Callable[[], U]], at_once: int) -> Iterator[U]:
    """What comes of each item, in their order, while the next ones are worked on."""
    begun = deque[Callable[[], U]]()
    for item in items:
        begun.append(begin(item))
        if len(begun) == at_once:
            yield begun.popleft()()
    while begun:
        yield begun.popleft()()


def _row(heard: Heard, reply: Reply) -> Answered:
    found = reply.found
    return Answered(
        id=heard.asked.id,
        recording=heard.asked.recording or msgspec.UNSET,
        question=heard.text,
        answer=reply.text,
        tier=found.tier,
        sentence=found.sentence,
        title=found.title,
        place=found.place,
        source=found.source,
        certainty=found.certainty,
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
    except UNDECODABLE as error:
        forms = '{"id": …, "question": "…"}, {"id": …, "recording": "FILE"} or "…"'
        message = f"{file}:{number}: write {forms} ({error})"
        raise InputError("batch.malformed", message) from error
    if isinstance(found, str):
        found = _BatchLine(found)
    name = number if found.id is None else found.id
    if found.recording and not found.question:
        return AskedQuestion(name, recording=found.recording)
    if found.recording:
        message = f"{file}:{number}: is a question and a recording; give one of them"
        raise InputError("batch.malformed", message)
    if not found.question.strip():
        raise InputError("batch.malformed", f"{file}:{number}: the question is empty")
    return AskedQuestion(name, found.question)
