"""A hostile base: it is let in by `assistant satellite --base`, and tells it what no base tells.

A blow is a frame. One in fifty is mutated in any way and mostly ends the connection; the others
are well-formed. From time to time another base must be served within a second, beside idle
connections from its own address, which once kept it out for ten.
"""

from __future__ import annotations

import os
import random
import socket
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

from benchmarks.hostile.wyoming.frames import FORMAT, Form, absurd, frame, mutated
from benchmarks.hostile.wyoming.peer import PING, Peer, is_answered
from benchmarks.hostile.wyoming.process import free_port
from benchmarks.hostile.wyoming.role import READY_S, RoleAttack

MUTATED = 0.02
ASKED_EVERY, SERVED_EVERY = 500, 5_000
"""Frames after which another base pings, and after which it takes over."""
WITHIN_S = 1.0
SOUND_EVERY, SOUND_BYTES = 100, 8_000
"""Frames after which the microphone hears something, and how much."""
OTHER = "127.0.0.9"
IDLE = 40
"""Connections from the other base's address that say nothing."""
RUN = frame("run-satellite", {"hark": {}})
COMPARE = frame("detect", {"context": {"hark": {"ended_s": 0.5}}})
TIMER = {"id": "1", "total_seconds": 1, "name": "tea", "start_seconds": 1}
VALID: Sequence[Form] = (
    ("describe", {}, 0),
    ("ping", {"text": "x"}, 0),
    ("run-satellite", {"hark": {}}, 0),
    ("run-satellite", {}, 0),
    ("pause-satellite", {}, 0),
    ("run-pipeline", {"start_stage": "asr", "end_stage": "tts", "wake_word_name": "x"}, 0),
    ("run-pipeline", {"start_stage": "asr", "end_stage": "tts"}, 0),
    ("detect", {"names": None, "context": {"hark": {"ended_s": 0.5}}}, 0),
    ("detect", {"names": None}, 0),
    ("transcript", {"text": "zzz"}, 0),
    ("error", {"text": "zzz", "code": "zzz"}, 0),
    ("audio-start", FORMAT, 0),
    ("audio-start", {**FORMAT, "rate": 16_000.0}, 0),
    ("audio-start", {**FORMAT, "rate": 191_999}, 0),
    ("audio-start", {**FORMAT, "rate": 4_000}, 0),
    ("audio-start", {**FORMAT, "rate": 7}, 0),
    ("audio-start", {**FORMAT, "channels": 2}, 0),
    ("audio-chunk", FORMAT, 0),
    ("audio-chunk", FORMAT, 2),
    ("audio-chunk", FORMAT, 640),
    ("audio-chunk", FORMAT, 65_536),
    ("audio-chunk", {**FORMAT, "rate": 1}, 640),
    ("audio-stop", {}, 0),
    ("timer-started", TIMER, 0),
    ("timer-started", {**TIMER, "id": "2", "total_seconds": 3_600}, 0),
    ("timer-updated", {"id": "1", "is_active": True, "total_seconds": 1}, 0),
    ("timer-cancelled", {"id": "1"}, 0),
    ("timer-finished", {"id": "2"}, 0),
)


class SatelliteAttack(RoleAttack):
    """A frame a blow, to a satellite whose base the attacker is."""

    name = "wyoming-satellite"
    role = "satellite"

    def __init__(self, folder: Path, seed: int) -> None:
        super().__init__(folder, seed)
        self.port = free_port()
        self._peer: Peer | None = None

    def arguments(self, config: Path) -> tuple[str, ...]:
        """A satellite of two bases, whose microphone is a FIFO."""
        own = self.folder / "satellite.toml"
        own.write_text(f'[audio]\ninput = "fifo:{self._microphone}"\noutput = "none"\n')
        bases = ("--base", "127.0.0.1", "--base", OTHER, "--address", "127.0.0.1")
        return (*bases, "--port", str(self.port), "--config", str(own))

    def strike(self, number: int, rng: random.Random) -> str:
        """Send a frame."""
        if number % SOUND_EVERY == 0:
            self._make_sound(rng)
        if number % ASKED_EVERY == ASKED_EVERY - 1 and (fault := self._fault(number)):
            return fault
        with suppress(OSError):  # hung up on
            self._send(rng)
        return ""

    def close(self) -> None:
        """Hang up, and end the satellite."""
        if self._peer is not None:
            self._peer.close()
        super().close()

    def is_ready(self) -> bool:
        """Whether it listens."""
        return is_answered(self.port, OTHER, PING, b"pong", READY_S)

    def is_served(self) -> bool:
        """Whether another base can have it run, and is told what it hears."""
        return is_answered(self.port, OTHER, RUN + COMPARE, b"not-detected", WITHIN_S)

    def _fault(self, number: int) -> str:
        """What another base finds, and the log."""
        with ExitStack() as idle:
            for _ in range(IDLE):
                with suppress(OSError):
                    line = socket.create_connection(("127.0.0.1", self.port), 1, (OTHER, 0))
                    idle.enter_context(line)
            return self._found(number)

    def _found(self, number: int) -> str:
        if not is_answered(self.port, OTHER, PING, b"pong", WITHIN_S):
            return f"a ping did not come back within {WITHIN_S:.0f} s"
        if number % SERVED_EVERY == SERVED_EVERY - 1 and not self.is_served():
            return f"another base was not served within {WITHIN_S:.0f} s"
        return self.attacked.traceback() if self.attacked is not None else ""

    def _send(self, rng: random.Random) -> None:
        if self._peer is None or self._peer.closed:
            self._peer = Peer(socket.create_connection(("127.0.0.1", self.port), 5))
            self._peer.send(RUN)
        if rng.random() < MUTATED:
            self._peer.send(mutated(rng, VALID))
            self._peer.settle()
        else:
            self._peer.send(absurd(rng, VALID))

    @property
    def _microphone(self) -> Path:
        return self.folder / "microphone"

    def _make_sound(self, rng: random.Random) -> None:
        with suppress(OSError):  # nobody listens, or it is full
            fifo = os.open(self._microphone, os.O_WRONLY | os.O_NONBLOCK)
            with open(fifo, "wb", buffering=0) as microphone:
                microphone.write(rng.randbytes(SOUND_BYTES))
