"""A hostile base: it is let in by `assistant satellite --base`, and tells it what no base tells.

A blow is a frame. One in fifty is mutated in any way and mostly ends the connection; the others
are well-formed. From time to time another base must be served within a second.
"""

from __future__ import annotations

import os
import random
import socket
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

from benchmarks.hostile.attack import changed
from benchmarks.hostile.target import Effects, Target
from benchmarks.hostile.wyoming.frames import FORMAT, Form, absurd, frame, mutated
from benchmarks.hostile.wyoming.peer import PING, Peer, is_answered
from benchmarks.hostile.wyoming.process import Attacked, free_port

MUTATED = 0.02
ASKED_EVERY, SERVED_EVERY = 500, 5_000
"""Frames after which another base pings, and after which it takes over."""
WITHIN_S, READY_S = 1.0, 60.0
SOUND_EVERY, SOUND_BYTES = 100, 8_000
"""Frames after which the microphone hears something, and how much."""
OTHER = "127.0.0.9"
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


class SatelliteAttack:
    """A frame a blow, to a satellite whose base the attacker is."""

    name: ClassVar[str] = "wyoming-satellite"
    blows: ClassVar[int] = 100_000

    def __init__(self, folder: Path, seed: int) -> None:
        self._seed, self._rng, self._folder = seed, random.Random(), folder
        self.port, self.settings = free_port(), ""
        self._peer: Peer | None = None
        self.attacked: Attacked | None = None

    def open(self, target: Target) -> None:
        """Start the satellite, and wait until it listens."""
        microphone, config = self._folder / "microphone", self._folder / "satellite.toml"
        config.write_text(f'[audio]\ninput = "fifo:{microphone}"\noutput = "none"\n')
        bases = ("--base", "127.0.0.1", "--base", OTHER, "--address", "127.0.0.1")
        here = ("--port", str(self.port), "--config", str(config))
        self.attacked = Attacked(target, "satellite", *bases, *here)
        self._wait_until_ready()

    def blow(self, number: int) -> str:
        """Send the frame of this number."""
        rng = self._rng
        rng.seed(self._seed << 40 | number)
        if self.attacked is not None and self.attacked.ended:
            self.attacked.start()
            self._wait_until_ready()
        if number % SOUND_EVERY == 0:
            self._make_sound(rng)
        if number % ASKED_EVERY == ASKED_EVERY - 1 and (fault := self._fault(number)):
            return fault
        with suppress(OSError):  # hung up on
            self._send(rng)
        return ""

    def wrong(self, before: Effects, after: Effects) -> list[str]:
        """Every change: the satellite has no state of the daemon's."""
        return changed(before, after)

    def close(self) -> None:
        """Hang up, and end the satellite."""
        if self._peer is not None:
            self._peer.close()
        if self.attacked is not None:
            self.attacked.close()

    def is_served(self) -> bool:
        """Whether another base can have it run, and is told what it hears."""
        return is_answered(self.port, OTHER, RUN + COMPARE, b"not-detected", WITHIN_S)

    def _fault(self, number: int) -> str:
        """What another base finds, and the log."""
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

    def _make_sound(self, rng: random.Random) -> None:
        with suppress(OSError):  # nobody listens, or it is full
            fifo = os.open(self._folder / "microphone", os.O_WRONLY | os.O_NONBLOCK)
            with open(fifo, "wb", buffering=0) as microphone:
                microphone.write(rng.randbytes(SOUND_BYTES))

    def _wait_until_ready(self) -> None:
        until_s = time.monotonic() + READY_S
        while not is_answered(self.port, OTHER, PING, b"pong", READY_S):
            if time.monotonic() > until_s:
                raise AssertionError("the satellite does not listen")
            time.sleep(0.1)
