"""Callers that the control socket has to serve attack it."""

from __future__ import annotations

import random
import socket
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

import msgspec

from benchmarks.hostile.attack import changed
from benchmarks.hostile.target import Effects, Target

HELD = 12
"""Number of callers that stay; with those that come and go, there are at times more than served."""
STUCK_S = 5.0
FLOOD = 2_000


class ControlAttack:
    """One caller a blow."""

    name: ClassVar[str] = "control"
    blows: ClassVar[int] = 50_000

    def __init__(self, folder: Path, seed: int) -> None:
        self.settings = ""
        self._seed = seed
        self._rng = random.Random()
        self._held: deque[socket.socket] = deque()

    def open(self, target: Target) -> None:
        """Find the socket."""
        self._path = str(target.config.control_socket)

    def blow(self, number: int) -> str:
        """Call, send something, and hang up or stay."""
        rng = self._rng
        rng.seed(self._seed << 40 | number)
        caller = socket.socket(socket.AF_UNIX)
        caller.settimeout(STUCK_S)
        self._held.append(caller)
        try:
            # BlockingIOError: so many wait to be accepted that the kernel takes no more.
            with suppress(ConnectionError, BlockingIOError):
                caller.connect(self._path)
                _speak(caller, rng)
        except TimeoutError:
            return f"the socket took nothing for {STUCK_S:.0f} s"
        finally:
            keep = rng.choice((0, 1, HELD))
            while len(self._held) > keep:
                self._held.popleft().close()
        return ""

    def wrong(self, before: Effects, after: Effects) -> list[str]:
        """Every change: nothing was requested that can be done."""
        return changed(before, after)

    def close(self) -> None:
        """Hang up."""
        for held in self._held:
            held.close()


def _speak(caller: socket.socket, rng: random.Random) -> None:
    """Send a caller's request; it may wait for one answer, for several, or for none."""
    way = rng.random()
    if way < 0.1:
        return
    if way < 0.15:
        caller.setblocking(False)  # a flood as large as the socket accepts
        with suppress(BlockingIOError):
            caller.sendall(b'{"command":"status"}\n' * FLOOD)
        caller.setblocking(True)
        caller.settimeout(STUCK_S)
    elif way < 0.2:
        caller.sendall(b'{"command": "watch"}\n')
    else:
        caller.sendall(_line(rng))
    if rng.random() < 0.3:
        caller.settimeout(0.05)
        with suppress(TimeoutError):
            caller.recv(100)


def _line(rng: random.Random) -> bytes:
    arguments = rng.choice(([], ["x"], ["\0"], ["x" * 60_000], ["x"] * 9_000, 7, None, {"a": 1}))
    command = rng.choice(
        (
            "status",
            "skills",
            "models",
            "stages",
            "documents",
            "use",
            "",
            "\0",
            "reloaf",
            "x" * 60_000,
        )
    )
    whole = msgspec.json.encode({"command": command, "arguments": arguments})
    return rng.choice(
        (
            whole + b"\n",
            whole[: rng.randrange(len(whole))],
            whole[: rng.randrange(len(whole))] + b"\n",
            whole + b"\n" + whole,
            rng.randbytes(200) + b"\n",
            b"\n" * 5_000,
            b"[" * 50_000 + b"\n",
            b'{"command":' * 5_000 + b"\n",
            b"x" * 200_000,
            b'{"command": "status", "command": "skills"}\n',
            b'{"command": "\\ud800"}\n',
            b'{"command": 1e400}\n',
        )
    )
