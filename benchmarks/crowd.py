"""Sixty hostile peers beside honest ones: `python -m benchmarks.crowd --peers 60`.

The real daemon, `assistant rooms` and `assistant satellite` run. Hostile peers call both ports,
half of them from addresses that are let in, by a network, and half from others; some call the
satellite from the address of a second base. They send too much, half a frame, a byte a second,
nothing at all, or take nothing of what they ask for. What an honest peer and a room wait for is
measured without them, beside them and after them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import NamedTuple

from assistant.bench.rig import running_daemon
from assistant.control.metrics import percentile
from benchmarks import peers, satellites
from benchmarks.hearing.hours import VOICES
from benchmarks.hostile.watcher import resident
from benchmarks.hostile.wyoming.peer import PING, is_answered
from benchmarks.hostile.wyoming.process import free_port
from benchmarks.rooms import rooms, running

SECOND_BASE = "127.0.0.9"
LONG_TEXT = "This is said to nobody. " * 200
DESCRIBE = b'{"type": "describe"}\n'
AGAIN_S = 0.01
"""Seconds after which a hostile peer calls again."""
FLOODS_S = 0.01
WITHIN_S = 60.0

Way = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


async def _too_much(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b'{"type": "' + b"x" * 100_000)
    await reader.read()


async def _half(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b'{"type": "audio-chunk", "payload_length": 60000}\n' + bytes(30_000))
    await reader.read()


async def _slowly(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    for byte in DESCRIBE * 100:
        writer.write(bytes([byte]))
        await writer.drain()
        await asyncio.sleep(1.0)


async def _only_call(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(FLOODS_S)


async def _take_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.transport.pause_reading()  # type: ignore[attr-defined] - a socket's can
    text = json.dumps({"type": "synthesize", "data": {"text": LONG_TEXT}}).encode() + b"\n"
    writer.write(text)
    while True:
        writer.write(DESCRIBE * 100)
        await writer.drain()


WAYS: Sequence[Way] = (_too_much, _half, _slowly, _only_call, _take_nothing)


async def attack(address: str, port: int, way: Way) -> None:
    """Call a port from an address, again and again, until this is cancelled."""
    while True:
        with suppress(OSError):
            reader, writer = await asyncio.open_connection(
                "127.0.0.1", port, local_addr=(address, 0)
            )
            try:
                await way(reader, writer)
            finally:
                writer.transport.abort()
        await asyncio.sleep(AGAIN_S)


async def crowd(count: int, services: int, satellite: int) -> None:
    """So many hostile peers at both ports, until this is cancelled."""
    async with asyncio.TaskGroup() as tasks:
        for number in range(count):
            way = WAYS[number // 2 % len(WAYS)]
            address = f"127.0.{1 + number % 2}.{1 + number // 2}"
            tasks.create_task(attack(address, services, way))
            is_base = number < len(WAYS) * 2 and number % 2 == 0
            there = SECOND_BASE if is_base else address
            tasks.create_task(attack(there, satellite, way))


def _crowd(count: int, services: int, satellite: int) -> None:
    asyncio.run(crowd(count, services, satellite))


class Waits(NamedTuple):
    """What honest ones waited for, in milliseconds."""

    describe: list[float]
    words: list[float]
    room: list[float]
    ping: list[float]
    """The satellite's answer to a base."""
    unserved: int

    def __str__(self) -> str:
        names = zip(self._fields, self[:-1], strict=False)
        told = (
            f"{name} {percentile(one, 0.5):.0f} p50, {max(one):.0f} longest" for name, one in names
        )
        return f"{'; '.join(told)} ms; {self.unserved} not served"


async def _measured(rounds: int, board: int, room: satellites.Satellite) -> Waits:
    waits = Waits([], [], [], [], 0)
    unserved = 0
    command = satellites.said(peers.COMMANDS[0], VOICES[0])
    sound = peers.sound(peers.COMMANDS[0], VOICES[0])
    for _ in range(rounds):
        for port, frame, answer, took in (
            (peers.PORT, DESCRIBE, b'"info"', waits.describe),
            (board, PING, b"pong", waits.ping),
        ):
            began_s = time.monotonic()
            answered = await asyncio.to_thread(
                is_answered, port, "127.0.0.1", frame, answer, WITHIN_S
            )
            took.append(1000 * (time.monotonic() - began_s))
            unserved += not answered
        try:
            async with asyncio.timeout(WITHIN_S):
                waits.words.append((await peers.turn(peers.COMMANDS[0], sound)).words_ms)
        except (OSError, TimeoutError):
            unserved += 1
        turn = await room.turn(command)
        unserved += turn is None
        waits.room.append(turn.reply_ms if turn is not None else 1000 * WITHIN_S)
        await asyncio.sleep(2.0)  # the reply is over
    return waits._replace(unserved=unserved)


async def _compared(rounds: int, count: int, board: int) -> tuple[Waits, Waits, Waits]:
    """The waits before the hostile ones come, beside them, and after them."""
    room = satellites.Satellite(0)
    await room.listen()
    await room.ready.wait()
    await _measured(1, board, room)  # the first of all loads what the others use
    before = await _measured(rounds, board, room)
    attackers = multiprocessing.Process(target=_crowd, args=(count, peers.PORT, board))
    attackers.start()
    try:
        await asyncio.sleep(3.0)
        beside = await _measured(rounds, board, room)
    finally:
        attackers.terminate()
        await asyncio.to_thread(attackers.join)
    after = await _measured(max(1, rounds // 5), board, room)
    room.close()
    return before, beside, after


def main() -> None:
    """Measure, print, and exit with 1 where anybody honest was not served."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=10)
    given = parser.parse_args()
    board = free_port()
    settings = (
        f'[wyoming]\nallow = ["127.0.0.1", "127.0.1.0/24"]\naddress = "127.0.0.1"\n'
        f'port = {peers.PORT}\n[wyoming.satellites.r0]\naddress = "127.0.0.1"\n'
        f'port = {satellites.FIRST_PORT}\nearshot = "r0"\n'
        f'[wyoming.satellites.board]\naddress = "127.0.0.1"\nport = {board}\nearshot = "board"\n'
    )
    with ExitStack() as opened:
        rig = opened.enter_context(running_daemon(peers.HOME.read_text("utf-8"), settings))
        own = rig.config.with_name("board.toml")
        own.write_text(f'[audio]\ninput = "fifo:{own}.mic"\noutput = "none"\n')
        bases = ("--base", "127.0.0.1", "--base", SECOND_BASE, "--address", "127.0.0.1")
        here = (*bases, "--port", str(board), "--config", str(own))
        log = opened.enter_context(rig.log.open("ab"))
        processes = [
            opened.enter_context(running(log, "satellite", *here)),
            opened.enter_context(rooms(rig, log)),
        ]
        found = asyncio.run(_compared(given.rounds, given.peers, board))
        memory = [resident(one.pid)[1] / 1e6 for one in processes]
        kept = _count(rig.log, "satellite board is there"), _count(rig.log, "Traceback")
    for name, waits in zip(("without", "beside", "after"), found, strict=True):
        sys.stdout.write(f"{name}: {waits}\n")
    sys.stdout.write(
        f"satellite {memory[0]:.0f} MB, rooms {memory[1]:.0f} MB at the most; the base came "
        f"{kept[0]} times; {kept[1]} tracebacks\n"
    )
    sys.exit(any(one.unserved for one in found) or kept[1] > 0)


def _count(log: Path, words: str) -> int:
    return log.read_text("utf-8", "replace").count(words)


if __name__ == "__main__":
    main()
