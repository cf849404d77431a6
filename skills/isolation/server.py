"""The process from which skills are forked: what they may need is loaded, and all rights are gone.

It is started by `skills.isolation.spawner`. Each packet is an order with the socket of a new skill;
the fork is confined before it reads a line of the skill's code (`skills.isolation.process`).
"""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import socket
import sys
from collections.abc import Sequence

import msgspec

from assistant.core.confinement.rights import confine, isolate
from assistant.core.fork import LARGEST_PACKET_BYTES, die_with_parent, share_memory
from skills.isolation import process, table_process

PRELOADED = (
    *("array", "base64", "bisect", "calendar", "cmath", "collections", "copy", "csv"),
    *("dataclasses", "datetime", "decimal", "difflib", "enum", "fractions", "functools"),
    *("hashlib", "heapq", "html", "importlib.resources", "itertools", "json", "logging", "math"),
    *("operator", "pkgutil", "random", "re", "secrets", "statistics", "string", "struct"),
    *("textwrap", "time", "tomllib", "unicodedata", "urllib.parse", "uuid"),
    *("xml.etree.ElementTree", "zlib", "zoneinfo", "hassil.parser", "dateutil.rrule"),
)
"""Modules with native parts, which a confined process cannot load, and those that are usual."""


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """Start a skill on the socket that comes along, or end the one with this process id.

    With `tables` it is what runs the SQL of one, and no skill.
    """

    memory_bytes: int = 0
    tables: bool = False
    end: int = 0


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """The process id of what was started; in the first answer, what the kernel refuses."""

    pid: int = 0
    refused: tuple[str, ...] = ()


def main(arguments: Sequence[str]) -> None:
    """Serve until the other end of the line is gone: line, parent."""
    line, parent = arguments
    for name in PRELOADED:
        importlib.import_module(name)
    refused = isolate(int(parent))
    share_memory()
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)
    os.close(nowhere)
    control = socket.socket(fileno=int(line))
    control.send(msgspec.msgpack.encode(Answer(refused=tuple(refused))))
    _serve(control)


def _serve(control: socket.socket) -> None:
    children = set[int]()
    while True:
        packet, handles, _, _ = socket.recv_fds(control, LARGEST_PACKET_BYTES, 1)
        if not packet:
            return
        order = msgspec.msgpack.decode(packet, type=Order)
        if handles:
            children.add(pid := _started(control, handles[0], order))
            os.close(handles[0])
            control.send(msgspec.msgpack.encode(Answer(pid=pid)))
        elif order.end in children:
            # Nobody else gets the id of a child before it is waited for.
            with contextlib.suppress(ProcessLookupError):
                os.kill(order.end, signal.SIGKILL)
            os.waitpid(order.end, 0)
            children.remove(order.end)


def _started(control: socket.socket, handle: int, order: Order) -> int:
    server, child = os.getpid(), os.fork()
    if child != 0:
        return child
    status = 1
    try:
        die_with_parent(server)
        control.close()
        if order.tables:
            table_process.serve(handle)
            status = 0
        elif confine(order.memory_bytes, alarm=True):
            process.serve(handle)
            status = 0
    finally:
        os._exit(status)


if __name__ == "__main__":
    main(sys.argv[1:])
