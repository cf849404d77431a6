"""Requests at the control socket, through the socket itself."""

from __future__ import annotations

import contextlib
import os
import socket
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from assistant.control.connection import LONGEST_LINE_BYTES
from assistant.control.recollection import Recollection
from assistant.control.server import ControlServer
from assistant.core.codec import encode
from assistant.core.layout import SENSORS
from assistant.supervision.channel import ProcessStatus, Status
from benchmarks.hostile.parsers.parser import Parser

MOST_TURNS = 40
"""Most calls of the server for one request: it takes 65 kB in each."""


@cache
def _served() -> tuple[Path, ControlServer]:
    folder = tempfile.TemporaryDirectory(prefix="hark-parsers-")
    _kept.append(folder)
    path = Path(folder.name) / "control.sock"
    running = tuple(
        ProcessStatus(name=name, pid=os.getpid(), state="running")
        for name in ("answer", "nlu", SENSORS)
    )
    answers: dict[str, Callable[..., Any]] = {
        "skills": lambda: ["clock"],
        "models": lambda: [],
        "mute": lambda on="": {"muted": on},
        "why": Recollection().told,
    }
    return path, ControlServer(path, answers, status=Status(processes=running))


_kept: list[Any] = []


def _read(content: bytes) -> bool:
    path, server = _served()
    with socket.socket(socket.AF_UNIX) as caller:
        caller.connect(str(path))
        caller.setblocking(False)
        left, told = content + b"\n", b""
        for _ in range(MOST_TURNS):
            with contextlib.suppress(BlockingIOError, BrokenPipeError):
                left = left[caller.send(left) :] if left else left
            for message in server.read():
                encode(message)
            with contextlib.suppress(BlockingIOError, ConnectionResetError):
                told += caller.recv(1 << 20)
            if b"\n" in told:
                break
    for _ in server.read():
        pass
    line = told.partition(b"\n")[0]
    answer = msgspec.json.decode(line) if line else {"type": "Error"}
    return not (isinstance(answer, dict) and answer.get("type") == "Error")


def _long(size: int) -> bytes:
    return b'{"command":"mute","arguments":["%s"]}' % (b"x" * max(1, min(size, 60_000) - 38))


CONTROL = Parser(
    read=_read,
    refusals=(),
    samples=(
        b'{"command":"status"}',
        b'{"command":"skills","arguments":[]}',
        b'{"command":"why","arguments":["2"]}',
        b'{"command":"use","arguments":["nlu","ner","1","0.5","100"]}',
        b'{"command":"documents","arguments":["add","/a"]}',
        b'{"command":"sensors_request","arguments":["learn","60","boiler"]}',
        b'{"command":"reload"}',
        b'{"command":"watch"}',
    ),
    honest=_long,
    pieces=(
        *(
            b'"command":',
            b'"arguments":[',
            b'"status"',
            b'"use"',
            b'"documents"',
            b'"why"',
            b'"\\ud800"',
            b'["x"]',
        ),
        *(
            b'"sensors_request"',
            b'"learn"',
            b'"roll_back"',
            b'"list"',
            b'"remove"',
            b'"x",',
            b'"nan"',
            b'"1e999"',
        ),
    ),
    nests=((b"[", b"]"), (b'{"command":', b"}")),
    largest=LONGEST_LINE_BYTES + 2_000,
)
