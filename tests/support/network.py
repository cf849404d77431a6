"""The loopback device, which is down in a network namespace of its own (`unshare --net`)."""

from __future__ import annotations

import contextlib
import fcntl
import socket
import struct

SIOCSIFFLAGS = 0x8914
IFF_UP = 0x1


def raise_loopback() -> None:
    """Bring the loopback device up, where this user may; the tests' broker listens on it."""
    request = struct.pack("16sH22x", b"lo", IFF_UP)
    with contextlib.suppress(PermissionError), socket.socket(type=socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, request)


def free_port() -> int:
    """A TCP port of this machine that nobody listens at."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    return port
