"""Parsers that do what a hostile file might make one do; each works where nothing confines it."""

from __future__ import annotations

import ctypes
import os
import resource
import socket
import time
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
    done = DEEDS[content.decode()]()
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


DEEDS = {
    "nothing": lambda: "and well",
    "loop": _loop,
    "sleep": _sleep,
    "recurse": _recurse,
    "talk": _talk,
    "memory": lambda: len(bytearray(400_000_000)),
    "fail": lambda: {}["secret words of the document"],
    "crash": lambda: ctypes.string_at(0),
    "leave": lambda: os._exit(7),
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
    "network": lambda: os.readlink("/proc/self/ns/net"),
    "limits": lambda: [resource.getrlimit(limit) for limit in LIMITED],
}
