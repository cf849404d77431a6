"""A worker of the local pool: a process that feeds one stage from its socket until SIGTERM."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable
from contextlib import closing
from multiprocessing import parent_process
from pathlib import Path

from assistant.core.bus import Address, Bus
from assistant.core.messages import Message
from assistant.core.stage import Stage
from assistant.core.worker import ORDERS, Worker
from assistant.pool.requests import is_part

FRONT = "pool"
"""The process that the workers reply to."""


class NoHeartbeat:
    """Tells nobody that the loop goes on: the pool looks at the process itself."""

    def beat(self) -> None:
        """Do nothing."""

    def reloading(self) -> None:
        """Do nothing."""


class Parent:
    """The process that runs the pool: when it is gone, however that came, `stop` is called."""

    def __init__(self, stop: Callable[[], None]) -> None:
        parent = parent_process()
        self._sentinel = int(parent.sentinel) if parent is not None else -1
        self._stop = stop

    def fileno(self) -> int:
        """A descriptor that becomes readable when it is gone."""
        return self._sentinel

    def read(self) -> Iterable[Message]:
        """Stop."""
        self._stop()
        return ()

    def close(self) -> None:
        """Nothing is held."""


class ToFront(Bus):
    """Sends the front what belongs to replies; nobody else hears this process."""

    def send(self, message: Message) -> None:
        """Send a message, unless it is of no utterance."""
        if is_part(message):
            self.send_to(FRONT, message)


def serve(name: str, folder: str, make: Callable[[], Stage]) -> None:
    """Run the stage that `make` makes; what it makes goes to the front."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # at Ctrl+C the front ends its workers
    stage = make()
    with closing(Address(Path(folder))) as address:
        wanted: tuple[type[Message], ...] = (*stage.consumes, *ORDERS)
        with closing(ToFront(name, address, (FRONT,), {}, wanted)) as bus:
            worker = Worker(name, stage, bus, NoHeartbeat())
            signal.signal(signal.SIGTERM, lambda *_: worker.stop())
            bus.watch(Parent(worker.stop))
            worker.run()
