"""One stage that serves several requests at once, in a thread of its own and without sockets.

It feeds the stage as the daemon's worker does: one message at a time, a due `Tick` between them,
and what the stage raises becomes a `StageFailed`. Each request goes by a name of the runner's, so
that two with the same id are kept apart; its replies bear the id that it came with.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from itertools import count
from queue import Empty, SimpleQueue
from typing import NamedTuple

import msgspec

from assistant.core.clock import boottime_s
from assistant.core.failure import FaultRateLimiter, code_of, report_failure
from assistant.core.messages import BargeIn, Message, Spoken, StageFailed, Tick
from assistant.core.stage import Stage
from assistant.pool.pool import PoolError
from assistant.pool.requests import PoolRequest, is_last, is_part

IDLE_S = 3600.0
"""Longest wait for a request; nothing happens after it."""

Deliver = Callable[[Message], None]
"""Takes each message of a reply, in the runner's thread; it must not wait."""


def _unnoticed() -> None:
    """Nobody wants to know."""


class _Asked(NamedTuple):
    utterance_id: str
    deliver: Deliver


class Runner:
    """Runs the stage that `make` gives, which is called in the runner's thread.

    `name` is the stage's, for the log. Raises what `make` raises.
    """

    def __init__(
        self, name: str, make: Callable[[], Stage], clock: Callable[[], float] = boottime_s
    ) -> None:
        self._name, self._clock = name, clock
        self._numbers = count(1)
        self._orders: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._asked: dict[str, _Asked] = {}
        self._left: set[str] = set()
        """Requests whose asker has gone; the thread looks here while it serves one of them."""
        self._is_closed = False
        self._fault_limiter = FaultRateLimiter(name)
        made: Future[Stage] = Future()
        self._thread = threading.Thread(
            target=self._serve, args=(make, made), name=f"{name} stage", daemon=True
        )
        self._thread.start()
        made.result()

    def ask(
        self, request: PoolRequest, deliver: Deliver, began: Callable[[], None] = _unnoticed
    ) -> str:
        """Have the stage reply to a request; gives the name to `leave` it by.

        `began` is called in the runner's thread when the stage begins with it.
        """
        name = f"{self._name}-{next(self._numbers)}"
        self._orders.put(partial(self._begin, name, request, deliver, began))
        return name

    def leave(self, name: str) -> None:
        """Have no more of a reply made, nor delivered; it may be over already."""
        self._left.add(name)
        self._orders.put(partial(self._forget, name))

    def check(self) -> None:
        """Raise `PoolError` where the stage's thread has ended, so that nobody is served."""
        if not self._thread.is_alive():
            raise PoolError("pool.ended", f"the thread of {self._name} has ended")

    def close(self) -> None:
        """End after the message that is being served."""
        self._orders.put(self._end)
        self._thread.join()

    def _serve(self, make: Callable[[], Stage], made: Future[Stage]) -> None:
        try:
            self._stage = make()
        except BaseException as error:  # noqa: BLE001 - whoever waits for the stage raises it
            made.set_exception(error)
            return
        made.set_result(self._stage)
        while not self._is_closed:
            due_s = self._stage.deadline_s()
            wait_s = IDLE_S if due_s is None else due_s - self._clock()
            try:
                order = self._orders.get(timeout=min(max(wait_s, 0.0), IDLE_S))
            except Empty:
                pass
            else:
                order()
            due_s = self._stage.deadline_s()
            if due_s is not None and due_s <= (now_s := self._clock()):
                self._feed(Tick(at_s=now_s))
        close = getattr(self._stage, "close", None)
        if close is not None:
            close()

    def _begin(
        self, name: str, request: PoolRequest, deliver: Deliver, began: Callable[[], None]
    ) -> None:
        began()
        self._asked[name] = _Asked(request.utterance_id, deliver)
        for message in request.named(name):
            if name in self._asked and name not in self._left:
                self._feed(msgspec.structs.replace(message, at_s=self._clock()))

    def _forget(self, name: str) -> None:
        was_open = self._asked.pop(name, None) is not None
        self._left.discard(name)
        if was_open and BargeIn in self._stage.consumes:
            self._feed(BargeIn(utterance_id=name, at_s=self._clock()))

    def _end(self) -> None:
        self._is_closed = True

    def _feed(self, message: Message) -> None:
        name = getattr(message, "utterance_id", "")
        try:
            outputs = iter(self._stage.feed(message))
            for output in outputs:
                self._hand_out(output)
                if name in self._left and (close := getattr(outputs, "close", None)) is not None:
                    close()
                    break
        except Exception as error:  # noqa: BLE001 - as the daemon's worker, it reports every fault
            logged = self._fault_limiter.allows(code_of(self._name, error), self._clock())
            self._hand_out(report_failure(self._name, error, name, logged=logged))

    def _hand_out(self, output: Message) -> None:
        """Deliver a message to whoever asked; what goes on beside the replies is for nobody."""
        if not (is_part(output) and isinstance(output, Spoken | StageFailed)):
            return
        asked = self._asked.get(output.utterance_id)
        if asked is None or output.utterance_id in self._left:
            return
        if is_last(output):
            del self._asked[output.utterance_id]
        told = msgspec.structs.replace(output, utterance_id=asked.utterance_id, at_s=self._clock())
        asked.deliver(told)
