"""Broken recordings: WAV and FLAC files, mutated, through the reader of `assistant hear`.

Now and then the daemon hears what was read, as its microphone is a FIFO.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import ClassVar

import numpy as np
import soundfile

from assistant.core.errors import InputError
from audio.frames import FRAME_BYTES, frames_of
from benchmarks.hostile.attack import changed, ill_told
from benchmarks.hostile.child import Child
from benchmarks.hostile.target import Effects, Target

MOST_FRAMES = 20_000
"""Most frames that are read, ten minutes; a header may claim years."""
HEARD_EVERY = 100
HEARD_BYTES = 64_000
"""Bytes for the daemon's microphone, two seconds."""
READING = "reading"


class AudioAttack:
    """One file a blow, WAV and FLAC in turn."""

    name: ClassVar[str] = "audio"
    blows: ClassVar[int] = 10_000

    def __init__(self, folder: Path, seed: int) -> None:
        self.settings = ""
        self._folder, self._seed = folder, seed
        self._child = Child(read)

    def open(self, target: Target) -> None:
        """Have the reading process watched as well, once it has read something."""
        self._target = target
        (sound := self._folder / "first.wav").write_bytes(_ORIGINALS[0])
        self._child.ask(str(sound))
        target.also = {self._child.pid: READING}

    def blow(self, number: int) -> str:
        """Write the file of this number, and have it read."""
        rng = random.Random(self._seed << 40 | number)
        content = mutated(_ORIGINALS[number % len(_ORIGINALS)], rng)
        file = self._folder / f"sound{_SUFFIXES[number % len(_ORIGINALS)]}"
        file.write_bytes(content)
        if number % HEARD_EVERY == 0:
            with self._target.rig.microphone.open("wb") as microphone:
                microphone.write(content[:HEARD_BYTES])
        return self._child.ask(str(file))

    def wrong(self, before: Effects, after: Effects) -> list[str]:
        """Every change: nobody has said anything."""
        return changed(before, after)

    def close(self) -> None:
        """End the reading process."""
        self._child.close()


def read(path: str) -> str:
    """Read a recording to its end; "" when it gives frames, or is refused in one line."""
    try:
        for number, frame in enumerate(frames_of(Path(path))):
            if len(frame) != FRAME_BYTES:
                return f"a frame of {len(frame)} bytes"
            if number == MOST_FRAMES:
                break
    except InputError as error:
        if ill_told(error.message) or path not in error.message:
            return f"no error of one line that names the file: {error.message[:200]!r}"
    return ""


# ── mutations ───────────────────────────────────────────────────────────────────────────────


def mutated(original: bytes, rng: random.Random) -> bytes:
    """The file with one or several things wrong, mostly in its header."""
    for _ in range(rng.choice((1, 1, 2, 5))):
        original = rng.choice(_WAYS)(original, rng) or b"\0"
    return original


def _bits(content: bytes, rng: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(rng.choice((1, 3, 30))):
        reach = len(changed) if rng.random() < 0.3 else min(len(changed), 90)
        changed[rng.randrange(reach)] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _cut(content: bytes, rng: random.Random) -> bytes:
    return content[: rng.randrange(len(content))]


def _torn(content: bytes, rng: random.Random) -> bytes:
    begin, end = sorted(rng.randrange(len(content) + 1) for _ in range(2))
    return content[:begin] + content[end:]


def _number(content: bytes, rng: random.Random) -> bytes:
    """Make a number of the header absurd."""
    size, place = rng.choice((1, 2, 4, 8)), rng.randrange(min(len(content), 90))
    value = rng.choice((0, 1, 2**31 - 1, 2**31, 2**32 - 1, 2**64 - 1, 3, 65_535, 255, 7))
    number = (value % 2 ** (8 * size)).to_bytes(size, rng.choice(("little", "big")))
    return content[:place] + number + content[place + size :]


def _chunk(content: bytes, rng: random.Random) -> bytes:
    """Add a chunk, as large as it says or not."""
    name = rng.choice((b"LIST", b"fmt ", b"data", b"fact", b"PEAK", b"bext", b"id3 ", b"\0\0\0\0"))
    size = rng.choice((0, 1, 16, 40, 2**31, 2**32 - 1))
    chunk = name + struct.pack("<I", size) + rng.randbytes(rng.choice((0, size % 100, 40)))
    place = rng.choice((12, 36, len(content), rng.randrange(len(content) + 1)))
    return content[:place] + chunk + content[place:]


def _renamed(content: bytes, rng: random.Random) -> bytes:
    """Replace the header by that of another kind of file."""
    heads = (b"RIFF", b"RIFX", b"RF64", b"fLaC", b"OggS", b"FORM", b".snd", b"ID3\x04", b"caff")
    return rng.choice(heads) + content[4:]


def _grown(content: bytes, rng: random.Random) -> bytes:
    return content + rng.choice((content, rng.randbytes(5_000), bytes(300_000)))


_WAYS: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    *(_bits, _bits, _cut, _torn, _number, _number, _number, _chunk, _renamed, _grown),
)


def _original(kind: str, subtype: str, rate_hz: int, channels: int) -> bytes:
    noise = np.random.default_rng(1).normal(0, 0.1, (rate_hz // 5, channels))
    file = BytesIO()
    soundfile.write(file, noise, rate_hz, format=kind, subtype=subtype)
    return file.getvalue()


_KINDS = (
    *(("WAV", "PCM_16", 16_000, 1), ("FLAC", "PCM_16", 16_000, 1), ("WAV", "PCM_24", 44_100, 2)),
    *(("FLAC", "PCM_24", 48_000, 2), ("WAV", "FLOAT", 8_000, 1), ("FLAC", "PCM_S8", 8_000, 8)),
    *(("WAV", "IMA_ADPCM", 22_050, 1), ("WAVEX", "DOUBLE", 96_000, 6)),
    *(("WAV", "ULAW", 8_000, 1), ("WAV", "GSM610", 8_000, 1)),
)
_ORIGINALS = tuple(_original(*kind) for kind in _KINDS)
_SUFFIXES = tuple(f".{kind.lower()[:4]}" for kind, *_ in _KINDS)
