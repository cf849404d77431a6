"""What the skills ask the bridge for, over a socket of its own: one request a connection.

The caller sends a request and closes its half; the bridge sends the answer and closes. Both are
msgpack.
"""

from __future__ import annotations

import socket
import time
from pathlib import Path
from typing import Literal

import msgspec

from assistant.core.errors import BridgeError
from assistant.core.network.origin import Origin

LARGEST_REQUEST_BYTES = 65_536
LARGEST_BODY_BYTES = 262_144
"""Most bytes of a server's answer."""
LARGEST_ANSWER_BYTES = LARGEST_BODY_BYTES + 4096
LONGEST_WAIT_S = 2.0
"""Most seconds from a request to its answer, however slowly it comes."""
LONGER_S = 0.2
"""How much longer is waited for the bridge to say so."""


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


class Fetched(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """What a server answered."""

    status: int
    body: bytes


class Allowed(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """It can be reached."""


class Refused(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Why there is no answer."""

    code: str
    message: str


Request = Fetch | Check | CheckHome | CheckCalendar
Answer = Fetched | Allowed | Refused


def ask_bridge(path: Path, request: Request, within_s: float = LONGEST_WAIT_S) -> Answer:
    """What the bridge at the socket `path` answers; raises `BridgeError` where there is none."""
    until_s = time.monotonic() + within_s + LONGER_S
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.settimeout(within_s)
            line.connect(str(path))
            line.sendall(msgspec.msgpack.encode(request))
            line.shutdown(socket.SHUT_WR)
            answer: Answer = msgspec.msgpack.decode(_received(line, until_s), type=Answer)
            return answer
    except PermissionError as error:
        raise BridgeError("bridge.denied", f"{path}: this user may not ask the bridge") from error
    except (OSError, msgspec.DecodeError) as error:
        message = "the bridge does not run, or answers nothing: systemctl status assistant-bridge"
        raise BridgeError("bridge.down", message) from error


def _received(line: socket.socket, until_s: float) -> bytes:
    content = bytearray()
    while len(content) <= LARGEST_ANSWER_BYTES:
        line.settimeout(max(0.01, until_s - time.monotonic()))
        piece = line.recv(65_536)
        if not piece:
            return bytes(content)
        content += piece
    raise ConnectionAbortedError("an answer without end")
