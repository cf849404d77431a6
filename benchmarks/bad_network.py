"""A bad Wi-Fi between two ends of a TCP connection.

What is lost is sent again by TCP: the programs see no loss, but delays in which nothing comes. Each
segment takes up to `JITTER_S` and stays in order; of a share of them, those behind it, too, wait
for the retransmission.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from contextlib import contextmanager

JITTER_S, LOST = 0.2, 0.05
AGAIN_S = (0.2, 0.4)
"""Fewest and most seconds until a lost segment is sent again: Linux waits for 0.2 at the least."""
SEGMENT_BYTES = 1448
MOST_UNDER_WAY = 1000
"""Most segments of a direction that are under way; then the sender waits."""


class BadNetwork:
    """Listens at `port`, and carries each connection to `target` on this machine."""

    def __init__(self, target: int, port: int = 0, seed: int = 1) -> None:
        self._target, self.port, self._rng = target, port, random.Random(seed)
        self.connections = self.segments = self.lost = 0

    async def serve(self) -> None:
        """Carry, until this is cancelled."""
        server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = server.sockets[0].getsockname()[1]
        async with server:
            await server.serve_forever()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            there, back = await asyncio.open_connection("127.0.0.1", self._target)
        except OSError:
            writer.close()
            return
        with _closing(writer, back):
            await asyncio.gather(self._carry(reader, back), self._carry(there, writer))

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carry one direction to its end."""
        under_way: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue(MOST_UNDER_WAY)
        delivering = asyncio.create_task(_deliver(under_way, writer))
        loop, due_s = asyncio.get_running_loop(), 0.0
        try:
            while segment := await reader.read(SEGMENT_BYTES):
                due_s = max(due_s, loop.time() + self._delay_s())
                await under_way.put((due_s, segment))
            await under_way.put((due_s, b""))
            await delivering
        except OSError:
            writer.close()
        finally:
            delivering.cancel()

    def _delay_s(self) -> float:
        self.segments += 1
        delay_s = self._rng.uniform(0.0, JITTER_S)
        if self._rng.random() < LOST:
            self.lost += 1
            delay_s += self._rng.uniform(*AGAIN_S)
        return delay_s


async def _deliver(
    under_way: asyncio.Queue[tuple[float, bytes]], writer: asyncio.StreamWriter
) -> None:
    while True:
        due_s, segment = await under_way.get()
        await asyncio.sleep(due_s - asyncio.get_running_loop().time())
        if not segment:
            writer.close()
            return
        writer.write(segment)
        await writer.drain()


@contextmanager
def _closing(*writers: asyncio.StreamWriter) -> Iterator[None]:
    try:
        yield
    except asyncio.CancelledError:
        pass  # at the end; asyncio of Python 3.11 would log a task that is cancelled
    finally:
        for writer in writers:
            writer.close()
