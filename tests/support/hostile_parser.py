"""Parsers that do what a hostile file might make one do; each works where nothing confines it."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import gc
import logging
import os
import resource
import socket
import time
from collections.abc import Callable
from pathlib import Path

from assistant.answer.knowledge.passages import Document, Section

TRIED = "done"
LIMITED = (
    resource.RLIMIT_CORE,
    resource.RLIMIT_FSIZE,
    resource.RLIMIT_NPROC,
    resource.RLIMIT_NOFILE,
    resource.RLIMIT_CPU,
)


def parse(name: str, content: bytes, note: bool = False) -> Document:
    """Do what `content` says, and tell how it went."""
    done = ACTIONS[content.decode()]()
    return Document(title=name, sections=(Section(text=f"{TRIED} {done}"),))


def _loop() -> object:
    while True:
        pass


def _sleep() -> object:
    time.sleep(3600)
    return None


def _recurse() -> object:
    return [_recurse()]


def _talk() -> object:
    return "words " * 250_000


def _lie(result: bytes) -> Callable[[], object]:
    """Write `result` to whatever is open, in place of what was found, and leave without a fault."""

    def lie() -> object:
        for descriptor in range(3, 32):
            with contextlib.suppress(OSError):
                os.write(descriptor, result)
        os._exit(0)

    return lie


def _opened() -> list[int]:
    opened = []
    for descriptor in range(64):
        with contextlib.suppress(OSError):
            os.fstat(descriptor)
            opened.append(descriptor)
    return opened


def _pipes() -> list[int]:
    """The bytes that the pipes hold; waits a while for one that holds more than most."""
    until_s = time.monotonic() + 5
    while True:
        held = []
        for descriptor in _opened()[3:]:
            with contextlib.suppress(OSError):
                held.append(fcntl.fcntl(descriptor, fcntl.F_GETPIPE_SZ))
        if held != [65_536] or time.monotonic() > until_s:
            return held


_REFUSED = b"\xa4type\xa7Refused"
ACTIONS = {
    "nothing": lambda: "and well",
    "loop": _loop,
    "sleep": _sleep,
    "recurse": _recurse,
    "talk": _talk,
    "memory": lambda: len(bytearray(400_000_000)),
    "fail": lambda: {}["secret words of the document"],
    "crash": lambda: ctypes.string_at(0),
    "leave": lambda: os._exit(7),
    "leave quietly": lambda: os._exit(0),
    "lie in part": _lie(b"\x83" + _REFUSED),
    "lie in letters": _lie(b"\x83" + _REFUSED + b"\xa4code\xa1\xff\xa7message\xa1a"),
    "lie in depth": _lie(b"\x82" + _REFUSED + b"\xa1x" + b"\x91" * 100_000),
    "write megabytes": lambda: "words " * 400_000,
    "socket": lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM).close(),
    "local socket": lambda: [end.close() for end in socket.socketpair()],
    "open": lambda: Path("/etc/hostname").read_bytes(),
    "write": lambda: Path("/tmp/hark-was-here").write_bytes(b"!"),
    "delete": lambda: Path("/tmp/hark-was-here").unlink(missing_ok=True),
    "fork": lambda: os.fork() or os._exit(0),
    "run": lambda: os.execv("/bin/true", ["true"]),
    "kill": lambda: os.kill(os.getppid(), 0),
    "descriptors": lambda: os.dup(1),
    "shout": lambda: os.write(2, b"\x1b[2Jthe secret word is swordfish\n" * 1000),
    "opened": _opened,
    "pipes": _pipes,
    "standard": lambda: [os.readlink(f"/proc/self/fd/{stream}") for stream in range(3)],
    "environment": lambda: sorted(os.environ),
    "log": lambda: logging.getLogger("pypdf").isEnabledFor(logging.CRITICAL),
    "share": lambda: gc.get_freeze_count() > 10_000,
    "network": lambda: os.readlink("/proc/self/ns/net"),
    "limits": lambda: [resource.getrlimit(limit) for limit in LIMITED],
}
