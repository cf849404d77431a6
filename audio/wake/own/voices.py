"""Many voices for one text: flite's and eSpeak NG's, at several speeds and pitches, and altered.

A few people's examples are too few to learn a word from; the same word in many synthetic voices
fills the space between them. What differs between two rooms, microphones and heads is altered at
random: the length of the vocal tract, reverberation, the spectrum's slope, level and noise.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from typing import Any

import numpy as np
import soxr
from numpy.typing import NDArray

from assistant.core.errors import InputError, SpeakingError
from assistant.core.messages import SAMPLE_RATE_HZ
from audio.frames import at_rate
from audio.tts.flite import VOICES as FLITE_VOICES
from audio.tts.program import find, speak
from audio.tts.voice import TRAIL_S, Samples

Sound = NDArray[np.floating[Any]]

LOW_PITCHES_HZ, HIGH_PITCHES_HZ = (80, 150), (140, 230)
FLITE_STRETCH = (0.8, 1.35)
ESPEAK_LANGUAGES = ("en-us", "en-gb", "en-gb-x-rp", "en-gb-scotland", "en-029", "en-us-nyc")
ESPEAK_VARIANTS = (
    *("m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8", "f1", "f2", "f3", "f4", "f5"),
    *("adam", "Andrea", "Alicia", "Michael", "antonio", "anika", "aunty", "belinda", "benjamin"),
    *("boris", "caleb", "david", "Denis", "ed", "edward", "Gene", "iven", "john", "Lee", "linda"),
    *("marcelo", "Mario", "max", "michel", "miguel", "norbert", "paul", "pedro", "quincy", "rob"),
    *("robert", "shelby", "steph", "travis", "victor"),
)
ESPEAK_WORDS_A_MINUTE, ESPEAK_PITCHES = (120, 210), (20, 80)

PATIENCE_S = 30.0
"""Seconds that a program may take to start: no one waits for its sentence, and others may work."""
_BLOCK = 2048
_TILT_HZ = np.array([0, 200, 500, 1000, 2000, 3000, 4000, 8000])


Speaker = Callable[[str, random.Random], Samples]


def speakers() -> list[Speaker]:
    """The programs that can speak here; raises `InputError` where there is none."""
    ways: dict[str, Speaker] = {"flite": _flite, "espeak-ng": _espeak}
    found = [way for program, way in ways.items() if shutil.which(program)]
    if not found:
        message = "to learn a wake word, flite or espeak-ng is needed; run: sudo apt install flite"
        raise InputError("wake.no_voice", message)
    return found


def utter(text: str, dice: random.Random) -> Sound:
    """`text` in a voice drawn by `dice`, at 16 kHz between -1 and 1; raises `InputError`."""
    try:
        spoken = dice.choice(speakers())(text, dice)
    except SpeakingError as error:
        raise InputError(error.code, error.message) from error
    heard = spoken.pcm[: -round(TRAIL_S * spoken.rate_hz)]
    return np.asarray(at_rate(heard, spoken.rate_hz, SAMPLE_RATE_HZ) / 32768, np.float32)


def _flite(text: str, dice: random.Random) -> Samples:
    voice = dice.choice(FLITE_VOICES)
    low, high = HIGH_PITCHES_HZ if voice == "slt" else LOW_PITCHES_HZ
    settings = (
        *("--setf", f"duration_stretch={dice.uniform(*FLITE_STRETCH):.2f}"),
        *("--setf", f"int_f0_target_mean={dice.uniform(low, high):.0f}"),
    )
    program = find("flite", "flite")
    command = [program, "-voice", voice, *settings, "/dev/stdin"]
    return speak(lambda out: [*command, out], text, PATIENCE_S)


def _espeak(text: str, dice: random.Random) -> Samples:
    voice = f"{dice.choice(ESPEAK_LANGUAGES)}+{dice.choice(ESPEAK_VARIANTS)}"
    speed, pitch = str(dice.randint(*ESPEAK_WORDS_A_MINUTE)), str(dice.randint(*ESPEAK_PITCHES))
    program = find("espeak-ng", "espeak-ng")
    command = [program, "-v", voice, "-s", speed, "-p", pitch, "--stdin", "-w"]
    return speak(lambda out: [*command, out], text, PATIENCE_S)


def altered(
    sound: Sound,
    dice: random.Random,
    before_s: float,
    after_s: float,
    stretch: tuple[float, float] = (0.85, 1.18),
) -> tuple[NDArray[np.int16], float]:
    """`sound` as another head, room and microphone would have it, with noise around it.

    With it comes the second at which the speech in it ends. `stretch` bounds how much longer the
    vocal tract is made, and the sound with it.
    """
    noise = np.random.default_rng(dice.getrandbits(32))
    sound = soxr.resample(sound, SAMPLE_RATE_HZ, SAMPLE_RATE_HZ * dice.uniform(*stretch))
    if dice.random() < 0.5:
        sound = _reverberated(sound, noise, dice)
    size = _quick(len(sound))
    slopes_db = np.interp(
        np.fft.rfftfreq(size, 1 / SAMPLE_RATE_HZ), _TILT_HZ, noise.uniform(-8, 8, 8)
    )
    sloped = np.fft.irfft(np.fft.rfft(sound, size) * 10 ** (slopes_db / 20), size)
    sound = sloped[: len(sound)]
    level = 10 ** (dice.uniform(-45, -14) / 20)
    sound = sound * level / (np.sqrt(np.mean(sound**2)) + 1e-6)
    begins, rest = round(before_s * SAMPLE_RATE_HZ), round(after_s * SAMPLE_RATE_HZ)
    whole = np.pad(sound, (begins, rest))
    whole += hiss(len(whole), noise, dice) * level * 10 ** (-dice.uniform(5, 40) / 20)
    pcm = np.clip(whole * 32768, -32768, 32767).astype(np.int16)
    return pcm, (begins + len(sound)) / SAMPLE_RATE_HZ


def _reverberated(sound: Sound, noise: np.random.Generator, dice: random.Random) -> Sound:
    tail = round(SAMPLE_RATE_HZ * dice.uniform(0.05, 0.35))
    echo = noise.standard_normal(tail) * np.exp(-5 * np.arange(tail) / tail)
    echo /= np.sqrt(np.sum(echo**2))
    size, wet = _quick(len(sound) + tail), dice.uniform(0.1, 0.6)
    late = np.fft.irfft(np.fft.rfft(sound, size) * np.fft.rfft(echo, size), size)
    mixed = np.pad(sound, (0, size - len(sound))) * (1 - wet) + wet * late
    return np.asarray(mixed[: len(sound) + tail // 3], np.float32)


def hiss(size: int, noise: np.random.Generator, dice: random.Random) -> NDArray[np.float64]:
    """Noise of a random colour, with a deviation of 1."""
    white = noise.standard_normal(_quick(size))
    slope = np.maximum(np.fft.rfftfreq(len(white), 1 / SAMPLE_RATE_HZ), 50) ** dice.uniform(0, 1.2)
    coloured = np.fft.irfft(np.fft.rfft(white) / slope, len(white))
    return np.asarray(coloured[:size] / coloured.std(), np.float64)


def _quick(size: int) -> int:
    """The next size whose Fourier transform is quick; that of a prime number takes ten times."""
    return -(-size // _BLOCK) * _BLOCK
