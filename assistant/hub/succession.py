"""How a new hub takes the place of one that serves, with the code and settings of then.

At SIGUSR2 a hub starts itself again, with its own arguments. The new one inherits the socket at
which the gateway listens, so that callers wait in one queue for either. Once it serves, it ends the
old one, which finishes what it has begun. Where it cannot start, the old one serves on.
"""

from __future__ import annotations

import logging
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from assistant.supervision.sdnotify import Notifier

PREDECESSOR = "HARK_HUB_PREDECESSOR"
"""Variable that names a process, the socket that it hands over, and where it hears of that."""

COMMAND = "-m", "assistant"
"""How Python is told to run this program."""

log = logging.getLogger(__name__)


class Predecessor:
    """The hub whose place this process takes; `told` is where it hears that it is taken."""

    def __init__(self, process: int, listening: int, told: int) -> None:
        self._process, self._listening, self._told = process, listening, told

    def socket(self) -> socket.socket:
        """The socket at which it listens, and this process from now on."""
        return socket.socket(fileno=self._listening)

    def end(self) -> None:
        """Have it finish what it has begun, as this process serves; systemd follows this one."""
        Notifier.from_environment().succeeds()
        with suppress(OSError):  # it has ended by itself
            os.write(self._told, b".")
        if os.getppid() == self._process:
            os.kill(self._process, signal.SIGTERM)


def predecessor() -> Predecessor | None:
    """The hub that has started this process, unless its owner has."""
    named = os.environ.pop(PREDECESSOR, "").split(":")
    if len(named) != 3 or named[0] != str(os.getppid()):
        return None
    return Predecessor(*map(int, named))


class Succession:
    """Starts hubs that are to take over the socket `listening`.

    `failed` is called when one has ended without. None does on a `cluster`, whose workers of one
    hub would be those of the other.
    """

    def __init__(
        self, listening: socket.socket, failed: Callable[[], None], cluster: str = ""
    ) -> None:
        self._listening, self._failed, self._cluster = listening, failed, cluster
        self._next: subprocess.Popen[bytes] | None = None
        self._told = -1

    @property
    def is_under_way(self) -> bool:
        """Whether the next hub is starting."""
        return self._next is not None and self._next.poll() is None

    def begin(self) -> None:
        """Start the next hub, in place of one that is starting already: it reads all anew."""
        self.close()
        if self._cluster:
            log.error("hub: on the cluster %s no other takes over (hub.successor)", self._cluster)
            return
        self._told, tells = os.pipe()
        descriptors = self._listening.fileno(), tells
        named = ":".join(map(str, (os.getpid(), *descriptors)))
        try:
            self._next = subprocess.Popen(
                (sys.executable, *COMMAND, *sys.argv[1:]),
                env={**_environment(), PREDECESSOR: named},
                pass_fds=descriptors,
            )
        except OSError as error:
            log.error("hub: no other starts: %s (hub.successor)", error.strerror)
            os.close(self._told)
            return
        finally:
            os.close(tells)
        waiting = threading.Thread(target=self._wait, args=(self._next,), daemon=True)
        waiting.start()

    def close(self) -> None:
        """End one that is starting, unless it has taken over."""
        starting, self._next = self._next, None
        if starting is None:
            return
        if not select.select([self._told], [], [], 0)[0] or not os.read(self._told, 1):
            starting.terminate()
        os.close(self._told)

    def _wait(self, starting: subprocess.Popen[bytes]) -> None:
        ended = starting.wait()
        if self._next is starting:
            log.error("hub: the new one has ended with %d; this one goes on (hub.successor)", ended)
            self._failed()


def _environment(file: Path = Path("/proc/self/environ")) -> Mapping[str, str]:
    """The variables with which this process was started: Ray's engine has added its own."""
    pairs = os.fsdecode(file.read_bytes()).split("\0")
    return dict(pair.split("=", 1) for pair in pairs if "=" in pair)
