"""A loudspeaker, a room and a microphone, simulated frame by frame, faster than real time.

Rooms are shoeboxes by the image method (Allen and Berkley, "Image method for efficiently simulating
small-room acoustics", 1979). The loudspeaker compresses its peaks (tanh), which no linear filter
undoes.
"""

from __future__ import annotations

import math
import random
from itertools import product
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from assistant.core.messages import SAMPLE_RATE_HZ
from audio.frames import FRAME_SAMPLES

SOUND_M_S = 343.0
LOWEST_HZ = 120.0
"""Frequency below which neither a small loudspeaker nor the microphone passes anything on."""
FULL_SCALE = 32768.0

Sound = NDArray[np.float64]
Point = tuple[float, float, float]


class Room(NamedTuple):
    """A room of `size` in metres with a reverberation time, and who is where in it."""

    size: Point
    t60_s: float
    microphone: Point
    loudspeaker: Point
    person: Point

    @classmethod
    def drawn(cls, rng: random.Random) -> Self:
        """A home's room: the loudspeaker by the microphone, the person at least 1 m away."""
        size = rng.uniform(3.0, 6.0), rng.uniform(2.5, 5.0), rng.uniform(2.3, 2.8)
        microphone = rng.uniform(0.3, 1.0), rng.uniform(0.3, size[1] - 0.3), rng.uniform(0.6, 1.2)
        x, y, z = microphone
        near = x + rng.uniform(0.05, 0.2), y + rng.uniform(-0.1, 0.1), z - rng.uniform(0.02, 0.1)
        person = x + rng.uniform(1.0, size[0] - x - 0.3), rng.uniform(0.3, size[1] - 0.3), 1.6
        return cls(size, rng.uniform(0.25, 0.5), microphone, near, person)

    def response(self, source: Point) -> Sound:
        """The impulse response from `source` to the microphone, at 16 kHz."""
        length = round(self.t60_s * SAMPLE_RATE_HZ)
        volume, (x, y, z) = float(np.prod(self.size)), self.size
        absorbed = 1 - np.exp(-0.161 * volume / (2 * (x * y + y * z + x * z) * self.t60_s))
        reflected = np.sqrt(1 - absorbed)
        axes = [self._images(axis, source, length) for axis in range(3)]
        response = np.zeros(length + 1)
        squares = axes[1][0][:, None] ** 2 + axes[2][0][None, :] ** 2
        bounces = axes[1][1][:, None] + axes[2][1][None, :]
        for offset, bounced in zip(*axes[0], strict=True):
            metres = np.sqrt(offset**2 + squares)
            late = np.rint(metres / SOUND_M_S * SAMPLE_RATE_HZ).astype(int)
            here = late < length
            strength = reflected ** (bounces[here] + bounced) / metres[here]
            np.add.at(response, late[here], strength)
        return _high_passed(response[:length])

    def _images(self, axis: int, source: Point, length: int) -> tuple[Sound, NDArray[np.int64]]:
        """Distances of the source's images along an axis, and their numbers of reflections."""
        size, here = self.size[axis], self.microphone[axis]
        reach = int(length / SAMPLE_RATE_HZ * SOUND_M_S / (2 * size)) + 1
        images = [
            ((1 - 2 * flipped) * source[axis] + 2 * n * size - here, abs(n - flipped) + abs(n))
            for n, flipped in product(range(-reach, reach + 1), (0, 1))
        ]
        return np.array([i[0] for i in images]), np.array([i[1] for i in images])


def _high_passed(response: Sound) -> Sound:
    """The causal high-pass filter of Allen and Berkley's paper, at `LOWEST_HZ`."""
    angle = 2 * math.pi * LOWEST_HZ / SAMPLE_RATE_HZ
    radius = math.exp(-angle)
    passed = np.zeros(len(response))
    before = before_that = 0.0
    for n, sample in enumerate(response):
        now = 2 * radius * math.cos(angle) * before - radius**2 * before_that + sample
        passed[n] = now - (1 + radius) * before + radius * before_that
        before, before_that = now, before
    return passed


class Loudspeaker:
    """Plays frames into a room; `drive` is how far its peaks are compressed, 0 for not at all."""

    def __init__(self, response: Sound, drive: float, delay_s: float) -> None:
        self._drive = drive
        self._size = 1 << (len(response) + FRAME_SAMPLES).bit_length()
        self._spectrum = np.fft.rfft(response, self._size)
        self._waiting = np.zeros(round(delay_s * SAMPLE_RATE_HZ))
        self._delay = len(self._waiting)
        self._ringing = np.zeros(self._size)

    def play(self, samples: NDArray[np.int16]) -> Sound:
        """What the microphone hears of the loudspeaker while it is given the next 512 samples."""
        self._waiting = np.concatenate([self._waiting, samples.astype(np.float64)])
        now, self._waiting = self._waiting[:FRAME_SAMPLES], self._waiting[FRAME_SAMPLES:]
        moved = compressed(now, self._drive)
        self._ringing += np.fft.irfft(np.fft.rfft(moved, self._size) * self._spectrum, self._size)
        heard = self._ringing[:FRAME_SAMPLES]
        self._ringing = np.concatenate([self._ringing[FRAME_SAMPLES:], np.zeros(FRAME_SAMPLES)])
        return heard

    def abort(self) -> None:
        """Drop what waits to be played."""
        self._waiting = np.zeros(self._delay)


def compressed(samples: Sound, drive: float) -> Sound:
    """The sound of a loudspeaker whose excursion is limited."""
    return np.tanh(samples / FULL_SCALE * drive) / drive * FULL_SCALE


def within(samples: Sound, response: Sound) -> Sound:
    """`samples` as they sound in a room, with the reverberation after them."""
    size = 1 << (len(samples) + len(response)).bit_length()
    sound = np.fft.irfft(np.fft.rfft(samples, size) * np.fft.rfft(response, size), size)
    return sound[: len(samples) + len(response)]


def active_rms(samples: Sound) -> float:
    """The level of the 20 ms pieces that are within 25 dB of the loudest."""
    size = SAMPLE_RATE_HZ // 50
    pieces = samples[: len(samples) // size * size].reshape(-1, size)
    power = (pieces**2).mean(axis=1)
    return float(np.sqrt(power[power > power.max() * 10**-2.5].mean()))


def spoken_part(samples: Sound) -> Sound:
    """A recording without what comes before and after the loud part."""
    size = SAMPLE_RATE_HZ // 50
    pieces = samples[: len(samples) // size * size].reshape(-1, size)
    power = (pieces**2).mean(axis=1)
    loud = np.flatnonzero(power > power.max() * 10**-3.0)
    return samples[max(0, loud[0] - 3) * size : (loud[-1] + 4) * size]
