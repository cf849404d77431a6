"""Wyoming's frames: a line of JSON, then the data and the payload whose lengths it tells.

The package's own reader takes a line of any length, and a malformed one for the end of the stream.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from typing import Annotated, Any

import msgspec
from wyoming.event import Event, async_write_event

from assistant.core.errors import UNDECODABLE, RoomsError

MOST_HEADER_BYTES = 64 << 10
MOST_DATA_BYTES = 1 << 20
MOST_PAYLOAD_BYTES = 64 << 10
IDLE_S = 60.0
"""Seconds in which the next frame must begin, where nothing else is known of the other end."""
WHOLE_S = 10.0
"""Seconds from a frame's beginning to its end, and in which the other end must take one."""
LEAVES_S = 2.0
"""Seconds in which the other end must take what is left when it is hung up on."""

LOST = "rooms.lost"
"""Code of the error where the other end broke the connection off."""
TRUST = "rooms.trust"
"""Code of the error where the other end is not whom this one was paired with."""
MALFORMED = (KeyError, TypeError, ValueError, AttributeError, OverflowError)
"""What is raised for fields that are missing, of another type, or too large."""


class BrokenError(RoomsError):
    """The other end takes nothing, or is gone: it can be told nothing more."""


class _Header(msgspec.Struct):
    type: Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
    data: dict[str, Any] = {}
    data_length: Annotated[int, msgspec.Meta(ge=0, le=MOST_DATA_BYTES)] | None = None
    payload_length: Annotated[int, msgspec.Meta(ge=0, le=MOST_PAYLOAD_BYTES)] | None = None


_HEADER = msgspec.json.Decoder(_Header)
_DATA = msgspec.json.Decoder(dict[str, Any])


async def read_event(reader: asyncio.StreamReader, idle_s: float | None = IDLE_S) -> Event | None:
    """The next event, which must begin within `idle_s`, or ever; None where the other end closed.

    The reader's limit must be `MOST_HEADER_BYTES`. Raises `RoomsError` for what is no event, is too
    large, or does not come in time.
    """
    try:
        if not (first := await _beginning(reader, idle_s)):
            return None
        async with asyncio.timeout(WHOLE_S):
            return await _rest(first, reader)
    except TimeoutError as error:
        raise RoomsError("rooms.slow", "it sends no whole event in time") from error
    except asyncio.IncompleteReadError as error:
        raise RoomsError("rooms.frame", "it closed in the middle of an event") from error
    except asyncio.LimitOverrunError as error:
        message = f"the header of an event is over {MOST_HEADER_BYTES} bytes"
        raise RoomsError("rooms.frame", message) from error
    except OSError as error:
        raise _lost(error) from error
    except UNDECODABLE as error:
        raise RoomsError("rooms.frame", f"it sends no event: {type(error).__name__}") from error


async def _beginning(reader: asyncio.StreamReader, idle_s: float | None) -> bytes:
    try:
        async with asyncio.timeout(idle_s):
            return await reader.read(1)
    except TimeoutError:
        # Where this process itself was held up, what came meanwhile has been read by now.
        async with asyncio.timeout(0):
            return await reader.read(1)


async def _rest(first: bytes, reader: asyncio.StreamReader) -> Event:
    header = _HEADER.decode(first + await reader.readuntil(b"\n"))
    data = header.data
    if header.data_length:
        data |= _DATA.decode(await reader.readexactly(header.data_length))
    payload = await reader.readexactly(header.payload_length) if header.payload_length else None
    return Event(header.type, data, payload)


async def write_event(event: Event, writer: asyncio.StreamWriter) -> None:
    """Send an event.

    Raises `BrokenError` where it is not taken in time, and `RoomsError` for one nested too deeply.
    """
    try:
        async with asyncio.timeout(WHOLE_S):
            await async_write_event(event, writer)
    except TimeoutError as error:
        raise BrokenError("rooms.slow", "it takes no event in time") from error
    except OSError as error:
        raise _lost(error) from error
    except RecursionError as error:  # it was read, with less on the stack
        raise RoomsError("rooms.frame", "an event is nested too deeply to be sent") from error


async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Close a connection; what the other end does not take soon, or has sent, is dropped."""
    writer.close()
    try:
        async with asyncio.timeout(LEAVES_S):
            await writer.wait_closed()
    except (OSError, TimeoutError):
        pass
    finally:
        writer.transport.abort()
        await forget(reader)


async def forget(reader: asyncio.StreamReader) -> None:
    """Drop what was not read: asyncio's objects of a connection refer to one another, and a crowd
    that sends too much would fill the memory long before they are collected."""
    reader.feed_eof()
    with contextlib.suppress(OSError):
        await reader.read()


def _lost(error: OSError) -> BrokenError:
    if isinstance(error, ssl.SSLError):  # TLS 1.3 tells so after the handshake
        return BrokenError(TRUST, "the other end refuses this one's certificate")
    return BrokenError(LOST, "the connection was lost")
