"""Small stages for pools, and makers of them that another process can import."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from assistant.core.clock import boottime_s
from assistant.core.errors import AnswerError
from assistant.core.messages import BargeIn, Message, Question, SpokenReply, Tick

STEP_S = 0.02


class Counting:
    """Says the numbers up to that of the question, one every `STEP_S`; for "where" its process.

    "which" is answered with the `owner`, and how many asked before: what a stage keeps to itself.
    """

    consumes: ClassVar[tuple[type[Message], ...]] = (Question, BargeIn)

    def __init__(self, owner: str = "") -> None:
        self._owner, self._asked = owner, 0
        self._left: dict[str, tuple[int, int]] = {}
        self._due_s = 0.0

    def feed(self, message: Message) -> Iterator[Message]:
        """As any stage."""
        match message:
            case Question(text="fail"):
                raise AnswerError("answer.broken", "it cannot be done")
            case Question(utterance_id=name, text="where"):
                yield SpokenReply(utterance_id=name, text=str(os.getpid()))
            case Question(utterance_id=name, text="which"):
                yield SpokenReply(utterance_id=name, text=f"{self._owner} {self._asked}")
                self._asked += 1
            case Question(utterance_id=name, text=text):
                self._left[name] = (0, int(text))
            case BargeIn(utterance_id=name):
                self._left.pop(name, None)
            case Tick(at_s=at_s):
                self._due_s = at_s + STEP_S
                yield from self._say()

    def _say(self) -> Iterator[Message]:
        for name, (said, until) in list(self._left.items()):
            self._left[name] = (said + 1, until)
            if said == until:
                del self._left[name]
            yield SpokenReply(utterance_id=name, text=str(said), more=said < until)

    def deadline_s(self) -> float | None:
        """When the next numbers are due."""
        return max(self._due_s, boottime_s()) if self._left else None


def counting(owner: str = "") -> Counting:
    """A fresh one."""
    return Counting(owner)


class Breakable(Counting):
    """One that fails each request while a file in `folder` bears the number of its process."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder

    def feed(self, message: Message) -> Iterator[Message]:
        """As any stage."""
        if isinstance(message, Question) and (self._folder / str(os.getpid())).exists():
            raise AnswerError("answer.broken", "it can do nothing")
        yield from super().feed(message)


def breakable(folder: Path, _: str) -> Breakable:
    """A fresh one."""
    return Breakable(folder)
