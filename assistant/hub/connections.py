"""Bounds the hub's connections: each address has a share, and headers must come in time.

uvicorn counts all connections alike, and waits for a first request for ever: whoever opened enough
of them, without a key, kept every tenant out.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

MOST_OF_ONE = 500
"""Most connections of one address: a quarter of the calls that the hub takes at a time."""
HEADERS_S = 10.0
"""Seconds in which a request's headers must have come, counted from the connection on."""

_OF: Counter[str] = Counter()
"""Address → its connections."""


class BoundedConnection(AutoHTTPProtocol):
    """One connection of uvicorn, which is hung up on where it has too many beside it or is slow."""

    _address = ""
    _due: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Take the connection, or end it."""
        address = str((transport.get_extra_info("peername") or ("",))[0])
        if _OF[address] >= MOST_OF_ONE:
            transport.abort()
            return
        self._address = address
        _OF[address] += 1
        super().connection_made(transport)
        self._await_headers()

    def data_received(self, data: bytes) -> None:
        """Take bytes; those of a request whose headers are whole have a deadline elsewhere."""
        if not self._address:
            return
        super().data_received(data)
        if self._answers:
            self._wait_no_more()
        elif self._due is None:
            self._await_headers()

    def eof_received(self) -> None:
        """Take the end of what comes."""
        if self._address:
            super().eof_received()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._wait_no_more()
        if self._address:
            _OF[self._address] -= 1
            if not _OF[self._address]:
                del _OF[self._address]
            super().connection_lost(exc)

    @property
    def _answers(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _await_headers(self) -> None:
        self._due = asyncio.get_running_loop().call_later(HEADERS_S, self._hang_up)

    def _wait_no_more(self) -> None:
        if self._due is not None:
            self._due.cancel()
            self._due = None

    def _hang_up(self) -> None:
        self._due = None
        if not self._answers:
            self.transport.abort()
