"""One connection to Home Assistant: it proves itself, asks, and hears what happens."""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException

from assistant.bridge.authorities import refusal
from assistant.bridge.complaints import Complaints
from assistant.bridge.local import local_socket
from assistant.core.errors import UNDECODABLE, BridgeError
from assistant.core.network.origin import Origin

LARGEST_FRAME_BYTES = 8 << 20
"""Most bytes of a frame: the states of a home with a thousand devices have 1 MB."""
WAITING_FRAMES = 2
"""Most frames that are read ahead."""
GREETING_S = 10.0
"""Most seconds until the connection is proved."""
ANSWER_S = 20.0
"""Most seconds for an answer."""
ALIVE_EVERY_S = 15.0
"""Seconds after which a silent connection is asked whether it lives, and those it has to answer."""
LOST = "the connection was lost"


T = TypeVar("T")

# At the level DEBUG its frames would be logged, and the token with them.
_silent = logging.getLogger(f"{__name__}.frames")
_silent.setLevel(logging.WARNING)


class RefusedError(Exception):
    """Home Assistant says that what was asked cannot be done."""


class _Fault(msgspec.Struct):
    code: Any = ""
    message: Any = ""


class _Frame(msgspec.Struct):
    type: str
    id: int = 0
    success: bool = True
    result: msgspec.Raw = msgspec.Raw(b"null")
    error: _Fault | None = None
    event: msgspec.Raw = msgspec.Raw(b"null")


class Session:
    """A connection that has proved itself; `heard` is given each event, as JSON."""

    def __init__(
        self,
        connection: ClientConnection,
        heard: Callable[[msgspec.Raw], None],
        complaints: Complaints,
    ) -> None:
        self._connection, self._heard, self._complaints = connection, heard, complaints
        self._asked: dict[int, asyncio.Future[msgspec.Raw]] = {}
        self._subscribed: dict[int, Callable[[msgspec.Raw], None]] = {}
        self._last_id = 0

    async def ask(
        self,
        kind: str,
        within_s: float = ANSWER_S,
        heard: Callable[[msgspec.Raw], None] | None = None,
        **fields: Any,
    ) -> msgspec.Raw:
        """What Home Assistant answers, as JSON; events that follow are given to this `heard`.

        Raises `RefusedError`, `TimeoutError`, and `BridgeError` where the connection is lost.
        """
        self._last_id += 1
        number = self._last_id
        answer: asyncio.Future[msgspec.Raw] = asyncio.get_running_loop().create_future()
        self._asked[number] = answer
        if heard is not None:
            self._subscribed[number] = heard
        try:
            async with asyncio.timeout(within_s):
                await self._connection.send(
                    msgspec.json.encode({"id": number, "type": kind, **fields}).decode()
                )
                return await answer
        except ConnectionClosed as error:
            raise BridgeError("bridge.away", LOST) from error
        finally:
            del self._asked[number]

    async def hear(self) -> None:
        """Take what comes until the connection ends, which raises `BridgeError`."""
        try:
            while True:
                self._take(await self._connection.recv(decode=False))
        except ConnectionClosed as error:
            for answer in self._asked.values():
                if not answer.done():
                    answer.set_exception(BridgeError("bridge.away", LOST))
            raise BridgeError("bridge.away", _why_closed(error)) from error

    def _take(self, content: bytes) -> None:
        try:
            frame = msgspec.json.decode(content, type=_Frame)
        except UNDECODABLE as error:
            self._complaints.of("home assistant", f"sends what is no message: {_brief(error)}")
            return
        if frame.type == "event":
            self._subscribed.get(frame.id, self._heard)(frame.event)
            return
        answer = self._asked.get(frame.id)
        if frame.type not in ("result", "pong") or answer is None or answer.done():
            return
        if frame.success:
            answer.set_result(frame.result)
        else:
            fault = frame.error or _Fault()
            said = f"{fault.code}: {fault.message}"[:200]
            answer.set_exception(RefusedError("".join(filter(str.isprintable, said))))


def decoded(content: msgspec.Raw, kind: type[T], what: str) -> T:
    """An answer as a `kind`; raises `BridgeError` for any other, which says `what` it should be."""
    try:
        return msgspec.json.decode(content, type=kind)
    except UNDECODABLE as error:
        message = f"Home Assistant answers something else than {what}: {_brief(error)}"
        raise BridgeError("bridge.answer", message) from error


async def lived(session: Session, origin: Origin, life: Coroutine[Any, Any, T]) -> T:
    """What comes of a `life` that asks, while the session hears.

    Raises `BridgeError` where the connection ends, and where an answer is refused or late.
    """
    hearing, living = asyncio.create_task(session.hear()), asyncio.create_task(life)
    try:
        await asyncio.wait((hearing, living), return_when=asyncio.FIRST_COMPLETED)
        if hearing.done():
            await hearing  # what it heard of the end says most
        return await living
    except RefusedError as error:
        message = f"{origin} does not let its home be read: {error}"
        raise BridgeError("bridge.refused", message) from error
    except TimeoutError as error:
        raise BridgeError("bridge.away", f"{origin} does not answer in time") from error
    finally:
        hearing.cancel()
        living.cancel()
        await asyncio.gather(hearing, living, return_exceptions=True)


@asynccontextmanager
async def opened(
    origin: Origin,
    tls: ssl.SSLContext | None,
    token: str,
    heard: Callable[[msgspec.Raw], None],
    complaints: Complaints,
) -> AsyncIterator[Session]:
    """A session that has proved itself by the token; raises `BridgeError` with what is wrong."""
    scheme = "wss" if origin.scheme == "https" else "ws"
    uri = f"{scheme}{str(origin).removeprefix(origin.scheme)}/api/websocket"
    named: dict[str, Any] = {"ssl": tls} if tls else {}
    try:
        connection = await connect(
            uri,
            # Given a socket, it follows no redirection elsewhere.
            sock=await local_socket(origin.host, origin.port, origin),
            proxy=None,
            compression=None,
            max_size=LARGEST_FRAME_BYTES,
            max_queue=WAITING_FRAMES,
            open_timeout=GREETING_S,
            ping_interval=ALIVE_EVERY_S,
            ping_timeout=ALIVE_EVERY_S,
            close_timeout=1.0,
            user_agent_header="hark",
            logger=_silent,
            **named,
        )
    except (OSError, WebSocketException, ValueError, EOFError) as error:
        raise BridgeError("bridge.away", f"{origin}: {_why_unopened(error)}") from error
    async with connection:
        await _proved(connection, origin, token)
        yield Session(connection, heard, complaints)


async def _proved(connection: ClientConnection, origin: Origin, token: str) -> None:
    answers = ""
    try:
        async with asyncio.timeout(GREETING_S):
            if await _said(connection) == "auth_required":
                proof = {"type": "auth", "access_token": token}
                await connection.send(msgspec.json.encode(proof).decode())
                answers = await _said(connection)
    except TimeoutError as error:
        raise BridgeError(
            "bridge.away", f"{origin} accepts the connection, and is silent"
        ) from error
    except (ConnectionClosed, *UNDECODABLE) as error:
        message = f"{origin} does not speak as Home Assistant does: {_brief(error)}"
        raise BridgeError("bridge.away", message) from error
    if answers == "auth_invalid":
        message = f"{origin} refuses the access token; make a new one in your profile there, then "
        raise BridgeError("bridge.token", f"{message}run: assistant home-assistant token")
    if answers != "auth_ok":
        raise BridgeError("bridge.away", f"{origin} does not speak as Home Assistant does")


async def _said(connection: ClientConnection) -> str:
    return msgspec.json.decode(await connection.recv(decode=False), type=_Frame).type


def _why_unopened(error: BaseException) -> str:
    match error:
        case ssl.SSLCertVerificationError():
            return refusal(error, "home_assistant.ca_file", "home_assistant.url")
        case ssl.SSLError():
            return "it speaks no TLS there; see home_assistant.url"
        case TimeoutError():
            return "it accepts the connection, and is silent"
        case WebSocketException() | ValueError() | EOFError():
            return "it does not speak as Home Assistant does; see home_assistant.url"
    return "nothing answers there"


def _why_closed(error: ConnectionClosed) -> str:
    if error.sent is not None and error.sent.code == 1009:
        return f"it sent more than {LARGEST_FRAME_BYTES} bytes at once"
    return LOST


def _brief(error: BaseException) -> str:
    """What is wrong, in words that quote nothing of what was sent."""
    return str(error)[:120] if isinstance(error, msgspec.ValidationError) else type(error).__name__
