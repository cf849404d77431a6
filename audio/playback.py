"""The loudspeaker's player: replies and earcons in, sound out, and news of what really happened."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import NamedTuple

import numpy as np

from assistant.core.clock import boottime_s
from assistant.core.errors import AudioError
from assistant.core.messages import (
    SAMPLE_RATE_HZ,
    DeviceChanged,
    Message,
    Speech,
)
from audio.devices import DEVICES
from audio.frames import Samples, at_rate
from audio.heard_replies import HeardReplies
from audio.loudspeaker import Loudspeaker, open_loudspeaker
from audio.own_voice import OwnVoice
from audio.play_queue import News, PlayQueue, ReplyEnded, ReplyStarted, Sounding

BLOCK_S = 0.02
LINGER_S = 1.0


class _Sounds(NamedTuple):
    samples: Samples
    start_s: float


class Playback:
    """Implements `core.stage.Source`; plays to `output` (the setting `audio.output`) from a thread.

    The device is opened for a reply and closed a second after it, as an open one costs power.
    `own_voice` is told what is played. Without a loudspeaker, replies end at once, unheard. When a
    reply to be heard once was heard, `heard_replies` records it before it is reported. `volume`
    gives the factor on the samples of a sentence that begins.
    """

    def __init__(
        self,
        output: str,
        own_voice: OwnVoice | None = None,
        heard_replies: HeardReplies | None = None,
        volume: Callable[[], float] = lambda: 1.0,
    ) -> None:
        self._output = output
        self._own_voice = own_voice
        self._heard_replies = heard_replies
        heard = heard_replies.names if heard_replies is not None else ()
        self._queue = PlayQueue(heard, volume)
        self._changed = threading.Condition()
        self._closed = self._cut = False
        self._present = True
        self._arrived: deque[Message | _Sounds] = deque()
        self._signal = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._thread = threading.Thread(target=self._run, name="playback", daemon=True)
        self._thread.start()

    @property
    def alive(self) -> bool:
        """Whether the player's thread runs; if it has died, nothing can be played."""
        return self._thread.is_alive()

    def play(self, speech: Speech) -> None:
        """Play a sentence after those before it; one of a reply already played is acknowledged.

        Raises `AudioError` for what is no sound, and when the player's thread has died.
        """
        if not self.alive:
            raise AudioError("audio.player_died", "the player has died; restart the audio process")
        with self._changed:
            self._tell(list(self._queue.play(speech)), boottime_s())
            self._changed.notify()

    def earcon(self, samples: Samples) -> None:
        """Play a short sound, 16 kHz mono, that belongs to no reply."""
        self.play(
            Speech(
                utterance_id="",
                sequence=0,
                samples=samples.tobytes(),
                rate_hz=SAMPLE_RATE_HZ,
                text="",
                last=True,
            )
        )

    def lower(self, lowered: bool) -> None:
        """Whether what begins to play is to be soft, as somebody may be speaking."""
        with self._changed:
            self._queue.lowered = lowered

    def stop(self) -> None:
        """Stop playing at once, and forget what was still to be played."""
        with self._changed:
            now_s = boottime_s()
            self._cut |= not self._queue.idle  # it may be told twice before the player looks
            self._tell(self._queue.stop(), now_s)
        if self._own_voice is not None:
            self._own_voice.stops(now_s)

    def fileno(self) -> int:
        """Readable when there is news."""
        return self._signal

    def read(self) -> Iterable[Message]:
        """The news since the last call; never blocks."""
        with suppress(BlockingIOError):
            os.eventfd_read(self._signal)
        news: list[Message] = []
        while self._arrived:
            item = self._arrived.popleft()
            if isinstance(item, Message):
                news.append(item)
            elif self._own_voice is not None:
                self._own_voice.plays(item.samples, item.start_s)
        return news

    def close(self) -> None:
        """Release the device."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join(timeout=2.0)
        os.close(self._signal)

    def _run(self) -> None:
        while self._awaken():
            try:
                self._play_on()
            except AudioError as error:
                self._lost(error)

    def _awaken(self) -> bool:
        with self._changed:
            self._changed.wait_for(lambda: self._closed or not self._queue.idle)
            return not self._closed

    def _play_on(self) -> None:
        """Open the loudspeaker and play until there has been nothing to play for a while."""
        loudspeaker = open_loudspeaker(self._output)
        try:
            if not self._present:
                self._present = True
                self._post(_loudspeaker(True, self._output))
            idle_s, playing = 0.0, ""
            while idle_s < (LINGER_S if not DEVICES.stale else BLOCK_S) and not self._closed:
                idle_s, playing = self._block(loudspeaker, idle_s, playing)
        finally:
            loudspeaker.close()

    def _block(self, loudspeaker: Loudspeaker, idle_s: float, playing: str) -> tuple[float, str]:
        """Play the next 20 ms; return the seconds without sound so far, and the playing reply."""
        with self._changed:
            count = round(loudspeaker.rate_hz * BLOCK_S)
            block, news = self._queue.pull(count, loudspeaker.rate_hz)
            cut, self._cut = self._cut, False
            idle_s = idle_s + BLOCK_S if self._queue.idle else 0.0
        if cut:
            loudspeaker.abort()
            loudspeaker.finish(playing)
            playing = ""
        playing = next((n.utterance_id for n in news if isinstance(n, ReplyStarted)), playing)
        # A sound that is written is heard one latency later.
        self._tell((n for n in news if not isinstance(n, ReplyEnded)), _heard_at_s(loudspeaker))
        loudspeaker.write(block, playing)
        for ended in (n for n in news if isinstance(n, ReplyEnded)):
            self._drain(loudspeaker)
            try:
                loudspeaker.finish(ended.utterance_id)
            finally:
                self._tell([ended], boottime_s())
            # What follows is not part of the reply: a loudspeaker would keep it for good.
            playing = "" if playing == ended.utterance_id else playing
        return idle_s, playing

    def _drain(self, loudspeaker: Loudspeaker) -> None:
        """Feed the device silence until it has played the last sample, or must stop."""
        silence = np.zeros(round(loudspeaker.rate_hz * BLOCK_S), np.int16)
        for _ in range(round(loudspeaker.latency_s / BLOCK_S)):
            if not (self._cut or self._closed):
                loudspeaker.write(silence, "")

    def _lost(self, error: AudioError) -> None:
        if self._present:
            self._present = False
            self._post(_loudspeaker(False, error.message))
        with self._changed:
            self._tell(self._queue.lose(), boottime_s())

    def _tell(self, news: Iterable[News], at_s: float) -> None:
        for item in news:
            match item:
                case Sounding():
                    reference = at_rate(item.samples, item.rate_hz, SAMPLE_RATE_HZ)
                    self._post(_Sounds(reference, at_s))
                case ReplyStarted():
                    self._post(item.message(at_s))
                case ReplyEnded():
                    if item.once and item.heard and self._heard_replies is not None:
                        self._heard_replies.add(item.utterance_id)
                    self._post(item.message(at_s))

    def _post(self, item: Message | _Sounds) -> None:
        self._arrived.append(item)
        os.eventfd_write(self._signal, 1)


def _heard_at_s(loudspeaker: Loudspeaker) -> float:
    return boottime_s() + loudspeaker.latency_s


def _loudspeaker(present: bool, detail: str) -> DeviceChanged:
    return DeviceChanged(device="loudspeaker", present=present, detail=detail, at_s=boottime_s())
