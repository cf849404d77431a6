"""Several replies at once: workers serve the one with the fewest tokens left.

The rules:
1. A request is a stream of tokens and the most it may still take. The one with the least left goes
next (shortest remaining time first, Schrage 1968), so a short reply never waits for a long one
longer than one slice takes.
2. The remaining length of a waiting request shrinks by `ageing` tokens a second, so that a long
reply gets its turn though short ones keep coming.
3. A turn is a slice of a few tokens; then the choice is made again.
4. No more than `limit` requests are held; the next one gets `OverloadedError` at once, and its
caller speaks the extracted sentence.
5. A request whose time is over goes before all others, and is sent a `LateError` instead of making
further tokens: it must finish without them.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar, cast

from assistant.core.errors import AnswerError

SLICE = 4
LIMIT = 32
AGEING = 10.0


class OverloadedError(AnswerError):
    """More is being asked than can be answered."""


class LateError(AnswerError):
    """A reply was not ready in time."""


class Outlook(NamedTuple):
    """A step before the first token: the most tokens that can follow."""

    tokens: int


T = TypeVar("T")
Steps = Generator[Any, AnswerError | None, T]
"""A step is a token, or an `Outlook`; closing the stream cancels it.

An error sent into one says why no further token may be made; the stream then does without.
"""


def finished(steps: Steps[T]) -> T:
    """What `steps` return after all of them were run, one after the other."""
    try:
        while True:
            next(steps)
    except StopIteration as end:
        return cast(T, end.value)


@dataclass(eq=False)
class GenerationRequest:
    """One stream being worked on; its fields belong to the scheduler until `wait` returns."""

    steps: Generator[Any, Any, Any]
    left: int
    """The most tokens that it may still take."""
    asked_s: float
    served_s: float
    """When it last had a turn, or was submitted."""
    until_s: float = math.inf
    """When its time is over."""
    last: Any = None
    """What its newest step gave; in the end what it returned, if anything."""
    ended_s: float | None = None
    error: Exception | None = None
    on_step: Callable[[Any], None] | None = None
    cancelled: bool = False
    _ended: threading.Event = field(default_factory=threading.Event)

    def wait(self, timeout_s: float | None = None) -> Any:
        """Give what it returned, else its last step, once it has ended; raises what the stream
        raised.

        Raises `TimeoutError` when that takes longer.
        """
        if not self._ended.wait(timeout_s):
            raise TimeoutError(f"no reply within {timeout_s} s")
        if self.error is not None:
            raise self.error
        return self.last

    def end(self, now_s: float, error: Exception | None = None) -> None:
        """Note that no further step comes."""
        self.ended_s, self.error = now_s, error
        self._ended.set()


Order = Callable[[GenerationRequest, float], float]
"""From a request and the time to its priority; the lowest goes next."""


def shortest_first(request: GenerationRequest, now_s: float) -> float:
    """The tokens left, less what waiting has earned."""
    return request.left - AGEING * (now_s - request.served_s)


def round_robin(request: GenerationRequest, now_s: float) -> float:
    """Turns in order, whatever is left; for comparison."""
    return request.served_s


class TokenScheduler:
    """Holds requests and decides whose turn it is; `work` may be called from several threads."""

    def __init__(
        self,
        limit: int = LIMIT,
        order: Order = shortest_first,
        turn: int = SLICE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._limit, self._order, self._turn, self._clock = limit, order, turn, clock
        self._waiting: list[GenerationRequest] = []
        self._running = 0
        self._closed = False
        self._changed = threading.Condition()

    @property
    def busy(self) -> bool:
        """Whether there is anything to work on."""
        return bool(self._waiting or self._running)

    def submit(
        self,
        steps: Generator[Any, Any, Any],
        tokens: int,
        on_step: Callable[[Any], None] | None = None,
        until_s: float = math.inf,
    ) -> GenerationRequest:
        """Accept a stream of at most `tokens` steps; raises `OverloadedError` if there is no room.

        `on_step` is called by the worker with what each step gives. A stream that must be done at
        `until_s`, on the scheduler's clock, must have begun.
        """
        with self._changed:
            if self._closed or len(self._waiting) + self._running >= self._limit:
                message = f"{self._limit} replies are being made already"
                raise OverloadedError("answer.overloaded", message)
            now_s = self._clock()
            request = GenerationRequest(steps, tokens, now_s, now_s, until_s, on_step=on_step)
            self._waiting.append(request)
            self._changed.notify()
        return request

    def cancel(self, request: GenerationRequest) -> None:
        """End a request at once or, if a worker has it, before its next token."""
        request.cancelled = True
        with self._changed:
            if request not in self._waiting:
                return
            self._waiting.remove(request)
        request.steps.close()
        request.end(self._clock())

    def work(self, block: bool = False) -> bool:
        """Run a turn of the next request; False when there is none, or, blocking, none to come."""
        with self._changed:
            while block and not self._waiting and not self._closed:
                self._changed.wait()
            if not self._waiting:
                return False
            now_s = self._clock()
            request = min(self._waiting, key=lambda r: (r.until_s > now_s, self._order(r, now_s)))
            self._waiting.remove(request)
            self._running += 1
        more = self._served(request)
        with self._changed:
            self._running -= 1
            if more:
                self._waiting.append(request)
        return True

    def close(self) -> None:
        """Accept no further requests; workers return when the present ones have ended."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _served(self, request: GenerationRequest) -> bool:
        """Whether there is more to do after this turn; any exception ends the request."""
        error: Exception | None = None
        more = False
        try:
            more = self._stepped(request)
        except Exception as fault:  # noqa: BLE001 - raised to the waiting caller; others are still served
            error = fault
        request.served_s = self._clock()
        if not more:
            request.end(request.served_s, error)
        return more

    def _stepped(self, request: GenerationRequest) -> bool:
        for _ in range(self._turn):
            if request.cancelled:
                request.steps.close()
                return False
            try:
                step = self._step(request)
            except StopIteration as end:
                request.last = request.last if end.value is None else end.value
                return False
            request.last = step
            request.left = step.tokens if isinstance(step, Outlook) else request.left - 1
            if request.on_step is not None:
                request.on_step(step)
        return True

    def _step(self, request: GenerationRequest) -> Any:
        if self._clock() < request.until_s:
            return next(request.steps)
        return request.steps.send(LateError("answer.late", "there was no time for more words"))


class Workers:
    """Threads that work on a scheduler's requests; onnxruntime lets them run side by side."""

    def __init__(self, scheduler: TokenScheduler, count: int) -> None:
        self._scheduler = scheduler
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(count)]
        for thread in self._threads:
            thread.start()

    def _work(self) -> None:
        while self._scheduler.work(block=True):
            pass

    def close(self) -> None:
        """Finish what was taken on, and end."""
        self._scheduler.close()
        for thread in self._threads:
            thread.join()
