"""Sound of any rate and channel count, cut into the assistant's frames: 16 kHz, mono, int16."""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import soundfile
import soxr
from numpy.typing import NDArray

from assistant.core.errors import InputError
from assistant.core.messages import SAMPLE_RATE_HZ

FRAME_SAMPLES = 512
FRAME_BYTES = FRAME_SAMPLES * 2
FRAME_S = FRAME_SAMPLES / SAMPLE_RATE_HZ
SILENCE = bytes(FRAME_BYTES)
FLAC, WAVES = b"fLaC", (b"RIFF", b"RF64")
"""First bytes of the files that are accepted; libsndfile would try two dozen other formats."""
RATES_HZ = range(1_000, 768_001)
MOST_CHANNELS = 64
MOST_SAMPLES_A_BLOCK = 1_000_000
"""Most samples that are read at once, of all channels together."""
MPEG = (0x50, 0x55)
"""Codecs in a WAV file that have a large decoder of their own."""

Samples = NDArray[np.int16]


class Reblock:
    """Cuts a stream of bytes into blocks of `size` bytes, whatever pieces it comes in."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._held = bytearray()

    def push(self, piece: bytes) -> Iterator[bytes]:
        """The blocks that `piece` completes."""
        self._held += piece
        whole = len(self._held) // self._size * self._size
        blocks = bytes(self._held[:whole])
        del self._held[:whole]
        for start in range(0, whole, self._size):
            yield blocks[start : start + self._size]

    def flush(self) -> Iterator[bytes]:
        """The last block, filled up with zeros, if anything is left for one."""
        if self._held:
            yield bytes(self._held).ljust(self._size, b"\0")
            self._held.clear()


class Framer:
    """Turns blocks of `rate_hz` and `channels` into frames of 512 samples as they come."""

    def __init__(self, rate_hz: int, channels: int) -> None:
        self._channels = channels
        self._blocks = Reblock(FRAME_BYTES)
        self._resampler = (
            None
            if rate_hz == SAMPLE_RATE_HZ
            else soxr.ResampleStream(rate_hz, SAMPLE_RATE_HZ, 1, dtype="int16", quality="HQ")
        )

    def push(self, samples: Samples, last: bool = False) -> Iterator[bytes]:
        """The frames that `samples`, of shape (n, channels), complete; `last` gives the rest."""
        mono = samples.reshape(-1, self._channels)
        mixed = mono[:, 0] if self._channels == 1 else mono.mean(axis=1).astype(np.int16)
        if self._resampler is not None:
            mixed = self._resampler.resample_chunk(np.ascontiguousarray(mixed), last=last)
        yield from self._blocks.push(mixed.tobytes())
        if last:
            yield from self._blocks.flush()


class Resampler:
    """Resamples a sound that comes in pieces as though it came in one."""

    def __init__(self, rate_hz: int, wanted_hz: int) -> None:
        self.rate_hz, self.wanted_hz = rate_hz, wanted_hz
        self._stream = (
            None
            if rate_hz == wanted_hz
            else soxr.ResampleStream(rate_hz, wanted_hz, 1, dtype="int16", quality="HQ")
        )

    def push(self, samples: Samples, last: bool) -> Samples:
        """What a piece completes; `last` gives the rest, and nothing may follow."""
        if self._stream is None:
            return samples
        resampled: Samples = self._stream.resample_chunk(samples, last=last)
        return resampled


def at_rate(samples: Samples, rate_hz: int, wanted_hz: int) -> Samples:
    """Mono `samples` of `rate_hz`, resampled in one piece."""
    if rate_hz == wanted_hz or not len(samples):
        return samples
    resampled: Samples = soxr.resample(samples, rate_hz, wanted_hz)
    return resampled


def frames_of(path: Path) -> Iterator[bytes]:
    """The frames of a FLAC or WAV file of any length, read a second at a time.

    Raises `InputError` at once for a file that is missing, empty or no audio; for a truncated one
    it raises when it reaches the end.
    """
    _check(path)
    try:
        sound = soundfile.SoundFile(path)
    except soundfile.LibsndfileError as error:
        reason = str(error.error_string).rstrip(".")
        raise _unusable(path, f"is not audio that can be read (FLAC or WAV): {reason}") from error
    with contextlib.ExitStack() as opening:
        opening.enter_context(sound)
        if sound.frames == 0:
            raise _unusable(path, "holds no sound")
        if sound.samplerate not in RATES_HZ or sound.channels > MOST_CHANNELS:
            raise _unusable(path, f"has {sound.channels} channels at {sound.samplerate} Hz")
        opening.pop_all()
    return _read(path, sound)


def _read(path: Path, sound: soundfile.SoundFile) -> Iterator[bytes]:
    framer = Framer(sound.samplerate, sound.channels)
    left = sound.frames
    size = min(sound.samplerate, MOST_SAMPLES_A_BLOCK // sound.channels)
    with sound:
        while left > 0:
            try:
                block = sound.read(size, dtype="int16", always_2d=True)
            except soundfile.LibsndfileError as error:
                raise _unusable(path, f"is truncated or damaged: {error.error_string}") from error
            if not len(block):
                seconds = left / sound.samplerate
                raise _unusable(path, f"is truncated: its last {seconds:.1f} s are missing")
            left -= len(block)
            yield from framer.push(np.asarray(block, np.int16))
    yield from framer.push(np.zeros((0, sound.channels), np.int16), last=True)


def _check(path: Path) -> None:
    try:
        with path.open("rb") as file:
            head = file.read(65536)
    except OSError as error:
        raise _unusable(path, str(error.strerror).lower()) from error
    if not head:
        raise _unusable(path, "is empty")
    if head[:4] in WAVES and head[8:12] == b"WAVE":
        _check_wave(path, head)
    elif head[:4] != FLAC:
        raise _unusable(path, "is not audio that can be read (FLAC or WAV)")


def _check_wave(path: Path, head: bytes) -> None:
    # libsndfile reads a truncated WAV as a short one, and calls impossible formats "unknown".
    at = 12
    while at + 8 <= len(head):
        name, size = struct.unpack_from("<4sI", head, at)
        at += 8
        if name == b"fmt " and at + 8 <= len(head):
            kind, channels, rate_hz = struct.unpack_from("<HHI", head, at)
            if kind in MPEG:
                raise _unusable(path, "is not audio that can be read (FLAC or WAV): it holds MPEG")
            if channels == 0 or rate_hz == 0:
                raise _unusable(path, f"has {channels} channels at {rate_hz} Hz")
        if name == b"data":
            # A writer to a pipe cannot know the size and gives the largest possible, or zero.
            missing = at + size - path.stat().st_size
            if missing > 0 and size < 0x7FFF0000:
                raise _unusable(path, f"is truncated: its last {missing} bytes are missing")
            return
        at += size + size % 2


def _unusable(path: Path, what: str) -> InputError:
    return InputError("audio.unusable", f"{path}: {what}")
