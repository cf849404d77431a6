"""The echo canceller: an adaptive filter that learns the path from loudspeaker to microphone.

A partitioned frequency-domain Kalman filter. It weighs what it does not know of the path against
what it cannot explain, so that it learns fast in a new room and hardly at all while a person talks
too: G. Enzner and P. Vary, "Frequency-domain adaptive Kalman filter for acoustic echo control in
hands-free telephones", 2006; F. Kuech, E. Mabande and G. Enzner, "State-space architecture of the
partitioned-block-based acoustic echo controller", 2014.
"""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

from audio.frames import FRAME_BYTES, FRAME_SAMPLES

# A quarter of a second, in which most of a room's echo is over.
PARTITIONS = 8
BINS = FRAME_SAMPLES + 1
# What is thought of an unknown room: the squared gain of its first 32 ms, and what is left of that
# in each 32 ms that follow.
FIRST_VARIANCE, FADES = 0.1, 0.4
# The share of the path's energy that changes from frame to frame: a little where people move, and
# more at higher frequencies, where the clocks of loudspeaker and microphone drift by so many
# samples a frame (40 parts in a million).
MOVES, DRIFTS_SAMPLES = 4e-4, 0.02
_CHANGES = MOVES + (DRIFTS_SAMPLES * np.pi * np.arange(BINS) / FRAME_SAMPLES) ** 2
# A path that makes what is heard louder over several frames is not the path any more: the sound
# stuttered, or somebody moved the loudspeaker. So much of its energy is then unknown.
LOUDER, LOST = 1.12, 0.5
SMOOTHING = 0.8
LEAST_NOISE = 30.0 * FRAME_SAMPLES
# Each frame corrects the path together with some before it, which it explains better by now. In
# the first two seconds of a first reply that removes 9 to 21 dB in place of 4 to 9.
AGAIN = 3

Spectra = NDArray[np.complex64]
Signal = NDArray[np.float32]


class EchoCanceller:
    """Learns the acoustic path from the loudspeaker to the microphone while something is played."""

    def __init__(self) -> None:
        self._path: Spectra = np.zeros((PARTITIONS, BINS), np.complex64)
        fading = FIRST_VARIANCE * FADES ** np.arange(PARTITIONS, dtype=np.float32)
        self._variance = np.repeat(fading[:, None], BINS, axis=1)
        self._noise = np.full(BINS, LEAST_NOISE, np.float32)
        self.restart()

    def restart(self) -> None:
        """Forget what was played before, but not the room: the next frame follows none."""
        self._played: Signal = np.zeros(FRAME_SAMPLES, np.float32)
        self._spectra: Spectra = np.zeros((PARTITIONS + AGAIN, BINS), np.complex64)
        self._heard: deque[Signal] = deque(maxlen=AGAIN + 1)
        self._energy = np.zeros(2)

    def cancel(self, heard: bytes, played: bytes) -> bytes:
        """The 512 samples `heard`, without the echo of what was `played` at the same time."""
        if not len(heard) == len(played) == FRAME_BYTES:
            raise ValueError(f"{len(heard)} and {len(played)} bytes are not a frame each")
        before, self._played = self._played, _floats(played)
        self._spectra = np.roll(self._spectra, 1, axis=0)
        self._spectra[0] = np.fft.rfft(np.concatenate([before, self._played]))
        self._heard.appendleft(_floats(heard))
        left = self._unexplained(0)
        self._noise *= SMOOTHING
        self._noise += (1 - SMOOTHING) * np.abs(_spectrum(left)) ** 2
        np.maximum(self._noise, LEAST_NOISE, out=self._noise)
        self._energy = SMOOTHING * self._energy + (_energy(self._heard[0]), _energy(left))
        heard_energy, left_energy = self._energy
        lost = LOST if left_energy > LOUDER * heard_energy else 0.0
        self._variance += (_CHANGES + lost).astype(np.float32) * np.abs(self._path) ** 2
        for age in range(len(self._heard)):
            self._correct(age)
        return np.clip(np.rint(left), -32768, 32767).astype(np.int16).tobytes()

    def _unexplained(self, age: int) -> Signal:
        """What the path known now leaves of the frame that was heard `age` frames ago."""
        echo = np.fft.irfft((self._path * self._spectra[age : age + PARTITIONS]).sum(axis=0))
        return (self._heard[age] - echo[FRAME_SAMPLES:]).astype(np.float32)

    def _correct(self, age: int) -> None:
        """Learn from what is not explained of a frame."""
        spectra = self._spectra[age : age + PARTITIONS]
        power = np.abs(spectra) ** 2
        gain = self._variance / ((self._variance * power).sum(axis=0) + 2 * self._noise)
        step = np.fft.irfft(gain * np.conj(spectra) * _spectrum(self._unexplained(age)))
        step[:, FRAME_SAMPLES:] = 0.0
        self._path += np.fft.rfft(step).astype(np.complex64)
        self._variance *= 1 - gain * power / 2


def _spectrum(left: Signal) -> Spectra:
    """The spectrum of a frame after as many zeros."""
    silence = np.zeros(FRAME_SAMPLES, np.float32)
    return np.fft.rfft(np.concatenate([silence, left])).astype(np.complex64)


def _energy(signal: Signal) -> float:
    return float(signal @ signal)


def _floats(samples: bytes) -> Signal:
    return np.frombuffer(samples, np.int16).astype(np.float32)
