"""Stages for pools, made in their workers: what they do shows which worker did it, and when."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import msgspec

from assistant.core.clock import boottime_s
from assistant.core.errors import AnswerError
from assistant.core.messages import BargeIn, Message, Question, SpokenReply, Tick
from assistant.pool.requests import PoolRequest
from assistant.pool.routing import RequestShape

A_WORD_S = 0.005
"""What a word takes."""


class Speller:
    """Replies to a question with its words, one a message, a turn a word; several at once.

    "where" gives the number of the process, "last" what was asked before in that area. "fail" is a
    fault, "forget this" is never replied to, and "die" ends the process, once for a file `died`.
    """

    consumes: ClassVar[tuple[type[Message], ...]] = (Question, BargeIn)

    def __init__(self, died: str = "", word_s: float = A_WORD_S) -> None:
        self._died, self._word_s = died, word_s
        self._open: deque[tuple[Question, list[str]]] = deque()
        self._last: dict[str, str] = {}
        self._due_s = 0.0

    def feed(self, message: Message) -> Iterator[Message]:
        match message:
            case Question(text="forget this"):
                return
            case Question(text="fail"):
                raise AnswerError("answer.test", "it fails")
            case Question(text=text):
                last = self._last.get(message.area, "nothing")
                self._last[message.area] = text
                told = {"where": str(os.getpid()), "last": last}
                self._open.append((message, told.get(text, text).split()))
            case BargeIn(utterance_id=name):
                self._open = deque(one for one in self._open if one[0].utterance_id != name)
            case Tick() if self._open:
                self._due_s = boottime_s() + self._word_s
                asked, words = self._open.popleft()
                word, *rest = words
                if word == "die" and not (died := Path(self._died)).exists():
                    died.touch()
                    os._exit(1)
                yield SpokenReply(
                    utterance_id=asked.utterance_id, text=word, area=asked.area, more=bool(rest)
                )
                if rest:
                    self._open.append((asked, rest))

    def deadline_s(self) -> float | None:
        return self._due_s if self._open else None


class OwnedSpeller(Speller):
    """A `Speller` that says its owner for "which"."""

    def __init__(self, owner: str) -> None:
        super().__init__()
        self._owner = owner

    def feed(self, message: Message) -> Iterator[Message]:
        if isinstance(message, Question) and message.text == "which":
            message = msgspec.structs.replace(message, text=self._owner)
        return super().feed(message)


def newer(tenant: str) -> OwnedSpeller:
    """What another version of the code would make."""
    return OwnedSpeller(f"new-{tenant}")


def broken(tenant: str) -> OwnedSpeller:
    """What cannot be made, as for a tenant whose documents are gone."""
    raise AnswerError("answer.test", "there is nothing to read")


def asked(name: str, text: str, area: str = "") -> PoolRequest:
    """A request of that text; in an area it belongs to the conversation there."""
    question = Question(utterance_id=name, text=text, area=area)
    shape = RequestShape(tokens=len(text.split()), key=area)
    return PoolRequest(messages=(question,), shape=shape)
