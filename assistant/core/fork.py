"""Processes that fork others: started with a socket to them, and gone with their parent."""

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


def start_server(
    program: Sequence[str], *arguments: str, env: Mapping[str, str], stdout: int | None = None
) -> tuple[subprocess.Popen[bytes], socket.socket]:
    """Start a Python `program` in a session of its own, and a SOCK_SEQPACKET socket to it.

    It is called with the descriptor of its end, the id of this process and `arguments`, and finds
    the modules that this process finds. Raises `OSError`.
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
    """The next packet of a server, without waiting; None for none yet, b"" when it is gone."""
    try:
        return server.recv(LARGEST_PACKET_BYTES, socket.MSG_DONTWAIT)
    except BlockingIOError:
        return None
    except ConnectionResetError:
        return b""


def share_memory() -> None:
    """Keep what is loaded by now out of the collector, which would write to every object.

    So its pages stay shared with what is forked later.
    """
    gc.collect()
    gc.freeze()


def die_with_parent(parent: int) -> None:
    """Have the kernel send SIGKILL when `parent` dies; exits at once if it already has."""
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    if prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG) failed")
    if os.getppid() != parent:
        sys.exit(1)
