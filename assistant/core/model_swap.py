"""Putting another model in the place of one that a stage runs, while it runs.

A candidate is loaded and checked beside the old model by a thread of its own, so that neither the
work loop nor its heartbeat waits; the loop takes it over between two utterances. The zygote never
has such a thread: it starts in the process that was forked, with the first candidate.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress

from assistant.core.errors import AssistantError, ModelError
from assistant.core.messages import Replace
from assistant.core.stage import Stage

Change = Callable[[Stage], Stage]
"""Takes the stage that runs and gives the one to run from now on, at once, also after a restart.

May raise an `AssistantError`; then nothing has changed.
"""
Load = Callable[[str, str], Change]
"""From a model's name and version to the change; raises, and then nothing has changed."""

NICE = 5
"""Loading may wait for the work, but it holds the interpreter's lock while it is kept waiting."""


class ModelSwaps:
    """The candidates that were asked for, loaded one after the other in that order."""

    def __init__(self, load: Load) -> None:
        self._load = load
        self._asked: deque[tuple[Replace, Future[Change]]] = deque()
        self._thread: ThreadPoolExecutor | None = None

    @property
    def busy(self) -> bool:
        """Whether a candidate is being loaded, or waits to be taken over."""
        return bool(self._asked)

    def ask(self, wish: Replace) -> None:
        """Begin to load what is asked for."""
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, "candidate", _give_way)
        self._asked.append((wish, self._thread.submit(self._load, wish.model, wish.version)))

    def verdicts(self) -> Iterator[tuple[Replace, Change | AssistantError]]:
        """What has been asked for and is loaded, or refused, since the last call."""
        while self._asked and self._asked[0][1].done():
            wish, loaded = self._asked.popleft()
            fault = loaded.exception()
            name = f"{wish.model} {wish.version}"
            yield wish, loaded.result() if fault is None else refusal(name, fault)

    def close(self) -> None:
        """Load no more; what is being loaded is waited for at the process's end."""
        if self._thread is not None:
            self._thread.shutdown(wait=False, cancel_futures=True)


def refusal(name: str, fault: BaseException) -> AssistantError:
    """What ended a candidate as one error; a library's own exception says what it found."""
    if isinstance(fault, AssistantError):
        return fault
    reason = str(fault).partition("\n")[0] or "no reason was given"
    message = f"{name} cannot be loaded: {type(fault).__name__}: {reason}"
    return ModelError("model.unusable", message)


def _give_way() -> None:
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)
