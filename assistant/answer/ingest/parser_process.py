"""The parsing process: it loads the parsers once and forks a confined child for each file.

A child is given one file, already open, and a pipe for its result; so a file that breaks its parser
harms that child alone.
"""

from __future__ import annotations

import codecs
import errno
import hashlib
import importlib
import logging
import os
import socket
import sys
from collections.abc import Callable, Sequence
from types import TracebackType

import msgspec

from assistant.answer.ingest.formats import calendar
from assistant.answer.ingest.parser_messages import (
    Order,
    Parsed,
    ParsingEnded,
    Ready,
    Refused,
)
from assistant.answer.ingest.sandbox import NICEST, Limits, confine
from assistant.answer.knowledge.passages import Document, cut
from assistant.core.confinement.rights import isolate
from assistant.core.errors import AnswerError
from assistant.core.fork import LARGEST_PACKET_BYTES, die_with_parent, share_memory

CALENDARS = (".ics", ".ical")

_ENCODINGS = (
    *("ascii", "latin-1", "utf-16", "utf-32", "cp437", "cp1250", "cp1251", "cp1252", "cp1253"),
    *("cp1254", "cp1256", "cp1257", "iso8859-2", "iso8859-5", "iso8859-7", "iso8859-9"),
    *("iso8859-15", "koi8-r", "mac-roman", "shift-jis", "euc-jp", "gb18030", "big5", "euc-kr"),
    *(
        "charmap",
        "quopri",
        "base64",
        "idna",
        "utf-8-sig",
        "utf-16-be",
        "utf-16-le",
        "utf-32-be",
        "utf-32-le",
    ),
)
_MODULES = ("pypdf._codecs._codecs", "pypdf.filters", "dateutil.parser")
"""Encodings and modules that are loaded on first use, too late for a confined process."""


def main(arguments: Sequence[str]) -> None:
    """Serve until the other end of the line is gone: line, parent, limits, the parser's name."""
    line, parent, limits, parser = arguments
    logging.disable()  # a library's warnings quote the documents
    module, _, function = parser.partition(":")
    parse = getattr(importlib.import_module(module), function)
    for encoding in _ENCODINGS:
        codecs.lookup(encoding)
    for late in _MODULES:
        importlib.import_module(late)
    refused = isolate(int(parent), NICEST)
    share_memory()
    _fall_silent()
    control = socket.socket(fileno=int(line))
    control.send(msgspec.msgpack.encode(Ready(refused=tuple(refused))))
    _serve(control, parse, msgspec.json.decode(limits, type=Limits))


def _fall_silent() -> None:
    """Write no more to the journal: what a library writes there may be a document's words.

    By then any failure to start has been reported, and a child reports through its pipe.
    """
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    os.close(nowhere)


def _serve(control: socket.socket, parse: Callable[..., Document], limits: Limits) -> None:
    zones: object = None
    while True:
        packet, handles, _, _ = socket.recv_fds(control, LARGEST_PACKET_BYTES, 2)
        if not packet:
            return
        order = msgspec.msgpack.decode(packet, type=Order)
        if zones is None and order.name.casefold().endswith(CALENDARS):
            zones = calendar.prepare()
        server, child = os.getpid(), os.fork()
        if child == 0:
            control.close()
            _be_child(server, order, handles, parse, limits)
        for handle in handles:
            os.close(handle)
        _, status = os.waitpid(child, 0)
        control.send(msgspec.msgpack.encode(ParsingEnded(status=os.waitstatus_to_exitcode(status))))


def _be_child(
    server: int,
    order: Order,
    handles: Sequence[int],
    parse: Callable[..., Document],
    limits: Limits,
) -> None:
    die_with_parent(server)
    file, result = handles
    name = order.name.rpartition("/")[2]
    # An uncaught exception ends the child, but not without a report.
    sys.excepthook = lambda kind, fault, trace: _tell(result, name, kind, fault, trace, limits)
    with open(file, "rb") as opened:
        content = opened.read(limits.file_bytes)
    sha256 = hashlib.sha256(content).hexdigest()
    confine(limits)
    document = parse(order.name, content, order.note)
    found = Parsed(sha256=sha256, document=document, passages=tuple(cut(document)))
    _write(result, msgspec.msgpack.encode(found))
    os._exit(0)


def _tell(
    result: int,
    name: str,
    kind: type[BaseException],
    fault: BaseException,
    _: TracebackType | None,
    limits: Limits,
) -> None:
    if isinstance(fault, AnswerError):
        refused = Refused(code=fault.code, message=fault.message)
    elif isinstance(fault, MemoryError):
        megabytes = limits.memory_bytes // 1_000_000
        message = f"{name} takes more than {megabytes} MB of memory to read"
        refused = Refused(code="answer.memory", message=message)
    elif isinstance(fault, OSError) and fault.errno in (errno.EPERM, errno.ENOENT, errno.EMFILE):
        message = f"{name} made its parser reach for a file or the network, which it may not"
        refused = Refused(code="answer.forbidden", message=message)
    else:
        message = f"{name} cannot be read: its parser failed ({kind.__name__})"
        refused = Refused(code="answer.crashed", message=message)
    _write(result, msgspec.msgpack.encode(refused))


def _write(result: int, frame: bytes) -> None:
    view = memoryview(frame)
    while view:
        view = view[os.write(result, view) :]


if __name__ == "__main__":
    main(sys.argv[1:])
