"""The hub of the settings: at its address, by its own certificate, with this home's key."""

from __future__ import annotations

import asyncio
import re
import ssl
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import httpcore2

from assistant.bridge.local import local_addresses
from assistant.bridge.network.pinned import FAULTS, Pinned, why
from assistant.bridge.password import read_password
from assistant.core.errors import BridgeError, ConfigError
from assistant.core.network.exchange import LARGEST_BODY_BYTES, AskHub, Fetched
from assistant.core.network.origin import Origin
from assistant.core.settings.hub import HubSettings
from assistant.pool.breaker import Breaker, BreakerState

AWAY, REFUSED = "hub.away", "hub.refused"
OK = 200
LONGEST_S = 10.0
IDLE_S = 4.0
"""Seconds for which an idle connection is kept; the hub hangs up after five."""
CHECKED_WITHIN_S = 2.0
SOUND, JSON = "audio/wav", "application/json"
UNKNOWN, FORBIDDEN = 401, 403
ANOTHER = "it is another one"
_CERTIFICATE = re.compile("-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----", re.DOTALL)


class HubClient:
    """Asks the hub over a connection that is kept; everything raises `BridgeError`.

    After three failures in a row it is left alone for a while, so that nobody waits for what is not
    there. Raises `ConfigError` for settings that name no hub, or none that is safe.
    """

    def __init__(self, settings: HubSettings, clock: Callable[[], float] = time.monotonic) -> None:
        self._settings, self._clock = settings, clock
        try:
            self._origin = Origin.read(settings.url)
        except ValueError as error:
            raise ConfigError("config.invalid", f"hub.url: {error}") from error
        self._tls = _context(self._origin, settings.certificate)
        self._breaker = Breaker()
        self._pool: httpcore2.AsyncConnectionPool | None = None

    async def ask(self, asked: AskHub) -> Fetched:
        """What the hub replies, which is what was asked for."""
        kind = SOUND if asked.path.startswith("/v1/hear") else JSON
        headers = [("Content-Type", kind), *self._headers()]
        if asked.traceparent:
            headers.append(("traceparent", asked.traceparent))
        if self._breaker.state(self._clock()) is BreakerState.OPEN:
            raise BridgeError(AWAY, f"{self._origin} failed again and again; it rests for a while")
        self._breaker = self._breaker.sent(self._clock())
        try:
            async with self._named_faults(asked.within_s):
                reply = await self._exchanged("POST", asked.path, headers, asked.body)
        except BridgeError:
            self._breaker = self._breaker.failed(self._clock())
            raise
        self._breaker = self._breaker.succeeded()
        return self._accepted(reply)

    async def check(self) -> None:
        """Raise where the hub cannot be asked now."""
        async with self._named_faults(CHECKED_WITHIN_S):
            reply = await self._exchanged("GET", "/v1/models", self._headers(), b"")
        if reply.status != FORBIDDEN:  # a tenant may be kept to other calls
            self._accepted(reply)

    async def close(self) -> None:
        """Hang up."""
        if self._pool is not None:
            await self._pool.aclose()

    def _accepted(self, reply: Fetched) -> Fetched:
        if reply.status != OK:
            remedy = "; see hub.key_file" if reply.status == UNKNOWN else ""
            raise BridgeError(REFUSED, f"{self._origin}: status {reply.status}{remedy}")
        return reply

    def _headers(self) -> list[tuple[str, str]]:
        headers = [("Accept", JSON), ("Accept-Encoding", "identity"), ("User-Agent", "hark")]
        if self._settings.key_file:
            file = Path(self._settings.key_file).expanduser()
            key = read_password(file, "hub.key_file")
            if not key.isascii():
                raise BridgeError("bridge.password", f"hub.key_file: {file} holds no hub's key")
            headers.append(("Authorization", f"Bearer {key}"))
        return headers

    async def _exchanged(
        self, method: str, target: str, headers: list[tuple[str, str]], body: bytes
    ) -> Fetched:
        origin = self._origin
        url = httpcore2.URL(
            scheme=origin.scheme.encode(),
            host=origin.host.encode(),
            port=origin.port,
            target=target.encode(),
        )
        if self._pool is None:
            self._pool = httpcore2.AsyncConnectionPool(
                self._tls, keepalive_expiry=IDLE_S, network_backend=_AtHome(origin)
            )
        async with self._pool.stream(method, url, headers=headers, content=body) as response:
            content = bytearray()
            async for piece in response.aiter_stream():
                content += piece
                if len(content) > LARGEST_BODY_BYTES:
                    raise BridgeError(REFUSED, f"{origin} answers far too much")
            return Fetched(status=response.status, body=bytes(content))

    @asynccontextmanager
    async def _named_faults(self, within_s: float) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(max(0.0, min(within_s, LONGEST_S))):  # also for NaN
                yield
        except TimeoutError as error:
            raise BridgeError(AWAY, f"{self._origin} does not answer in time") from error
        except FAULTS as error:
            raise BridgeError(AWAY, f"{self._origin}: {why(error, 'hub.certificate')}") from error


class _AtHome(httpcore2.AnyIOBackend):
    """Connects to addresses of the local network alone."""

    def __init__(self, origin: Origin) -> None:
        super().__init__()
        self._origin = origin

    async def connect_tcp(
        self, host: str, port: int, timeout: float | None = None, *given: Any, **named: Any
    ) -> httpcore2.AsyncNetworkStream:
        """Look the host up anew, and connect to the first address that answers."""
        addresses = await local_addresses(host, port, self._origin)
        return await Pinned(addresses).connect_tcp(host, port, timeout, *given, **named)


def _context(origin: Origin, certificate: str) -> ssl.SSLContext | None:
    """A context that knows one certificate alone, whatever name it bears."""
    if origin.scheme == "http":
        if not _is_here(origin.host):
            told = f"{origin}: what is said would be read along; give https:// and hub.certificate"
            raise ConfigError("bridge.hub", f"hub.url: {told}")
        return None
    if not certificate:
        raise ConfigError("bridge.hub", "hub.certificate: name the file of the hub's certificate")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    file = Path(certificate).expanduser()
    try:
        context.load_verify_locations(file)
        own = _CERTIFICATE.search(file.read_text("ascii", "replace"))
    except OSError as error:
        told = f"hub.certificate: {file} holds no certificate in PEM: {error}"
        raise ConfigError("bridge.hub", told) from error
    if own is None:
        raise ConfigError("bridge.hub", f"hub.certificate: {file} holds no certificate in PEM")
    context.sslobject_class = _known_by(ssl.PEM_cert_to_DER_cert(own[0]))
    return context


def _known_by(certificate: bytes) -> type[ssl.SSLObject]:
    """A connection to who has this certificate itself, and not one that it has signed."""

    class Known(ssl.SSLObject):
        def do_handshake(self) -> None:
            super().do_handshake()
            if self.getpeercert(binary_form=True) != certificate:
                error = ssl.SSLCertVerificationError(1, ANOTHER)
                error.verify_code, error.verify_message = 0, ANOTHER
                raise error

    return Known


def _is_here(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
