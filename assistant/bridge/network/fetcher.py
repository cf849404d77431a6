"""Asks servers over HTTP: each address is checked after its name was looked up, and then used."""

from __future__ import annotations

import asyncio
import logging
import re
import socket
import ssl
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager

import httpcore2

from assistant.bridge.network.addresses import is_internet, is_local
from assistant.bridge.network.grants import Reach, ServerGrants
from assistant.bridge.network.pinned import FAULTS, Pinned, why
from assistant.bridge.network.secrets import Secret, Secrets
from assistant.core.errors import SkillError, UnreachableError
from assistant.core.network.exchange import LARGEST_BODY_BYTES, LONGEST_WAIT_S, Fetch, Fetched
from assistant.core.network.origin import Origin

REDIRECTS = (301, 302, 303, 307, 308)
_FITS: Mapping[Reach, Callable[[str], bool]] = {
    Reach.LOCAL: is_local,
    Reach.INTERNET: is_internet,
}
_CONTENT_TYPE = re.compile(r"[!-~][ -~]{0,199}")
Resolve = Callable[[str, int], Awaitable[list[str]]]
"""Looks up the addresses of a host; raises `OSError` for one that there is not."""

log = logging.getLogger(__name__)


async def resolve(host: str, port: int) -> list[str]:
    """The addresses of a host, each once, as the system looks them up."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


class Fetcher:
    """Asks what a skill may ask, with its secret; everything raises `SkillError`."""

    def __init__(
        self,
        grants: ServerGrants,
        secrets: Secrets,
        tls: ssl.SSLContext,
        resolve: Resolve = resolve,
    ) -> None:
        self._grants, self._secrets, self._tls, self._resolve = grants, secrets, tls, resolve
        # Its lines for debugging hold headers.
        logging.getLogger("httpcore2").setLevel(logging.WARNING)

    async def check(self, skill: str, origin: Origin) -> None:
        """Connect to a server that a skill may ask, and say nothing to it."""
        reach = self._grants.reach(skill, origin)
        async with _named_faults(origin, LONGEST_WAIT_S):
            backend = Pinned(await self._addresses(origin, reach))
            await (await backend.connect_tcp(origin.host, origin.port)).aclose()

    async def fetch(self, asked: Fetch) -> Fetched:
        """What a server answers, in time and whole."""
        began_s = time.monotonic()
        reach = self._grants.reach(asked.skill, asked.origin)
        secret = None
        if asked.secret:
            secret = self._secrets.of(asked.skill, asked.secret, asked.origin)
        async with _named_faults(asked.origin, asked.within_s):
            backend = Pinned(await self._addresses(asked.origin, reach))
            answer = await self._exchanged(asked, secret, backend)
        if secret is not None and secret.is_in(answer.body):
            raise SkillError("skill.secret", f"{asked.origin} repeats the secret that it was sent")
        milliseconds = (time.monotonic() - began_s) * 1000
        told = "%s asked %s: status %d, %d bytes, %.0f ms"
        log.info(told, asked.skill, asked.origin, answer.status, len(answer.body), milliseconds)
        return answer

    async def _addresses(self, origin: Origin, reach: Reach) -> list[str]:
        """The addresses of a server that are where it must be; a name may lead elsewhere today."""
        try:
            found = await self._resolve(origin.host, origin.port)
        except (OSError, UnicodeError) as error:
            raise UnreachableError(f"{origin}: no address is known of that name") from error
        fitting = [address for address in found if _FITS[reach](address)]
        if not fitting:
            message = f"{origin} is not {reach.value}, where it must be"
            if reach is Reach.LOCAL:
                message += "; root lets a skill ask one on the internet: assistant skills grant"
            raise SkillError("skill.permission", message)
        return sorted(fitting, key=lambda address: ":" in address)

    async def _exchanged(self, asked: Fetch, secret: Secret | None, backend: Pinned) -> Fetched:
        origin = asked.origin
        url = httpcore2.URL(
            scheme=origin.scheme.encode(),
            host=origin.host.encode(),
            port=origin.port,
            target=asked.target.encode(),
        )
        async with (
            httpcore2.AsyncConnectionPool(self._tls, network_backend=backend) as pool,
            pool.stream(
                asked.method, url, headers=_headers(asked, secret), content=asked.body.encode()
            ) as response,
        ):
            _check_headers(origin, response.status, dict(response.headers))
            body = bytearray()
            async for piece in response.aiter_stream():
                body += piece
                if len(body) > LARGEST_BODY_BYTES:
                    raise UnreachableError(f"{origin} answers more than {LARGEST_BODY_BYTES} bytes")
            return Fetched(status=response.status, body=bytes(body))


def _headers(asked: Fetch, secret: Secret | None) -> list[tuple[str, str]]:
    headers = [("Accept-Encoding", "identity"), ("Connection", "close"), ("User-Agent", "hark")]
    if asked.method == "POST":
        if not _CONTENT_TYPE.fullmatch(asked.content_type):
            raise SkillError("skill.network", "that is no type of content")
        headers.append(("Content-Type", asked.content_type))
    if secret is not None:
        headers.append(("Authorization", secret.authorization))
    return headers


def _check_headers(origin: Origin, status: int, headers: Mapping[bytes, bytes]) -> None:
    named = {name.lower(): value for name, value in headers.items()}
    if status in REDIRECTS:
        raise UnreachableError(f"{origin} sends to another address ({status}), which is refused")
    if named.get(b"content-encoding", b"identity") != b"identity":
        raise UnreachableError(f"{origin} answers compressed, which was not asked for")


@asynccontextmanager
async def _named_faults(origin: Origin, within_s: float) -> AsyncIterator[None]:
    """Raise `UnreachableError` for what goes wrong on the way to a server, or takes longer."""
    try:
        async with asyncio.timeout(max(0.0, min(within_s, LONGEST_WAIT_S))):  # also for NaN
            yield
    except TimeoutError as error:
        raise UnreachableError(f"{origin} does not answer in time") from error
    except FAULTS as error:
        raise UnreachableError(f"{origin}: {why(error, 'network.ca_file')}") from error
