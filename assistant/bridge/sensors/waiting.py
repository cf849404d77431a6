"""Values that wait for the daemon, in their order; memory is bounded, and what goes is counted."""

from __future__ import annotations

import logging
import threading
from collections import Counter, deque
from collections.abc import Callable

from assistant.bridge.complaints import Complaints
from assistant.core.messages import SensorValue, SensorValues

MOST_WAITING = 20_000
"""Most values that wait: ten seconds of 200 sensors that each tell ten a second."""
MOST_A_MESSAGE = 500

log = logging.getLogger(__name__)


class WaitingValues:
    """Values from the thread of a connection to that of the worker.

    `wake` is called at the first value after `next` has found none; until then the worker is to
    ask by itself, so that a flood does not wake it at each value.
    """

    def __init__(self, wake: Callable[[], None], most: int = MOST_WAITING) -> None:
        self._wake, self._most = wake, most
        self._lock = threading.Lock()
        self._values: deque[SensorValue] = deque()
        self._unusable: Counter[str] = Counter()
        self._batch: SensorValues | None = None
        self._complaints = Complaints(log)
        self.asked = False
        """Whether the worker is to ask again without being woken."""
        self.lost = 0
        """How many values had to go for newer ones."""

    def add(self, sensor: str, value: float | None, at_s: float) -> None:
        """Let a value wait, or count a payload that holds none, by None."""
        with self._lock:
            if value is None:
                self._unusable[sensor] += 1
            else:
                self._values.append(SensorValue(sensor, value, at_s))
            overfull = len(self._values) > self._most
            if overfull:
                self._values.popleft()
                self.lost += 1
            woken, self.asked = not self.asked, True
        if overfull:
            self._complaints.of("sensors", "values are lost, as none are taken (sensors.behind)")
        if woken:
            self._wake()

    def next(self) -> SensorValues | None:
        """The oldest that wait, the same ones until they are `delivered`; None for none."""
        with self._lock:
            if self._batch is None and (self._values or self._unusable):
                count = min(MOST_A_MESSAGE, len(self._values))
                values = tuple(self._values.popleft() for _ in range(count))
                self._batch = SensorValues(values=values, unusable=dict(self._unusable))
                self._unusable.clear()
            self.asked = self._batch is not None
            return self._batch

    def delivered(self) -> None:
        """Note that the daemon has the last ones that were asked for."""
        self._batch = None
