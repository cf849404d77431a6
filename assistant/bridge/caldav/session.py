"""Requests to one collection by CalDAV: each within bounds, to its own server alone."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import logging
import re
import ssl
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Literal
from urllib.parse import quote, unquote, urlsplit
from xml.sax.saxutils import escape

import httpcore2

from assistant.bridge.caldav.multistatus import (
    CALDAV,
    CALENDAR_SERVER,
    DAV,
    Multistatus,
    Resource,
)
from assistant.bridge.local import local_addresses
from assistant.bridge.network.pinned import FAULTS, Pinned, why
from assistant.core.calendar.messages import CollectedEvent, EventChange
from assistant.core.errors import BridgeError
from assistant.core.network.origin import Origin

ANSWER_S = 20.0
"""Most seconds for an answer, however slowly it comes."""
LARGEST_ANSWER_BYTES = 8 << 20
"""Most bytes of an answer: where 20,000 events are, and in which version."""
LARGEST_EVENT_BYTES = 65_536
"""Most bytes of an event; one with a picture in it is left out."""
LONGEST_NAME = 250
"""Most characters of where an event is, and of its version."""
BATCH = 50
"""Most events that are asked for at once."""
MULTISTATUS, UNAUTHORIZED, FORBIDDEN = 207, 401, 403
GONE = (404, 410)
CHANGED = 412
AWAY = (502, 503, 504)
"""Statuses of servers that are not there now, though another answers in their place."""

Fate = Literal["done", "differs", "refused"]
"""What became of a change; it `differs` where the event there is not the one that was changed."""

_TAG = (
    f'<D:propfind xmlns:D="{DAV}" xmlns:S="{CALENDAR_SERVER}"><D:prop><D:resourcetype/>'
    "<S:getctag/></D:prop></D:propfind>"
)
_VERSIONS = (
    f'<C:calendar-query xmlns:D="{DAV}" xmlns:C="{CALDAV}"><D:prop><D:getetag/></D:prop>'
    '<C:filter><C:comp-filter name="VCALENDAR"><C:comp-filter name="VEVENT"/></C:comp-filter>'
    "</C:filter></C:calendar-query>"
)
_READ = (
    f'<C:calendar-multiget xmlns:D="{DAV}" xmlns:C="{CALDAV}"><D:prop><C:calendar-data/></D:prop>'
    "{}</C:calendar-multiget>"
)
_ETAG, _CTAG = f"{DAV} getetag", f"{CALENDAR_SERVER} getctag"
_TYPE, _DATA = f"{DAV} resourcetype", f"{CALDAV} calendar-data"
_CALENDAR = f"{CALDAV} calendar"
_HEADERS = {"Accept-Encoding": "identity", "Connection": "close", "User-Agent": "hark"}
_XML = "application/xml; charset=utf-8"
_FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,99}")
_PRINTABLE = re.compile(f"[!-~]{{1,{LONGEST_NAME}}}")

# Its lines for debugging hold headers.
logging.getLogger("httpcore2").setLevel(logging.WARNING)


class TooMuchError(BridgeError):
    """An answer has more bytes than are read."""


class Session:
    """The collection at `path` of a server; everything raises `BridgeError` that ends it."""

    def __init__(
        self, origin: Origin, path: str, pool: httpcore2.AsyncConnectionPool, proof: str
    ) -> None:
        self._origin, self._path, self._pool, self._proof = origin, _plain(path), pool, proof

    async def tag(self) -> str:
        """What changes whenever the collection does; "" where the server tells none."""
        for resource in await self._resources("PROPFIND", _TAG, "0"):
            if resource.fine and _CALENDAR in resource.properties.get(_TYPE, "").split("\n"):
                return resource.properties.get(_CTAG, "")
        message = f"{self._origin}{self._path} is no calendar; see calendar.url"
        raise BridgeError("bridge.collection", message)

    async def versions(self) -> dict[str, str]:
        """Where each event is → its version; "" where the server tells no usable one."""
        found = await self._resources("REPORT", _VERSIONS, "1")
        if not all(resource.fine for resource in found):
            # To take what is left out for deleted would delete it here.
            raise BridgeError("bridge.answer", f"{self._origin} does not tell all its events")
        placed = {self._place(one.href): one.properties.get(_ETAG, "") for one in found}
        placed.pop("", None)
        if not placed and any(_path(one.href) != self._path for one in found):
            message = f"{self._origin} lists nothing in {self._path}, but elsewhere"
            raise BridgeError("bridge.answer", f"{message}; see calendar.url")
        return {h: etag if _PRINTABLE.fullmatch(etag) else "" for h, etag in placed.items()}

    async def is_gone(self, href: str) -> bool:
        """Whether the server says that there is nothing at this place."""
        headers = {"Depth": "0", "Content-Type": _XML}
        status, _ = await self._asked("PROPFIND", href, _TAG.encode(), headers)
        return status in GONE

    async def read(self, versions: Mapping[str, str]) -> list[CollectedEvent]:
        """The events at these places; one that is too large has no text."""
        asked = "".join(f"<D:href>{escape(href)}</D:href>" for href in versions)
        try:
            found = await self._resources("REPORT", _READ.format(asked), "1")
        except TooMuchError:
            if len(versions) == 1:
                return [CollectedEvent(href, etag, "") for href, etag in versions.items()]
            halves = list(versions)[::2], list(versions)[1::2]
            parts = [await self.read({href: versions[href] for href in half}) for half in halves]
            return [event for part in parts for event in part]
        events = {}
        for resource in found:
            href = self._place(resource.href)
            if resource.fine and href in versions:  # a newer one is seen in the next list
                text = _fitting(resource.properties)
                events[href] = CollectedEvent(href, versions[href], text)
        return list(events.values())

    async def change(self, change: EventChange) -> Fate:
        """Make a change, if the event is still in the version that was changed."""
        headers = {"If-Match": change.etag} if change.etag else {"If-None-Match": "*"}
        href = change.href or self.place_of(change.uid)
        if change.text:
            headers["Content-Type"] = "text/calendar; charset=utf-8"
            status, _ = await self._asked("PUT", href, change.text.encode(), headers)
        else:
            status, _ = await self._asked("DELETE", href, b"", headers)
        if 200 <= status < 300 or (status in GONE and not change.text):
            return "done"
        return "differs" if status == CHANGED else "refused"

    def place_of(self, uid: str) -> str:
        """Where a new event is put."""
        plain = _FILE_NAME.fullmatch(uid) is not None
        name = uid if plain else hashlib.sha256(uid.encode()).hexdigest()
        return f"{self._path}{name}.ics"

    def _place(self, href: str) -> str:
        """The path that a resource is named by; "" for one that is not in the collection."""
        path = _path(href)
        inside = path.startswith(self._path) and path != self._path
        return path if inside and _PRINTABLE.fullmatch(path) else ""

    async def _resources(self, method: str, body: str, depth: str) -> Sequence[Resource]:
        headers = {"Depth": depth, "Content-Type": _XML}
        status, resources = await self._asked(method, self._path, body.encode(), headers)
        if status in GONE:
            message = f"{self._origin} has nothing at {self._path}; see calendar.url"
            raise BridgeError("bridge.collection", message)
        if status == FORBIDDEN:
            message = f"{self._origin} does not let {self._path} be read; see calendar.username"
            raise BridgeError("bridge.refused", message)
        if resources is None:
            message = f"{self._origin} does not speak CalDAV at {self._path}: status {status}"
            raise BridgeError("bridge.answer", message)
        return resources

    async def _asked(
        self, method: str, path: str, body: bytes, headers: Mapping[str, str]
    ) -> tuple[int, list[Resource] | None]:
        """The status of the answer, and what it tells; the latter None unless it is Multistatus."""
        origin = self._origin
        url = httpcore2.URL(
            scheme=origin.scheme.encode(),
            host=origin.host.encode(),
            port=origin.port,
            target=path.encode(),
        )
        sent = {**_HEADERS, **headers, **({"Authorization": self._proof} if self._proof else {})}
        async with (
            _named_faults(origin),
            self._pool.stream(method, url, headers=list(sent.items()), content=body) as response,
        ):
            status = response.status
            self._require_welcome(status)
            reader = Multistatus() if status == MULTISTATUS else None
            size = 0
            async for piece in response.aiter_stream():
                size += len(piece)
                if size > LARGEST_ANSWER_BYTES:
                    told = f"{origin} answers more than {LARGEST_ANSWER_BYTES} bytes"
                    raise TooMuchError("bridge.answer", told)
                if reader is not None:
                    reader.feed(piece)
            return status, reader.resources() if reader is not None else None

    def _require_welcome(self, status: int) -> None:
        if status == UNAUTHORIZED:
            told = "refuses the user name or the password" if self._proof else "asks for a password"
            message = f"{self._origin} {told}; see calendar.username and calendar.password_file"
            raise BridgeError("bridge.password", message)
        if 300 <= status < 400:
            message = f"{self._origin} sends to another address ({status}); see calendar.url"
            raise BridgeError("bridge.redirected", message)
        if status in AWAY:
            raise BridgeError("bridge.away", f"{self._origin} is not ready: status {status}")


@asynccontextmanager
async def opened(
    origin: Origin, path: str, tls: ssl.SSLContext | None, username: str, password: str | None
) -> AsyncIterator[Session]:
    """A session with the collection at `path`, which ends in a slash."""
    addresses = await local_addresses(origin.host, origin.port, origin)
    async with httpcore2.AsyncConnectionPool(tls, network_backend=Pinned(addresses)) as pool:
        yield Session(origin, path, pool, _proof(username, password))


def _path(href: str) -> str:
    """The path of an address; "" for what is none."""
    try:
        return _plain(urlsplit(href).path)
    except ValueError:
        return ""


def _plain(path: str) -> str:
    """A path as all of this module writes it; servers quote more or fewer of its letters."""
    return path if "%2f" in path.lower() else quote(unquote(path), safe="/!$&'()*+,;=:@~")


def _proof(username: str, password: str | None) -> str:
    if password is None:
        return ""
    return f"Basic {base64.b64encode(f'{username}:{password}'.encode()).decode()}"


def _fitting(properties: Mapping[str, str]) -> str:
    text = properties.get(_DATA, "")
    return text if len(text.encode("utf-8", "replace")) <= LARGEST_EVENT_BYTES else ""


@asynccontextmanager
async def _named_faults(origin: Origin) -> AsyncIterator[None]:
    """Raise `BridgeError` for what goes wrong on the way, or takes too long."""
    try:
        async with asyncio.timeout(ANSWER_S):
            yield
    except TimeoutError as error:
        raise BridgeError("bridge.silent", f"{origin} does not answer in time") from error
    except FAULTS as error:
        told = why(error, "calendar.ca_file", "calendar.url")
        raise BridgeError("bridge.away", f"{origin}: {told}") from error
    except ValueError as error:
        message = f"{origin} answers what is no CalDAV: {error}"
        raise BridgeError("bridge.answer", message) from error
