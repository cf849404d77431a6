"""Echo cancellation: removes what the loudspeaker plays from what the microphone hears."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assistant.core.messages import SAMPLE_RATE_HZ, Frame
from audio.canceller import EchoCanceller
from audio.frames import FRAME_S, FRAME_SAMPLES, Samples

REMEMBERED_FRAMES = round(0.7 / FRAME_S)
# Of an echo alone the filter leaves a share that changes slowly: -10 to -20 dB in the first second
# of a first reply, -25 to -30 dB later, also while a person talks.
LEAK_OVER_FRAMES, LEAK_LEARNT_FRAMES = 16, 90
# The error in a sound's start differs between replies (measured: by 25 ms), while the room stays
# the same: each reply's echo is located first, to the sample, so that the filter learnt before
# still fits. It is located again now and then, as a loudspeaker may stutter.
SOUGHT_FROM_FRAMES, SOUGHT_EVERY_FRAMES, CHECKED_EVERY_FRAMES = 8, 2, 16
EARLIEST_S, LATEST_S = -0.1, 0.2
ALIGNED_TO_S = 0.01
MISALIGNED_S = 0.001
# In 40 simulated rooms, after 8 frames or more, no wrong peak was more than 3 times as high as the
# next; the echo's was 6 to 14 times as high at the median. Two in a row must agree.
LEAST_PROMINENCE = 3.0
NEXT_PEAK_S = 0.003
# An echo that is no longer there (someone plugs in headphones), or that a person's voice was taken
# for, is added by the filter in place of being removed, until the filter has learnt anew.
JUDGED_OVER_FRAMES = 6
# Frames that it made louder by half a decibel tell nothing of what it leaves of an echo.
ADDED = 1.12

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
        self._found_s: float | None = None
        self._sought_frames = 0
        self._heard: deque[_Heard] = deque(maxlen=REMEMBERED_FRAMES)
        self._cleaned: deque[_Cleaned] = deque(maxlen=REMEMBERED_FRAMES)
        self._leaks: deque[float] = deque(maxlen=LEAK_LEARNT_FRAMES)

    def removed_from(self, frame: Frame, sounds: bool) -> bytes:
        """A frame's samples without the echo; `sounds` says whether there may be an echo at all."""
        ended_s = self._clock.tell(frame.at_s)
        if not sounds:
            return frame.samples
        self._heard.append(_Heard(ended_s, frame.samples))
        late_s = self._aligned()
        if late_s is None:
            return frame.samples
        left = self._cancel(self._heard[-1], late_s)
        return left if self._quieter() else frame.samples

    def realign(self) -> None:
        """Locate the echo again, as a new sound begins."""
        self._late_s = None
        self._found_s = None
        self._sought_frames = 0
        self._heard.clear()
        self._cleaned.clear()

    def over_leak_db(self) -> float | None:
        """How far what was just heard exceeds what is left of an echo; None where that is unknown.

        It is, while no echo is located, and where a filter that knows the room too little makes
        what is heard louder. Where the echo has just moved, nothing exceeds it.
        """
        if self._late_s is None:
            return None
        late_s = self._found()
        if late_s is not None and abs(late_s - self._late_s) > MISALIGNED_S:
            return 0.0
        leak = self._leak()
        if leak is None or not self._leaks:
            return None
        return 10 * math.log10(leak / min(self._leaks))

    def _quieter(self) -> bool:
        """Whether the filter lately took energy away; it can add some, but no echo does."""
        recent = list(self._cleaned)[-JUDGED_OVER_FRAMES:]
        return sum(cleaned.kept for cleaned in recent) < sum(cleaned.heard for cleaned in recent)

    def _aligned(self) -> float | None:
        """How much later than reported the sound comes; None while that is not known."""
        self._sought_frames += 1
        every = SOUGHT_EVERY_FRAMES if self._late_s is None else CHECKED_EVERY_FRAMES
        if self._sought_frames >= SOUGHT_FROM_FRAMES and self._sought_frames % every == 0:
            self._align()
        return self._late_s

    def _align(self) -> None:
        """Locate the echo; where it is a new place, learn from what was heard lately."""
        late_s = self._found()
        before_s, self._found_s = self._found_s, late_s
        if late_s is None or before_s is None or abs(late_s - before_s) > MISALIGNED_S:
            return
        known_s = self._late_s
        if known_s is not None and abs(late_s - known_s) <= MISALIGNED_S:
            return
        self._late_s = late_s
        if known_s is not None:  # what the filter has learnt since the echo moved is wrong
            self._leaks.clear()
            self._cleaned.clear()
        self._canceller.restart()
        for frame in list(self._heard)[:-1]:
            self._cancel(frame, late_s)

    def _found(self) -> float | None:
        """How late the echo comes in all frames kept; None where it does not stand out."""
        heard, played = self._recent()
        place, prominence = echo_place(heard, played)
        if prominence < LEAST_PROMINENCE:
            return None
        return LATEST_S - place / SAMPLE_RATE_HZ - ALIGNED_TO_S

    def _cancel(self, frame: _Heard, late_s: float) -> bytes:
        played = self._played(frame.ended_s - FRAME_S - late_s, FRAME_SAMPLES)
        left = self._canceller.cancel(frame.samples, played.tobytes())
        heard, kept = _floats(frame.samples), _floats(left)
        self._cleaned.append(_Cleaned(_energy(heard), _energy(kept), _energy(heard - kept)))
        leak = self._leak()
        if leak is not None:
            self._leaks.append(leak)
        return left

    def _leak(self) -> float | None:
        """The energy kept lately, as a share of what was taken away; None where that is unknown."""
        lately = list(self._cleaned)[-LEAK_OVER_FRAMES:]
        counted = [c for c in lately if c.kept < ADDED * c.heard]
        if 2 * len(counted) < LEAK_OVER_FRAMES:
            return None
        kept, removed = sum(c.kept for c in counted), sum(c.removed for c in counted)
        return (kept + 1.0) / (removed + 1.0)

    def _recent(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """All frames kept, and all that was played that may sound in them."""
        recent = self._heard
        heard = _floats(b"".join(samples for _, samples in recent))
        count = len(heard) + round((LATEST_S - EARLIEST_S) * SAMPLE_RATE_HZ)
        played = self._played(recent[0].ended_s - FRAME_S - LATEST_S, count)
        return heard, played.astype(np.float32)


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


def echo_place(heard: NDArray[np.float32], played: NDArray[np.float32]) -> tuple[int, float]:
    """Where in `played` the shorter `heard` is an echo of it, and how far that peak stands out.

    The peak of the direct sound is sharp where all frequencies count alike ("PHAT": Knapp and
    Carter, "The generalized correlation method for estimation of time delay", 1976); that of the
    plain correlation is often another syllable, or a reflection 10 to 40 ms later. It stands out by
    the ratio to the next one that is `NEXT_PEAK_S` away or more.
    """
    size = 1 << (len(heard) + len(played)).bit_length()
    spectrum = np.fft.rfft(played, size) * np.conj(np.fft.rfft(heard, size))
    weight = np.abs(spectrum)
    spectrum /= weight + 1e-3 * weight.mean() + 1e-9
    peaks = np.abs(np.fft.irfft(spectrum, size)[: len(played) - len(heard) + 1])
    place = int(np.argmax(peaks))
    apart = round(NEXT_PEAK_S * SAMPLE_RATE_HZ)
    others = np.concatenate([peaks[: max(0, place - apart)], peaks[place + apart + 1 :]])
    return place, float(peaks[place] / (others.max() + 1e-9))


def _energy(samples: NDArray[np.float32]) -> float:
    return float(samples @ samples)


def _floats(samples: bytes) -> NDArray[np.float32]:
    return np.frombuffer(samples, np.int16).astype(np.float32)
