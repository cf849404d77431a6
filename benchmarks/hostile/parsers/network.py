"""What the network announces by multicast DNS, as the rooms' finder reads it."""

from __future__ import annotations

import random
import socket
import struct
from typing import Any

from zeroconf import BadTypeInNameException, ServiceInfo
from zeroconf._cache import DNSCache
from zeroconf._protocol.incoming import DNSIncoming

from assistant.core.errors import RoomsError
from assistant.rooms.discovery.finding import _is_name, _listed
from assistant.rooms.discovery.multicast import SERVICE
from benchmarks.hostile.parsers.parser import Parser


class _Zeroconf:
    """What is kept of a network, for one packet alone."""

    def __init__(self) -> None:
        self.cache = DNSCache()


def _read(content: bytes) -> bool:
    packet = DNSIncoming(content)
    if not packet.valid:
        return False
    kept: Any = _Zeroconf()
    kept.cache.async_add_records(packet.answers())
    names = [
        record.alias
        for record in kept.cache.entries_with_name(SERVICE)
        if hasattr(record, "alias") and _is_name(record.alias.removesuffix(f".{SERVICE}"))
    ]
    found = []
    for name in names[:50]:
        try:
            about = ServiceInfo(SERVICE, name)
        except BadTypeInNameException:  # nobody can have such a name
            continue
        about.load_from_cache(kept)
        found.append(about)
    listed = list(_listed(found))
    for one in listed:
        f"{one.name} {one.address} {one.port}".encode()
    return bool(listed)


def _name(*labels: bytes) -> bytes:
    return b"".join(bytes([len(one)]) + one for one in labels) + b"\0"


_SERVICE = (b"_wyoming", b"_tcp", b"local")


def _record(name: bytes, kind: int, data: bytes, seconds: int = 4500) -> bytes:
    return name + struct.pack("!HHIH", kind, 1, seconds, len(data)) + data


def _packet(*records: bytes) -> bytes:
    return struct.pack("!HHHHHH", 0, 0x8400, 0, len(records), 0, 0) + b"".join(records)


def _announced(instance: bytes, text: bytes = b"\x0ehark=satellite", port: int = 10700) -> bytes:
    name, host = _name(instance, *_SERVICE), _name(b"board", b"local")
    return _packet(
        _record(_name(*_SERVICE), 12, name),
        _record(name, 33, struct.pack("!HHH", 0, 0, port) + host),
        _record(name, 16, text),
        _record(host, 1, socket.inet_aton("192.168.1.9")),
        _record(host, 28, b"\xfe\x80" + bytes(14)),
    )


def _pointing(rng: random.Random) -> bytes:
    """Names by pointers: to themselves, to one another, out of the packet, or very often to one."""
    pointer = b"\xc0" + bytes([rng.randrange(256)])
    loops = pointer * rng.choice((1, 2, 40, 500))
    records = [
        _record(loops + b"\0", rng.choice((1, 12, 16, 33, 47, 255)), rng.choice((pointer, loops)))
    ]
    header = struct.pack(
        "!HHHHHH", 0, 0x8400, rng.choice((0, 1, 65_535)), rng.choice((1, 65_535)), 0, 0
    )
    return header + b"".join(records * rng.choice((1, 3, 200)))


def _odd(rng: random.Random) -> bytes:
    name = rng.choice(
        (b"x" * 63, b"\x1b[2J", b"a\nb", b"\xff\xfe", "\u202e".encode(), b"", b"a.b", b"\0")
    )
    text = rng.choice(
        (b"", b"\0" * 200, b"\xff" * 255, b"\x05hark=", b"\x0d\xffark=services", b"\x01=")
    )
    return _announced(name, text, rng.choice((0, 1, 65_535)))


def _many(size: int) -> bytes:
    each = [
        _record(_name(b"h%03d" % n, b"local"), 1, b"\xc0\xa8\1\2")
        for n in range(max(1, min(size // 25, 340)))
    ]
    return _packet(_record(_name(*_SERVICE), 12, _name(b"one", *_SERVICE)), *each)


MDNS = Parser(
    read=_read,
    refusals=(RoomsError,),
    samples=(_announced(b"Kitchen"), _announced("Küche".encode())),
    honest=_many,
    pieces=(
        *(
            b"\xc0\x0c",
            b"\xc0\xff",
            b"\x3f",
            b"\0",
            b"\xff\xff",
            b"\x08_wyoming",
            b"\x04_tcp",
            b"\x05local",
        ),
    ),
    nests=((b"\xc0\x0c", b""), (b"\x01a", b"\0")),
    attacks=(_pointing, _odd),
    largest=9_000,
    room_mb=100,
)
