"""Processes of one's own: servers that fork, work done in a fork, and ending with the parent."""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import socket
import subprocess
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Generic, TypeVar, cast

from assistant.core.errors import AssistantError

T = TypeVar("T")

PR_SET_PDEATHSIG = 1
KEPT_FROM_ENVIRONMENT = ("PATH", "LANG", "LC_ALL", "TZ")
LARGEST_PACKET_BYTES = 65_536
"""Most bytes of a packet between two processes, over any SOCK_SEQPACKET socket."""


def start_server(
    program: Sequence[str], *arguments: str, env: Mapping[str, str], stdout: int | None = None
) -> tuple[subprocess.Popen[bytes], socket.socket]:
    """Start a Python `program` in its own session; return it and a SOCK_SEQPACKET socket to it.

    It is called with the descriptor of its end, the id of this process and `arguments`, and has
    the module path of this process. Raises `OSError`.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        try:
            process = subprocess.Popen(
                (*program, str(theirs.fileno()), str(os.getpid()), *arguments),
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                env={**env, "PYTHONPATH": os.pathsep.join(sys.path)},
                start_new_session=True,
            )
        except OSError:
            ours.close()
            raise
    return process, ours


def kept_environment() -> dict[str, str]:
    """What of this process's environment a server for untrusted work may know."""
    return {name: os.environ[name] for name in KEPT_FROM_ENVIRONMENT if name in os.environ}


def receive(server: socket.socket) -> bytes | None:
    """The next packet of a server, without waiting; None for none yet, b"" when it has ended."""
    try:
        return server.recv(LARGEST_PACKET_BYTES, socket.MSG_DONTWAIT)
    except BlockingIOError:
        return None
    except ConnectionResetError:
        return b""


def in_fork(work: Callable[[], object]) -> None:
    """Do `work` in a fork of this process, so that all the memory it takes is freed when it ends.

    What it returns is dropped. An `AssistantError`, `OSError` or `ValueError` of it is raised here,
    and `OSError` when the fork dies. It may run Python alone: threads of this process, and what
    they hold, are not there.
    """

    def dropping() -> None:
        work()

    Fork(dropping).finish()


class Fork(Generic[T]):
    """Work in a fork, as `in_fork` does it, that is not waited for; `nice` is its niceness.

    What the work returns must be picklable. Raises `OSError` where no process can be started.
    """

    def __init__(self, work: Callable[[], T], nice: int = 0) -> None:
        context = get_context("fork")
        self._outcome, told = context.Pipe(duplex=False)
        self._process = context.Process(target=_tell, args=(work, told, os.getpid(), nice))
        with told, warnings.catch_warnings():
            # Python 3.12 and later warn of any fork beside threads, whatever it then does.
            warnings.simplefilter("ignore", DeprecationWarning)
            self._process.start()

    @property
    def done(self) -> bool:
        """Whether the work has come to its end."""
        return self._outcome.poll()

    def close(self) -> None:
        """End the work where it is."""
        self._process.kill()
        self._process.join()
        self._process.close()
        self._outcome.close()

    def finish(self) -> T:
        """Wait for the end of the work for what it returned; raises what `in_fork` would."""
        with self._outcome:
            try:
                result, fault = self._outcome.recv()
            except EOFError:
                result, fault = None, OSError("the process that did it has died")
        self._process.join()
        self._process.close()
        if fault is not None:
            raise fault
        return cast(T, result)


def _tell(work: Callable[[], object], outcome: Connection, parent: int, nice: int) -> None:
    die_with_parent(parent)
    if nice:
        with suppress(OSError):  # a service may not be allowed to
            os.nice(nice)
    try:
        result = work()
    except (AssistantError, OSError, ValueError) as error:
        outcome.send((None, error))
    else:
        outcome.send((result, None))


def share_memory() -> None:
    """Exclude all objects loaded so far from garbage collection, which would write to each of them.

    This keeps their memory pages shared with processes that are forked later.
    """
    gc.collect()
    gc.freeze()


def die_with_parent(parent: int) -> None:
    """Have the kernel kill this process when `parent` dies; exit at once if it already has."""
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    if prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG) failed")
    if os.getppid() != parent:
        sys.exit(1)
