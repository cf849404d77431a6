"""How a new hub takes the place of one that serves, with the code and settings of then.

At SIGUSR2 a hub starts itself again, with its own arguments. The new one inherits the socket at
which the gateway listens, so that callers wait in one queue for either. Once it serves, it ends the
old one, which finishes what it has begun. Where it cannot start, the old one serves on.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

from assistant.supervision.sdnotify import Notifier

PREDECESSOR = "HARK_HUB_PREDECESSOR"
"""Variable that names a process, and the descriptor of the socket that it hands over."""

log = logging.getLogger(__name__)


class Predecessor:
    """The hub whose place this process takes."""

    def __init__(self, process: int, descriptor: int) -> None:
        self._process, self._descriptor = process, descriptor

    def socket(self) -> socket.socket:
        """The socket at which it listens, and this process from now on."""
        return socket.socket(fileno=self._descriptor)

    def end(self) -> None:
        """Have it finish what it has begun, as this process serves; systemd follows this one."""
        Notifier.from_environment().succeeds()
        os.kill(self._process, signal.SIGTERM)


def predecessor() -> Predecessor | None:
    """The hub that has started this process, unless its owner has."""
    named = os.environ.pop(PREDECESSOR, "").split(":")
    if len(named) != 2 or named[0] != str(os.getppid()):
        return None
    return Predecessor(int(named[0]), int(named[1]))


class Succession:
    """Starts hubs that are to take over the socket `listening`, one at a time.

    None does on a `cluster`, whose workers of one hub would be those of the other.
    """

    def __init__(self, listening: socket.socket, cluster: str = "") -> None:
        self._listening, self._cluster = listening, cluster
        self._starting = threading.Lock()

    def begin(self) -> None:
        """Start the next hub, unless one is starting already; a signal handler may call it."""
        threading.Thread(target=self._begin, name="hub succession", daemon=True).start()

    def _begin(self) -> None:
        if self._cluster:
            log.error("hub: on the cluster %s no other takes over (hub.successor)", self._cluster)
            return
        if not self._starting.acquire(blocking=False):
            return
        try:
            descriptor = self._listening.fileno()
            ended = subprocess.run(
                (sys.executable, "-m", "assistant", *sys.argv[1:]),
                env={**_environment(), PREDECESSOR: f"{os.getpid()}:{descriptor}"},
                pass_fds=(descriptor,),
                check=False,
            ).returncode
            log.error("hub: the new one has ended with %d; this one goes on (hub.successor)", ended)
        except OSError as error:
            log.error("hub: no other starts: %s (hub.successor)", error.strerror)
        finally:
            self._starting.release()


def _environment(file: Path = Path("/proc/self/environ")) -> Mapping[str, str]:
    """The variables with which this process was started: Ray's engine has added its own."""
    pairs = os.fsdecode(file.read_bytes()).split("\0")
    return dict(pair.split("=", 1) for pair in pairs if "=" in pair)
