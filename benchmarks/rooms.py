"""`assistant rooms` beside the daemon of a benchmark."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from assistant.bench.rig import Rig

LISTENS_S = 30.0


@contextmanager
def rooms(rig: Rig) -> Iterator[subprocess.Popen[bytes]]:
    """Have it run, with the settings of the daemon."""
    command = (sys.executable, "-m", "assistant", "rooms", "--config", str(rig.config))
    process = subprocess.Popen(command)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(10)


def wait_for(port: int) -> None:
    """Wait until something listens at a port; raises `OSError` where nothing does."""
    until_s = time.monotonic() + LISTENS_S
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionRefusedError:
            if time.monotonic() > until_s:
                raise
            time.sleep(0.1)
        else:
            return
