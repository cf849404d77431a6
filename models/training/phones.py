"""Speech of flite and eSpeak NG with the phone of each moment, as both programs tell it."""

from __future__ import annotations

import ctypes
import itertools
import random
import re
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import soundfile
from numpy.typing import NDArray

from assistant.core.messages import SAMPLE_RATE_HZ
from audio.frames import at_rate
from audio.tts.flite import VOICES as FLITE_VOICES
from audio.tts.program import find
from audio.wake.own.voices import (
    ESPEAK_LANGUAGES,
    ESPEAK_PITCHES,
    ESPEAK_VARIANTS,
    ESPEAK_WORDS_A_MINUTE,
    FLITE_STRETCH,
    HIGH_PITCHES_HZ,
    LOW_PITCHES_HZ,
)

SILENCE = 0
PHONES = (
    *("pau", "aa", "ae", "ah", "ao", "aw", "ay", "b", "ch", "d", "dh", "eh", "er", "ey", "f", "g"),
    *("hh", "ih", "iy", "jh", "k", "l", "m", "n", "ng", "ow", "oy", "p", "r", "s", "sh", "t", "th"),
    *("uh", "uw", "v", "w", "y", "z", "zh"),
)
"""The phones of CMU's dictionary, in flite's writing; a phone's number is its place."""
UNKNOWN = 255
"""The number of what has no counterpart."""

_ESPEAK = """
pau _ _: ? _^ _! _|
aa 0 A: A@ A   ae a aa a@   ah @ @- V a# @2 @5 V2   ao O: O2 o@ O@ O o   aw aU aU@   ay aI aI2 aI3
aI@   b b   ch tS   d d d#   dh D   eh E e@ e E2   er 3 3: IR VR @R 3@   ey eI e:   f f   g g
hh h h#   ih I I2 I# i@ i@3   iy i i:   jh dZ   k k k# x   l l @L l#   m m m-   n n n-   ng N
ow oU o:   oy OI   p p   r r r- R *   s s   sh S   t t t# t[ t2   th T   uh U U@   uw u u:
v v   w w w# W   y j   z z z#   zh Z
"""


def _espeak_phones() -> dict[str, int]:
    numbers: dict[str, int] = {}
    for group in re.split(r"\s{2,}|\n", _ESPEAK.replace("aI3\naI@", "aI3 aI@").strip()):
        phone, *names = group.split()
        numbers |= dict.fromkeys(names, PHONES.index(phone))
    return numbers


class Spoken(NamedTuple):
    """Speech at 16 kHz between -1 and 1."""

    sound: NDArray[np.float32]
    starts_s: NDArray[np.float64]
    """The second at which each phone begins, ascending."""
    phones: NDArray[np.uint8]
    """Its number, one for each of `starts_s`."""

    def at(self, seconds: NDArray[np.float64]) -> NDArray[np.uint8]:
        """The phone at each of these seconds; silence before the first and after the last."""
        places = np.searchsorted(self.starts_s, seconds, side="right") - 1
        found = np.where(places < 0, SILENCE, self.phones[places])
        ended = seconds >= len(self.sound) / SAMPLE_RATE_HZ
        return np.where(ended, SILENCE, found).astype(np.uint8)


def flite(text: str, dice: random.Random) -> Spoken:
    """`text` in one of flite's voices at a random speed and pitch."""
    voice = dice.choice(FLITE_VOICES)
    low, high = HIGH_PITCHES_HZ if voice == "slt" else LOW_PITCHES_HZ
    with tempfile.TemporaryDirectory() as folder:
        wave = Path(folder) / "spoken.wav"
        stretch, pitch_hz = dice.uniform(*FLITE_STRETCH), dice.uniform(low, high)
        done = subprocess.run(
            [
                *(find("flite", "flite"), "-voice", voice, "-psdur"),
                *("--setf", f"duration_stretch={stretch:.2f}"),
                *("--setf", f"int_f0_target_mean={pitch_hz:.0f}"),
                *("/dev/stdin", wave),
            ],
            input=text,
            capture_output=True,
            text=True,
            check=True,
        )
        pcm, rate_hz = soundfile.read(wave, dtype="int16")
    names, ends = zip(*(said.split(":") for said in done.stdout.split()), strict=True)
    numbers = [PHONES.index({"ax": "ah"}.get(name, name)) for name in names]
    starts = [0.0, *map(float, ends[:-1])]
    return _spoken(pcm, rate_hz, starts, numbers)


def _spoken(
    pcm: NDArray[np.int16], rate_hz: int, starts: list[float], numbers: list[int]
) -> Spoken:
    sound = np.asarray(at_rate(pcm, rate_hz, SAMPLE_RATE_HZ) / 32768, np.float32)
    return Spoken(sound, np.array(starts), np.array(numbers, np.uint8))


class Espeak:
    """eSpeak NG in this process, since only its library tells when each phone begins.

    https://github.com/espeak-ng/espeak-ng/blob/master/src/include/espeak-ng/speak_lib.h
    """

    _SYNCHRONOUS, _PHONE_EVENTS, _UTF8, _RATE, _PITCH, _PHONE = 2, 1, 1, 1, 3, 7

    def __init__(self) -> None:
        self._library = ctypes.CDLL("libespeak-ng.so.1")
        self._rate_hz = self._library.espeak_Initialize(
            self._SYNCHRONOUS, 500, None, self._PHONE_EVENTS
        )
        self._numbers = _espeak_phones()
        self._pcm: list[bytes] = []
        self._starts: list[float] = []
        self._phones: list[int] = []
        kind = ctypes.CFUNCTYPE(
            ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.POINTER(_Event)
        )
        self._heard = kind(self._hear)  # the library keeps no reference to it
        self._library.espeak_SetSynthCallback(self._heard)

    def __call__(self, text: str, dice: random.Random) -> Spoken:
        """`text` in one of its voices at a random speed and pitch."""
        voice = f"{dice.choice(ESPEAK_LANGUAGES)}+{dice.choice(ESPEAK_VARIANTS)}"
        self._library.espeak_SetVoiceByName(voice.encode())
        rate, pitch = dice.randint(*ESPEAK_WORDS_A_MINUTE), dice.randint(*ESPEAK_PITCHES)
        self._library.espeak_SetParameter(self._RATE, rate, 0)
        self._library.espeak_SetParameter(self._PITCH, pitch, 0)
        self._pcm, self._starts, self._phones = [], [], []
        content = text.encode() + b"\0"
        self._library.espeak_Synth(content, len(content), 0, 1, 0, self._UTF8, None, None)
        pcm = np.frombuffer(b"".join(self._pcm), np.int16)
        return _spoken(pcm, self._rate_hz, self._starts, self._phones)

    def _hear(self, samples: Any, count: int, events: Any) -> int:
        if samples and count:
            self._pcm.append(ctypes.string_at(samples, 2 * count))
        for event in itertools.takewhile(lambda event: event.type, _each(events)):
            if event.type == self._PHONE:
                # eSpeak NG 1.52 writes the stress before a vowel.
                name = event.id.string.decode().lstrip("',%=")
                # A mark without sound of its own belongs to the phone before it.
                if name not in ("", ";"):
                    self._starts.append(event.audio_position / 1000)
                    self._phones.append(self._numbers.get(name, UNKNOWN))
        return 0


def _each(events: Any) -> Iterator[Any]:
    return (events[n] for n in itertools.count())


class _Id(ctypes.Union):
    _fields_ = [("number", ctypes.c_int), ("name", ctypes.c_char_p), ("string", ctypes.c_char * 8)]


class _Event(ctypes.Structure):
    _fields_ = [
        ("type", ctypes.c_int),
        ("unique_identifier", ctypes.c_uint),
        *((name, ctypes.c_int) for name in ("text_position", "length", "audio_position", "sample")),
        ("user_data", ctypes.c_void_p),
        ("id", _Id),
    ]
