"""Replacing a model of a stage while the stage runs.

A thread of its own loads and checks a candidate beside the old model, so that neither the work loop
nor its heartbeat waits. The loop takes it over between two utterances. The zygote never has such a
thread: the forked process starts it with the first candidate.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Protocol

from assistant.core.errors import AssistantError, ModelError
from assistant.core.messages import Replace
from assistant.core.stage import Stage

StageSwap = Callable[[Stage], Stage]
"""Takes the running stage and returns the one to run from now on, also after a restart.

It does not wait. It may raise an `AssistantError`; then nothing has changed.
"""
LoadSwap = Callable[[str, str], StageSwap]
"""Takes a model's name and version and returns the change; when it raises, nothing has changed."""


class Trials(Protocol):
    """Versions of models that read a share of the utterances beside those in use."""

    def begin(self, wish: Replace) -> StageSwap:
        """Load a version for its trial, or for going on with it; raises as `LoadSwap` does."""

    def running(self) -> Iterable[Replace]:
        """The trials that a stage just made is to go on with."""


NICE = 5
"""Niceness of the loading thread. It is low: while that thread waits for the CPU it may hold the
interpreter's lock, which the work needs."""


class ModelSwaps:
    """The requested candidates, loaded one by one in the order of the requests."""

    def __init__(self, load: LoadSwap, trials: Trials | None = None) -> None:
        self._load, self._trials = load, trials
        self._asked: deque[tuple[Replace, Future[StageSwap]]] = deque()
        self._thread: ThreadPoolExecutor | None = None

    @property
    def busy(self) -> bool:
        """Whether a candidate is being loaded, or waits to be taken over."""
        return bool(self._asked)

    def ask(self, wish: Replace) -> None:
        """Start to load the candidate that a message requests."""
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, "candidate", _give_way)
        self._asked.append((wish, self._thread.submit(self._loaded, wish)))

    def ask_running(self) -> None:
        """Start to load what a stage just made is to go on trying."""
        for wish in self._trials.running() if self._trials is not None else ():
            self.ask(wish)

    def verdicts(self) -> Iterator[tuple[Replace, StageSwap | AssistantError]]:
        """The requests whose candidates have been loaded, or refused, since the last call."""
        while self._asked and self._asked[0][1].done():
            wish, loaded = self._asked.popleft()
            fault = loaded.exception()
            name = f"{wish.model} {wish.version}"
            yield wish, loaded.result() if fault is None else refusal(name, fault)

    def _loaded(self, wish: Replace) -> StageSwap:
        if not wish.share:
            return self._load(wish.model, wish.version)
        if self._trials is None:
            raise ModelError("model.no_trial", f"{wish.model} cannot be tried on a share; use it")
        return self._trials.begin(wish)

    def close(self) -> None:
        """Load no more candidates; the process's end waits for the one that is being loaded."""
        if self._thread is not None:
            self._thread.shutdown(wait=False, cancel_futures=True)


def refusal(name: str, fault: BaseException) -> AssistantError:
    """The fault that ended a candidate as one error, which quotes a library's own exception."""
    if isinstance(fault, AssistantError):
        return fault
    reason = str(fault).partition("\n")[0] or "no reason was given"
    message = f"{name} cannot be loaded: {type(fault).__name__}: {reason}"
    return ModelError("model.unusable", message)


def _give_way() -> None:
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)
