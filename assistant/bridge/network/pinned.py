"""HTTP to addresses that were checked before, and what is wrong when it fails."""

from __future__ import annotations

import ssl
from collections.abc import Iterable
from typing import Any

import httpcore2

from assistant.bridge.authorities import refusal

CONNECT_S = 0.8
"""Most seconds for one address, as others of the same name may answer."""
FAULTS = (
    httpcore2.NetworkError,
    httpcore2.ProtocolError,
    httpcore2.TimeoutException,
    OSError,
)
"""What is raised on the way to a server."""


class Pinned(httpcore2.AnyIOBackend):
    """Connects to these addresses, whatever the host is called; TLS still checks its name."""

    def __init__(self, addresses: Iterable[str]) -> None:
        super().__init__()
        self._addresses = tuple(addresses)

    async def connect_tcp(
        self, host: str, port: int, timeout: float | None = None, *given: Any, **named: Any
    ) -> httpcore2.AsyncNetworkStream:
        """Connect to the first address that answers."""
        for address in self._addresses[:-1]:
            try:
                return await super().connect_tcp(address, port, CONNECT_S, *given, **named)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
                continue
        return await super().connect_tcp(self._addresses[-1], port, timeout, *given, **named)


def why(error: BaseException, authority: str, address: str = "") -> str:
    """What is wrong, in words; the libraries' own may quote what was sent.

    The settings are named as in `refusal`.
    """
    causes: list[BaseException] = []
    while error and error not in causes:
        causes.append(error)
        error = error.__cause__ or error.__context__  # type: ignore[assignment]
    for cause in causes:
        match cause:
            case ssl.SSLCertVerificationError():
                return refusal(cause, authority, address)
            case ssl.SSLError():
                return "it speaks no TLS there"
            case PermissionError():
                return "systemd lets the bridge connect to other addresses only; see IPAddressAllow"
            case httpcore2.ProtocolError():
                return "it answers in no HTTP"
    return "nothing answers there"
