"""Echo cancellation: removes what the loudspeaker plays from what the microphone hears."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assistant.core.messages import SAMPLE_RATE_HZ, Frame
from audio.frames import FRAME_S, FRAME_SAMPLES, Samples
from audio.speex import EchoCanceller

REMEMBERED_S = 0.7
# Ratio of the energy kept to the energy cancelled: measured, 0.004 to 0.1 where nobody speaks, and
# around 1 while the filter does not yet know the room.
PERSON_TO_ECHO = 2.0
# The error in a sound's start differs between replies (measured: by 25 ms), while the room stays
# the same: each reply's echo is located first, so that the filter learnt before still fits.
ALIGNED_OVER_FRAMES = 12
SOUGHT_EVERY_FRAMES = 4
EARLIEST_S, LATEST_S = -0.1, 0.2
ALIGNED_TO_S = 0.01
LEAST_CORRELATION = 0.3
# An echo that is no longer there (someone plugs in headphones), or that a person's voice was taken
# for, is added by the filter in place of being removed, until the filter has learnt anew.
JUDGED_OVER_FRAMES = 6
# Correlations at which half of the energy is the echo's, and three quarters.
ECHO_CORRELATION, ALONE_CORRELATION = 0.7, 0.87

log = logging.getLogger(__name__)

Played = Callable[[float, int], Samples]
"""Gives what the loudspeaker played from a time in seconds on, in a number of 16 kHz samples."""


class _Heard(NamedTuple):
    ended_s: float
    samples: bytes


class _Cleaned(NamedTuple):
    heard: float
    kept: float
    removed: float


class Echo:
    """Removes what was `played` from the microphone's frames, and remembers how much was left."""

    def __init__(self, canceller: EchoCanceller, played: Played) -> None:
        self._canceller = canceller
        self._played = played
        self._clock = SteadyClock()
        self._late_s: float | None = None
        self._sought_frames = 0
        remembered = round(REMEMBERED_S / FRAME_S)
        self._heard: deque[_Heard] = deque(maxlen=remembered)
        self._cleaned: deque[_Cleaned] = deque(maxlen=remembered)

    def removed_from(self, frame: Frame, sounds: bool) -> bytes:
        """A frame's samples without the echo; `sounds` says whether there may be an echo at all."""
        ended_s = self._clock.tell(frame.at_s)
        if not sounds:
            return frame.samples
        self._heard.append(_Heard(ended_s, frame.samples))
        if self._late_s is None:
            self._look_for()
            return frame.samples
        played = self._played(ended_s - FRAME_S - self._late_s, FRAME_SAMPLES)
        left = self._canceller.cancel(frame.samples, played.tobytes())
        heard, kept = _floats(frame.samples), _floats(left)
        self._cleaned.append(_Cleaned(_energy(heard), _energy(kept), _energy(heard - kept)))
        return left if self._quieter() else frame.samples

    def realign(self) -> None:
        """Locate the echo again, as a new sound begins."""
        self._late_s = None
        self._sought_frames = 0
        self._heard.clear()
        self._cleaned.clear()

    def drowned_out(self) -> bool:
        """Whether what was just heard is more than an echo, so that a person speaks.

        The filter may have lost the echo when the loudspeaker stuttered, so what was heard must
        also differ from what was played.
        """
        kept = sum(cleaned.kept for cleaned in self._cleaned)
        removed = sum(cleaned.removed for cleaned in self._cleaned)
        if kept < PERSON_TO_ECHO * removed:
            return False
        return self._enough and self._likeness() < ECHO_CORRELATION

    def alone(self) -> bool:
        """Whether what was just heard is an echo and hardly anything else.

        What a filter leaves of an echo while it learns may sound like words that were never said.
        """
        return self._enough and self._likeness() >= ALONE_CORRELATION

    @property
    def _enough(self) -> bool:
        return len(self._heard) >= ALIGNED_OVER_FRAMES

    def _likeness(self) -> float:
        """The correlation of all frames kept with what was played."""
        return self._match(len(self._heard))[1]

    def _quieter(self) -> bool:
        """Whether the filter lately took energy away; it can add some, but no echo does."""
        recent = list(self._cleaned)[-JUDGED_OVER_FRAMES:]
        return sum(cleaned.kept for cleaned in recent) < sum(cleaned.heard for cleaned in recent)

    def _look_for(self) -> None:
        """Measure how much later than reported the sound came, where it can be heard at all."""
        self._sought_frames += 1
        if self._sought_frames < ALIGNED_OVER_FRAMES or self._sought_frames % SOUGHT_EVERY_FRAMES:
            return
        late_s, correlation = self._match(ALIGNED_OVER_FRAMES)
        if correlation >= LEAST_CORRELATION:
            self._late_s = late_s - ALIGNED_TO_S

    def _match(self, frames: int) -> tuple[float, float]:
        """How late the echo comes in the last `frames`, and its share of them, from 0 to 1."""
        recent = list(self._heard)[-frames:]
        heard = _floats(b"".join(samples for _, samples in recent))
        count = len(heard) + round((LATEST_S - EARLIEST_S) * SAMPLE_RATE_HZ)
        played = self._played(recent[0].ended_s - FRAME_S - LATEST_S, count)
        place, correlation = best_match(heard, played.astype(np.float32))
        return LATEST_S - place / SAMPLE_RATE_HZ, correlation


class SteadyClock:
    """The times of frames that come at regular intervals, but are reported early or late.

    An echo canceller needs each frame to follow the last one exactly. The clock runs freely, and is
    set again only when it is off by `ADRIFT_S` on average, or by `JUMP_S` at once.
    """

    ADRIFT_S = 0.01
    JUMP_S = 0.2
    WEIGHT = 0.02

    def __init__(self) -> None:
        self._at_s = self._off_s = 0.0

    def tell(self, at_s: float) -> float:
        """When the frame that is said to have ended at `at_s` ended."""
        self._at_s += FRAME_S
        off_s = at_s - self._at_s
        if abs(off_s) > self.JUMP_S:
            self._off_s = off_s
        else:
            self._off_s += self.WEIGHT * (off_s - self._off_s)
        if abs(self._off_s) > self.ADRIFT_S:
            self._at_s += self._off_s
            self._off_s = 0.0
        return self._at_s


def best_match(part: NDArray[np.float32], whole: NDArray[np.float32]) -> tuple[int, float]:
    """Where in `whole` the shorter `part` fits best, and the correlation there, from 0 to 1."""
    size = 1 << (len(part) + len(whole)).bit_length()
    spectrum = np.fft.rfft(whole, size) * np.conj(np.fft.rfft(part, size))
    product = np.fft.irfft(spectrum, size)[: len(whole) - len(part) + 1]
    energy = np.concatenate([[0.0], np.cumsum(whole.astype(np.float64) ** 2)])
    norms = np.sqrt((energy[len(part) :] - energy[: -len(part)]) * float(part @ part) + 1.0)
    correlation = np.abs(product) / norms
    place = int(np.argmax(correlation))
    return place, float(correlation[place])


def echo_canceller() -> EchoCanceller | None:
    """An echo canceller, where SpeexDSP is installed."""
    try:
        return EchoCanceller()
    except OSError as error:
        log.warning(
            "no echo cancellation: %s; install the package libspeexdsp1 (audio.echo)", error
        )
        return None


def _energy(samples: NDArray[np.float32]) -> float:
    return float(samples @ samples)


def _floats(samples: bytes) -> NDArray[np.float32]:
    return np.frombuffer(samples, np.int16).astype(np.float32)
