"""Servers that fork processes: starting one with a socket to it, and ending with the parent."""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence

PR_SET_PDEATHSIG = 1
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


def receive(server: socket.socket) -> bytes | None:
    """The next packet of a server, without waiting; None for none yet, b"" when it has ended."""
    try:
        return server.recv(LARGEST_PACKET_BYTES, socket.MSG_DONTWAIT)
    except BlockingIOError:
        return None
    except ConnectionResetError:
        return b""


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
