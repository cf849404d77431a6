"""The hub's connections, by uvicorn's own server."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import pytest

pytest.importorskip("uvicorn", reason="the extra hub is not installed")

import uvicorn

from assistant.hub import connections
from assistant.hub.connections import BoundedConnection

HEADERS = b"GET / HTTP/1.1\r\nHost: x\r\n"


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Answer once the body is whole."""
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body"})


def run(story: Callable[[int], Awaitable[None]]) -> None:
    """Tell a story to a server, by its port."""

    async def serve() -> None:
        settings = uvicorn.Config(
            app, http=BoundedConnection, port=0, log_level="warning", lifespan="off"
        )
        server = uvicorn.Server(settings)
        running = asyncio.create_task(server.serve())
        while not server.started:
            await asyncio.sleep(0.01)
        try:
            await story(server.servers[0].sockets[0].getsockname()[1])
        finally:
            server.should_exit = True
            await running

    asyncio.run(serve())


async def left(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()


async def ended(reader: asyncio.StreamReader) -> bytes:
    """What still comes until the server hangs up."""
    with suppress(ConnectionError):
        return await asyncio.wait_for(reader.read(), 60)
    return b""


@pytest.mark.parametrize("begun", [b"", HEADERS])
def test_one_that_sends_no_headers_is_hung_up_on(
    monkeypatch: pytest.MonkeyPatch, begun: bytes
) -> None:
    monkeypatch.setattr(connections, "HEADERS_S", 0.05)

    async def story(port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(begun)
        assert await ended(reader) == b""
        await left(writer)

    run(story)


def test_a_body_may_take_longer_and_a_second_request_comes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(connections, "HEADERS_S", 0.3)

    async def story(port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for _ in range(2):
            writer.write(HEADERS + b"Content-Length: 2\r\n\r\n1")
            await asyncio.sleep(0.5)
            writer.write(b"2")
            assert b"204" in await reader.readuntil(b"\r\n\r\n")
        await left(writer)

    run(story)


def test_each_address_has_its_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MOST_OF_ONE", 2)

    async def story(port: int) -> None:
        lines = [await asyncio.open_connection("127.0.0.1", port) for _ in range(3)]
        assert await ended(lines[2][0]) == b""
        there = await asyncio.open_connection("127.0.0.1", port, local_addr=("127.0.0.9", 0))
        for reader, writer in (lines[0], there):
            writer.write(HEADERS + b"\r\n")
            assert b"204" in await reader.readuntil(b"\r\n\r\n")
        for _, writer in (*lines, there):
            await left(writer)

    run(story)
    assert not connections._OF
