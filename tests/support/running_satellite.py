"""A Hark's satellite that runs in a thread of its own, with devices that a test plays."""

from __future__ import annotations

import asyncio
import re
import socket
import threading
from concurrent.futures import Future
from contextlib import suppress

from assistant.pairing.at_satellite import Pairing
from assistant.pairing.number import DIGITS, Number
from assistant.pairing.trust import Trust
from assistant.satellite.serve import Server
from tests.support.satellite_board import Board, Microphone

HERE = "127.0.0.1"


class RunningSatellite:
    """Serves this machine at `port` until it is closed."""

    def __init__(
        self, trust: Trust, key: bytes | None = None, number: Number | None = None, port: int = 0
    ) -> None:
        self.trust, self.board, self.devices = trust, Board(), Microphone()
        pairing = Pairing(trust, self.board.satellite.announce, key, number)
        self._server = Server(
            self.board.satellite, [self.devices], [HERE], HERE, port, pairing, beat=self._beat
        )
        self._started: Future[None] = Future()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()))
        self._thread.start()
        self._started.result(60)

    @property
    def port(self) -> int:
        """The port at which it listens."""
        return self._server.port

    @property
    def place(self) -> tuple[str, int]:
        """Where a base finds it."""
        return HERE, self.port

    @property
    def number(self) -> str:
        """The number that it said last."""
        return "".join(re.findall(r"\d", self.board.player.said[-1])[:DIGITS])

    def close(self) -> None:
        """End, once it has met all who called: asyncio would leave them open."""
        if self._thread.is_alive():
            with socket.create_connection(self.place, 10) as last, suppress(OSError):
                last.sendall(b"x" * 64 + b"\n")  # no event, and no TLS
                last.recv(1)
            self._loop.call_soon_threadsafe(self._server.stop)
            self._thread.join()
            self.devices.close()

    def _beat(self) -> None:
        if not self._started.done():
            self._started.set_result(None)

    async def _run(self) -> None:
        self._loop = asyncio.get_running_loop()
        await self._server.run()
