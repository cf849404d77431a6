"""A process of the same user attacks the bus: every socket of every stage.

A neighbour that may open the sockets can push to each stage's work, publish under the name of a
process that does not run (all of them listen to the bridge's events), send subscriptions to each
stage's events, and speak no ZeroMQ at all.
"""

from __future__ import annotations

import random
import socket
from collections import deque
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import ClassVar

import zmq

from assistant.core.bus import Address
from assistant.core.layout import MEMBERS
from benchmarks.hostile.attack import changed
from benchmarks.hostile.mutation import Frames, absurd_command, mutated
from benchmarks.hostile.target import Effects, Target

ABSENT = "bridge"
"""Name of a process that all stages listen to and that does not run."""
STUCK_MS = 20_000
HELD = 64
"""Number of silent connections that are kept open."""


class BusAttack:
    """One message a blow, to one of the sockets."""

    name: ClassVar[str] = "bus"
    blows: ClassVar[int] = 1_000_000

    def __init__(self, folder: Path, seed: int) -> None:
        self.settings = '[mqtt]\nhost = "localhost"\n'  # without it nothing listens to the bridge
        self._seed = seed
        self._rng = random.Random()
        self._opened = ExitStack()
        self._held: deque[socket.socket] = deque()

    def open(self, target: Target) -> None:
        """Connect to everything, and take the absent process's place."""
        self._runtime = target.config.runtime_dir
        address = Address(self._runtime)
        self._opened.callback(address.close)
        self._opened.enter_context(address.claim(ABSENT))
        self._work = {n: self._connected(address, zmq.PUSH, n, "work") for n in MEMBERS}
        self._subscriptions = {n: self._connected(address, zmq.XSUB, n, "events") for n in MEMBERS}
        self._events = self._socket(address, zmq.PUB)
        self._events.set(zmq.XPUB_NODROP, 1)
        self._events.bind(address.endpoint(ABSENT, "events"))

    def blow(self, number: int) -> str:
        """Send the message of this number."""
        rng = self._rng
        rng.seed(self._seed << 40 | number)
        way = rng.random()
        stage = rng.choice(MEMBERS)
        try:
            if way < 0.002:
                self._command(absurd_command(rng, f"absurd-{self._seed}-{number}"))
            elif way < 0.01:
                self._speak_no_zeromq(stage, rng)
            elif way < 0.03:
                self._subscriptions[stage].send(_subscription(rng))
            elif way < 0.3:
                stage = ABSENT
                self._events.send_multipart(mutated(rng), copy=False)
            else:
                self._work[stage].send_multipart(mutated(rng), copy=False)
        except zmq.Again:
            return f"{stage} took nothing for {STUCK_MS / 1000:.0f} s"
        return ""

    def wrong(self, before: Effects, after: Effects) -> list[str]:
        """Every change: nothing was requested that can be done."""
        return changed(before, after)

    def close(self) -> None:
        """Close all sockets."""
        for held in self._held:
            held.close()
        self._opened.close()

    def _command(self, both: list[Frames]) -> None:
        for frames in both:
            self._work["skills"].send_multipart(frames)

    def _speak_no_zeromq(self, stage: str, rng: random.Random) -> None:
        name = f"{stage}.{rng.choice(('work', 'events'))}"
        caller = socket.socket(socket.AF_UNIX)
        caller.settimeout(1.0)
        with suppress(OSError):
            caller.connect(str(self._runtime / name))
            caller.sendall(
                rng.choice(_GREETINGS)[: rng.randrange(80)] + rng.randbytes(rng.choice((0, 40)))
            )
        self._held.append(caller)
        while len(self._held) > HELD or (self._held and rng.random() < 0.5):
            self._held.popleft().close()

    def _connected(self, address: Address, kind: int, name: str, end: str) -> zmq.Socket[bytes]:
        connected = self._socket(address, kind)
        connected.connect(address.endpoint(name, end))
        return connected

    def _socket(self, address: Address, kind: int) -> zmq.Socket[bytes]:
        opened = address.context.socket(kind)
        opened.set(zmq.LINGER, 0)
        opened.set(zmq.SNDHWM, 64)
        opened.set(zmq.SNDTIMEO, STUCK_MS)
        self._opened.callback(opened.close)
        return opened


_SIGNATURE = b"\xff" + bytes(8) + b"\x7f"
_GREETINGS = (
    b"",
    b"GET / HTTP/1.1\r\n\r\n",
    _SIGNATURE + b"\x03\x00NULL" + bytes(48),
    _SIGNATURE + b"\x03\x00NULL" + bytes(48) + b"\x06\xff\xff\xff\xff\xff\xff\xff\xff",
    _SIGNATURE + b"\x01\x00" + b"\xff" * 60,
    _SIGNATURE + b"\x03\x00CURVE" + bytes(60),
)


def _subscription(rng: random.Random) -> bytes:
    first = rng.choice((b"\1", b"\1", b"\0", b"\2", b""))
    return first + rng.randbytes(rng.choice((0, 1, 8, 64)))
