"""Questions that other processes answer, so that those of several rooms are answered at a time.

What a worker cannot finish, and what comes before any is ready, is answered here.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import count

from assistant.answer.generation.token_scheduler import Steps
from assistant.answer.in_flight import GivenBack
from assistant.core.messages import Message, Question, RepeatAnswer
from assistant.pool.local import LocalPool, LocalStream
from assistant.pool.requests import PoolRequest
from assistant.pool.routing import RequestShape

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
    """Sends questions to the workers of `pool`, each room's to the one that answered there last.

    Implements `AnswersBeside`.
    """

    def __init__(self, pool: LocalPool) -> None:
        self._pool, self._numbers = pool, count()
        self._asked: dict[str, _Asked] = {}
        self._greetings: list[LocalStream] = []
        self._greet()

    @property
    def busy(self) -> bool:
        """Whether `turn` has anything to wait for."""
        return bool(self._asked)

    def take(self, question: Question, replies: Steps[None]) -> bool:
        """Have a question answered, which may take `replies` here; False where no worker is ready.

        A worker is ready once it has said something: making its stage takes seconds.
        """
        self._pool.poll()
        self._greet()
        if not all(worker.is_heard for worker in self._pool.workers(STAGE)):
            return False
        shape = RequestShape(tokens=TOKENS, key=f"room {question.area}")
        stream = self._pool.run(STAGE, PoolRequest(messages=(question,), shape=shape))
        self._asked[question.utterance_id] = _Asked(question, replies, stream)
        return True

    def cancel(self, utterance_id: str) -> None:
        """Say nothing more to this utterance."""
        asked = self._asked.pop(utterance_id, None)
        if asked is not None:
            asked.stream.close()

    def turn(self, wait_s: float) -> Iterator[Message | GivenBack]:
        """The replies that have come, for which it is waited so long."""
        self._pool.poll(wait_s)
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
        self._pool.close()
        yield from map(_given_back, left)

    def _greet(self) -> None:
        """Have all workers say something, where nothing was heard of one yet."""
        self._greetings = [greeting for greeting in self._greetings if not greeting.is_over]
        workers = self._pool.workers(STAGE)
        if self._greetings or all(worker.is_heard for worker in workers):
            return
        for _ in workers:
            name = f"greeting-{next(self._numbers)}"
            said = Question(utterance_id=name, text="hello", task=RepeatAnswer(), area=name)
            request = PoolRequest(messages=(said,), shape=RequestShape(tokens=1))
            self._greetings.append(self._pool.run(STAGE, request))


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
