"""A hostile satellite: the base connects to it, and is told what no satellite tells.

A blow is a frame. The base connects again only a second after it hung up, so one in a thousand is
mutated in any way; the others are well-formed, and it keeps the connection. Meanwhile an honest
satellite must be served, and never hung up on.
"""

from __future__ import annotations

import base64
import random
import socket
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from benchmarks.hostile.wyoming.frames import FORMAT, Form, absurd, frame, mutated
from benchmarks.hostile.wyoming.honest import IMPRINT_BYTES, INFO, Honest
from benchmarks.hostile.wyoming.peer import Peer
from benchmarks.hostile.wyoming.process import free_port
from benchmarks.hostile.wyoming.role import RoleAttack

MUTATED = 0.001
LOOK_EVERY = 500
CALLS_WITHIN_S = 15.0
HEARD = [9.0, base64.b64encode(bytes(range(100)) * (IMPRINT_BYTES // 100)).decode()]
NOTICED = {"hark": {"preroll_s": 0.5, "keyword_ended_s": 0.45, "heard": HEARD}}
STAGES = {"start_stage": "asr", "end_stage": "tts"}
VALID: Sequence[Form] = (
    ("info", INFO, 0),
    ("detection", {"name": "computer", "timestamp": 1, "context": NOTICED}, 0),
    ("detection", {"name": "computer", "timestamp": 1}, 0),
    ("not-detected", {"context": NOTICED}, 0),
    ("not-detected", {}, 0),
    ("run-pipeline", STAGES, 0),
    ("run-pipeline", {**STAGES, "wake_word_name": "x"}, 0),
    ("run-pipeline", {"start_stage": "wake", "end_stage": "tts"}, 0),
    ("audio-chunk", FORMAT, 0),
    ("audio-chunk", FORMAT, 640),
    ("audio-chunk", FORMAT, 1_024),
    ("audio-chunk", {**FORMAT, "rate": 16_000.0}, 1_024),
    ("audio-chunk", {**FORMAT, "rate": 1_000}, 2),
    ("audio-chunk", {**FORMAT, "rate": 767_999, "channels": 64}, 12_800),
    ("audio-chunk", {**FORMAT, "rate": 44_100, "channels": 2}, 4_096),
    ("audio-stop", {"timestamp": 1}, 0),
    ("played", {}, 0),
    ("ping", {"text": "x"}, 0),
    ("pong", {"text": "x"}, 0),
    ("timer-started", {"id": "1", "total_seconds": 1}, 0),
)


class BaseAttack(RoleAttack):
    """A frame a blow, to the base of a hostile satellite and an honest one."""

    name = "wyoming-base"
    role = "rooms"

    def __init__(self, folder: Path, seed: int) -> None:
        super().__init__(folder, seed)
        self._server = self.opened.enter_context(socket.create_server(("127.0.0.1", 0)))
        self._server.settimeout(CALLS_WITHIN_S)
        port = free_port()
        self.honest = self.opened.enter_context(closing(Honest(port)))
        self.settings = "".join(
            f'[wyoming.satellites.{name}]\naddress = "127.0.0.1"\nport = {port}\n'
            for name, port in (("hostile", self._server.getsockname()[1]), ("honest", port))
        )
        self._peer: Peer | None = None
        self._allowed = 0
        """How often the base may have called the honest one."""
        self._unserved = 0

    def is_ready(self) -> bool:
        """Whether the base has called the honest satellite."""
        if self.honest.connections <= self._allowed:
            return False
        self._allowed = self.honest.connections
        return True

    def strike(self, number: int, rng: random.Random) -> str:
        """Send a frame."""
        if number % LOOK_EVERY == LOOK_EVERY - 1 and (fault := self._fault()):
            return fault
        if (peer := self._called()) is None:
            return f"the base did not call within {CALLS_WITHIN_S:.0f} s"
        if rng.random() < MUTATED:
            peer.send(mutated(rng, VALID))
            peer.settle()
        else:
            peer.send(absurd(rng, VALID))
        return ""

    def close(self) -> None:
        """Hang up, and end the base."""
        if self._peer is not None:
            self._peer.close()
        super().close()

    def _called(self) -> Peer | None:
        """The connection, which the base makes again; it is told first what a satellite tells."""
        if self._peer is None or self._peer.closed:
            try:
                connection, _ = self._server.accept()
            except TimeoutError:
                return None
            self._peer = Peer(connection)
            self._peer.send(frame("info", INFO))
        return self._peer

    def _fault(self) -> str:
        """What became of the honest satellite, and of the log."""
        if self.honest.connections > self._allowed:
            self._allowed = self.honest.connections
            return "the honest satellite was hung up on"
        if self.honest.unserved > self._unserved:
            self._unserved = self.honest.unserved
            return "the honest satellite was not served"
        return self.attacked.traceback() if self.attacked is not None else ""
