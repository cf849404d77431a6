"""What a piece of work costs, whatever else runs beside it."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable


def cpu_s(work: Callable[[], object]) -> float:
    """Seconds of processor time that this thread takes for `work`.

    Neither other threads of the process count, such as those of models that earlier tests loaded,
    nor collecting the garbage of everything else that is in memory.
    """
    gc.disable()
    try:
        began_s = time.thread_time()
        work()
        return time.thread_time() - began_s
    finally:
        gc.enable()


def calls(work: Callable[[], object]) -> int:
    """Functions that `work` calls, in Python and in C."""
    count = 0

    def note(_: object, event: str, __: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count
