"""What is asked of the bridge, over a socket of its own: one request a connection.

The caller sends a request and closes its half; the bridge sends the answer and closes. Both are
msgpack.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Literal

import msgspec

from assistant.core.errors import UNDECODABLE, BridgeError
from assistant.core.network.origin import Origin

LARGEST_REQUEST_BYTES = 2**20
"""Most bytes of a request: half a minute of sound for a hub is 960 kB."""
LARGEST_BODY_BYTES = 262_144
"""Most bytes of a server's answer."""
LARGEST_ANSWER_BYTES = LARGEST_BODY_BYTES + 4096
LONGEST_WAIT_S = 2.0
"""Most seconds from a request to its answer, however slowly it comes."""
LONGER_S = 0.2
"""How much longer is waited for the bridge to say so."""
_DOWN = "the bridge does not run, or answers nothing: systemctl status assistant-bridge"


class Fetch(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Ask a server something for a skill; `secret` names what the bridge proves itself with."""

    skill: str
    origin: Origin
    method: Literal["GET", "POST"]
    target: str
    body: str = ""
    content_type: str = ""
    secret: str = ""
    within_s: float = LONGEST_WAIT_S


class Check(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Tell whether a skill may reach a server."""

    skill: str
    origin: Origin


class CheckHome(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Tell whether the devices of the home can be reached, by MQTT or by Home Assistant."""


class CheckCalendar(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Tell whether the calendar's collection can be reached, by CalDAV."""


HubPath = Literal["/v1/hear?intents=false", "/v1/answer", "/v1/summarise"]


class AskHub(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Ask the hub of the settings: a WAV file of what was said, or JSON.

    `traceparent` names the trace that it is a part of.
    """

    path: HubPath
    body: bytes
    within_s: float
    traceparent: str = ""


class CheckHub(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Tell whether the hub of the settings serves, and knows this home's key."""


class Fetched(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """What a server, or the hub, answered."""

    status: int
    body: bytes


class Allowed(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """It can be reached."""


class Refused(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Why there is no answer."""

    code: str
    message: str


Request = Fetch | Check | CheckHome | CheckCalendar | AskHub | CheckHub
Answer = Fetched | Allowed | Refused


class Asking:
    """A request that is under way at the socket `path`; everything raises `BridgeError`."""

    def __init__(self, path: Path, request: Request, within_s: float = LONGEST_WAIT_S) -> None:
        self._content = bytearray()
        self._line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            with _named_faults(path):
                self._line.settimeout(within_s)
                self._line.connect(str(path))
                self._line.sendall(msgspec.msgpack.encode(request))
                self._line.shutdown(socket.SHUT_WR)
        except BridgeError:
            self._line.close()
            raise

    def answer(self, wait_s: float) -> Answer | None:
        """The answer, where it comes within so many seconds."""
        until_s = time.monotonic() + wait_s
        with _named_faults(self._line):
            while len(self._content) <= LARGEST_ANSWER_BYTES:
                self._line.settimeout(max(0.001, until_s - time.monotonic()))
                try:
                    piece = self._line.recv(65_536)
                except TimeoutError:
                    return None
                if not piece:
                    answer: Answer = msgspec.msgpack.decode(self._content, type=Answer)
                    return answer
                self._content += piece
            raise ConnectionAbortedError("an answer without end")

    def close(self) -> None:
        """Wait for it no longer."""
        self._line.close()


def ask_bridge(path: Path, request: Request, within_s: float = LONGEST_WAIT_S) -> Answer:
    """What the bridge at the socket `path` answers; raises `BridgeError` where there is none."""
    until_s = time.monotonic() + within_s + LONGER_S
    with closing(Asking(path, request, within_s)) as asking:
        answer = asking.answer(until_s - time.monotonic())
    if answer is None:
        raise BridgeError("bridge.down", _DOWN)
    return answer


@contextmanager
def _named_faults(where: object) -> Iterator[None]:
    try:
        yield
    except PermissionError as error:
        message = f"{where}: this user may not ask the bridge"
        raise BridgeError("bridge.denied", message) from error
    except (OSError, *UNDECODABLE) as error:
        raise BridgeError("bridge.down", _DOWN) from error
