"""One end of a connection that sends as it likes, reads what comes, and notices a hang-up."""

from __future__ import annotations

import socket
import time
from contextlib import suppress

PING = b'{"type": "ping", "data": {"text": "there"}}\n'
SETTLES_S = 0.3
"""Seconds in which a frame is answered that may have ended the connection."""
TAKES_S = 20.0
READ_BYTES = 1 << 16


class Peer:
    """A connection; `close` ends it, as does the other side."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection, self.closed = connection, False

    def send(self, frame: bytes) -> None:
        """Send a frame, and drop what has come meanwhile, so that the other side never waits."""
        try:
            self._connection.settimeout(TAKES_S)
            self._connection.sendall(frame)
            self._connection.settimeout(0)
            with suppress(BlockingIOError):
                while self._connection.recv(READ_BYTES):
                    pass
                self.close()
        except OSError:
            self.close()

    def settle(self) -> None:
        """Wait for a ping to come back; hang up where it does not, as in the middle of a frame."""
        until_s = time.monotonic() + SETTLES_S
        self.send(PING)
        if not self.closed and not _comes(self._connection, b"pong", until_s):
            self.close()

    def close(self) -> None:
        """Hang up."""
        self.closed = True
        self._connection.close()


def is_answered(port: int, caller: str, frames: bytes, answer: bytes, within_s: float) -> bool:
    """Whether this answer comes to frames of another caller, on a connection of its own."""
    until_s = time.monotonic() + within_s
    try:
        line = socket.create_connection(("127.0.0.1", port), within_s, (caller, 0))
        with line as connection:
            connection.sendall(frames)
            return _comes(connection, answer, until_s)
    except OSError:
        return False


def _comes(connection: socket.socket, answer: bytes, until_s: float) -> bool:
    got = b""
    try:
        while answer not in got and (left_s := until_s - time.monotonic()) > 0:
            connection.settimeout(left_s)
            if not (more := connection.recv(READ_BYTES)):
                return False
            got = got[-len(answer) :] + more
    except OSError:
        return False
    return answer in got
