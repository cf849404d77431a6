"""A process that reads hostile files, so that its crashes, hangs and memory can be observed."""

from __future__ import annotations

import multiprocessing
import resource
from collections.abc import Callable
from multiprocessing.connection import Connection

PATIENCE_S = 20.0
MOST_BYTES = 3_000_000_000
"""Most bytes of address space: beyond it there is a MemoryError, which is reported."""

Read = Callable[[str], str]
"""A function that reads a file; gives "" or the forbidden effect."""


class Child:
    """Calls `read`, a module's function, in a process of its own, restarted when needed."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._start()

    @property
    def pid(self) -> int:
        """The id of the present process."""
        return self._process.pid or 0

    def ask(self, path: str) -> str:
        """What `read` says about the file, or how it ended the process."""
        self._line.send(path)
        fault = ""
        try:
            if self._line.poll(PATIENCE_S):
                return str(self._line.recv())
            fault = f"it hung for {PATIENCE_S:.0f} s"
        except EOFError:
            self._process.join()
            fault = f"it crashed: {self._process.exitcode}"
        self.close()
        self._start()
        return fault

    def close(self) -> None:
        """End the process."""
        self._line.close()
        self._process.kill()
        self._process.join()

    def _start(self) -> None:
        spawning = multiprocessing.get_context("spawn")
        self._line, theirs = spawning.Pipe()
        self._process = spawning.Process(target=_serve, args=(theirs, self._read), daemon=True)
        self._process.start()
        theirs.close()


def _serve(line: Connection, read: Read) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    while True:
        try:
            path = line.recv()
        except EOFError:
            return
        try:
            fault = read(path)
        except Exception as error:  # noqa: BLE001 - any exception at all is a finding
            fault = f"{type(error).__name__}: {error}"[:300]
        line.send(fault)
