"""The attacked process, which is started again where it has ended, and what it logs."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import MutableMapping, Sequence
from pathlib import Path

STOP_S = 10.0


class Attacked:
    """`assistant NAME ARGUMENTS`, which writes to `log`; `watched` is told of its process.

    With a `command` it is started by that one.
    """

    def __init__(
        self,
        log: Path,
        watched: MutableMapping[int, str],
        name: str,
        *arguments: str,
        command: Sequence[str] = (),
    ) -> None:
        self._log, self._watched, self._name = log, watched, name
        self._command = command or (sys.executable, "-m", "assistant", name, *arguments)
        self._read_to = log.stat().st_size
        self.start()

    def start(self) -> None:
        """Start it."""
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(self._command, stdout=log, stderr=log)
        self._watched.clear()
        self._watched[self.process.pid] = self._name

    @property
    def ended(self) -> bool:
        """Whether the process has ended."""
        return self.process.poll() is not None

    def traceback(self) -> str:
        """The last line of a traceback that was logged since the last call; "" for none."""
        with self._log.open("rb") as log:
            log.seek(self._read_to)
            logged = log.read()
        self._read_to += len(logged)
        _, found, rest = logged.decode(errors="replace").partition("Traceback (most recent")
        lines = [line for line in rest.splitlines()[1:] if not line.startswith(" ")]
        return f"a traceback: {(lines or ['of no end'])[0]:.200}" if found else ""

    def close(self) -> None:
        """End the process."""
        self.process.terminate()
        self.process.wait(STOP_S)


def free_port() -> int:
    """A TCP port of this machine that nobody listens at."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
    return port
