"""One connection: what a peer asks by Wyoming's events, and what it is answered."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from wyoming.asr import Transcribe
from wyoming.asr import Transcript as Transcribed
from wyoming.audio import AudioChunk, AudioFormat, AudioStart, AudioStop
from wyoming.error import Error
from wyoming.event import Event
from wyoming.info import Describe, Info, SelectProgram
from wyoming.ping import Ping, Pong
from wyoming.tts import (
    Synthesize,
    SynthesizeChunk,
    SynthesizeStart,
    SynthesizeStop,
    SynthesizeStopped,
)
from wyoming.wake import Detect

from assistant.core.errors import RoomsError
from assistant.core.messages import SAMPLE_RATE_HZ
from assistant.rooms.answering import answered
from assistant.rooms.asking import SAMPLE_BYTES, Hearing, Peer, require_short
from assistant.rooms.callers import Turns
from assistant.rooms.daemon import Daemon
from assistant.rooms.description import NAME
from assistant.rooms.speaking import Speaking
from assistant.rooms.wake_words import Listening, WakeWords
from assistant.rooms.wire import MALFORMED, BrokenError, read_event, write_event

_FORMAT = (SAMPLE_RATE_HZ, SAMPLE_BYTES, 1)


class Session:
    """Serves one connection, one request after the other, until it closes.

    `peer` is who speaks here, for the daemon; `turns` let it work on a few requests at a time.
    """

    def __init__(
        self,
        daemon: Daemon,
        info: Info,
        peer: Peer,
        turns: Turns,
        words: WakeWords,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        self._daemon, self._info, self._peer, self._turns = daemon, info, peer, turns
        self._words, self._reader, self._writer = words, reader, writer
        self._hearing: Hearing | None = None
        self._names: tuple[str, ...] = ()  # those that the next sound may be
        self._listening: Listening | None = None
        self._detecting = False  # what was refused is not recognised in place of it
        self._speaking: Speaking | None = None
        self._serve: Mapping[str, Callable[[Event], Awaitable[None]]] = {
            Describe().event().type: self._describe,
            Ping().event().type: self._ping,
            SelectProgram("").event().type: self._select,
            Transcribe().event().type: self._recognise,
            Detect().event().type: self._detect,
            AudioStart(*_FORMAT).event().type: self._begin_sound,
            AudioChunk(*_FORMAT, b"").event().type: self._sound,
            AudioStop().event().type: self._end_sound,
            Synthesize("").event().type: self._synthesise,
            SynthesizeStart().event().type: self._begin_text,
            SynthesizeChunk("").event().type: self._text,
            SynthesizeStop().event().type: self._end_text,
            Transcribed("").event().type: self._handle,
        }

    async def run(self) -> None:
        """Serve until the peer closes; raises `RoomsError` for what ends the connection.

        An event that is not served is passed over, as Wyoming wants it; one that cannot be read, or
        obeyed, is answered with an error.
        """
        try:
            while (event := await read_event(self._reader)) is not None:
                await self._take(event)
        finally:
            self._end_sounds()

    async def _take(self, event: Event) -> None:
        if (serve := self._serve.get(event.type)) is None:
            return
        try:
            await serve(event)
        except BrokenError:
            raise
        except RoomsError as error:
            await self._send(Error(text=error.message, code=error.code).event())
        except MALFORMED:
            told = Error(text=f"{event.type} lacks a field", code="rooms.event")
            await self._send(told.event())

    async def _describe(self, _: Event) -> None:
        await self._send(self._info.event())

    async def _ping(self, event: Event) -> None:
        await self._send(Pong(text=Ping.from_event(event).text).event())

    async def _select(self, event: Event) -> None:
        """Refuse a program that there is not; of each kind there is one, and no choice."""
        info, name = self._info, SelectProgram.from_event(event).name
        programs = (*info.asr, *info.tts, *info.handle, *info.wake)
        if name not in {program.name for program in programs}:
            raise RoomsError("rooms.program", f"the only program here is {NAME}")

    async def _recognise(self, event: Event) -> None:
        self._end_sounds()
        wanted = Transcribe.from_event(event)
        names = (*(wanted.transcript_names or ()), *(wanted.transcript_terms or ()))
        if not all(isinstance(name, str) for name in names):
            raise RoomsError("rooms.event", "the names of a transcribe must be texts")
        self._names = names

    async def _detect(self, event: Event) -> None:
        self._end_sounds()
        self._detecting = True
        self._listening = self._words.listen(Detect.from_event(event).names or ())

    async def _begin_sound(self, event: Event) -> None:
        self._end_hearing()
        _require_format(AudioStart.from_event(event))
        if self._listening is not None:
            self._listening.begin()
        elif not self._detecting:
            self._hearing = Hearing(self._daemon, self._peer, self._names)
            self._names = ()

    async def _sound(self, event: Event) -> None:
        chunk = AudioChunk.from_event(event)
        _require_format(chunk)
        if self._listening is not None:
            async for detection in self._listening.take(chunk):
                await self._send(detection)
        elif self._hearing is not None:
            self._hearing.take(chunk.audio)

    async def _end_sound(self, _: Event) -> None:
        if self._listening is not None and (told := self._listening.end()) is not None:
            await self._send(told)
        hearing, self._hearing = self._hearing, None
        if hearing is not None:
            async with self._turns.own:
                words = await hearing.words()
            await self._send(Transcribed(text=words).event())

    async def _synthesise(self, event: Event) -> None:
        if self._speaking is None:  # or it is the whole of what comes bit by bit
            text = require_short(Synthesize.from_event(event).text)
            speaking = self._new_speaking()
            await speaking.add(text)
            await speaking.finish()

    async def _begin_text(self, _: Event) -> None:
        self._speaking = self._new_speaking()

    async def _text(self, event: Event) -> None:
        part = SynthesizeChunk.from_event(event)
        if self._speaking is not None:
            await self._speaking.add(part.text)

    async def _end_text(self, _: Event) -> None:
        speaking, self._speaking = self._speaking, None
        if speaking is not None:
            await speaking.finish()
            await self._send(SynthesizeStopped().event())

    def _new_speaking(self) -> Speaking:
        return Speaking(self._daemon, self._peer, self._turns, self._send)

    async def _handle(self, event: Event) -> None:
        said = Transcribed.from_event(event)
        async with self._turns.own:
            async for told in answered(self._daemon, said, self._peer):
                await self._send(told)

    def _end_hearing(self) -> None:
        """Leave nothing open of a sound whose end never came."""
        if self._hearing is not None:
            self._hearing.end()
            self._hearing = None

    def _end_sounds(self) -> None:
        """Leave nothing open, and the next sound to be recognised."""
        self._end_hearing()
        self._detecting = False
        if self._listening is not None:
            self._listening.close()
            self._listening = None

    async def _send(self, event: Event) -> None:
        await write_event(event, self._writer)


def _require_format(sound: AudioFormat) -> None:
    if (sound.rate, sound.width, sound.channels) != _FORMAT:
        message = f"sound must be {SAMPLE_RATE_HZ} Hz, 16 bits, one channel"
        raise RoomsError("rooms.format", message)
