"""A satellite that knows nothing of Hark: Wyoming's own server, with sound from a test."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from functools import partial

from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.event import Event
from wyoming.info import Attribution, Describe, Info
from wyoming.info import Satellite as SatelliteInfo
from wyoming.ping import Ping, Pong
from wyoming.pipeline import PipelineStage, RunPipeline
from wyoming.server import AsyncEventHandler, AsyncServer
from wyoming.snd import Played
from wyoming.wake import Detection

from audio.frames import FRAME_S, SILENCE
from tests.support.network import free_port


def about(supports_trigger: bool = False) -> Info:
    """What a satellite tells of itself."""
    satellite = SatelliteInfo(
        name="old",
        attribution=Attribution(name="somebody", url=""),
        installed=True,
        description=None,
        version=None,
        supports_trigger=supports_trigger,
    )
    return Info(satellite=satellite)


class PlainSatellite:
    """Serves bases at `port`; it answers pings, and keeps what it `got` beside them.

    It says that a reply was played when it has come whole; `plays` is after how many chunks it
    says so, where that is earlier.
    """

    def __init__(self, info: Info | None = None, port: int = 0, address: str = "127.0.0.1") -> None:
        self.port, self._info = port or free_port(), info or about()
        self.address = address
        self.got: list[Event] = []
        self.connections = 0
        self.answers_pings = True
        self.plays_early = False
        self._handlers: set[_Handler] = set()
        self._started: Future[None] = Future()
        self._ending = asyncio.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()))
        self._thread.start()
        self._started.result(60)

    def close(self) -> None:
        """Hang up, and listen no more."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._ending.set)
        self._thread.join()

    def hang_up(self) -> None:
        """End every connection."""
        for handler in set(self._handlers):
            self._loop.call_soon_threadsafe(handler.writer.close)

    def count(self, kind: str) -> int:
        """How many events of a type came."""
        return sum(event.type == kind for event in self.got)

    @property
    def played(self) -> bytes:
        """All sound that came."""
        return b"".join(e.payload or b"" for e in self.got if AudioChunk.is_type(e.type))

    def send(self, *events: Event) -> None:
        """Send events to the base."""
        asyncio.run_coroutine_threadsafe(self._write(*events), self._loop).result(60)

    def wake(self) -> None:
        """Tell of a wake word."""
        pipeline = RunPipeline(PipelineStage.ASR, PipelineStage.TTS)
        self.send(Detection(name="computer").event(), pipeline.event())

    def hear(
        self,
        frames: Sequence[bytes],
        rate_hz: int = 16_000,
        channels: int = 1,
        goes_on: bool = True,
    ) -> Future[None]:
        """Send sound as it comes and, if it `goes_on`, silence, until words come for it."""
        sound = [AudioChunk(rate_hz, 2, channels, samples).event() for samples in frames]
        silence = AudioChunk(16_000, 2, 1, SILENCE).event() if goes_on else None
        return asyncio.run_coroutine_threadsafe(self._stream(sound, silence), self._loop)

    async def _stream(self, sound: Sequence[Event], silence: Event | None) -> None:
        before = self.count("transcript")
        for event in sound:
            await self._write(event)
            await asyncio.sleep(FRAME_S)
        while silence and self.count("transcript") == before:
            await self._write(silence)
            await asyncio.sleep(FRAME_S)

    async def _write(self, *events: Event) -> None:
        for handler in set(self._handlers):
            for event in events:
                await handler.write_event(event)

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        server = AsyncServer.from_uri(f"tcp://{self.address}:{self.port}")
        await server.start(partial(_Handler, self))
        self._started.set_result(None)
        await self._ending.wait()
        await server.stop()

    def _answers(self, event: Event) -> list[Event]:
        if Describe.is_type(event.type):
            return [self._info.event()]
        if AudioStop.is_type(event.type) and not self.plays_early:
            return [Played().event()]
        if AudioStart.is_type(event.type) and self.plays_early:
            return [Played().event()]
        return []


class _Handler(AsyncEventHandler):
    """A connection of a base."""

    def __init__(
        self,
        satellite: PlainSatellite,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        super().__init__(reader, writer)
        self._satellite = satellite
        satellite.connections += 1
        satellite._handlers.add(self)

    async def handle_event(self, event: Event) -> bool:
        """Answer as a satellite does."""
        satellite = self._satellite
        if Ping.is_type(event.type):
            if satellite.answers_pings:
                await self.write_event(Pong(text=Ping.from_event(event).text).event())
            return True
        satellite.got.append(event)
        for answer in satellite._answers(event):
            await self.write_event(answer)
        return True

    async def disconnect(self) -> None:
        """Forget a base that has gone."""
        self._satellite._handlers.discard(self)
