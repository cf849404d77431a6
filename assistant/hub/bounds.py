"""What is around the gateway's application: bodies are bounded, and calls counted."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from typing import Any

from assistant.control.exposition import family, labels

Event = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Event]]
Send = Callable[[Event], Awaitable[None]]
App = Callable[[Event, Receive, Send], Awaitable[None]]

OTHER = "other"
"""Path of whatever is none of ours, so that who guesses paths fills no memory."""


class _TooLargeError(Exception):
    """More bytes came than may."""


class BoundedBodies:
    """Refuses a request with 413 as soon as more than `most_bytes` have come."""

    def __init__(self, app: App, most_bytes: int) -> None:
        self._app, self._most_bytes = app, most_bytes

    async def __call__(self, scope: Event, receive: Receive, send: Send) -> None:
        """As any ASGI application."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if _announced(scope) > self._most_bytes:
            await _refuse(send, self._most_bytes)
            return
        taken, has_begun = 0, False

        async def bounded() -> Event:
            nonlocal taken
            event = await receive()
            taken += len(event.get("body", b""))
            if taken > self._most_bytes:
                raise _TooLargeError
            return event

        async def noted(event: Event) -> None:
            nonlocal has_begun
            # FastAPI makes a 400 of whatever fails while it reads a body.
            if taken <= self._most_bytes or has_begun:
                has_begun = True
                await send(event)

        with suppress(_TooLargeError):
            await self._app(scope, bounded, noted)
        if taken > self._most_bytes and not has_begun:
            await _refuse(send, self._most_bytes)


class Counted:
    """Counts the calls of an application and their time, by path and status."""

    def __init__(self, app: App, paths: frozenset[str]) -> None:
        self._app, self._paths = app, paths
        self._calls: Counter[tuple[str, str]] = Counter()
        self._seconds: defaultdict[str, float] = defaultdict(float)

    async def __call__(self, scope: Event, receive: Receive, send: Send) -> None:
        """As any ASGI application."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status, began_s = "500", time.perf_counter()

        async def noted(event: Event) -> None:
            nonlocal status
            if event["type"] == "http.response.start":
                status = str(event["status"])
            await send(event)

        path = scope["path"] if scope["path"] in self._paths else OTHER
        try:
            await self._app(scope, receive, noted)
        finally:
            self._calls[path, status] += 1
            self._seconds[path] += time.perf_counter() - began_s

    def exposition(self) -> str:
        """The counts in Prometheus's text format."""
        lines = family("hub_requests_total", "counter", "Calls of the hub by path and status.")
        for (path, status), calls in sorted(self._calls.items()):
            lines.append(f"hark_hub_requests_total{labels(path=path, status=status)} {calls}")
        lines += family("hub_request_seconds_total", "counter", "Time of these calls.")
        for path, seconds in sorted(self._seconds.items()):
            lines.append(f"hark_hub_request_seconds_total{labels(path=path)} {seconds:.6f}")
        return "\n".join(lines) + "\n"


def _announced(scope: Event) -> int:
    """The length of the body as the request announces it; 0 where it does not, or says nonsense."""
    lengths = [value for name, value in scope["headers"] if name == b"content-length"]
    return int(lengths[0]) if lengths and lengths[0].isdigit() else 0


async def _refuse(send: Send, most_bytes: int) -> None:
    body = b'{"code":"hub.size","message":"the body is larger than %d bytes"}' % most_bytes
    headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": body})
