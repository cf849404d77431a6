"""The loudspeaker of a satellite: replies go there at the pace at which they are played."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from itertools import dropwhile

from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.event import Event

from assistant.core.clock import boottime_s
from assistant.core.messages import Message, Speech
from audio.play_queue import News, PlayQueue, ReplyEnded, ReplyStarted

RATE_HZ = 22_050
"""The rate that Home Assistant sends too, so that every satellite can play it."""
BLOCK_S = 0.08
AHEAD_S = 0.6
"""Seconds of sound that are sent ahead: as much as a bad Wi-Fi falls back, less than one waits."""
PLAYED_S = 1.5
"""Seconds after a reply's end in which the satellite says that it has played it."""


class SatellitePlayer:
    """Sends what is to be played by `send`, and gives news of it by `tell`.

    What the satellite does not say that it has played counts as heard when it must be over: plain
    satellites say nothing.
    """

    def __init__(
        self,
        send: Callable[[Event], Awaitable[None]],
        tell: Callable[[Message], None],
        rate_hz: int = RATE_HZ,
    ) -> None:
        self._send, self._tell, self._rate_hz = send, tell, rate_hz
        self._queue = PlayQueue()
        self._changed = asyncio.Event()
        self._played = asyncio.Event()
        self._cut = self._sends = False
        self.playing = ""
        """The reply that is sent, or played; "" for none."""

    def play(self, speech: Speech) -> None:
        """Play a sentence after those before it; raises `AudioError` for what is no sound."""
        self._report(self._queue.play(speech))
        self._changed.set()

    def lower(self, lowered: bool) -> None:
        """Whether what begins to play is to be soft, as somebody may be speaking."""
        self._queue.lowered = lowered

    def stop(self) -> None:
        """Send no more, and forget what was still to be played."""
        self._cut |= not self._queue.idle or bool(self.playing)
        self._report(self._queue.stop())
        if self.playing:  # it had all been sent
            self._report([ReplyEnded(self.playing, interrupted=True)])
        self._changed.set()
        self._played.set()

    def was_played(self) -> bool:
        """Note that the satellite has played what it got; True where that was not yet all of it."""
        self._played.set()
        return self._sends

    async def run(self) -> None:
        """Send what comes, for ever."""
        while True:
            await self._changed.wait()
            self._changed.clear()
            if not self._queue.idle:
                await self._stream()

    async def _stream(self) -> None:
        """Send until there is nothing more to play.

        A reply's end, and what begins in the same block, is told when that block was played.
        """
        form = (self._rate_hz, 2, 1)
        count = round(BLOCK_S * self._rate_hz)
        self._cut, self._sends = False, True
        self._played.clear()
        await self._send(AudioStart(*form, timestamp=0).event())
        began_s, sent_s = boottime_s(), 0.0
        later: list[News] = []
        while not (self._queue.idle or self._cut):
            block, news = self._queue.pull(count, self._rate_hz)
            if later:
                await asyncio.sleep(began_s + sent_s - boottime_s())
                if self._cut:
                    break
            self._report(later)
            later = list(dropwhile(lambda one: not isinstance(one, ReplyEnded), news))
            self._report(news[: len(news) - len(later)])
            stamp = round(1000 * sent_s)
            await self._send(AudioChunk(*form, block.tobytes(), timestamp=stamp).event())
            sent_s += BLOCK_S
            await asyncio.sleep(began_s + sent_s - AHEAD_S - boottime_s())
        self._sends = False
        await self._send(AudioStop(timestamp=round(1000 * sent_s)).event())
        if self._cut:
            return
        left_s = began_s + sent_s - boottime_s() + PLAYED_S
        try:
            async with asyncio.timeout(max(0.0, left_s)):
                await self._played.wait()
        except TimeoutError:
            pass
        if not self._cut:
            self._report(later)

    def _report(self, news: Iterable[News]) -> None:
        for one in news:
            if isinstance(one, ReplyStarted):
                self.playing = one.utterance_id
                self._tell(one.message(boottime_s()))
            elif isinstance(one, ReplyEnded):
                if one.utterance_id == self.playing:
                    self.playing = ""
                self._tell(one.message(boottime_s()))
