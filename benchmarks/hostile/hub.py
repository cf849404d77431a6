"""Callers of the hub attack it: connections and bodies without end, bodies without a key, no JSON.

They come from another address than the honest caller. What its gateway holds is looked at again a
minute after each blow.
"""

from __future__ import annotations

import random
import select
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from urllib.parse import urlsplit

from benchmarks.hostile.parsers.hub import HUB
from benchmarks.hostile.siege import PATIENCE_S, Siege
from benchmarks.hostile.target import Target
from benchmarks.hub.service import Caller, hub, prepared, timed

OTHER = "127.0.0.9"
IDLE, UNFINISHED, KEYLESS, ODD = 450, 200, 200, 300
LARGE_BYTES, PART_BYTES = 4_000_000, 1_000_000
SMALL_BYTES, SMALL_PART_BYTES = 100_000, 60_000
HUNG_UP_S = 45.0
"""Seconds in which the hub hangs up: headers have 10, bodies 30."""
WARM_UP = 20


class HubAttack(Siege):
    """A crowd of callers a blow."""

    name = "hub"
    blows = 8
    rests_s = 60.0

    @property
    def ways(self) -> Mapping[str, Callable[[], str]]:
        """Each lasts until the hub has hung up on all."""
        return {
            "idle connections": self._idle,
            "unfinished bodies": self._unfinished,
            "bodies without a key": self._keyless,
            "surrogates, NaN and other values": self._odd,
        }

    @property
    def pid(self) -> int:
        """The gateway's."""
        return self._pid

    def start(self, target: Target) -> None:
        """Start a hub of one tenant on this machine, with a worker for each stage."""
        self._key = prepared(self.folder)
        running = hub(self.folder, 1, program=self.command("hub"))
        url, self._pid = self.opened.enter_context(running)
        target.also[self._pid] = "hub"
        where = urlsplit(url)
        self._address = (str(where.hostname), int(where.port or 0))
        self._caller = Caller(url, self._key)
        for room in range(WARM_UP):
            timed(self._caller.understands, room)

    def ask(self) -> float:
        """Have a sentence understood; until the reply."""
        return timed(self._caller.understands, self.number)

    def _idle(self) -> str:
        with self._connections(IDLE, lambda _: b"GET /healthz HTTP/1.1\r\n") as lines:
            return self._all_ended(lines)

    def _unfinished(self) -> str:
        def begun(number: int) -> bytes:
            if number % 2:
                return self._head("interpret", LARGE_BYTES) + bytes(PART_BYTES)
            return self._head("interpret", SMALL_BYTES) + b'{"text": "' + b"x" * SMALL_PART_BYTES

        with self._connections(UNFINISHED, begun) as lines:
            return self._all_ended(lines)

    def _keyless(self) -> str:
        def begun(number: int) -> bytes:
            return self._head("hear", LARGE_BYTES, "nobody's") + bytes(PART_BYTES)

        with self._connections(KEYLESS, begun) as lines:
            return self._all_ended(lines)

    def _odd(self) -> str:
        rng = random.Random(self.seed << 40 | self.number)
        for _ in range(ODD):
            call, _, body = HUB.attacks[0](rng).partition(b"\n")
            head = self._head(call.decode(), len(body), close=True)
            with self._connections(1, lambda _, whole=head + body: whole) as (line,):
                line.settimeout(PATIENCE_S)
                with line.makefile("rb") as reader:
                    told = reader.read()
            # A fault that the hub knows has a code, as that of a text in which no word is.
            if not told or (told[9:] >= b"500" and b'"code":' not in told):
                return f"{call.decode()} {body[:60]!r} is answered by {told[9:60]!r}"
        return ""

    def _head(self, call: str, length: int, key: str = "", close: bool = False) -> bytes:
        lines = (
            f"POST /v1/{call} HTTP/1.1\r\nHost: hub\r\nContent-Type: application/json",
            f"Authorization: Bearer {key or self._key}\r\nContent-Length: {length}",
            *(["Connection: close"] if close else []),
        )
        return "\r\n".join(lines).encode() + b"\r\n\r\n"

    @contextmanager
    def _connections(
        self, count: int, begun: Callable[[int], bytes]
    ) -> Iterator[Sequence[socket.socket]]:
        """So many connections that have sent what is begun, unless they are hung up on before."""
        with ExitStack() as opened:
            lines = list[socket.socket]()
            for number in range(count):
                with suppress(OSError):
                    line = socket.create_connection(self._address, PATIENCE_S, (OTHER, 0))
                    lines.append(opened.enter_context(line))
                    line.sendall(begun(number))
            yield lines

    def _all_ended(self, lines: Sequence[socket.socket]) -> str:
        """Read what is answered, until each is hung up on."""
        left, until_s = {line.fileno(): line for line in lines}, time.monotonic() + HUNG_UP_S
        poll = select.poll()
        for descriptor in left:
            poll.register(descriptor, select.POLLIN)
        while left:
            if (left_s := until_s - time.monotonic()) <= 0:
                return f"{len(left)} of {len(lines)} were not hung up on in {HUNG_UP_S:.0f} s"
            for descriptor, _ in poll.poll(1000 * left_s):
                more = b""
                with suppress(OSError):
                    more = left[descriptor].recv(1 << 16)
                if not more:
                    poll.unregister(descriptor)
                    del left[descriptor]
        return ""
