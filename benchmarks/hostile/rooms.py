"""Hostile satellites of a base attack it, in the earshot of one that somebody speaks to.

The base calls them, and serves them: they win each contest for a wake word and then say nothing,
hang up, keep a connection half open, lie about lengths, or have another's name. Meanwhile the
honest one must be replied to, at the latest when the others have lost their votes.
"""

from __future__ import annotations

import asyncio
import base64
import random
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar

from wyoming.event import Event

from assistant.core.errors import RoomsError
from assistant.rooms.base.arbitration import MOST_EMPTY
from assistant.rooms.wire import MOST_HEADER_BYTES, read_event, write_event
from benchmarks import satellites
from benchmarks.hearing.hours import VOICES
from benchmarks.hostile.siege import PATIENCE_S, Siege
from benchmarks.hostile.target import Target
from benchmarks.hostile.wyoming.frames import FORMAT, frame
from benchmarks.hostile.wyoming.honest import IMPRINT_BYTES, INFO
from benchmarks.hostile.wyoming.process import Attacked, free_port

HOSTILE = 2
WARM_UP = 2
"""What is said first, which loads what the others use."""
TURNS = 4
"""Most that is said to the honest one during a blow, which ends once it is served."""
REPLIED_S = 20.0
"""Seconds in which the honest one must be replied to."""
SAID = "what time is it"
CALLED_WITHIN_S = 20.0
"""Seconds in which the base calls again: it waits ten for one that did not say what it is."""
CLEAREST_DB = 100.0
STAYS_S = 0.3
"""Seconds for which the winner stays: until others have been silenced for it."""
LATEST_S = 10.0
SOUND_BYTES_S = 32_000
SECOND = bytes(SOUND_BYTES_S)

Behaviour = Callable[[str, asyncio.StreamWriter, random.Random], Awaitable[bool]]
"""What a satellite does on an event of this type, or as it is called (""): whether that was all."""


async def _well(kind: str, writer: asyncio.StreamWriter, rng: random.Random) -> bool:
    return False


async def _win_and_hang_up(kind: str, writer: asyncio.StreamWriter, rng: random.Random) -> bool:
    if kind != "detect":
        return False
    await _win(writer, rng)
    await asyncio.sleep(STAYS_S)
    writer.transport.abort()
    return True


async def _win_and_be_silent(kind: str, writer: asyncio.StreamWriter, rng: random.Random) -> bool:
    if kind == "detect":
        await _win(writer, rng)
    return kind == "detect"


async def _win_without_end(kind: str, writer: asyncio.StreamWriter, rng: random.Random) -> bool:
    """Notice wake words whenever there is an event, and send noise for each."""
    if kind in ("detect", "ping"):
        await _win(writer, rng)
        await write_event(Event("audio-chunk", dict(FORMAT), rng.randbytes(SOUND_BYTES_S)), writer)
    return kind == "detect"


async def _be_half_open(kind: str, writer: asyncio.StreamWriter, rng: random.Random) -> bool:
    if kind == "":
        begun = frame("audio-chunk", FORMAT, bytes(30_000))
        writer.write(rng.choice((b"", b'{"type": "in', begun[:20_000])))
    return True


async def _lie(kind: str, writer: asyncio.StreamWriter, rng: random.Random) -> bool:
    """Answer with lengths that are not those of what follows."""
    if kind not in ("", "ping", "detect"):
        return False
    length = rng.choice(("65536", "1048576", "-1", "1e3", "99999999999999999999", "true", '"9"'))
    name = rng.choice(("payload_length", "data_length"))
    writer.write(f'{{"type": "audio-chunk", "{name}": {length}}}\n'.encode())
    with suppress(ConnectionError):
        for _ in range(rng.choice((0, 1, 40))):
            writer.write(SECOND)
            await writer.drain()
    return True


async def _be_a_namesake(kind: str, writer: asyncio.StreamWriter, rng: random.Random) -> bool:
    """Say that it is the honest one, and that what is said there was heard and played here."""
    if kind == "describe":
        about = {"satellite": {**INFO["satellite"], "name": "honest"}}
        await write_event(Event("info", about), writer)
        return True
    if kind == "detect":
        await _win(writer, rng)
        for told in ("played", "audio-stop", "transcript", "voice-stopped"):
            await write_event(Event(told, {"text": "turn on the window light"}), writer)
    return kind == "detect"


async def _win(writer: asyncio.StreamWriter, rng: random.Random) -> None:
    """Hear the wake word more clearly than all others."""
    imprint = base64.b64encode(rng.randbytes(IMPRINT_BYTES)).decode()
    told = {"preroll_s": 0.5, "keyword_ended_s": 0.45, "heard": [CLEAREST_DB, imprint]}
    context = {"name": "computer", "context": {"hark": told}}
    await write_event(Event("detection", context), writer)
    await write_event(Event("run-pipeline", {"start_stage": "asr", "end_stage": "tts"}), writer)
    await write_event(Event("audio-chunk", dict(FORMAT), bytes(3_200)), writer)


class Hostile:
    """A satellite that behaves as it is told to."""

    def __init__(self, port: int, seed: int) -> None:
        self.port, self._rng = port, random.Random(seed)
        self.behaviour: Behaviour = _well
        self._writer: asyncio.StreamWriter | None = None

    @property
    def is_called(self) -> bool:
        """Whether a base is connected."""
        return self._writer is not None

    async def listen(self) -> None:
        """Wait for the base's calls."""
        self._server = await asyncio.start_server(
            self._serve, "127.0.0.1", self.port, limit=MOST_HEADER_BYTES
        )

    def close(self) -> None:
        """Wait for no more."""
        self._server.close()

    def hang_up(self) -> None:
        """End the connection."""
        if self._writer is not None:
            self._writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        with suppress(RoomsError, OSError):
            await self._answer("", {}, writer)
            while (event := await read_event(reader, None)) is not None:
                await self._answer(event.type, event.data, writer)
        writer.transport.abort()
        if self._writer is writer:
            self._writer = None

    async def _answer(
        self, kind: str, told: Mapping[str, Any], writer: asyncio.StreamWriter
    ) -> None:
        if await self.behaviour(kind, writer, self._rng):
            return
        if kind == "describe":
            await write_event(Event("info", INFO), writer)
        elif kind == "ping":
            await write_event(Event("pong", {"text": told.get("text")}), writer)
        elif kind == "detect":
            await write_event(Event("not-detected", {}), writer)


class RoomsAttack(Siege):
    """A behaviour of the hostile satellites a blow."""

    name = "rooms"
    blows = 30
    most_wait_ms = 10_000.0
    may_miss = MOST_EMPTY
    asks_every_s = 2.0
    behaviours: ClassVar[Mapping[str, Behaviour]] = {
        "wins and hangs up": _win_and_hang_up,
        "wins and is silent": _win_and_be_silent,
        "wins without end": _win_without_end,
        "is half open": _be_half_open,
        "lies about lengths": _lie,
        "has the other's name": _be_a_namesake,
    }

    def __init__(self, folder: Path, seed: int) -> None:
        super().__init__(folder, seed)
        self._hostile = [Hostile(free_port(), seed << 8 | n) for n in range(HOSTILE)]
        self._honest = satellites.Satellite(0)
        self._honest.port = free_port()
        self._said = satellites.said(SAID, VOICES[0])
        ports = {f"hostile{n}": one.port for n, one in enumerate(self._hostile)}
        self.settings = "".join(
            f'[wyoming.satellites.{name}]\naddress = "127.0.0.1"\nport = {port}\n'
            f'area = "kitchen"\nearshot = "downstairs"\n'
            for name, port in {**ports, "honest": self._honest.port}.items()
        )
        self._listening: list[satellites.Satellite | Hostile] = []
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="satellites")
        self._thread.start()

    @property
    def ways(self) -> Mapping[str, Callable[[], str]]:
        """Each behaviour, as long as the honest one is spoken to."""
        return {name: lambda one=one: self._behave(one) for name, one in self.behaviours.items()}

    @property
    def pid(self) -> int:
        """The base's."""
        return self.attacked.process.pid

    def start(self, target: Target) -> None:
        """Have the satellites listen, and the base call them."""
        for one in (self._honest, *self._hostile):
            self._listening.append(one)
            asyncio.run_coroutine_threadsafe(one.listen(), self._loop).result(PATIENCE_S)
        command = self.command("rooms", "--config", str(target.rig.config))
        self.attacked = Attacked(target.rig.log, target.also, "rooms", command=command)
        self.opened.callback(self.attacked.close)
        ready = asyncio.run_coroutine_threadsafe(self._honest.ready.wait(), self._loop)
        ready.result(PATIENCE_S)
        if not self._are_called():
            raise AssertionError("the base does not call its satellites")
        for _ in range(WARM_UP):
            self.ask()
            time.sleep(self.asks_every_s)

    def ask(self) -> float:
        """Say something to the honest satellite; from its end to the reply's first sound."""
        turn = asyncio.run_coroutine_threadsafe(self._honest.turn(self._said), self._loop)
        try:
            done = turn.result(len(self._said.sound) / SOUND_BYTES_S + REPLIED_S)
        except (OSError, TimeoutError):
            turn.cancel()
            done = None
        return done.reply_ms if done is not None else float("nan")

    def close(self) -> None:
        """End the base and the satellites."""
        super().close()
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result(PATIENCE_S)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _end(self) -> None:
        for one in self._listening:
            one.close()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        if tasks:  # the base has hung up
            await asyncio.wait(tasks, timeout=1.0)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _behave(self, behaviour: Behaviour) -> str:
        for one in self._hostile:
            one.behaviour = behaviour
        for turns in range(1, TURNS + 1):
            self.client.await_answers(turns, PATIENCE_S)
            if self.client.waits_ms:
                break
        for one in self._hostile:
            one.behaviour = _well
            self._loop.call_soon_threadsafe(one.hang_up)
        if not self._are_called():
            return f"the base did not call again within {CALLED_WITHIN_S:.0f} s"
        return self.attacked.traceback()

    def _are_called(self) -> bool:
        until_s = time.monotonic() + CALLED_WITHIN_S
        while not all(one.is_called for one in self._hostile):
            if time.monotonic() > until_s:
                return False
            time.sleep(0.1)
        return True
