"""Whoever is let in over Wyoming attacks: mutated frames to the real service and daemon.

After every five hundred connections a ping from another address must come back within a second.
As so many connections of one address are mostly turned away, the reader alone can be given each
frame, too (`benchmarks.hostile.wyoming.alone`).
"""

from __future__ import annotations

import asyncio
import random
import socket
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from assistant.core.errors import RoomsError
from assistant.rooms.wire import MOST_HEADER_BYTES, read_event
from benchmarks.hostile.wyoming.frames import FORMAT, Form, mutated
from benchmarks.hostile.wyoming.process import free_port
from benchmarks.hostile.wyoming.role import READY_S, RoleAttack

FRAMES = 20
"""Most frames of a blow, which is one connection."""
HELD = 8
"""Connections that stay open in mid-frame."""
PING_EVERY, PING_WITHIN_S = 500, 1.0
OTHER = "127.0.0.9"
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


class WyomingAttack(RoleAttack):
    """One connection a blow, with up to `FRAMES` mutated frames."""

    name = "wyoming"
    role = "rooms"

    def __init__(self, folder: Path, seed: int) -> None:
        super().__init__(folder, seed)
        self._held: deque[socket.socket] = deque()
        self.port = free_port()
        self.settings = (
            f'[wyoming]\nallow = ["127.0.0.0/8"]\naddress = "127.0.0.1"\nport = {self.port}\n'
        )

    def is_ready(self) -> bool:
        """Whether the service listens."""
        return not self.ping(READY_S)

    def strike(self, number: int, rng: random.Random) -> str:
        """Call, send frames, and hang up or stay."""
        if number % PING_EVERY == PING_EVERY - 1:
            return self.ping(PING_WITHIN_S)
        with suppress(OSError):  # refused, or hung up on
            caller = socket.create_connection(("127.0.0.1", self.port), 5)
            self._held.append(caller)
            caller.sendall(b"".join(mutated(rng, VALID) for _ in range(rng.randint(1, FRAMES))))
            if rng.random() < 0.2:
                caller.settimeout(0.02)
                caller.recv(100)
        self._hang_up(HELD if rng.random() < 0.1 else 0)
        return ""

    def close(self) -> None:
        """Hang up, and end the service."""
        self._hang_up(0)
        super().close()

    def _hang_up(self, keep: int) -> None:
        while len(self._held) > keep:
            self._held.popleft().close()

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
