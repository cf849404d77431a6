"""A network of a test's own: Python that runs within it, and makes its interfaces."""

from __future__ import annotations

import fcntl
import functools
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
UNSHARE = ("unshare", "--user", "--map-root-user", "--net", "--mount")
SYSFS = 'mount -t sysfs none /sys && exec "$@"'
TUN, TAP, WITHOUT_HEADERS = 1, 2, 0x1000
DOWN, UP = 0x1000, 0x1041
"""Flags of an interface that can multicast; the one is down, the other up and running."""
_NEW_TUN, _SET_ADDRESS, _SET_FLAGS = 0x400454CA, 0x8916, 0x8914


@functools.cache
def may_be_made() -> bool:
    """Whether this user may have such a network, with interfaces in it."""
    tried = (*UNSHARE, "sh", "-c", SYSFS, "sh", "test", "-w", "/dev/net/tun")
    return subprocess.run(tried, capture_output=True).returncode == 0


def run_within(script: str, *arguments: str) -> str:
    """What Python prints that runs a script in a network of its own."""
    command = (*UNSHARE, "sh", "-c", SYSFS, "sh", sys.executable, "-c", script, *arguments)
    ran = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@contextmanager
def interface(name: str, address: str, kind: int = TAP, flags: int = UP) -> Iterator[None]:
    """An interface, while this is open."""
    with open("/dev/net/tun", "r+b", buffering=0) as tun:
        fcntl.ioctl(tun, _NEW_TUN, struct.pack("16sH22x", name.encode(), kind | WITHOUT_HEADERS))
        set_address(name, address)
        set_flags(name, flags)
        yield


def set_address(name: str, address: str) -> None:
    """Give an interface an address in place of what it had."""
    family, packed = socket.AF_INET, socket.inet_aton(address)
    _ask(_SET_ADDRESS, struct.pack("16sHH4s16x", name.encode(), family, 0, packed))


def set_flags(name: str, flags: int) -> None:
    """Bring an interface up or down."""
    _ask(_SET_FLAGS, struct.pack("16sH22x", name.encode(), flags))


def _ask(what: int, request: bytes) -> None:
    with socket.socket(type=socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, what, request)
