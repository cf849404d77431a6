"""Sockets to servers on the local network, and to no others."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterable
from typing import Any

from assistant.bridge.network.addresses import is_local
from assistant.core.errors import BridgeError

CONNECT_S = 3.0
"""Most seconds for one address, as others of the same name may answer."""
LOOKUP_S = 10.0
"""Most seconds until the addresses of a name are known."""


async def local_socket(host: str, port: int, there: object) -> socket.socket:
    """A socket that is connected to an address of the local network.

    Raises `BridgeError`, in which `there` names the server.
    """
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(LOOKUP_S):
            found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise BridgeError("bridge.away", f"{there}: no address is known of it") from error
    fitting = [one for one in found if is_local(str(one[4][0]))]
    if not fitting:
        raise BridgeError("bridge.away", f"{there} is not on the local network, where it must be")
    return await _first(fitting, there)


async def _first(found: Iterable[tuple[Any, ...]], there: object) -> socket.socket:
    for family, kind, protocol, _, address in found:
        line = socket.socket(family, kind, protocol)
        line.setblocking(False)
        try:
            async with asyncio.timeout(CONNECT_S):
                await asyncio.get_running_loop().sock_connect(line, address)
        except OSError:
            line.close()
        else:
            return line
    raise BridgeError("bridge.away", f"nothing answers at {there}")
