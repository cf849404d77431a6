"""What a piece of work costs, whatever else runs beside it."""

from __future__ import annotations

import gc
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
