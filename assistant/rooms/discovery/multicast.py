"""Multicast DNS by the package zeroconf, which comes with the extra `discovery`."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Iterable
from typing import TYPE_CHECKING, Any

from assistant.core.clock import boottime_s
from assistant.core.errors import RoomsError

if TYPE_CHECKING:
    from zeroconf.asyncio import AsyncZeroconf

SERVICE = "_wyoming._tcp.local."
"""What all that speaks Wyoming announces itself as."""
ROLE = "hark"
"""Key of what Hark tells of itself: one of the next two."""
SERVICES, SATELLITE = "services", "satellite"
MISSING = 'the extra "discovery" is not installed'
INSTALL = (
    "run: make discovery (for a service: sudo make -C /opt/hark discovery; elsewhere:"
    " pip install zeroconf)"
)
MOST_A_SECOND = 200
"""Most packets that are read in a second, far more than a home has. All that they tell, zeroconf
keeps: up to ten thousand records of any size up to a packet's, 9 kB."""

_ANSWERS = 0x80  # bit of a packet's third byte


@contextlib.asynccontextmanager
async def opened(addresses: Iterable[str]) -> AsyncIterator[AsyncZeroconf]:
    """Multicast DNS on the interfaces of these addresses, while this is open.

    Raises `RoomsError` where the package is missing, the network refuses, or zeroconf fails.
    """
    try:
        from zeroconf import Error, IPVersion
        from zeroconf.asyncio import AsyncZeroconf
    except ImportError as error:
        raise RoomsError("rooms.discovery", f"{MISSING}; {INSTALL}") from error
    logging.getLogger("zeroconf").setLevel(logging.CRITICAL)  # it quotes what others send
    try:
        network = AsyncZeroconf(list(addresses), ip_version=IPVersion.V4Only)
        try:
            await network.zeroconf.async_wait_for_start()
            for reader in network.zeroconf.engine.readers:
                reader.transport.set_protocol(Guard(reader.transport.get_protocol()))
            yield network
        finally:
            try:
                await network.async_close()
            finally:
                network.zeroconf.close()  # who is cancelled once more says no goodbye
    except (Error, OSError) as error:
        reason = str(error) or type(error).__name__
        raise RoomsError("rooms.multicast", f"multicast DNS fails: {reason}") from error


def pass_over_answers(network: AsyncZeroconf) -> None:
    """Read the questions of others alone from now on: of what they answer, nothing is kept."""
    for reader in network.zeroconf.engine.readers:
        guard = reader.transport.get_protocol()
        if isinstance(guard, Guard):
            guard.passes_over_answers = True


class Guard(asyncio.DatagramProtocol):
    """Hands packets on to zeroconf's `protocol`, of which it keeps nothing: a few in a second."""

    def __init__(self, protocol: Any) -> None:
        self._protocol = protocol
        self._began_s, self._left = boottime_s(), MOST_A_SECOND
        self.passes_over_answers = False
        """Whether questions alone are handed on."""

    def datagram_received(self, data: bytes, addr: tuple[str | Any, int]) -> None:
        """Hand a packet on, or pass it over."""
        now_s = boottime_s()
        if now_s - self._began_s >= 1:
            self._began_s, self._left = now_s, MOST_A_SECOND
        answers = len(data) > 2 and data[2] & _ANSWERS
        if self._left and not (answers and self.passes_over_answers):
            self._left -= 1
            self._protocol.datagram_received(data, addr)

    def error_received(self, exc: Exception) -> None:
        """Hand it on."""
        self._protocol.error_received(exc)
