"""Reads the structure of a foreign file in a process that can only compute and answer.

What it answers is where in the file each part lies; the parts themselves are believed for their
signatures and hashes alone, which are checked outside.
"""

from __future__ import annotations

import os
import resource
import select
import signal
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import IO, TypeVar

import msgspec

from assistant.core.confinement.rights import confine, isolate
from assistant.core.errors import UNDECODABLE, ModelError
from assistant.core.fork import die_with_parent

T = TypeVar("T", bound=msgspec.Struct)

MEMORY_BYTES = 64_000_000
CPU_S = 5
WALL_S = 60.0
ANSWER_BYTES = 1 << 16


class Refused(msgspec.Struct, frozen=True, tag=True):
    """Why the file cannot be read."""

    reason: str


def confined(parse: Callable[[IO[bytes]], T], file: IO[bytes], kind: type[T], where: str) -> T:
    """What `parse` makes of the open `file`, in a process of its own that keeps nothing else open.

    Raises `ModelError` for a file that `parse` refuses by a ValueError, or that ends it.
    """
    answer, theirs = os.pipe()
    parent = os.getpid()
    with warnings.catch_warnings():
        # Python 3.12 and later warn of any fork beside threads, whatever it then does.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        _be_child(parent, parse, file, theirs)
    os.close(theirs)
    try:
        frame = _heard(answer)
    finally:
        os.close(answer)
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    try:
        found: T | Refused = msgspec.msgpack.decode(frame, type=kind | Refused)
    except UNDECODABLE as error:
        message = f"{where} is no bundle that can be read: its reader was ended over it"
        raise ModelError("model.bundle", message) from error
    if isinstance(found, Refused):
        raise ModelError("model.bundle", f"{where} is no bundle that can be read: {found.reason}")
    return found


def _heard(answer: int) -> bytes:
    """What the child says until it ends, takes too long or says too much."""
    frame, until_s = b"", time.monotonic() + WALL_S
    poll = select.poll()
    poll.register(answer, select.POLLIN)
    while len(frame) <= ANSWER_BYTES and (left_s := until_s - time.monotonic()) > 0:
        if poll.poll(left_s * 1000):
            piece = os.read(answer, ANSWER_BYTES)
            if not piece:
                return frame
            frame += piece
    return b""


def _be_child(
    parent: int, parse: Callable[[IO[bytes]], msgspec.Struct], file: IO[bytes], answer: int
) -> None:
    """Give up all rights, parse and answer; it never returns."""
    try:
        die_with_parent(parent)
        _keep_open(file.fileno(), answer)
        isolate(parent)
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S + 1))
        confine(MEMORY_BYTES)
        found: msgspec.Struct
        try:
            found = parse(file)
        except ValueError as error:
            found = Refused(str(error)[:200])
        except MemoryError:
            found = Refused("it takes too much memory")
        os.write(answer, msgspec.msgpack.encode(found))
    finally:
        os._exit(0)


def _keep_open(*kept: int) -> None:
    """Close all other files of this process, the standard ones included."""
    last = 0
    for number in sorted(kept):
        os.closerange(last, number)
        last = number + 1
    os.closerange(last, os.sysconf("SC_OPEN_MAX"))
