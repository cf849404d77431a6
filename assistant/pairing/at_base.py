"""Pairing as a base does it: it asks a satellite for its number, and comes with what was typed."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import TypeVar

from assistant.core.errors import RoomsError
from assistant.pairing.at_satellite import require_certificate
from assistant.pairing.exchange import BASE, VERSION, Exchange
from assistant.pairing.steps import Begin, Confirm, Done, Ready, Refused, Share, next_step, send
from assistant.pairing.trust import Pin, Trust
from assistant.rooms.wire import MOST_HEADER_BYTES

CONNECTS_S = 5.0
ANSWERS_S = 10.0
"""Seconds in which the satellite takes its next step."""
SILENT = "it does not answer: only a Hark's satellite can be paired"
HUNG_UP = (
    "it hangs up: it is paired already (there: assistant unpair), or lets another address in than"
    " this device's (--base)"
)

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
S = TypeVar("S", Ready, Share, Confirm, Done)


Place = tuple[str, int]
"""Host and port."""


async def begin(place: Place, *, by_key: bool) -> None:
    """Have the satellite there say its number, or look for its key; raises `RoomsError`."""
    async with _connection(place) as (reader, writer):
        await send(Begin(VERSION, by_key), writer)
        await _expected(Ready, reader)


async def complete(place: Place, secret: bytes, trust: Trust, pin: Pin, *, by_key: bool) -> None:
    """Prove the secret to the satellite there, and pin its certificate; raises `RoomsError`."""
    trust.identity.make()
    certificate = trust.identity.certificate
    exchange = Exchange(BASE, secret, certificate)
    async with _connection(place) as (reader, writer):
        await send(Share(by_key, exchange.share, certificate), writer)
        theirs = await _expected(Share, reader)
        exchange.meet(theirs.share, theirs.certificate)
        require_certificate(theirs.certificate)
        await send(Confirm(exchange.confirmation), writer)
        if not exchange.confirms((await _expected(Confirm, reader)).proof):
            raise RoomsError("pairing.between", "what answers there is not the satellite")
        pin.keep(theirs.certificate)
        await send(Done(), writer)
        await _expected(Done, reader)


@contextlib.asynccontextmanager
async def _connection(place: Place) -> AsyncIterator[Streams]:
    host, port = place
    try:
        async with asyncio.timeout(CONNECTS_S):
            reader, writer = await asyncio.open_connection(host, port, limit=MOST_HEADER_BYTES)
    except (OSError, TimeoutError) as error:
        raise RoomsError("rooms.away", f"{host}, port {port}: {error or 'no answer'}") from error
    try:
        yield reader, writer
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


async def _expected(kind: type[S], reader: asyncio.StreamReader) -> S:
    """The satellite's next step, which is of a kind; raises `RoomsError` for each other one."""
    try:
        step = await next_step(reader, ANSWERS_S)
    except RoomsError as error:
        told = {"rooms.slow": SILENT, "pairing.lost": HUNG_UP, "rooms.lost": HUNG_UP}
        raise RoomsError(error.code, told.get(error.code, error.message)) from error
    if isinstance(step, Refused):
        raise RoomsError(step.code, step.message)
    if not isinstance(step, kind):
        raise RoomsError("pairing.step", "the satellite sends another thing than the next step")
    return step
