"""Somebody on the network between a base and a satellite, who reads all that passes."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress

HERE = "127.0.0.1"


class Wiretap:
    """Passes bytes on between who calls its `port` and a port of this machine, and keeps them."""

    def __init__(self, port: int) -> None:
        self._there = port
        self.seen = b""
        self._listening = socket.create_server((HERE, 0))
        self.port: int = self._listening.getsockname()[1]
        self._open: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._accepting = threading.Thread(target=self._accept)
        self._accepting.start()

    def close(self) -> None:
        """Hang up on all, and listen no more."""
        _end(self._listening)
        self._accepting.join()  # nobody comes after this
        for one in self._open:
            _end(one)
        for thread in self._threads:
            thread.join()
        for one in (self._listening, *self._open):
            one.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                called, _ = self._listening.accept()
                try:
                    there = socket.create_connection((HERE, self._there))
                except OSError:
                    called.close()
                    continue
                self._open += [called, there]
                for ends in ((called, there), (there, called)):
                    thread = threading.Thread(target=self._pass_on, args=ends)
                    self._threads.append(thread)
                    thread.start()

    def _pass_on(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while data := one.recv(65_536):
                self.seen += data
                other.sendall(data)
        _end(one)
        _end(other)


def _end(one: socket.socket) -> None:
    with suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
