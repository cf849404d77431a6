"""What is around the gateway's application: bodies are bounded, and calls watched."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from contextlib import suppress
from typing import Any

from assistant.control.traces.context import HEADER
from assistant.hub.observation.watch import Watch
from assistant.hub.service import GONE

Event = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Event]]
Send = Callable[[Event], Awaitable[None]]
App = Callable[[Event, Receive, Send], Awaitable[None]]

OTHER = "other"
"""Path of whatever is none of ours, so that who guesses paths fills no memory."""


TEXT_MOST_BYTES = 128 << 10
"""Largest body of a text: 5,000 characters, each escaped, are 60 kB."""
BODY_S = 30.0
"""Seconds in which a body must have come."""


class _SlowError(Exception):
    """The body did not come in time."""


class _TooLargeError(Exception):
    """More bytes came than may."""


class _GoneError(Exception):
    """The client has gone before its request was whole."""


class BoundedBodies:
    """Refuses a request with 413 as soon as more than may have come: `most_bytes` where the path is
    one of `large`, and `TEXT_MOST_BYTES` elsewhere.

    One that is not whole within `BODY_S` is refused with 408. One whose client goes in the midst of
    it is over, and no fault.
    """

    def __init__(self, app: App, most_bytes: int, large: Collection[str]) -> None:
        self._app, self._most_bytes, self._large = app, most_bytes, large

    async def __call__(self, scope: Event, receive: Receive, send: Send) -> None:
        """As any ASGI application."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        most_bytes = self._most_bytes if scope["path"] in self._large else TEXT_MOST_BYTES
        if _announced(scope) > most_bytes:
            await _refuse(send, 413, "hub.size", f"the body is larger than {most_bytes} bytes")
            return
        taken, has_begun, is_whole, is_gone, is_late = 0, False, False, False, False
        due_s = asyncio.get_running_loop().time() + BODY_S

        async def bounded() -> Event:
            nonlocal taken, is_whole, is_gone, is_late
            try:
                async with asyncio.timeout_at(None if is_whole else due_s):
                    event = await receive()
            except TimeoutError:
                is_late = True
                raise _SlowError from None
            if event["type"] == "http.disconnect" and not is_whole:
                is_gone = True
                raise _GoneError
            is_whole = not event.get("more_body", False)
            taken += len(event.get("body", b""))
            if taken > most_bytes:
                raise _TooLargeError
            return event

        async def noted(event: Event) -> None:
            nonlocal has_begun
            # FastAPI makes a 400 of whatever fails while it reads a body.
            if (taken <= most_bytes and not is_gone and not is_late) or has_begun:
                has_begun = True
                await send(event)

        with suppress(_TooLargeError, _GoneError, _SlowError):
            await self._app(scope, bounded, noted)
        if is_gone and not has_begun:
            await send({"type": "http.response.start", "status": GONE, "headers": []})
            await send({"type": "http.response.body"})
        elif is_late and not has_begun:
            await _refuse(send, 408, "hub.slow", f"the body did not come within {BODY_S:.0f} s")
        elif taken > most_bytes and not has_begun:
            await _refuse(send, 413, "hub.size", f"the body is larger than {most_bytes} bytes")


class Watched:
    """Has the `watch` told of the calls of an application, by their path and status."""

    def __init__(self, app: App, paths: frozenset[str], watch: Watch) -> None:
        self._app, self._paths, self._watch = app, paths, watch

    async def __call__(self, scope: Event, receive: Receive, send: Send) -> None:
        """As any ASGI application."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path = scope["path"] if scope["path"] in self._paths else OTHER
        with self._watch.call(path, _header(scope, HEADER)) as call:

            async def noted(event: Event) -> None:
                if event["type"] == "http.response.start":
                    call.status = event["status"]
                await send(event)

            await self._app(scope, receive, noted)


def _announced(scope: Event) -> int:
    """The length of the body as the request announces it; 0 where it does not, or says nonsense."""
    length = _header(scope, "content-length")
    return int(length) if length.isdecimal() else 0


def _header(scope: Event, name: str) -> str:
    """The value of a header; "" where there is none."""
    values = (value for key, value in scope["headers"] if key == name.encode())
    return next(values, b"").decode("latin-1")


async def _refuse(send: Send, status: int, code: str, message: str) -> None:
    body = json.dumps({"code": code, "message": message}).encode()
    headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
