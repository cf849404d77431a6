"""The queue of what to play: sounds go in; blocks of equal size and news of replies come out."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import msgspec
import numpy as np

from assistant.core.errors import AudioError
from assistant.core.messages import PlaybackEnded, PlaybackStarted, Speech
from audio.frames import Resampler, Samples, at_rate

STARVED_AFTER_S = 10.0
REMEMBERED = 256
RATES_HZ = range(4_000, 192_001)
"""Sample rates of the known voices; other numbers cannot be resampled."""
LOWERED = 0.25
"""Factor on the samples of what begins to play while somebody may be speaking: 12 dB less."""
LONGEST_WAITING_S = 600.0
"""Most seconds of speech that wait to be played; nobody listens to more. Each piece counts at least
for the memory that it takes, as if its sound were of `MEMORY_HZ`: 27 MB in all."""
MEMORY_HZ = 22_050
PIECE_BYTES = 400
"""Bytes that a piece takes beside its sound."""
SHORT_S = 0.02
"""Seconds below which a piece that waits is joined with the next: each costs time of its own."""


class Sounding(NamedTuple):
    """The loudspeaker plays `samples`, of `rate_hz`, from now on."""

    samples: Samples
    rate_hz: int


class ReplyStarted(NamedTuple):
    """A reply's first sample, which was made at `made_at_s`, is the next to be played."""

    utterance_id: str
    made_at_s: float = 0.0

    def message(self, at_s: float) -> PlaybackStarted:
        """The news for the other stages, of something that began at `at_s`."""
        return PlaybackStarted(utterance_id=self.utterance_id, made_at_s=self.made_at_s, at_s=at_s)


class ReplyEnded(NamedTuple):
    """A reply is over; not `heard` when nothing of it was played, or its end never came.

    A reply to be heard `once` is over for good when it was heard.
    """

    utterance_id: str
    listen: bool = False
    interrupted: bool = False
    heard: bool = True
    once: bool = False

    def message(self, at_s: float) -> PlaybackEnded:
        """The news for the other stages, of something that ended at `at_s`."""
        return PlaybackEnded(
            utterance_id=self.utterance_id,
            listen=self.listen,
            interrupted=self.interrupted,
            heard=self.heard,
            at_s=at_s,
        )


News = Sounding | ReplyStarted | ReplyEnded


class PlayQueue:
    """Plays the sentences of replies, and earcons (`play` without an id), without a gap.

    A reply that was played or cut off is not played again: a repetition is only acknowledged. One
    that was not heard is played when it comes again from its first sentence on. No sentence of a
    reply to be heard once is taken twice. `heard` are such replies that were heard before. While
    `lowered`, sentences begin softly; earcons, which tell that it listens, are as loud as ever.
    `volume` gives the factor on the samples of a sentence that begins.
    """

    def __init__(
        self, heard: Iterable[str] = (), volume: Callable[[], float] = lambda: 1.0
    ) -> None:
        self.lowered, self._volume = False, volume
        self._queue: deque[Speech] = deque()
        self._waiting_s = 0.0
        """What waits in the queue, as `LONGEST_WAITING_S` counts it."""
        self._rest: Samples = np.zeros(0, np.int16)
        self._resampler = Resampler(1, 1)
        """That of the reply that plays."""
        self._sentence: Speech | None = None
        self._current = ""
        self._sounded = False
        self._over: dict[str, bool] = dict.fromkeys(heard, True)
        """Reply → whether it was heard."""
        self._taken: dict[str, float] = {}
        """Reply to be heard once that waits or plays → the number of its next sentence."""
        self._starved_s = 0.0

    @property
    def idle(self) -> bool:
        """Whether there is nothing to play, and no more of a reply is expected."""
        return not (self._queue or self._sentence or self._current)

    def play(self, speech: Speech) -> Iterator[News]:
        """Add a sentence; news only when its reply is known to be over.

        Raises `AudioError` for what is no sound, or too much of it.
        """
        self._check(speech)
        heard = self._over.get(speech.utterance_id)
        if heard is False and speech.sequence == 0:
            heard = None
            del self._over[speech.utterance_id]
        if heard is not None:
            if speech.last:
                yield ReplyEnded(speech.utterance_id, speech.listen, heard=heard)
            return
        if not (speech.once and self._has_come(speech)):
            self._wait_for_turn(speech)

    def pull(self, count: int, rate_hz: int) -> tuple[Samples, list[News]]:
        """The next `count` samples at `rate_hz`, silence where there is nothing, and the news."""
        news: list[News] = []
        block = np.zeros(count, np.int16)
        filled = 0
        while filled < count and (len(self._rest) or self._turn(rate_hz, news)):
            piece = self._rest[: count - filled]
            block[filled : filled + len(piece)] = piece
            self._rest = self._rest[len(piece) :]
            filled += len(piece)
        if not len(self._rest):
            self._finish(news)
        self._wait((count - filled) / rate_hz, news)
        return block, news

    def stop(self) -> list[News]:
        """Drop everything; the replies that were playing or waiting were interrupted."""
        current = self._current
        ids = [current, *(speech.utterance_id for speech in self._queue)]
        self._clear()
        return [
            self._end(ReplyEnded(i, interrupted=True, heard=i == current and self._sounded))
            for i in dict.fromkeys(ids)
            if i
        ]

    def lose(self) -> list[News]:
        """End what should have been played as unheard, as there is no loudspeaker."""
        sentences = [s for s in (self._sentence, *self._queue) if s is not None]
        self._clear()
        ended: list[News] = [
            self._end(ReplyEnded(s.utterance_id, s.listen, heard=False))
            for s in sentences
            if s.last and s.utterance_id
        ]
        self._taken.clear()
        return ended

    def _wait_for_turn(self, speech: Speech) -> None:
        if self._queue and _continues(self._queue[-1], speech):
            before = self._queue.pop()
            self._waiting_s -= _counted_s(before)
            samples = before.samples + speech.samples
            speech = msgspec.structs.replace(before, samples=samples, last=speech.last)
        self._queue.append(speech)
        self._waiting_s += _counted_s(speech)

    def _clear(self) -> None:
        self._queue.clear()
        self._waiting_s = 0.0
        self._sentence, self._rest, self._current = None, self._rest[:0], ""

    def _check(self, speech: Speech) -> None:
        if speech.rate_hz not in RATES_HZ or len(speech.samples) % 2:
            size = f"{len(speech.samples)} bytes at {speech.rate_hz} Hz"
            raise AudioError("audio.speech", f"{size} are no sound of 16 bits a sample")
        if self._waiting_s + _counted_s(speech) > LONGEST_WAITING_S:
            message = f"more than {LONGEST_WAITING_S:.0f} s of speech wait to be played"
            raise AudioError("audio.too_much", message)

    def _has_come(self, speech: Speech) -> bool:
        if speech.sequence < self._taken.get(speech.utterance_id, 0):
            return True
        self._taken[speech.utterance_id] = math.inf if speech.last else speech.sequence + 1
        return False

    def _turn(self, rate_hz: int, news: list[News]) -> bool:
        """Move to the next sentence, if there is one."""
        self._finish(news)
        if not self._queue:
            return False
        self._sentence = self._queue.popleft()
        self._waiting_s -= _counted_s(self._sentence)
        samples = np.frombuffer(self._sentence.samples, np.int16)
        if self._sentence.utterance_id:
            samples = _scaled(samples, self._volume() * (LOWERED if self.lowered else 1.0))
        self._rest = self._resampled(self._sentence, samples, rate_hz)
        self._starved_s = 0.0
        news.append(Sounding(samples, self._sentence.rate_hz))
        if self._sentence.utterance_id not in ("", self._current):
            self._current, self._sounded = self._sentence.utterance_id, False
            news.append(ReplyStarted(self._current, self._sentence.at_s))
        if self._sentence.utterance_id:
            self._sounded |= len(samples) > 0
        return True

    def _resampled(self, speech: Speech, samples: Samples, wanted_hz: int) -> Samples:
        """The samples at another rate; those of one reply have no seams, as pieces may be short."""
        if not speech.utterance_id:
            return at_rate(samples, speech.rate_hz, wanted_hz)
        of_this = self._resampler
        rates = speech.rate_hz, wanted_hz
        if speech.utterance_id != self._current or (of_this.rate_hz, of_this.wanted_hz) != rates:
            self._resampler = of_this = Resampler(*rates)
        return of_this.push(samples, speech.last)

    def _finish(self, news: list[News]) -> None:
        sentence, self._sentence = self._sentence, None
        if sentence is not None and sentence.last and sentence.utterance_id:
            self._current = ""
            ended = ReplyEnded(sentence.utterance_id, sentence.listen, heard=self._sounded)
            news.append(self._end(ended))

    def _wait(self, silent_s: float, news: list[News]) -> None:
        """End a reply whose end never comes because the voice process died."""
        if not self._current:
            return
        self._starved_s += silent_s
        if self._starved_s >= STARVED_AFTER_S:
            news.append(self._end(ReplyEnded(self._current, interrupted=True, heard=False)))
            self._current, self._starved_s = "", 0.0

    def _end(self, ended: ReplyEnded) -> ReplyEnded:
        if ended.utterance_id not in self._over and len(self._over) >= REMEMBERED:
            del self._over[next(iter(self._over))]
        self._over[ended.utterance_id] = ended.heard
        return ended._replace(once=self._taken.pop(ended.utterance_id, 0) > 0)


def _scaled(samples: Samples, factor: float) -> Samples:
    """The samples, louder or softer; peaks that do not fit are cut off, and do not wrap around."""
    if factor == 1.0:
        return samples
    scaled: Samples = np.clip(samples * factor, -32768, 32767).astype(np.int16)
    return scaled


def _continues(before: Speech, speech: Speech) -> bool:
    """Whether a piece can be joined with the one before it, which is short."""
    same = (before.utterance_id, before.rate_hz) == (speech.utterance_id, speech.rate_hz)
    is_short = len(before.samples) < 2 * SHORT_S * before.rate_hz
    return same and is_short and bool(speech.utterance_id) and not (speech.once or before.last)


def _counted_s(speech: Speech) -> float:
    sound = len(speech.samples)
    return max(sound / speech.rate_hz, (sound + PIECE_BYTES) / MEMORY_HZ) / 2
