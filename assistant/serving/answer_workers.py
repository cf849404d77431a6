"""Questions that other processes answer, so that those of several rooms are answered at a time.

What a worker cannot finish, and what comes before any is ready, is answered here.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import count

from assistant.answer.generation.token_scheduler import Steps
from assistant.answer.in_flight import GivenBack
from assistant.core.errors import AssistantError
from assistant.core.messages import Message, Question, RepeatAnswer
from assistant.pool.local import LocalPool, LocalStream
from assistant.pool.requests import PoolRequest
from assistant.pool.routing import RequestShape

log = logging.getLogger(__name__)

STAGE = "answer"
TOKENS = 24
"""Tokens that an answer takes at the median."""


@dataclass
class _Asked:
    question: Question
    replies: Steps[None]
    stream: LocalStream
    given: int = 0


class AnswerWorkers:
    """Sends questions to the workers of a pool, each room's to the one that answered there last.

    The pool is made at the first question: what workers read is in use by then. Implements
    `AnswersBeside`.
    """

    def __init__(self, make: Callable[[], LocalPool]) -> None:
        self._make, self._numbers = make, count()
        self._made: LocalPool | None = None
        self._asked: dict[str, _Asked] = {}
        self._greetings: list[LocalStream] = []

    @property
    def busy(self) -> bool:
        """Whether `turn` has anything to wait for."""
        return bool(self._asked)

    def take(self, question: Question, replies: Steps[None]) -> bool:
        """Have a question answered, which may take `replies` here; False where no worker is ready.

        A worker is ready once it has said something: making its stage takes seconds.
        """
        try:
            pool = self._pool()
            pool.poll()
            self._greet(pool)
            workers = pool.workers(STAGE)
            is_known = question.utterance_id in self._asked
            if is_known or not (workers and all(worker.is_heard for worker in workers)):
                return False
            shape = RequestShape(tokens=TOKENS, key=f"room {question.area}")
            stream = pool.run(STAGE, PoolRequest(messages=(question,), shape=shape))
        except (OSError, AssistantError) as error:
            log.warning("answer: no worker takes a question: %s (answer.workers)", error)
            return False
        self._asked[question.utterance_id] = _Asked(question, replies, stream)
        return True

    def cancel(self, utterance_id: str) -> None:
        """Say nothing more to this utterance."""
        asked = self._asked.pop(utterance_id, None)
        if asked is not None:
            asked.stream.close()

    def turn(self, wait_s: float) -> Iterator[Message | GivenBack]:
        """The replies that have come, for which it is waited so long."""
        try:
            self._pool().poll(wait_s)
        except (OSError, AssistantError) as error:
            log.warning("answer: the workers are left alone: %s (answer.workers)", error)
            yield from self.close()
            return
        for name, asked in tuple(self._asked.items()):
            while asked.stream.ready:
                asked.given += 1
                yield asked.stream.ready.popleft()
            if asked.stream.is_over:
                del self._asked[name]
                if asked.stream.error is not None:
                    yield _given_back(asked)

    def close(self) -> Iterator[GivenBack]:
        """End the workers; gives what they had not finished."""
        left, self._asked = tuple(self._asked.values()), {}
        self._greetings = []
        if self._made is not None:
            self._made.close()
            self._made = None
        yield from map(_given_back, left)

    def _pool(self) -> LocalPool:
        if self._made is None:
            self._made = self._make()
        return self._made

    def _greet(self, pool: LocalPool) -> None:
        """Have all workers say something, where nothing was heard of one yet."""
        self._greetings = [greeting for greeting in self._greetings if not greeting.is_over]
        workers = pool.workers(STAGE)
        if self._greetings or all(worker.is_heard for worker in workers):
            return
        for _ in workers:
            name = f"greeting-{next(self._numbers)}"
            said = Question(utterance_id=name, text="hello", task=RepeatAnswer(), area=name)
            request = PoolRequest(messages=(said,), shape=RequestShape(tokens=1))
            self._greetings.append(pool.run(STAGE, request))


def _given_back(asked: _Asked) -> GivenBack:
    return GivenBack(asked.question, _after(asked.given, asked.replies))


def _after(given: int, replies: Steps[None]) -> Steps[None]:
    """The steps without as many replies as were given already."""
    refused = None
    with closing(replies):
        while True:
            try:
                step = replies.send(refused)
            except StopIteration:
                return
            refused = None
            if isinstance(step, Message) and given:
                given -= 1
            else:
                refused = yield step
