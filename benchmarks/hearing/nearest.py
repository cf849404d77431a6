"""Which of three devices answers: `python -m benchmarks.hearing.nearest --scenes 300`.

Rooms are simulated by pyroomacoustics: a person says the wake word and a command, three devices
stand 0.5 to 6 m away, their gains differ by 10 dB each way and their clocks by 0.1 s, and steady
noise is 18 to 30 dB below the voice at 1 m. Each has its own wake word engine. The nearest is
right. Beside `Contest`, which the base decides by, in the same scenes: who notices first, and who
hears it loudest.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterable, Sequence
from multiprocessing import Pool
from typing import NamedTuple

import msgspec
import numpy as np
import pyroomacoustics
from numpy.typing import NDArray

from assistant.core.config import Config
from assistant.core.messages import SAMPLE_RATE_HZ
from assistant.rooms.base.arbitration import ASKS_AFTER_S, DECIDES_AFTER_S, Contender, Contest
from audio.build import make_wake_word
from audio.clearness import Clearness
from audio.frames import FRAME_S, FRAME_SAMPLES, Samples, at_rate
from audio.tts.flite import Flite
from benchmarks.hearing.hours import VOICES
from benchmarks.hearing.rooms import active_rms

DEVICES = 3
SAID = (
    "computer, turn on the light",
    "computer, what time is it",
    "computer, set a timer for ten minutes",
    "computer, stop the music",
)
QUIET_S = 3.0
SELF_NOISE_DB = -45.0
FULL_SCALE = 32767
LEVEL = 800.0
"""RMS of a voice at 1 m, with no gain."""
APART = 1.25
"""How much further off the second device is than the nearest in a clear scene."""


class Heard(NamedTuple):
    """What one device heard: its distance, when its engine noticed, and its sound's frames."""

    metres: float
    noticed: int | None
    frames: list[bytes]


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """The share of scenes in which the nearest device answered, by who is chosen how."""

    scenes: int
    unnoticed: int
    """Scenes in which no device noticed the wake word."""
    contest: float
    contest_apart: float
    """The same, of those scenes alone in which the second device is a quarter further off."""
    first: float
    loudest: float


def scene(seed: int) -> list[Heard]:
    """One person in one room, as each device hears them."""
    draw, noise = random.Random(seed), np.random.default_rng(seed)
    size = [draw.uniform(4.5, 7.5), draw.uniform(3.5, 6.0), draw.uniform(2.3, 2.8)]
    absorption, order = pyroomacoustics.inverse_sabine(draw.uniform(0.25, 0.5), size)
    walls = pyroomacoustics.Material(absorption)
    room = pyroomacoustics.ShoeBox(
        size, fs=SAMPLE_RATE_HZ, materials=walls, max_order=min(order, 25)
    )
    person, devices, metres = _places(draw, size)
    room.add_source(person)
    room.add_microphone(np.array(devices).T)
    room.compute_rir()
    said = Flite(draw.choice(VOICES)).synthesise(draw.choice(SAID))
    voice = at_rate(said.pcm, said.rate_hz, SAMPLE_RATE_HZ).astype(np.float64)
    voice /= active_rms(voice)
    noise_db = draw.uniform(-30.0, -18.0)
    return [
        _heard(
            metres[number],
            np.convolve(voice, 4 * np.pi * room.rir[number][0]),
            noise_db,
            10 ** (draw.uniform(-10.0, 10.0) / 20),
            noise,
        )
        for number in range(DEVICES)
    ]


def _places(
    draw: random.Random, size: Sequence[float]
) -> tuple[list[float], list[list[float]], list[float]]:
    while True:
        person = [draw.uniform(0.4, side - 0.4) for side in size[:2]] + [draw.uniform(1.2, 1.7)]
        devices = [
            [draw.uniform(0.2, side - 0.2) for side in size[:2]] + [draw.uniform(0.6, 1.3)]
            for _ in range(DEVICES)
        ]
        metres = [float(np.linalg.norm(np.subtract(one, person))) for one in devices]
        if all(0.5 <= one <= 6.0 for one in metres):
            return person, devices, metres


def _heard(
    metres: float,
    sound: NDArray[np.float64],
    noise_db: float,
    gain: float,
    rng: np.random.Generator,
) -> Heard:
    quiet = np.zeros(round(QUIET_S * SAMPLE_RATE_HZ))
    there = np.concatenate([quiet, sound, quiet[: SAMPLE_RATE_HZ // 2]])
    there = there + _pink(len(there), rng) * 10 ** (noise_db / 20)
    there = there + rng.standard_normal(len(there)) * 10 ** (SELF_NOISE_DB / 20)
    samples = np.clip(there * gain * LEVEL, -FULL_SCALE, FULL_SCALE).astype(np.int16)
    frames = [samples[at : at + FRAME_SAMPLES] for at in range(0, len(samples), FRAME_SAMPLES)][:-1]
    return Heard(metres, _noticed(frames), [frame.tobytes() for frame in frames])


def _pink(count: int, rng: np.random.Generator) -> NDArray[np.float64]:
    spectrum = np.fft.rfft(rng.standard_normal(count))
    spectrum /= np.sqrt(np.maximum(np.fft.rfftfreq(count, 1 / SAMPLE_RATE_HZ), 50.0))
    sound = np.fft.irfft(spectrum, count)
    return sound / sound.std()


def _noticed(frames: Iterable[Samples]) -> int | None:
    engine = make_wake_word(Config())
    try:
        return next((n for n, frame in enumerate(frames) if engine.process(frame)), None)
    finally:
        engine.close()


def chosen(heard: Sequence[Heard], clocks: Sequence[int]) -> tuple[int, int, int]:
    """Which device answers by the contest, which noticed first, and which hears it loudest.

    `clocks` are the frames by which what each tells is late.
    """
    noticed = [n for n, one in enumerate(heard) if one.noticed is not None]
    first = min(noticed, key=lambda n: (heard[n].noticed or 0) + clocks[n])
    began = heard[first].noticed or 0
    contest = Contest("computer", 0.0, 0.0, _contender(heard, first, began, noticed=True))
    asked = began + round(ASKS_AFTER_S / FRAME_S)
    decided = began + round(DECIDES_AFTER_S / FRAME_S)
    for number, one in enumerate(heard):
        until = one.noticed is not None and one.noticed + clocks[number] <= decided
        contest.note(_contender(heard, number, asked + clocks[number], noticed=until))
    answers = int(contest.decide((), None).room)
    loudest = max(noticed, key=lambda n: _level(heard[n].frames[: began + 1]))
    return answers, first, loudest


def _contender(heard: Sequence[Heard], number: int, until: int, *, noticed: bool) -> Contender:
    clearness = Clearness()
    for frame in heard[number].frames[: until + 1]:
        clearness.hear(frame)
    name = str(number)
    return Contender(room=name, utterance_id=name * noticed, heard=clearness.heard())


def _level(frames: Sequence[bytes]) -> float:
    lately = np.frombuffer(b"".join(frames[-round(1.0 / FRAME_S) :]), np.int16)
    return float(np.mean(lately.astype(np.float64) ** 2))


def measure(scenes: int, seed: int) -> Figures:
    """Simulate scenes, and count in how many the nearest device answers."""
    with Pool() as workers:
        simulated = workers.map(scene, range(seed, seed + scenes), chunksize=4)
    draw = random.Random(seed)
    right: list[tuple[bool, bool, bool, bool]] = []
    for heard in simulated:
        if all(one.noticed is None for one in heard):
            continue
        metres = [one.metres for one in heard]
        nearest, second = sorted(metres)[:2]
        clocks = [round(draw.uniform(0.0, 0.2) / FRAME_S) for _ in heard]
        by = [metres[n] == nearest for n in chosen(heard, clocks)]
        right.append((by[0], by[1], by[2], second > APART * nearest))
    apart = [one[0] for one in right if one[3]]
    contest, first, loudest = (float(np.mean([one[n] for one in right])) for n in range(3))
    return Figures(
        scenes=scenes,
        unnoticed=scenes - len(right),
        contest=round(contest, 3),
        contest_apart=round(float(np.mean(apart)), 3),
        first=round(first, 3),
        loudest=round(loudest, 3),
    )


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(description="Measure which of three devices answers.")
    parser.add_argument("--scenes", type=int, default=300)
    parser.add_argument("--seed", type=int, default=50_000)
    arguments = parser.parse_args()
    figures = measure(arguments.scenes, arguments.seed)
    sys.stdout.write(msgspec.json.format(msgspec.json.encode(figures)).decode() + "\n")


if __name__ == "__main__":
    main()
