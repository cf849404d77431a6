"""The services for others: they listen at a port, and let in whom the settings name."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import logging
import socket
from collections.abc import Iterable, Sequence
from weakref import WeakValueDictionary

from wyoming.info import Info

from assistant.bridge.complaints import Complaints
from assistant.core.errors import ConfigError, RoomsError
from assistant.core.settings.wyoming import PEER, WyomingSettings
from assistant.rooms.asking import Peer
from assistant.rooms.callers import Callers, Turns
from assistant.rooms.daemon import Daemon
from assistant.rooms.session import Session
from assistant.rooms.wake_words import WakeWords
from assistant.rooms.wire import LOST, MOST_HEADER_BYTES, forget, hang_up

MOST_CONNECTIONS = 64
MOST_OF_ONE = 24
"""Most connections from one address."""
AT_ONCE = 4
"""Most requests of one address that the daemon works on at a time; the others wait."""
SPOKEN_AT_ONCE = 2
"""Most sentences that the daemon speaks for all of them at a time."""
SENT_AHEAD_BYTES = 128 << 10
"""Bytes that wait in the system for one that is slow to take them; Linux takes twice as many."""

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

log = logging.getLogger(__name__)


class Services:
    """Serves connections from the `allowed` networks, with the `daemon`, and hears wake `words`."""

    def __init__(
        self,
        settings: WyomingSettings,
        allowed: Sequence[Network],
        info: Info,
        daemon: Daemon,
        words: WakeWords,
    ) -> None:
        self._allowed = allowed
        self._settings, self._info, self._daemon, self._words = settings, info, daemon, words
        self._complaints = Complaints(log)
        self._peer = Peer(PEER)
        self._callers = Callers(MOST_CONNECTIONS, MOST_OF_ONE)
        self._turns = WeakValueDictionary[str, Turns]()
        """Those of each address that is served."""
        self._voice = asyncio.Semaphore(SPOKEN_AT_ONCE)
        self._server: asyncio.Server | None = None
        self.port = 0
        """The port that is listened at; 0 where nobody is let in."""

    @property
    def connections(self) -> int:
        """How many connections are served now."""
        return len(self._callers)

    async def start(self) -> None:
        """Listen, where anybody is let in; raises `RoomsError` where that cannot be."""
        if not self._allowed:
            return
        address, port = self._settings.address, self._settings.port
        try:
            self._server = await asyncio.start_server(
                self._serve, address or None, port, limit=MOST_HEADER_BYTES
            )
        except OSError as error:
            where = f"{address or 'every address'}, port {port}"
            raise RoomsError("rooms.port", f"cannot listen at {where}: {error}") from error
        self.port = self._server.sockets[0].getsockname()[1]

    def close(self) -> None:
        """Listen no more."""
        if self._server is not None:
            self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # The service's end is no fault of this: asyncio would log it as one.
        with contextlib.suppress(asyncio.CancelledError):
            await self._let_in(reader, writer)

    async def _let_in(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        address, task = writer.get_extra_info("peername")[0], asyncio.current_task()
        try:
            if not is_among(address, self._allowed):
                self._complaints.of("wyoming", "an address that wyoming.allow does not name calls")
            elif task is not None:
                with self._callers.let_in(address, task.cancel):
                    await self._served(address, reader, writer)
        except RoomsError as error:
            self._complain(error)
        finally:
            writer.transport.abort()
            await forget(reader)

    async def _served(
        self, address: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        socket_ = writer.get_extra_info("socket")
        socket_.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SENT_AHEAD_BYTES)
        turns = self._turns.setdefault(address, Turns(asyncio.Semaphore(AT_ONCE), self._voice))
        about = (self._daemon, self._info, self._peer, turns, self._words)
        try:
            await Session(*about, reader, writer).run()
        except RoomsError as error:
            if error.code != LOST:  # who has what it wants may leave with a part unread
                self._complain(error)
        finally:
            await hang_up(reader, writer)

    def _complain(self, error: RoomsError) -> None:
        self._complaints.of("wyoming", f"a connection ends: {error.message} ({error.code})")


def networks(allow: Iterable[str]) -> tuple[Network, ...]:
    """The networks of addresses such as "192.168.1.20" and "192.168.1.0/24"."""
    try:
        return tuple(ipaddress.ip_network(one, strict=False) for one in allow)
    except ValueError as error:
        raise ConfigError("rooms.allow", f"wyoming.allow: {error}") from error


def is_among(address: str, allowed: Iterable[Network]) -> bool:
    """Whether an address is in one of the networks; IPv4 that comes by IPv6 is IPv4."""
    there = ipaddress.ip_address(address.partition("%")[0])
    mapped = there.ipv4_mapped if isinstance(there, ipaddress.IPv6Address) else None
    return any((mapped or there) in network for network in allowed)
