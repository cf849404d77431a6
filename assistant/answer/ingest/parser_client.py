"""The parser's client: turns files into passages, in a process that cannot call out or stay.

The process (`assistant.answer.ingest.parser_process`) starts with the first file and ends with
`close`. One file is parsed at a time; `poll` never waits for it, so that a question can be answered
meanwhile.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import logging
import os
import select
import signal
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path

import msgspec

from assistant.answer.ingest.opening import opened
from assistant.answer.ingest.parser_messages import (
    Order,
    Parsed,
    ParsingEnded,
    Ready,
    Refused,
)
from assistant.answer.ingest.sandbox import Limits
from assistant.answer.knowledge.passages import Document, Passage
from assistant.core.errors import UNDECODABLE, AnswerError
from assistant.core.fork import kept_environment, receive, start_server
from assistant.core.layout import PARSE, PARSER_PROCESS

PROGRAM = (sys.executable, "-P", "-W", "ignore", "-m", PARSER_PROCESS)
WAIT_S = 0.5
LINKED = "is a link, and those are not followed: add what it points at"
PIPE_BYTES = 1_048_576
"""Bytes of a result that the pipe holds and that are read at a time: most results are no longer."""

log = logging.getLogger(__name__)

_REPORTS: msgspec.msgpack.Decoder[Ready | ParsingEnded] = msgspec.msgpack.Decoder(
    Ready | ParsingEnded
)
_RESULTS: msgspec.msgpack.Decoder[Parsed | Refused] = msgspec.msgpack.Decoder(Parsed | Refused)


class ParsedFile(msgspec.Struct, frozen=True, kw_only=True):
    """What a file held when it was read; `sha256` is of its bytes."""

    path: Path
    sha256: str
    document: Document
    passages: tuple[Passage, ...]


class ParserClient:
    """Parses one file after another; `parser` ("module:function") is what the process runs.

    Times of calendars are told in `zone`, an IANA name; "" is the system's.

    Every method that takes or gives a file raises `AnswerError` with one line naming that file; the
    next file can be given after that.
    """

    def __init__(self, limits: Limits | None = None, parser: str = PARSE, zone: str = "") -> None:
        self._limits, self._parser, self._zone = limits or Limits(), parser, zone
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._job: _Job | None = None

    def __enter__(self) -> ParserClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def pid(self) -> int | None:
        """The process's id while it runs."""
        return self._process.pid if self._process else None

    def parsed(self, path: Path, note: bool = False) -> ParsedFile:
        """What `path` holds; waits for the result."""
        self.begin(path, note)
        while (found := self.poll(WAIT_S)) is None:
            pass
        return found

    def begin(self, path: Path, note: bool = False) -> None:
        """Have `path` parsed, as a note if it is text and `note` says so; then call `poll`."""
        if self._job is not None:
            raise ValueError(f"{self._job.path} is still being parsed")
        file = _opened(path, self._limits)
        try:
            self._job = self._ordered(path, file, note)
        finally:
            os.close(file)

    def poll(self, wait_s: float = 0.0) -> ParsedFile | None:
        """What the file begun last holds, once known; waits up to `wait_s` seconds for it."""
        job, control = self._job, self._control
        if job is None or control is None:
            raise ValueError("no file was begun")
        poll = select.poll()
        poll.register(control, select.POLLIN)
        if not job.is_read:
            poll.register(job.result, select.POLLIN)
        poll.poll(wait_s * 1000)
        try:
            job.read(self._limits)
            self._hear(job, control)
            if time.monotonic() - job.began_s > self._limits.wall_s:
                message = f"{job.path.name} was given up after {self._limits.wall_s:.0f} seconds"
                raise AnswerError("answer.hung", message)
        except AnswerError:
            self.close()
            raise
        if not job.is_read or job.status is None:
            return None
        self._job = None
        job.close()
        return _outcome(job, self._limits)

    def close(self) -> None:
        """End the process together with whatever it is parsing."""
        if self._job is not None:
            self._job.close()
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        if self._control is not None:
            self._control.close()
        self._job = self._process = self._control = None

    def _ordered(self, path: Path, file: int, note: bool) -> _Job:
        order = msgspec.msgpack.encode(Order(name=str(path), note=note))
        result, theirs = os.pipe()
        try:
            for _ in range(2):
                with contextlib.suppress(OSError):
                    socket.send_fds(self._control or self._start(), [order], [file, theirs])
                    return _Job(path, result)
                self.close()  # it died between two files, as when memory is short: once more
        finally:
            os.close(theirs)
        os.close(result)
        raise AnswerError("answer.indexer", f"{path.name} waits: the indexer does not start")

    def _start(self) -> socket.socket:
        limits = msgspec.json.encode(self._limits).decode()
        kept = kept_environment()
        if self._zone:
            kept["TZ"] = self._zone
        # In a group of its own, so that `close` reaches its children.
        self._process, self._control = start_server(
            PROGRAM, limits, self._parser, env=kept, stdout=subprocess.DEVNULL
        )
        return self._control

    def _hear(self, job: _Job, control: socket.socket) -> None:
        packet = receive(control)
        if packet is None:
            return
        if not packet:
            raise AnswerError("answer.indexer", f"{job.path.name} waits: the indexer ended")
        report = _REPORTS.decode(packet)
        if isinstance(report, ParsingEnded):
            job.status = report.status
        elif report.refused:
            log.info("the indexer runs without %s", ", ".join(report.refused))


class _Job:
    """One file being parsed: the pipe that its passages come through, and how its child ended."""

    def __init__(self, path: Path, result: int) -> None:
        self.path, self.result = path, result
        self.frame = bytearray()
        self.is_read = False
        self.status: int | None = None
        self.began_s = time.monotonic()
        os.set_blocking(result, False)
        with contextlib.suppress(OSError):
            fcntl.fcntl(result, fcntl.F_SETPIPE_SZ, PIPE_BYTES)

    def read(self, limits: Limits) -> None:
        while not self.is_read:
            try:
                piece = os.read(self.result, PIPE_BYTES)
            except BlockingIOError:
                return
            self.frame += piece
            self.is_read = not piece
            if len(self.frame) > limits.result_bytes:
                message = f"{self.path.name} holds more text than can be kept"
                raise AnswerError("answer.too_large", message)

    def close(self) -> None:
        os.close(self.result)


def _outcome(job: _Job, limits: Limits) -> ParsedFile:
    name, status = job.path.name, job.status or 0
    if status == -signal.SIGXCPU:
        message = f"{name} was given up after {limits.cpu_s} seconds of computing"
        raise AnswerError("answer.hung", message)
    if status == -signal.SIGKILL:
        message = f"{name} was given up by the kernel, which was short of memory"
        raise AnswerError("answer.memory", message)
    try:
        result = _RESULTS.decode(job.frame)
    except UNDECODABLE as error:
        how = signal.Signals(-status).name if status < 0 else f"status {status}"
        message = f"{name} made its parser crash ({how})"
        raise AnswerError("answer.crashed", message) from error
    if isinstance(result, Refused):
        raise AnswerError(result.code, result.message)
    return ParsedFile(
        path=job.path, sha256=result.sha256, document=result.document, passages=result.passages
    )


def _opened(path: Path, limits: Limits) -> int:
    """A descriptor of the file, reached without following a link."""
    try:
        file = opened(path)
    except OSError as error:
        why = LINKED if error.errno == errno.ELOOP else f"cannot be opened: {error.strerror}"
        raise AnswerError("answer.unreadable", f"{path.name} {why}") from error
    facts = os.fstat(file)
    fault = ""
    if not stat.S_ISREG(facts.st_mode):
        fault = "is no file"
    elif facts.st_size > limits.file_bytes:
        fault = f"is larger than {limits.file_bytes // 1_000_000} MB"
    if fault:
        os.close(file)
        raise AnswerError("answer.unreadable", f"{path.name} {fault}")
    return file
