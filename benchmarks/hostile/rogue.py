"""A broker of MQTT 5 on loopback that does as it is told, well or ill."""

from __future__ import annotations

import random
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress

CONNECT, CONNACK, PUBLISH, PUBACK = 0x10, b"\x20\x03\0\0\0", 0x30, 0x40
SUBSCRIBE, SUBACK, UNSUBSCRIBE, UNSUBACK = 0x82, 0x90, 0xA2, 0xB0
PINGREQ, PINGRESP = 0xC0, b"\xd0\0"
RETAIN = 1
LARGE_BYTES = 200_000_000
MANY, RETAINED = 20_000, 5_000
PART = bytes(1 << 16)
READS_BYTES = 1 << 16
BATCH = 100
"""Messages that are sent at a time."""
TAKES_S = 60.0
"""Seconds in which the other end must take what is sent."""

Manner = Callable[["Line"], None]
"""What the broker does with a connection, until that ends."""


def packet(kind: int, body: bytes) -> bytes:
    """A control packet."""
    return bytes([kind]) + _length(len(body)) + body


def publish(topic: str, payload: bytes, flags: int = 0) -> bytes:
    """A message with QoS 0."""
    return packet(PUBLISH | flags, _text(topic) + b"\0" + payload)


class Line:
    """One connection of a client."""

    def __init__(self, connection: socket.socket, broker: Rogue) -> None:
        self._connection, self.broker = connection, broker
        self._reader = connection.makefile("rb")

    def send(self, content: bytes) -> None:
        """Send bytes; raises `OSError` where they are not taken."""
        self._connection.sendall(content)

    def packets(self) -> Iterator[tuple[int, bytes]]:
        """What comes: the first byte and the body of each packet."""
        while head := self._reader.read(1):
            size, shift = 0, 0
            while (byte := self._reader.read(1)[0]) & 0x80:
                size, shift = size | (byte & 0x7F) << shift, shift + 7
            yield head[0], self._reader.read(size | byte << shift)

    def answer(self, kind: int, body: bytes) -> None:
        """Answer a packet as a broker must."""
        if kind == CONNECT:
            self.send(CONNACK)
        elif kind in (SUBSCRIBE, UNSUBSCRIBE):
            codes = b"\1" * _topics(body, kind == SUBSCRIBE)
            number = body[:2]
            self.send(packet(SUBACK if kind == SUBSCRIBE else UNSUBACK, number + b"\0" + codes))
        elif kind & 0xF0 == PUBLISH and kind & 0x06:
            topic = 2 + int.from_bytes(body[:2], "big")
            self.send(packet(PUBACK, body[topic : topic + 2]))
        elif kind == PINGREQ:
            self.send(PINGRESP)

    def serve(self, then: Manner | None = None) -> None:
        """Serve well; once it has subscribed, do what comes `then`."""
        for kind, body in self.packets():
            self.answer(kind, body)
            if kind == SUBSCRIBE:
                self.broker.is_joined.set()
                if then is not None:
                    then(self)
                    then = None
                    self.broker.is_done.set()

    def close(self) -> None:
        """Hang up."""
        with suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)
        with suppress(OSError):  # another thread may read from it
            self._reader.close()
        self._connection.close()


class Rogue:
    """Listens at `port` until it is closed; `topics` are those of devices."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.topics: list[str] = []
        self.manner: Manner = Line.serve
        self.is_joined, self.is_done = threading.Event(), threading.Event()
        """Set once a client has subscribed, and once what comes then was sent."""
        self.calls = 0
        self._line: Line | None = None
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._server.getsockname()[1]
        self._thread = threading.Thread(target=self._accept, name="broker")
        self._thread.start()

    def behave(self, manner: Manner) -> None:
        """Hang up, and do so with the connections from now on."""
        self.manner, self.calls = manner, 0
        self.is_joined.clear()
        self.is_done.clear()
        if self._line is not None:
            self._line.close()

    def tell(self, topic: str, payload: bytes) -> None:
        """Publish to the client that is there; a broker has it no better where none is."""
        with suppress(OSError):
            if self._line is not None:
                self._line.send(publish(topic, payload))

    def close(self) -> None:
        """Listen no more."""
        with suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        if self._line is not None:
            self._line.close()
        self._thread.join()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._server.accept()
                connection.settimeout(TAKES_S)
                self.calls += 1
                line = self._line = Line(connection, self)
                threading.Thread(target=_handle, args=(line, self.manner), daemon=True).start()


def _handle(line: Line, manner: Manner) -> None:
    with suppress(OSError, ValueError, IndexError):
        manner(line)
    line.close()


# ── manners ─────────────────────────────────────────────────────────────────────────────────


def send_large(line: Line) -> None:
    """Publish 200 MB on the topic of a device, once it has subscribed."""

    def then(line: Line) -> None:
        head = _text(line.broker.topics[0]) + b"\0"
        line.send(bytes([PUBLISH]) + _length(len(head) + LARGE_BYTES) + head)
        for _ in range(LARGE_BYTES // len(PART)):
            line.send(PART)
        line.send(bytes(LARGE_BYTES % len(PART)))

    line.serve(then)


def send_many(line: Line) -> None:
    """Publish states of all devices, every second of them no state."""

    def then(line: Line) -> None:
        rng, topics = line.broker.rng, line.broker.topics
        said = (b"ON", b"OFF", b"{", b'{"state":', b"\xff" * 200, b"[" * 2_000, b"")
        for _ in range(MANY // BATCH):
            batch = (publish(rng.choice(topics), rng.choice(said)) for _ in range(BATCH))
            line.send(b"".join(batch))

    line.serve(then)


def send_retained(line: Line) -> None:
    """Send thousands of retained messages, as of devices that announce themselves."""

    def then(line: Line) -> None:
        rng = line.broker.rng
        for first in range(0, RETAINED, BATCH):
            line.send(b"".join(_retained(rng, first + n) for n in range(BATCH)))

    line.serve(then)


def _retained(rng: random.Random, number: int) -> bytes:
    topics = (
        f"homeassistant/light/x{number}/config",
        f"homeassistant/device/x{number}/config",
        f"hark/light/x{number}/state",
        f"hark/anomaly/x{number}",
        "hark/bridge/state",
    )
    said = (
        b'{"name":"X","state_topic":"x/%d","command_topic":"y"}' % number,
        b'{"components":{"a":{"platform":"light"}},"device":{"name":"x"}}',
        b"[" * 60_000,
        b'{"a":' * 500,
        rng.randbytes(1_000),
        b"",
    )
    return publish(rng.choice(topics), rng.choice(said), RETAIN)


def never_answer(line: Line) -> None:
    """Take all, and answer nothing."""
    for _ in line.packets():
        pass


def answer_only_subscriptions(line: Line) -> None:
    """Answer neither pings nor messages."""
    for kind, body in line.packets():
        if kind in (CONNECT, SUBSCRIBE):
            line.answer(kind, body)


def hang_up(line: Line) -> None:
    """Hang up at once, after the first packet, or after the answer to it."""
    stays = line.broker.calls % 3
    if stays:
        kind, body = next(line.packets())
        if stays > 1:
            line.answer(kind, body)


def lie(line: Line) -> None:
    """Send what is no packet, or none of the length that it tells."""

    def then(line: Line) -> None:
        topic = _text(line.broker.topics[0]) + b"\0"
        lies = (
            bytes([PUBLISH]) + b"\xff\xff\xff\x7f" + topic,
            bytes([PUBLISH]) + b"\xff" * 5,
            packet(PUBLISH, b"\xff\xff" + topic),
            packet(PUBLISH | 4, topic[:-1] + b"\0\1\0" + b"ON") * 1_000,
            packet(PUBLISH, topic[:-1] + b"\xff\xff\xff\x7f"),
            packet(0xF0, b"\xff" * 100),
            packet(PUBACK, b"\xff\xff") * 1_000,
            CONNACK * 100,
            line.broker.rng.randbytes(1_000),
        )
        line.send(lies[line.broker.calls % len(lies)])

    line.serve(then)


def _length(size: int) -> bytes:
    coded = bytearray()
    while size > 0x7F:
        coded.append(size & 0x7F | 0x80)
        size >>= 7
    return bytes((*coded, size))


def _text(text: str) -> bytes:
    encoded = text.encode()
    return len(encoded).to_bytes(2, "big") + encoded


def _topics(body: bytes, with_options: bool) -> int:
    """How many topics a subscription names; its properties are none or few."""
    at, count = 3 + body[2], 0
    while at < len(body):
        at += 2 + int.from_bytes(body[at : at + 2], "big") + with_options
        count += 1
    return count
