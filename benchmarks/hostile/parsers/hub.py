"""Requests to the hub over HTTP, through its whole application and a pool that answers at once."""

from __future__ import annotations

import asyncio
import random
import time
from functools import cache
from typing import Any

import msgspec

from assistant.hub.gateway import application
from assistant.hub.service import Service
from assistant.hub.tenants import Tenant, hash_of
from benchmarks.hostile.attack import ill_told
from benchmarks.hostile.parsers.parser import Parser
from tests.support.hub_streams import Streams

KEY = "the key"
OFTEN = 1_000_000_000
OK, UNUSABLE, BROKEN = 200, 400, 500
CALLS = (b"interpret", b"answer", b"summarise", b"speak")


class RefusedError(Exception):
    """The hub refuses a request, in the documented form."""


@cache
def _served() -> tuple[Any, Streams, asyncio.Runner]:
    streams = Streams()
    tenant = Tenant(key=hash_of(KEY), requests_per_s=float(OFTEN), burst=OFTEN)
    service = Service(streams, {"red": tenant}, lambda: [], clock=time.monotonic)
    return application(service), streams, asyncio.Runner()


def _read(content: bytes) -> bool:
    """A call in the first line, and its body."""
    application, streams, runner = _served()
    call, _, body = content.partition(b"\n")
    path = f"/v1/{call.decode('latin-1')}"
    status, told = runner.run(_asked(application, path, body))
    streams.asked.clear()
    if status == OK:
        return True
    is_call = path.removeprefix("/v1/").encode() in CALLS
    if status >= BROKEN or (is_call and status < UNUSABLE):
        raise RuntimeError(f"status {status}: {told[:200]!r}")
    if not is_call:  # such as one with a slash at its end, which is sent to the one without
        return False
    problem = msgspec.json.decode(told, type=dict[str, str])
    if set(problem) != {"code", "message"} or ill_told(problem["message"]):
        raise RuntimeError(f"no problem of one line: {told[:200]!r}")
    raise RefusedError(problem["message"])


async def _asked(application: Any, path: str, body: bytes) -> tuple[int, bytes]:
    status, told = 0, b""
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> dict[str, Any]:
        return waiting.pop() if waiting else {"type": "http.disconnect"}

    async def send(event: dict[str, Any]) -> None:
        nonlocal status, told
        status = event.get("status", status)
        told += event.get("body", b"")

    headers = {"authorization": f"Bearer {KEY}", "content-type": "application/json"}
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "client": ("192.168.1.9", 4711),
        "server": ("192.168.1.2", 8100),
    }
    await application(scope, receive, send)
    return status, told


def _fields(rng: random.Random) -> bytes:
    """A request with values that no field may have, or with very many fields."""
    value = rng.choice(_VALUES)
    name = rng.choice((b"text", b"area", b"budget_s", b"name", b"words", b"x", b"\\ud800"))
    body = b'{"text":"lamp off","%s":%s}' % (name, value)
    if rng.random() < 0.02:
        body = b"{%s}" % b",".join(b'"k%d":1' % number for number in range(5_000))
    return rng.choice(CALLS) + b"\n" + body


_VALUES = (
    *(
        b"NaN",
        b"1e999",
        b"-Infinity",
        b"-1",
        b"0",
        b"61",
        b"9" * 5_000,
        b"null",
        b"true",
        b"[]",
        b"{}",
    ),
    *(
        b'"\\ud800"',
        b'"\\u0000"',
        b'""',
        b'" "',
        b'"\\u001b[2J"',
        b'"%s"' % (b"x" * 6_000),
        b'"1"',
        b"[[[]]]",
    ),
)


def _long(size: int) -> bytes:
    return b'interpret\n{"text":"%s"}' % (b"lamp " * (max(5, min(size, 4_900)) // 5))


HUB = Parser(
    read=_read,
    refusals=(RefusedError,),
    samples=(
        b'interpret\n{"text":"lamp off","area":"kitchen","budget_s":3.5}',
        b'answer\n{"text":"why"}',
        b'summarise\n{"name":"the oven","words":50}',
    ),
    honest=_long,
    pieces=(
        *(
            b'"text":',
            b'"area":',
            b'"budget_s":',
            b'"name":',
            b'"words":',
            b'"x"',
            b"interpret",
            b"answer\n",
        ),
        *(b"speak\n", b"summarise\n", b'"\\ud800"', b"NaN", b"Infinity", b"1e999", b'"k":1,'),
    ),
    nests=((b"[", b"]"), (b'{"text":', b"}"), (b'{"a":', b"}")),
    attacks=(_fields,),
    largest=200_000,
)
