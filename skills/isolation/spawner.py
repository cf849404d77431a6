"""Starts the processes of skills, from one that has all they may need loaded already."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import subprocess
import sys
import weakref
from typing import Any

import msgspec

from assistant.core.confinement.rights import CALLS_FILTER
from assistant.core.errors import SkillError
from assistant.core.fork import LARGEST_PACKET_BYTES, kept_environment, start_server
from assistant.core.layout import SKILL_SERVER
from skills.isolation.server import Answer, Order

PROGRAM = (sys.executable, "-P", "-W", "ignore", "-m", SKILL_SERVER)
START_S = 30.0
MEMORY_BYTES = 64_000_000
"""Memory that a skill may take in addition to what the process that it is forked from has."""


class Running:
    """A skill's process, and the socket to it, which closes with this."""

    def __init__(self, pid: int, line: socket.socket) -> None:
        self.pid, self.descriptor = pid, line.detach()
        self.close = weakref.finalize(self, os.close, self.descriptor)


class Spawner:
    """Starts and ends processes of skills; its own server starts with the first of them."""

    def __init__(self) -> None:
        self._control: socket.socket | None = None
        self._owner = 0
        self._closed: weakref.finalize[Any, Any] | None = None

    def start(self, tables: bool = False) -> Running:
        """Start a process for a skill, or for its `tables`.

        Raises `SkillError` where this machine cannot confine one.
        """
        for attempt in range(2):
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
            with ours, theirs:
                try:
                    control = self._reached() or self._start()
                    order = msgspec.msgpack.encode(Order(memory_bytes=MEMORY_BYTES, tables=tables))
                    socket.send_fds(control, [order], [theirs.fileno()])
                    pid = self._answer(control).pid
                except OSError as error:
                    self.close()  # it died, as when memory is short: once more
                    if attempt:
                        message = f"no process can be started for it: {error}"
                        raise SkillError("skill.process", message) from error
                    continue
                ours.setblocking(False)
                return Running(pid, ours)
        raise AssertionError("unreachable")

    def end(self, running: Running) -> None:
        """End a process and whatever it is doing."""
        running.close()
        if (control := self._reached()) is not None:
            with contextlib.suppress(OSError):
                control.send(msgspec.msgpack.encode(Order(end=running.pid)))

    def close(self) -> None:
        """End the server, and with it every process that it has started."""
        if self._closed is not None and self._reached() is not None:
            self._closed()
        self._control = self._closed = None

    def _reached(self) -> socket.socket | None:
        """The socket to the server; None where there is none, or only that of a forking parent."""
        return self._control if self._owner == os.getpid() else None

    def _start(self) -> socket.socket:
        env = kept_environment()
        process, control = start_server(PROGRAM, env=env, stdout=subprocess.DEVNULL)
        self._control, self._owner = control, os.getpid()
        self._closed = weakref.finalize(self, _end_server, process, control, self._owner)
        refused = self._answer(control).refused
        if CALLS_FILTER in refused:
            self.close()
            message = "this machine's kernel cannot confine a skill: it has no seccomp filter"
            raise SkillError("skill.unconfined", message)
        return control

    def _answer(self, control: socket.socket) -> Answer:
        if not select.select([control], [], [], START_S)[0]:
            raise TimeoutError("the process that skills are started from does not answer")
        packet = control.recv(LARGEST_PACKET_BYTES)
        if not packet:
            raise ConnectionResetError("the process that skills are started from has ended")
        return msgspec.msgpack.decode(packet, type=Answer)


def _end_server(process: subprocess.Popen[bytes], control: socket.socket, owner: int) -> None:
    if os.getpid() != owner:
        return
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    control.close()
