"""Whoever is let in over Wyoming attacks: mutated frames to the real service and daemon.

After every five hundred connections a ping from another address must come back within a second.
As so many connections of one address are mostly turned away, the reader is also given each frame in
this process: `python -m benchmarks.hostile.wyoming --frames 1000000`.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import resource
import socket
import sys
import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

from assistant.core.errors import RoomsError
from assistant.rooms.wire import MOST_HEADER_BYTES, read_event
from benchmarks.hostile.attack import changed
from benchmarks.hostile.target import Effects, Target
from benchmarks.hostile.wyoming.frames import FORMAT, Form, mutated
from benchmarks.hostile.wyoming.process import Attacked, free_port

FRAMES = 20
"""Most frames of a blow, which is one connection."""
HELD = 8
"""Connections that stay open in mid-frame."""
PING_EVERY, PING_WITHIN_S = 500, 1.0
OTHER = "127.0.0.9"
READY_S = 30.0
PING = b'{"type": "ping", "data": {"text": "there"}}\n'
VALID: Sequence[Form] = (
    ("describe", {}, 0),
    ("ping", {"text": "x"}, 0),
    ("transcribe", {"language": "en", "transcript_names": ["x"]}, 0),
    ("audio-start", FORMAT, 0),
    ("audio-chunk", FORMAT, 640),
    ("audio-chunk", FORMAT, 8192),
    ("audio-stop", {}, 0),
    ("transcript", {"text": "zzz", "context": {"conversation_id": "x"}}, 0),
    ("synthesize", {"text": "zzz", "voice": {"name": "x"}}, 0),
    ("synthesize-start", {"voice": {"name": "x"}}, 0),
    ("synthesize-chunk", {"text": "zzz. Zz"}, 0),
    ("synthesize-stop", {}, 0),
    ("detect", {"names": ["computer"]}, 0),
    ("select-program", {"name": "Hark"}, 0),
    ("detection", {"name": "x", "timestamp": 1}, 0),
)
"""Events that mean something, or would to others."""


class WyomingAttack:
    """One connection a blow, with up to `FRAMES` mutated frames."""

    name: ClassVar[str] = "wyoming"
    blows: ClassVar[int] = 100_000

    def __init__(self, folder: Path, seed: int) -> None:
        self._seed, self._rng = seed, random.Random()
        self._held: deque[socket.socket] = deque()
        self._service: Attacked | None = None
        self.port = free_port()
        self.settings = (
            f'[wyoming]\nallow = ["127.0.0.0/8"]\naddress = "127.0.0.1"\nport = {self.port}\n'
        )

    def open(self, target: Target) -> None:
        """Start the service, and wait until it listens."""
        self._service = Attacked(target, "rooms", "--config", str(target.rig.config))
        until_s = time.monotonic() + READY_S
        while self.ping(READY_S):
            if time.monotonic() > until_s:
                raise AssertionError("the service does not listen")
            time.sleep(0.1)

    def blow(self, number: int) -> str:
        """Call, send what this number makes of frames, and hang up or stay."""
        rng = self._rng
        rng.seed(self._seed << 40 | number)
        if number % PING_EVERY == PING_EVERY - 1:
            return self.ping(PING_WITHIN_S)
        with suppress(OSError):  # refused, or hung up on
            caller = socket.create_connection(("127.0.0.1", self.port), 5)
            self._held.append(caller)
            caller.sendall(b"".join(mutated(rng, VALID) for _ in range(rng.randint(1, FRAMES))))
            if rng.random() < 0.2:
                caller.settimeout(0.02)
                caller.recv(100)
        keep = HELD if rng.random() < 0.1 else 0
        while len(self._held) > keep:
            self._held.popleft().close()
        return ""

    def wrong(self, before: Effects, after: Effects) -> list[str]:
        """Every change: nothing was said that can be done."""
        return changed(before, after)

    def close(self) -> None:
        """Hang up, and end the service."""
        for held in self._held:
            held.close()
        if self._service is not None:
            self._service.close()

    def ping(self, within_s: float) -> str:
        """Ping once; "" where it came back in time."""
        try:
            line = socket.create_connection(("127.0.0.1", self.port), within_s, (OTHER, 0))
            with line as caller:
                caller.sendall(PING)
                return "" if b"pong" in caller.recv(1000) else "a ping was hung up on"
        except OSError as error:
            return f"a ping did not come back within {within_s:.0f} s: {error}"


async def is_taken(frame: bytes) -> bool:
    """Whether the reader takes a frame for an event; what it raises but its error is a crash."""
    reader = asyncio.StreamReader(MOST_HEADER_BYTES)
    reader.feed_data(frame)
    reader.feed_eof()
    try:
        return await read_event(reader) is not None
    except RoomsError:
        return False


async def _read_all(frames: int, seed: int) -> int:
    rng, taken = random.Random(seed), 0
    for _ in range(frames):
        taken += await is_taken(mutated(rng, VALID))
        await asyncio.sleep(0)  # the loop forgets what was cancelled only where it goes round
    return taken


def main() -> None:
    """Give the reader so many frames, and print how many it took, and how the memory grew."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    asyncio.run(_read_all(1_000, given.seed))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    taken = asyncio.run(_read_all(given.frames, given.seed))
    grown_mb = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1000
    sys.stdout.write(f"taken {taken} of {given.frames}, {grown_mb:.1f} MB more at the most\n")
