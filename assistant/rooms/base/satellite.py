"""A satellite as its base sees it: the connection, which is made again whenever it is lost."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import ssl
from collections.abc import Callable

from wyoming.audio import AudioChunk
from wyoming.event import Event
from wyoming.info import Describe, Info
from wyoming.ping import Ping, Pong
from wyoming.pipeline import PipelineStage, RunPipeline
from wyoming.snd import Played
from wyoming.timer import TimerCancelled, TimerStarted, TimerUpdated
from wyoming.wake import Detect, Detection, NotDetected

from assistant.core.clock import boottime_s
from assistant.core.errors import RoomsError
from assistant.core.messages import Message, RoomTimers, SatelliteChanged
from assistant.core.settings.wyoming import SatelliteSettings
from assistant.pairing.trust import Trust
from assistant.rooms.base.player import SatellitePlayer
from assistant.rooms.base.room import Room
from assistant.rooms.detection import Comparing, Noticed, name_of, run_satellite
from assistant.rooms.discovery.finding import Finder
from assistant.rooms.wire import (
    LOST,
    MALFORMED,
    MOST_HEADER_BYTES,
    TRUST,
    hang_up,
    read_event,
    write_event,
)

CONNECTS_S, GOODBYE_S = 5.0, 1.0
AGAIN_S, AGAIN_LATER_S = 1.0, 10.0
"""Seconds to the next attempt after a satellite was there, and after none was."""
PING_EVERY_S = 1.0
SILENT_S = 3.5
"""Seconds without an event, be it the answer to a ping, after which a satellite is gone."""
TICK_S = 0.1
MOST_WAITING = 600
"""Most events that wait for a slow satellite; then it is hung up on."""

log = logging.getLogger(__name__)


class Satellite:
    """Connects to one satellite, and carries what passes between it and its room."""

    def __init__(
        self,
        name: str,
        settings: SatelliteSettings,
        finder: Finder,
        trust: Trust,
        send: Callable[[Message], None],
        compared: Callable[[str], None],
        make_room: Callable[[SatellitePlayer, Callable[[Event], None]], Room],
    ) -> None:
        self._name, self._settings, self._send = name, settings, send
        self._finder, self._compared = finder, compared
        self._trust, self._pin = trust, trust.satellite(name)
        self._waiting: asyncio.Queue[Event] = asyncio.Queue(MOST_WAITING)
        self._player = SatellitePlayer(self._wait_and_write, self._played)
        self.room = make_room(self._player, self._write)
        self.present = False
        """Whether it is connected, and has said what it is."""
        self._timers = set[str]()
        """The timers that the satellite knows of."""
        self.noticed = Noticed()
        """What it told last of a wake word."""
        self._fault, self._again_s = "", AGAIN_LATER_S

    async def run(self) -> None:
        """Keep the connection, for ever."""
        while True:
            self._again_s = AGAIN_LATER_S
            try:
                await self._connected()
            except RoomsError as error:
                self._tell_fault(f"{error.message} ({error.code})")
            except MALFORMED:
                self._tell_fault("it sends an event that lacks a field (rooms.event)")
            await asyncio.sleep(self._again_s)

    def take(self, message: Message) -> None:
        """Hand the room what the daemon has for it; what is to be said is over where none is."""
        self.room.take(message)
        if not self.present:
            self.room.lost()

    def tell_timers(self, message: RoomTimers) -> None:
        """Tell the satellite of the timers of its room, in place of those that it knows."""
        for gone in self._timers - {timer.id for timer in message.timers}:
            self._write(TimerCancelled(gone).event())
        for timer in message.timers:
            left_s = round(timer.left_s)
            self._write(TimerStarted(timer.id, round(timer.total_s), timer.name or None).event())
            self._write(TimerUpdated(timer.id, not timer.paused, left_s).event())
        self._timers = {timer.id for timer in message.timers}

    def compare(self, keyword: str, ended_s: float) -> None:
        """Ask how clearly it hears a wake word that ended so many seconds ago."""
        if self.room.lately() is not None:
            self._compared(self._name)
            return
        context = Comparing(ended_s=round(ended_s, 3)).context()
        self._write(Detect(names=[keyword], context=context).event())

    def listen(self, keyword: str, ended_at_s: float) -> None:
        """Have it send what it heard from the wake word on that it was just asked about."""
        if self.room.listen(keyword, ended_at_s):
            return
        wanted = RunPipeline(PipelineStage.ASR, PipelineStage.TTS, wake_word_name=keyword)
        self._write(wanted.event())

    def tell_presence(self) -> None:
        """Tell the daemon whether the satellite is there."""
        self._send(
            SatelliteChanged(satellite=self._name, area=self.room.area, present=self.present)
        )

    async def _connected(self) -> None:
        """Serve until the connection is lost."""
        paired = self._pin.stamp
        reader, writer = await self._reached(self._trust.context(self._pin))
        self._waiting = asyncio.Queue(MOST_WAITING)
        self.room.detections = 0
        try:
            async with asyncio.TaskGroup() as tasks:
                others = [
                    tasks.create_task(one)
                    for one in (
                        self._pour(writer),
                        self._player.run(),
                        self._ping(paired),
                        self._tick(),
                    )
                ]
                await self._obey(reader)
                for other in others:
                    other.cancel()
        except ExceptionGroup as errors:
            raise self._refused(errors.exceptions[0], paired is not None) from None
        finally:
            if self.present:
                self.present = False
                self.tell_presence()
                log.warning("the satellite %s is gone (rooms.satellite)", self._name)
            self.room.lost()
            await hang_up(reader, writer)

    async def _reached(
        self, context: ssl.SSLContext | None
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Connect, by TLS where they are paired; raises `RoomsError`."""
        host, port = await self._finder.where(self._name, self._settings)
        goodbye_s = GOODBYE_S if context is not None else None
        try:
            async with asyncio.timeout(CONNECTS_S):
                return await asyncio.open_connection(
                    host, port, limit=MOST_HEADER_BYTES, ssl=context, ssl_shutdown_timeout=goodbye_s
                )
        except ssl.SSLCertVerificationError as error:
            message = f"{host}, port {port}: it is another than the one that was paired"
            raise RoomsError(TRUST, message) from error
        except (ssl.SSLError, ConnectionResetError) as error:
            message = f"{host}, port {port}: it does not speak TLS, as the one that was paired does"
            raise RoomsError(TRUST, message) from error
        except (OSError, TimeoutError) as error:
            reason = (error.strerror if isinstance(error, OSError) else "") or "no answer"
            raise RoomsError("rooms.away", f"{host}, port {port}: {reason}") from error

    async def _obey(self, reader: asyncio.StreamReader) -> None:
        self._write(Describe().event())
        self._write(run_satellite())
        while (event := await read_event(reader, SILENT_S)) is not None:
            self._take(event)
        if not self.present:
            raise RoomsError(LOST, "it hung up")

    def _refused(self, fault: Exception, paired: bool) -> Exception:
        """What it means when a satellite hangs up before it has said what it is."""
        if self.present or not isinstance(fault, RoomsError) or fault.code not in (LOST, TRUST):
            return fault
        if paired:
            return RoomsError(TRUST, "it refuses this base, as if it was paired with another")
        return RoomsError("rooms.refused", "it hangs up: it is paired, or knows another address")

    def _take(self, event: Event) -> None:
        """Take an event of the satellite; those that mean nothing to a base are passed over."""
        if AudioChunk.is_type(event.type):
            self.room.hear(AudioChunk.from_event(event), boottime_s())
        elif NotDetected.is_type(event.type):
            self.noticed = Noticed.of(NotDetected.from_event(event).context)
            self._compared(self._name)
        elif Detection.is_type(event.type):
            self._notice(Detection.from_event(event))
        elif RunPipeline.is_type(event.type):
            self._run(RunPipeline.from_event(event))
        elif Played.is_type(event.type):
            self.room.was_played()
        elif Info.is_type(event.type):
            self._met(Info.from_event(event))
        elif Ping.is_type(event.type):
            self._write(Pong(text=Ping.from_event(event).text).event())

    def _met(self, info: Info) -> None:
        if info.satellite is None:
            raise RoomsError("rooms.no_satellite", "what listens there is no satellite")
        self.room.reopens = bool(info.satellite.supports_trigger)
        if not self.present:
            self.present, self._fault, self._again_s = True, "", AGAIN_S
            self.tell_presence()
            log.info("the satellite %s is there (rooms.satellite)", self._name)

    def _notice(self, detection: Detection) -> None:
        self.noticed = Noticed.of(detection.context)
        self.room.notice(name_of(detection.name), self.noticed, boottime_s())

    def _run(self, pipeline: RunPipeline) -> None:
        """Listen to what it sends from a wake word on."""
        if pipeline.start_stage is PipelineStage.WAKE:
            try:
                self.room.hear_all()
            except RoomsError as error:
                self._tell_fault(f"{error.message} ({error.code})")
            return
        if pipeline.start_stage is not PipelineStage.ASR:  # a text, of which there is none
            return
        self.room.stream(name_of(pipeline.wake_word_name), boottime_s())
        self.noticed = Noticed()

    def _played(self, news: Message) -> None:
        self.room.told(news)

    def _tell_fault(self, fault: str) -> None:
        """Log what is wrong, once."""
        if fault != self._fault:
            self._fault = fault
            log.warning("the satellite %s: %s", self._name, fault)

    # ── what is sent ────────────────────────────────────────────────────────────────────────

    def _write(self, event: Event) -> None:
        """Send an event after those before it."""
        with contextlib.suppress(asyncio.QueueFull):  # it is silent, too, and soon hung up on
            self._waiting.put_nowait(event)

    async def _wait_and_write(self, event: Event) -> None:
        await self._waiting.put(event)

    async def _pour(self, writer: asyncio.StreamWriter) -> None:
        while True:
            await write_event(await self._waiting.get(), writer)

    async def _ping(self, paired: object) -> None:
        while True:
            await asyncio.sleep(PING_EVERY_S)
            if self._pin.stamp != paired:
                raise RoomsError("rooms.pairing", "it was paired, or unpaired: it is met anew")
            self._write(Ping().event())

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK_S)
            self.room.tick(boottime_s())
