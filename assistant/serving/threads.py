"""The whole daemon in one process: every stage is a thread, and the bus has no files.

This is for machines with little memory, and for debugging. There is no supervisor, so nothing is
restarted here: when a thread falls silent, systemd's watchdog restarts the whole daemon.
"""

from __future__ import annotations

import signal
import threading
import time
from contextlib import ExitStack, closing
from pathlib import Path

from assistant.control.client import ControlClient
from assistant.core.bus import Address
from assistant.core.config import load_config
from assistant.core.worker import Worker
from assistant.serving.processes import make_worker
from assistant.supervision.daemon import HANG_AFTER_S
from assistant.supervision.heartbeat import Heartbeat
from assistant.supervision.process import Patience
from assistant.supervision.sdnotify import Notifier

LOOK_EVERY_S = 0.5
STOP_S = 2.0


class Pulse(Heartbeat):
    """A heartbeat that keeps the time of its last beat."""

    def __init__(self, name: str) -> None:
        super().__init__(None)
        self._hang_after_s = HANG_AFTER_S.get(name, 5.0)
        self._at_s: float | None = None
        self._reloading = False

    def beat(self, state: str = "ready", detail: str = "") -> None:
        """Note that the loop went round once more."""
        self._at_s = time.monotonic()
        self._reloading = state == "reloading"

    @property
    def fresh(self) -> bool:
        """Whether it beat recently."""
        silent_s = Patience().startup_s if self._reloading else self._hang_after_s
        return self._at_s is not None and time.monotonic() - self._at_s < silent_s


def run(files: tuple[Path, ...]) -> int:
    """Run every process of the daemon as a thread until SIGTERM; return the exit status."""
    config, _ = load_config(files)
    notifier = Notifier.from_environment()
    wanted: list[int] = []
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda number, _: wanted.append(number))
    with closing(Address(None)) as address, ExitStack() as open_things:
        pulses = {name: Pulse(name) for name in config.members}
        workers = [
            make_worker(name, files, pulse, address, open_things) for name, pulse in pulses.items()
        ]
        threads = [_started(worker) for worker in workers]
        notifier.ready()
        while signal.SIGTERM not in wanted and signal.SIGINT not in wanted:
            if signal.SIGHUP in wanted:
                wanted.clear()
                ControlClient(config.control_socket).ask("reload")
            if all(pulse.fresh for pulse in pulses.values()):
                notifier.alive()
            time.sleep(LOOK_EVERY_S)
        notifier.stopping()
        for worker in workers:
            worker.stop()
        for thread in threads:
            thread.join(STOP_S)
    return 0


def _started(worker: Worker) -> threading.Thread:
    thread = threading.Thread(target=worker.run, daemon=True)
    thread.start()
    return thread
