"""The local network: which of this device's interfaces lead there, and which addresses are of it.

The kernel is asked by ioctl, as the units of the services grant no netlink.
"""

from __future__ import annotations

import fcntl
import ipaddress
import os
import socket
import struct
from collections.abc import Iterator
from pathlib import Path

from assistant.core.errors import RoomsError

NETWORKS = tuple(
    ipaddress.IPv4Network(network)
    for network in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16")
)
"""The networks that the units of the services let in."""

INTERFACES = Path("/sys/class/net")
"""A folder for each interface."""

_EVERY = ("", "0.0.0.0")  # noqa: S104
_FLAGS, _ADDRESS = 0x8913, 0x8915
_UP, _LOOPBACK, _TUNNEL, _RUNNING, _MULTICAST = 0x1, 0x8, 0x10, 0x40, 0x1000
_WANTED = _UP | _RUNNING | _MULTICAST


def is_local(address: str) -> bool:
    """Whether an IPv4 address is one of a local network."""
    return any(ipaddress.IPv4Address(address) in network for network in NETWORKS)


def local_addresses() -> tuple[str, ...]:
    """This device's own IPv4 addresses on local networks, one of each interface, in order.

    Loopback, tunnels, and bridges that only containers use lead to no such network.
    """
    with socket.socket(type=socket.SOCK_DGRAM) as any_socket:
        return tuple(sorted(filter(is_local, _addresses(any_socket.fileno()))))


def require_local(address: str = "") -> tuple[str, ...]:
    """The addresses on local networks at which it is listened, where that is at `address`.

    Raises `RoomsError` where there is none.
    """
    found = local_addresses()
    if address not in _EVERY:
        found = tuple(one for one in found if one == address)
    if not found:
        what = f'"{address}"' if address else "this device"
        raise RoomsError("rooms.network", f"{what} is on no local network")
    return found


def _addresses(descriptor: int) -> Iterator[str]:
    for name in os.listdir(INTERFACES):
        request = struct.pack("16s24x", os.fsencode(name))
        try:
            (flags,) = struct.unpack_from("H", fcntl.ioctl(descriptor, _FLAGS, request), 16)
            if flags & (_WANTED | _LOOPBACK | _TUNNEL) == _WANTED and _leads_out(name):
                yield socket.inet_ntoa(fcntl.ioctl(descriptor, _ADDRESS, request)[20:24])
        except OSError:  # it has no address, or is gone
            continue


def _leads_out(interface: str) -> bool:
    """Whether an interface is no bridge, or one with a port that is a device or lies on one."""
    try:
        ports = os.listdir(INTERFACES / interface / "brif")
    except FileNotFoundError:
        return True
    about = (entry for port in ports for entry in os.listdir(INTERFACES / port))
    return any(entry == "device" or entry.startswith("lower_") for entry in about)
