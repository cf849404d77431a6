"""What has been asked of the documents and is not yet answered.

An `InFlight` outlives its stage, which is rebuilt when a model is replaced or settings have
changed: what was begun is finished by the stage that began it.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from assistant.answer.generation.token_scheduler import (
    GenerationRequest,
    Outlook,
    OverloadedError,
    Steps,
    TokenScheduler,
)
from assistant.answer.topic import NOTHING, Topic
from assistant.core.clock import boottime_s
from assistant.core.errors import AnswerError, AssistantError
from assistant.core.failure import report_failure
from assistant.core.messages import DocumentsDone, Generated, Message, Question
from assistant.core.rooms.newest import ROOMS, Newest

WORDS_WITHIN_S = {"": 2.0, "late": math.inf, "none": 0.0}
"""Wording that is wished → seconds until what was found is said without the generator's words."""
LOOK_S = 0.02
"""Seconds for which workers are waited for, in which nobody else is heard."""
GOES_ON_S = 60.0
"""Seconds for which a room goes on with who answered there last, here or a worker."""


@dataclass
class Spoken:
    """What was last answered in one room."""

    source: str = ""
    """Where the answer is from."""
    said: str = ""
    topic: Topic = NOTHING
    """What it was about."""
    answered_s: float = 0.0
    """The time of its question."""


@dataclass
class _Open:
    """A question whose answer the generator words."""

    utterance_id: str
    request: GenerationRequest
    tokens: int = 0
    """Tokens that were made for it."""

    def report(self) -> Generated:
        """What the generator did for it."""
        began_s = self.request.asked_s
        return Generated(utterance_id=self.utterance_id, began_at_s=began_s, tokens=self.tokens)


class _Rooms(dict[str, Spoken]):
    """Area → what was last answered there; of too many the oldest answer is forgotten."""

    def __missing__(self, area: str) -> Spoken:
        while len(self) >= ROOMS:
            del self[min(self, key=lambda known: self[known].answered_s)]
        return self.setdefault(area, Spoken())


class GivenBack(NamedTuple):
    """A question that no worker finishes, and the steps by which it is answered here."""

    question: Question
    replies: Steps[None]


class AnswersBeside(Protocol):
    """Other processes that answer."""

    @property
    def busy(self) -> bool:
        """Whether `turn` has anything to wait for."""

    def take(self, question: Question, replies: Steps[None]) -> bool:
        """Have a question answered, which may take `replies` here; False where nobody can."""

    def cancel(self, utterance_id: str) -> None:
        """Say nothing more to this utterance."""

    def turn(self, wait_s: float) -> Iterator[Message | GivenBack]:
        """The replies that have come, for which it is waited so long."""

    def close(self) -> Iterator[GivenBack]:
        """End; gives what was not finished."""


class InFlight:
    """Shares the generator among the current questions, a few tokens a `turn`.

    Without a `scheduler`, whose clock must be `boottime_s`, each question is answered at once.
    `spoken` is what was last answered, by the id of the area. `requests` are those of the command
    line that wait for the documents to be read, each with its reply if that is known. Where there
    are `workers`, they answer.
    """

    def __init__(self, scheduler: TokenScheduler | None = None) -> None:
        self._scheduler = scheduler
        self._open: list[_Open] = []
        self._ready: deque[Message] = deque()
        self.spoken = _Rooms()
        self.requests: dict[str, DocumentsDone | None] = {}
        self._workers: AnswersBeside | None = None
        self._given_back: list[GivenBack] = []
        self._here = Newest[str, float]()
        """Area → when a question was last answered here, and not by a worker."""

    @property
    def busy(self) -> bool:
        """Whether `turn` has anything to do."""
        waits = self._workers is not None and self._workers.busy
        return bool(self._ready or self._open or self._given_back or waits)

    def share_with(self, workers: AnswersBeside | None) -> None:
        """Have these workers answer from now on; what others had begun is answered here."""
        if self._workers is not None:
            self._given_back += self._workers.close()
        self._workers = workers

    def tell(self, message: Message) -> None:
        """Give `message` with the next turn."""
        self._ready.append(message)

    def ask(
        self, question: Question, replies: Steps[None], shared: bool = True
    ) -> Iterator[Message]:
        """Begin with `replies`, whose steps are the replies and the generator's tokens.

        Replies that need no generator are given at once. When there are too many requests already,
        so is what can be said without it. What is `shared` the workers may answer.
        """
        goes_on = question.at_s - self._here.get(question.area, -math.inf) < GOES_ON_S
        if self._workers is not None:
            if shared and not goes_on and self._workers.take(question, replies):
                return
            self._here[question.area] = question.at_s
        for step in replies:
            if isinstance(step, Message):
                yield step
            elif self._scheduler is not None:
                try:
                    self._take_on(self._scheduler, question, replies, step.tokens)
                except OverloadedError as full:
                    yield from _without_words(replies, full)
                return

    def cancel(self, utterance_id: str) -> None:
        """Say nothing more to this utterance."""
        if self._workers is not None:
            self._workers.cancel(utterance_id)
        kept = [one for one in self._given_back if one.question.utterance_id != utterance_id]
        self._given_back = kept
        for one in self._open:
            if one.utterance_id == utterance_id and self._scheduler is not None:
                self._scheduler.cancel(one.request)
        self._open = [one for one in self._open if one.utterance_id != utterance_id]

    def turn(self) -> Iterator[Message]:
        """Make a few tokens for the next question; gives the replies that are ready."""
        yield from self._shared()
        if self._scheduler is not None:
            self._scheduler.work()
        ended = [one for one in self._open if one.request.ended_s is not None]
        self._open = [one for one in self._open if one.request.ended_s is None]
        for one in ended:
            if one.tokens:
                yield one.report()
        while self._ready:
            yield self._ready.popleft()
        for one in ended:
            if one.request.error is not None:
                yield report_failure("answer", one.request.error, one.utterance_id)

    def _shared(self) -> Iterator[Message]:
        """The replies of the workers, and those to what they have given back."""
        if self._workers is not None and self._workers.busy:
            idle = not (self._ready or self._open or self._given_back)
            for told in self._workers.turn(LOOK_S if idle else 0.0):
                if isinstance(told, GivenBack):
                    self._given_back.append(told)
                else:
                    yield told
        while self._given_back:
            back = self._given_back.pop(0)
            try:
                yield from self.ask(back.question, back.replies, shared=False)
            except AssistantError as error:
                yield report_failure("answer", error, back.question.utterance_id)

    def _take_on(
        self, scheduler: TokenScheduler, question: Question, replies: Steps[None], tokens: int
    ) -> None:
        until_s = (question.at_s or boottime_s()) + WORDS_WITHIN_S[question.wording]
        request = scheduler.submit(replies, tokens, lambda step: self._heed(one, step), until_s)
        one = _Open(question.utterance_id, request)
        self._open.append(one)

    def _heed(self, one: _Open, step: Any) -> None:
        if isinstance(step, Message):
            self._ready.append(step)
        elif not isinstance(step, Outlook):
            one.tokens += 1


def _without_words(replies: Steps[None], refused: AnswerError) -> Iterator[Message]:
    """What is said when every further token is refused."""
    try:
        while True:
            step = replies.send(refused)
            if isinstance(step, Message):
                yield step
    except StopIteration:
        return
