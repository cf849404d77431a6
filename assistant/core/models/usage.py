"""Counts the processor time and the runs of each version of a model in this process.

Where a model runs in one thread, its time is that of the calling thread. Where it has several, the
threads of its library cannot be told from others, so it is that of the whole process meanwhile:
exact as long as nothing else runs there. What an accelerator computes is not counted, only what the
processor does for it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock

from assistant.core.clock import boottime_s
from assistant.core.models.messages import ModelsUsed, ModelUse


class ModelUsage:
    """What the models have used since this process began; safe between threads.

    A fork begins with nothing: what was counted before is told by the process that it comes from.
    """

    def __init__(self, clock: Callable[[], float] = boottime_s) -> None:
        self._clock = clock
        self.begin()

    def begin(self) -> None:
        """Forget all, as a process that begins."""
        self._lock = Lock()  # at a fork, another thread may have held the one before
        self._used: dict[tuple[str, str], tuple[float, int]] = {}
        self._changed = False
        self._teller = ""
        self._began_s = self._clock()

    def add(self, model: str, version: str, cpu_s: float) -> None:
        """Count one run of that version."""
        key = (model, version)
        with self._lock:
            seconds, runs = self._used.get(key, (0.0, 0))
            self._used[key] = (seconds + cpu_s, runs + 1)
            self._changed = True

    def news(self, stage: str) -> ModelsUsed | None:
        """All that was used so far, for `stage` to tell; None where nothing was since the last.

        Of several stages in one process the first that asks tells of all of them.
        """
        with self._lock:
            self._teller = self._teller or stage
            if not self._changed or stage != self._teller:
                return None
            self._changed = False
            models = tuple(
                ModelUse(model=model, version=version, cpu_s=seconds, runs=runs)
                for (model, version), (seconds, runs) in self._used.items()
            )
        return ModelsUsed(stage=stage, began_s=self._began_s, models=models)


USAGE = ModelUsage()
"""The usage of this process."""
os.register_at_fork(after_in_child=USAGE.begin)


class Meter:
    """Counts the runs of one version of a model, which runs in so many `threads`."""

    def __init__(
        self, model: str, version: str, threads: int = 1, usage: ModelUsage = USAGE
    ) -> None:
        self._model, self._version, self._usage = model, version, usage
        self._clock = time.thread_time if threads == 1 else time.process_time

    @contextmanager
    def run(self) -> Iterator[None]:
        """Count what is done within as one run, also where it fails."""
        began_s = self._clock()
        try:
            yield
        finally:
            self._usage.add(self._model, self._version, self._clock() - began_s)
