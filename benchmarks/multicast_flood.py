"""Flood who announces itself by multicast DNS, and show what it costs in memory.

    python -m benchmarks.multicast_flood [--seconds 10]

Each flood comes as fast as this machine sends it over its loopback device, to a process of its own
that announces a satellite: answers that tell of records without end, the largest that there are,
and questions in parts, of addresses without end. Afterwards the satellite is looked for.
"""

from __future__ import annotations

import argparse
import asyncio
import ipaddress
import multiprocessing
import os
import socket
import struct
import time
from collections.abc import Callable

import typer

from assistant.core.errors import RoomsError
from assistant.core.settings.wyoming import SatelliteSettings
from assistant.rooms.discovery import interfaces
from assistant.rooms.discovery.announcing import Announcer
from assistant.rooms.discovery.finding import Finder
from assistant.rooms.discovery.multicast import SATELLITE

HERE = "127.77.0.1"
GROUP = ("224.0.0.251", 5353)
NAME = "flooded"
SETTLES_S = 4.0
POINTER, TEXT, IN = 12, 16, 1
Packet = Callable[[int], tuple[str, bytes]]
"""Makes the packet of a number: the address that it comes from, and what is in it."""


def pointers(number: int) -> tuple[str, bytes]:
    """Eighty names that nobody has announced before."""
    records = b""
    for one in range(80):
        name = labels(f"{number}-{one}-{'x' * 30}", "_wyoming", "_tcp", "local")
        kind = struct.pack("!HHIH", POINTER, IN, 4500, len(name))
        records += labels("_wyoming", "_tcp", "local") + kind + name
    return "127.77.0.2", struct.pack("!6H", 0, 0x8400, 0, 80, 0, 0) + records


def texts(number: int) -> tuple[str, bytes]:
    """A record of 8 kB under a name of its own."""
    name, text = labels(str(number), "_wyoming", "_tcp", "local"), os.urandom(8000)
    kind = struct.pack("!HHIH", TEXT, IN, 4500, len(text))
    return "127.77.0.2", struct.pack("!6H", 0, 0x8400, 0, 1, 0, 0) + name + kind + text


def parts(number: int) -> tuple[str, bytes]:
    """A question that says that more of it comes, sixteen of them from each address."""
    name = labels(str(number), "_wyoming", "_tcp", "local")
    question = struct.pack("!6H", number % 65_536, 0x0200, 1, 0, 0, 0) + name
    packet = question + struct.pack("!HH", POINTER, IN)
    return f"127.78.{number // 4000 % 250}.{number // 16 % 250}", packet + os.urandom(8800)


def labels(*names: str) -> bytes:
    """A name as it is on the wire."""
    return b"".join(bytes([len(name)]) + name.encode() for name in names) + b"\0"


def flood(packet: Packet, seconds: float) -> int:
    """Send packets for some seconds; how many went out."""
    number, ends_s = 0, time.monotonic() + seconds
    while time.monotonic() < ends_s:
        with socket.socket(type=socket.SOCK_DGRAM) as sender:
            sender.bind((packet(number)[0], 0))
            sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(HERE))
            for _ in range(16):
                sender.sendto(packet(number)[1], GROUP)
                number += 1
    return number


def on_loopback() -> None:
    """Let the loopback device be the local network."""
    interfaces.NETWORKS = (ipaddress.IPv4Network("127.0.0.0/8"),)
    interfaces.local_addresses = lambda: (HERE,)


def announce() -> None:
    """Announce a satellite until the process is ended."""
    on_loopback()
    asyncio.run(Announcer(NAME, SATELLITE, "", 10_700).run())


def memory_mb(process: multiprocessing.process.BaseProcess, what: str) -> float:
    """A figure of a process's status, such as its peak (`VmHWM`)."""
    with open(f"/proc/{process.pid}/status") as status:
        (line,) = (line for line in status if line.startswith(f"{what}:"))
    return int(line.split()[1]) / 1000


def found() -> str:
    """Whether the satellite is found, and how soon."""
    began_s = time.monotonic()
    try:
        asyncio.run(Finder().where(NAME, SatelliteSettings()))
    except RoomsError as error:
        return error.message
    return f"found in {time.monotonic() - began_s:.2f} s"


def main() -> None:
    """Print a line for each flood."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0)
    seconds = parser.parse_args().seconds
    on_loopback()
    for packet in (pointers, texts, parts):
        process = multiprocessing.get_context("spawn").Process(target=announce)
        process.start()
        time.sleep(SETTLES_S)
        before_mb = memory_mb(process, "VmRSS")
        sent = flood(packet, seconds)
        grown_mb = memory_mb(process, "VmHWM") - before_mb
        time.sleep(1)
        told = f"{sent} packets, {before_mb:.0f} MB before, {grown_mb:.1f} MB more"
        typer.echo(f"{packet.__name__}: {told}; {found()}")
        process.kill()
        process.join()


if __name__ == "__main__":
    main()
