"""`assistant rooms`, and other commands, beside the daemon of a benchmark."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import IO

from assistant.bench.rig import Rig

LISTENS_S = 30.0


def rooms(
    rig: Rig, log: IO[bytes] | None = None
) -> AbstractContextManager[subprocess.Popen[bytes]]:
    """Have it run, with the settings of the daemon; what it logs goes to `log`."""
    return running(log, "rooms", "--config", str(rig.config))


@contextmanager
def running(log: IO[bytes] | None, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """Have the command `assistant` run, with these arguments."""
    command = (sys.executable, "-m", "assistant", *arguments)
    process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(20)


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
