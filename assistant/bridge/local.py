"""Sockets to servers on the local network, and to no others."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

from assistant.bridge.network.addresses import is_local
from assistant.core.errors import BridgeError

CONNECT_S = 3.0
"""Most seconds for one address, as others of the same name may answer."""
LOOKUP_S = 10.0
"""Most seconds until the addresses of a name are known."""


async def local_addresses(host: str, port: int, there: object) -> list[str]:
    """The addresses of a host on the local network, each once, those of IPv4 first.

    Raises `BridgeError`, in which `there` names the server.
    """
    found = dict.fromkeys(str(one[4][0]) for one in await _found(host, port, there))
    return sorted(found, key=lambda address: ":" in address)


async def local_socket(host: str, port: int, there: object) -> socket.socket:
    """A socket that is connected to an address of the local network; raises likewise."""
    for family, kind, protocol, _, address in await _found(host, port, there):
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


async def _found(host: str, port: int, there: object) -> list[tuple[Any, ...]]:
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(LOOKUP_S):
            found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise BridgeError("bridge.away", f"{there}: no address is known of it") from error
    fitting: list[tuple[Any, ...]] = [one for one in found if is_local(str(one[4][0]))]
    if not fitting:
        raise BridgeError("bridge.away", f"{there} is not on the local network, where it must be")
    return fitting
