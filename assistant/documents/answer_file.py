"""The file of a batch's answers, which is also the record of how far it has come."""

from __future__ import annotations

import contextlib
import os
import stat
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from assistant.core.errors import UNDECODABLE, InputError, StorageError
from assistant.core.files import sync, try_lock


class AskedQuestion(NamedTuple):
    """A question and its name; it is in a recording, or written."""

    id: str | int
    question: str = ""
    recording: str = ""
    """The recording's path, as it was given; "" for a question that is written."""


class Answered(msgspec.Struct, frozen=True, kw_only=True):
    """One line; a field without a value is "". `certainty` is in logits."""

    id: str | int
    recording: str | msgspec.UnsetType = msgspec.UNSET
    question: str
    """What was asked, of a recording as it was heard."""
    answer: str
    tier: str
    sentence: str
    title: str
    place: str
    source: str
    certainty: float


_LINE = msgspec.json.Decoder(Answered)


class AnswerFile:
    """Answers, one a line, to which only this process writes while it is open.

    `done` lines are there; `tiers` counts them by tier. A new file that would stay empty is
    removed. Raises `InputError` for a path that cannot be written.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self.done = 0
        self.tiers: Counter[str] = Counter()
        self._whole_bytes = 0
        self._is_new = not file.exists()
        self._descriptor = _opened(file)
        if self._is_new:
            sync(file.parent)

    def __enter__(self) -> AnswerFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let another process write."""
        if self._is_new and not self._whole_bytes:
            self._file.unlink(missing_ok=True)
        os.close(self._descriptor)

    def resume(self, questions: Iterable[AskedQuestion]) -> None:
        """Find how many of `questions` are answered, and cut off an incomplete last line.

        Raises `InputError`, and changes nothing, when the file holds anything but their answers.
        """
        asked = iter(questions)
        with self._file.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                wanted = next(asked, None)
                whole = line.endswith(b"\n")
                if wanted is None or not (
                    _answers(line, wanted) if whole else _may_begin_answer(line, wanted)
                ):
                    message = (
                        f"{self._file}:{number}: is no answer to the question in that place; "
                        "give another --out, or move this file away"
                    )
                    raise InputError("batch.foreign", message)
                if whole:
                    self._count(len(line), [_LINE.decode(line).tier])
        os.ftruncate(self._descriptor, self._whole_bytes)

    def append(self, answers: Sequence[Answered]) -> None:
        """Write all of these lines to the disk or none of them: raises `StorageError`."""
        content = b"".join(msgspec.json.encode(answer) + b"\n" for answer in answers)
        try:
            written = 0
            while written < len(content):
                written += os.write(self._descriptor, content[written:])
            os.fdatasync(self._descriptor)
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._descriptor, self._whole_bytes)
            message = f"{self._file}: {error.strerror}; mend that, and the same command goes on"
            raise StorageError("batch.unwritable", message) from error
        self._count(len(content), [answer.tier for answer in answers])

    def _count(self, length_bytes: int, tiers: Sequence[str]) -> None:
        self._whole_bytes += length_bytes
        self.done += len(tiers)
        self.tiers.update(tiers)


def _opened(file: Path) -> int:
    """A descriptor that appends; no other process gets one while this is open."""
    try:
        descriptor = os.open(file, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise InputError("batch.unwritable", f"{file}: {error.strerror}") from error
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise InputError("batch.unwritable", f"{file}: answers go to a file")
        if not try_lock(descriptor):
            message = f"{file}: another batch writes it; wait for its end or give another --out"
            raise InputError("batch.in_use", message)
    except (OSError, InputError):
        os.close(descriptor)
        raise
    return descriptor


def _answers(line: bytes, asked: AskedQuestion) -> bool:
    try:
        found = _LINE.decode(line)
    except UNDECODABLE:
        return False
    if asked.recording:
        return (found.id, found.recording) == (asked.id, asked.recording)
    return (found.id, found.question) == (asked.id, asked.question) and not found.recording


def _may_begin_answer(torn: bytes, asked: AskedQuestion) -> bool:
    """Whether `torn` may be the beginning of an answer: anything else must not be cut off."""
    known = ("id", "recording") if asked.recording else ("id", "question")
    start = msgspec.json.encode({name: getattr(asked, name) for name in known})[:-1]
    return torn[: len(start)] == start[: len(torn)]
