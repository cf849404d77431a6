"""The loopback device, which is down in a network namespace of its own (`unshare --net`)."""

from __future__ import annotations

import contextlib
import fcntl
import socket
import struct
from collections import deque

SIOCSIFFLAGS = 0x8914
IFF_UP = 0x1
MOST_HELD = 200
"""Maximum number of ports that are held, as each costs a descriptor."""

_held: deque[socket.socket] = deque()


def raise_loopback() -> None:
    """Bring the loopback device up, where this user may; the tests' broker listens on it."""
    request = struct.pack("16sH22x", b"lo", IFF_UP)
    with contextlib.suppress(PermissionError), socket.socket(type=socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, request)


def free_port() -> int:
    """A TCP port of this machine that nobody listens at, and that the kernel gives nobody else.

    A socket that is bound and does not listen holds it, while servers that set SO_REUSEADDR, as all
    in these tests do, may listen there, stop, and listen again.
    """
    if len(_held) == MOST_HELD:
        _held.popleft().close()
    holder = socket.socket()
    holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    holder.bind(("127.0.0.1", 0))
    _held.append(holder)
    port: int = holder.getsockname()[1]
    return port
