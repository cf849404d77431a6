"""What encryption costs a satellite: `python -m benchmarks.encryption --chunks 3000`.

`assistant satellite` runs without a microphone and a loudspeaker, and is sent the chunks of a
reply, each with a ping whose answer is waited for: first in plain, then paired. Beside the latency
of both is what memory the satellite holds (PSS), and what it holds in the life in which it was
paired.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import socket
import ssl
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from wyoming.audio import AudioChunk
from wyoming.event import async_read_event, async_write_event
from wyoming.ping import Ping

from assistant.control.metrics import percentile
from assistant.control.procfs import usage
from assistant.core.layout import PAIRING_FOLDER
from assistant.pairing.at_base import complete
from assistant.pairing.secret import of_key
from assistant.pairing.trust import Trust
from benchmarks.rooms import wait_for

HERE, NAME = "127.0.0.1", "board"
CHUNK = AudioChunk(22_050, 2, 1, bytes(2048)).event()
EVERY_S = 0.005
"""Seconds between two chunks."""
SETTLES_S = 3.0


class Measured(NamedTuple):
    """Milliseconds from a chunk to the answer behind it, and megabytes of the satellite."""

    connects_ms: float
    median_ms: float
    p95_ms: float
    memory_mb: float


class Board:
    """A satellite as a process, with a folder of its own."""

    def __init__(self, folder: Path) -> None:
        os.mkfifo(folder / "microphone")
        (folder / "key").write_text("a key for this measurement\n")
        (folder / "key").chmod(0o600)
        self.key = of_key(folder / "key")
        with socket.create_server((HERE, 0)) as free:
            self.port: int = free.getsockname()[1]
        config = folder / "config.toml"
        audio = f'[audio]\ninput = "fifo:{folder}/microphone"\noutput = "none"\n'
        config.write_text(f'[storage]\nstate = "{folder}/board"\n{audio}')
        options = ("--base", HERE, "--port", str(self.port), "--key", str(folder / "key"))
        self._command = (
            *(sys.executable, "-m", "assistant", "satellite", *options),
            *("--config", str(config)),
        )
        self.pid = 0

    @contextmanager
    def running(self) -> Iterator[None]:
        """The satellite runs, and listens."""
        with subprocess.Popen(self._command, stderr=subprocess.DEVNULL) as process:
            self.pid = process.pid
            try:
                wait_for(self.port)
                yield
            finally:
                process.terminate()

    def memory_mb(self) -> float:
        """What it holds now."""
        time.sleep(SETTLES_S)
        return sum(one.pss_bytes for one in usage(self.pid).values()) / 1e6


async def _latency(board: Board, context: ssl.SSLContext | None, chunks: int) -> list[float]:
    """Milliseconds: until it is connected, and then for each chunk."""
    began_s = time.perf_counter()
    reader, writer = await asyncio.open_connection(HERE, board.port, ssl=context)
    took = []
    for number in range(chunks + 1):
        if number:
            await asyncio.sleep(EVERY_S)
            began_s = time.perf_counter()
            await async_write_event(CHUNK, writer)
        await async_write_event(Ping(str(number)).event(), writer)
        if await async_read_event(reader) is None:
            raise ConnectionError("the satellite hung up")
        took.append(1000 * (time.perf_counter() - began_s))
    writer.close()
    return took


def _measured(board: Board, context: ssl.SSLContext | None, chunks: int) -> Measured:
    connects_ms, *took = asyncio.run(_latency(board, context, chunks))
    p95_ms = percentile(took, 0.95)
    return Measured(connects_ms, statistics.median(took), p95_ms, board.memory_mb())


def main() -> None:
    """Measure in plain, pair, and measure encrypted."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--chunks", type=int, default=3000)
    chunks = parser.parse_args().chunks
    with TemporaryDirectory() as folder:
        board, trust = Board(Path(folder)), Trust(Path(folder) / PAIRING_FOLDER)
        pin = trust.satellite(NAME)
        with board.running():
            rows = {"plain": _measured(board, None, chunks)}
            began_s = time.perf_counter()
            asyncio.run(complete((HERE, board.port), board.key, trust, pin, by_key=True))
            pairs_ms = 1000 * (time.perf_counter() - began_s)
            paired_mb = board.memory_mb()
        with board.running():
            rows["encrypted"] = _measured(board, trust.context(pin), chunks)
    for name, row in rows.items():
        sys.stdout.write(
            f"{name}: connects in {row.connects_ms:.1f} ms; a chunk and its answer take"
            f" {row.median_ms:.2f} ms at the median, {row.p95_ms:.2f} at 95 %;"
            f" the satellite holds {row.memory_mb:.1f} MB\n"
        )
    paired = f"until it starts again it holds {paired_mb:.1f} MB"
    sys.stdout.write(f"pairing takes {pairs_ms:.0f} ms; {paired}\n")


if __name__ == "__main__":
    main()
