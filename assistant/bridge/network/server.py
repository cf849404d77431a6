"""The socket at which skills and stages ask for the network, served by a thread of its own."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec

from assistant.bridge.complaints import Complaints
from assistant.bridge.network.fetcher import Fetcher
from assistant.bridge.network.hub import HubClient
from assistant.control.connection import bind
from assistant.core.errors import UNDECODABLE, AssistantError, UnreachableError
from assistant.core.network.exchange import (
    LARGEST_REQUEST_BYTES,
    Allowed,
    Answer,
    AskHub,
    CheckCalendar,
    CheckHome,
    CheckHub,
    Fetch,
    Refused,
    Request,
)

MOST_AT_ONCE = 8
"""Most requests that wait for servers at a time."""
LOOKUPS = 4
"""Most names that are looked up at a time."""
HEARD_WITHIN_S = 1.0
BEAT_S = 1.0
GOODBYE_S = 1.0
LATE_S = 10.0
"""Seconds without a turn of the loop after which it hangs."""

log = logging.getLogger(__name__)


class NetworkServer:
    """Answers requests at the socket `path` until it is closed.

    `home` tells whether the devices can be reached, and why they cannot; so does `calendar` of the
    calendar's collection. The stages ask the `hub`, where there is one.
    """

    def __init__(self, path: Path, fetcher: Fetcher, hub: HubClient | None = None) -> None:
        self._path, self._fetcher, self._hub = path, fetcher, hub
        self.home: Callable[[], Allowed | Refused] = _off
        self.calendar: Callable[[], Allowed | Refused] = _off
        self._listener = bind(path)
        self._listener.listen()  # from now on who connects waits, and is not refused
        self._complaints = Complaints(log)
        self._waiting = 0
        self._beat_s = time.monotonic()
        self._loop = asyncio.new_event_loop()
        self._ended = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name="network", daemon=True)
        self._thread.start()

    @property
    def alive(self) -> bool:
        """Whether its loop goes round."""
        return self._thread.is_alive() and time.monotonic() - self._beat_s < LATE_S

    def close(self) -> None:
        """Hang up, and take the socket away."""
        with contextlib.suppress(RuntimeError):  # the loop has ended by itself
            self._loop.call_soon_threadsafe(self._ended.set)
        self._thread.join(GOODBYE_S)
        self._path.unlink(missing_ok=True)

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        # A name server that does not answer holds a thread for a while, and the unit has few.
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(LOOKUPS, "lookup"))
        server = await asyncio.start_unix_server(
            self._served, sock=self._listener, limit=LARGEST_REQUEST_BYTES
        )
        async with server:
            while not self._ended.is_set():
                self._beat_s = time.monotonic()
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._ended.wait(), BEAT_S)
        if self._hub is not None:
            await self._hub.close()

    async def _served(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._waiting += 1
        try:
            answer = await self._answered(reader)
            writer.write(msgspec.msgpack.encode(answer))
            async with asyncio.timeout(HEARD_WITHIN_S):
                await writer.drain()
        except (OSError, TimeoutError):
            return  # the caller has gone
        finally:
            self._waiting -= 1
            writer.close()

    async def _answered(self, reader: asyncio.StreamReader) -> Answer:
        try:
            async with asyncio.timeout(HEARD_WITHIN_S):
                asked = msgspec.msgpack.decode(await _read(reader), type=Request)
            if self._waiting > MOST_AT_ONCE:
                raise UnreachableError("too many wait for the network at once")
            if isinstance(asked, Fetch):
                return await self._fetcher.fetch(asked)
            if isinstance(asked, CheckHome):
                return self.home()
            if isinstance(asked, CheckCalendar):
                return self.calendar()
            if isinstance(asked, AskHub | CheckHub):
                return await self._by_hub(asked)
            await self._fetcher.check(asked.skill, asked.origin)
            return Allowed()
        except UNDECODABLE:
            return Refused(code="bridge.request", message="that is no request")
        except AssistantError as error:
            self._complaints.of(error.code, error.message)
            return Refused(code=error.code, message=error.message)

    async def _by_hub(self, asked: AskHub | CheckHub) -> Answer:
        if self._hub is None:
            return _off()
        if isinstance(asked, AskHub):
            return await self._hub.ask(asked)
        await self._hub.check()
        return Allowed()


def _off() -> Refused:
    return Refused(code="bridge.off", message="the settings of the bridge do not name it")


async def _read(reader: asyncio.StreamReader) -> bytes:
    """All that the caller sends; what is too long is cut, and then no request."""
    content = bytearray()
    while len(content) < LARGEST_REQUEST_BYTES:
        piece = await reader.read(LARGEST_REQUEST_BYTES - len(content))
        if not piece:
            break
        content += piece
    return bytes(content)
