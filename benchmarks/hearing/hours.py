"""An hour each of the assistant's own voice, of music, of noise and of talk.

Run `python -m benchmarks.hearing.hours`.

Nothing in them is meant for the assistant, so every wake, and every command, is one too many. Its
own voice comes from a loudspeaker in simulated rooms (`benchmarks.hearing.bargein`). Music is
synthesised: melodies, chords and drums. Talk is what people recorded for other ends, and sentences
that ask for nothing in flite's voices; noise is a recorded kitchen, and fans and taps that are
synthesised. The daemon's own stages hear these from first to last. With `--called` recognition
alone hears music and noise, six seconds an utterance: every word is one too many.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from itertools import cycle, islice
from pathlib import Path

import msgspec
import numpy as np
import soundfile

from assistant.cli.hear import Voice
from assistant.cli.shared.conversation import RECOGNISERS, heard_by, temporary_config
from assistant.composition import Composition
from assistant.core.config import Config
from assistant.core.messages import (
    SAMPLE_RATE_HZ,
    Frame,
    Interpretation,
    Message,
    SpokenReply,
    Utterance,
    Woke,
)
from assistant.pipeline import run
from audio.frames import FRAME_S, FRAME_SAMPLES, at_rate
from benchmarks.hearing.bargein import BOTH_WORDS, REPLIES, Session, spoken
from benchmarks.hearing.rooms import Sound
from skills.state import open_state

RECORDED = ("coffee/clips", "own_words/other", "home/clips")
VOICES = ("slt", "rms", "awb", "kal16")
PAUSE_S = (0.3, 2.0)
REPLIES_A_ROOM = 20
PEAK = 12_000.0
NOISE = 12.0
HEARD = ("music", "noise", "talk", "own voice")
CALLED_S = 6.0
"""Seconds of an utterance that nobody speaks."""
FAN_HZ, TAP_HZ = (60.0, 300.0), (800.0, 4000.0)
"""Where their noise is strongest, in the mean of many."""
_SEED = 3
_SCALE_HZ = [220.0 * 2 ** (n / 12) for n in (0, 2, 4, 5, 7, 9, 11, 12, 14, 16)]


class Hour(msgspec.Struct, kw_only=True):
    """What was heard in so many minutes; `commands` are those that were understood after a wake."""

    minutes: float = 0.0
    wakes: int = 0
    utterances: int = 0
    commands: int = 0
    replies: int = 0


def music(minutes: float, rng: random.Random) -> Iterator[Sound]:
    """Bars of a melody over chords, with drums."""
    noise = np.random.default_rng(rng.randrange(1 << 30))
    seconds = 0.0
    while seconds < 60 * minutes:
        beat_s = 60 / rng.uniform(70, 150)
        bar = np.zeros(round(8 * beat_s * SAMPLE_RATE_HZ))
        for beat in range(8):
            start = round(beat * beat_s * SAMPLE_RATE_HZ)
            for octave in (0.5, 1.0, 2.0):
                note = _tone(octave * rng.choice(_SCALE_HZ), beat_s * rng.choice((0.5, 1, 2)), rng)
                end = min(len(bar), start + len(note))
                bar[start:end] += note[: end - start]
            drum = noise.normal(0.0, 1.0, 1600) * np.exp(-np.arange(1600) / rng.choice((80, 400)))
            end = min(len(bar), start + len(drum))
            bar[start:end] += drum[: end - start]
        seconds += len(bar) / SAMPLE_RATE_HZ
        yield PEAK * bar / np.abs(bar).max()


def _tone(pitch_hz: float, seconds: float, rng: random.Random) -> Sound:
    times = np.arange(round(seconds * SAMPLE_RATE_HZ)) / SAMPLE_RATE_HZ
    harmonics = sum(
        np.sin(2 * np.pi * pitch_hz * n * times) / n ** rng.uniform(0.7, 2.0) for n in range(1, 7)
    )
    return (
        np.asarray(harmonics) * np.exp(-times / rng.uniform(0.1, 1.0)) * np.minimum(times / 0.01, 1)
    )


def kitchen(data: Path) -> tuple[Sound, Sound]:
    """The recorded kitchen: the half that was used to choose what is believed, and the other."""
    samples, rate_hz = soundfile.read(data / "noise" / "kitchen.flac", dtype="int16")
    sound = at_rate(samples, rate_hz, SAMPLE_RATE_HZ).astype(np.float64)
    return sound[: len(sound) // 2], sound[len(sound) // 2 :]


def noise(minutes: float, kitchen: Sound, rng: random.Random) -> Iterator[Sound]:
    """A kitchen, a fan and a tap in turn, of any loudness."""
    shapes = np.random.default_rng(rng.randrange(1 << 30))
    length = round(CALLED_S * SAMPLE_RATE_HZ)
    for kind in islice(cycle((None, FAN_HZ, TAP_HZ)), round(60 * minutes / CALLED_S)):
        if kind is None:
            begin = rng.randrange(max(1, len(kitchen) - length))
            sound = kitchen[begin : begin + length]
        else:
            spectrum = np.fft.rfft(shapes.normal(0.0, 1.0, length))
            pitches = np.fft.rfftfreq(length, 1 / SAMPLE_RATE_HZ)
            middle, width = rng.uniform(*kind), rng.uniform(0.5, 2.0)
            spectrum *= np.exp(-((np.log2((pitches + 1) / middle) / width) ** 2))
            sound = np.fft.irfft(spectrum, length)
        yield rng.uniform(0.05, 1.0) * PEAK * sound / np.abs(sound).max()


def called(sounds: Iterable[Sound], config: Config) -> tuple[int, list[str]]:
    """How many utterances were heard, and what recognition makes of those in which it hears any."""
    recognizer = Composition(config).recognition.recognizer()
    count, texts = 0, []
    rest = np.zeros(0)
    length = round(CALLED_S * SAMPLE_RATE_HZ)
    for sound in sounds:
        rest = np.concatenate([rest, sound])
        while len(rest) >= length:
            recognizer.start()
            recognizer.feed(np.clip(rest[:length], -32768, 32767).astype(np.int16))
            rest, count = rest[length:], count + 1
            if text := recognizer.finish().text:
                texts.append(text)
    return count, texts


def talk(
    minutes: float, data: Path, sentences: Sequence[str], rng: random.Random
) -> Iterator[Sound]:
    """Recordings in random order, and sentences in between once all have been heard."""
    files = [file for folder in RECORDED for file in sorted((data / folder).glob("*.flac"))]
    rng.shuffle(files)
    said = cycle(rng.sample(sentences, len(sentences)))
    seconds = 0.0
    while seconds < 60 * minutes:
        if files:
            samples, rate_hz = soundfile.read(files.pop(), dtype="int16")
            sound = at_rate(samples, rate_hz, SAMPLE_RATE_HZ).astype(np.float64)
        else:
            sound = spoken(f"flite:{rng.choice(VOICES)}", next(said), rng.choice((0.9, 1.0, 1.1)))
        pause = np.zeros(round(rng.uniform(*PAUSE_S) * SAMPLE_RATE_HZ))
        seconds += (len(sound) + len(pause)) / SAMPLE_RATE_HZ
        yield sound
        yield pause


def frames(sounds: Iterable[Sound]) -> Iterator[Message]:
    """The sounds one after another, as a microphone in a quiet room gives them."""
    noise = np.random.default_rng(_SEED)
    rest = np.zeros(0)
    number = 0
    for sound in sounds:
        rest = np.concatenate([rest, sound])
        while len(rest) >= FRAME_SAMPLES:
            frame = rest[:FRAME_SAMPLES] + noise.normal(0.0, NOISE, FRAME_SAMPLES)
            rest = rest[FRAME_SAMPLES:]
            number += 1
            samples = np.clip(np.rint(frame), -32768, 32767).astype(np.int16)
            yield Frame(samples=samples.tobytes(), at_s=number * FRAME_S)


def heard(messages: Iterable[Message], config: Config) -> Hour:
    """What the stages of a fresh assistant make of these frames."""
    composition, hour = Composition(config), Hour()

    def counted() -> Iterator[Message]:
        for message in messages:
            hour.minutes += FRAME_S / 60
            yield message

    with closing(open_state(None)) as state:
        stages = (
            *(composition.listener(), composition.asr(), composition.nlu()),
            *(composition.skills(state), composition.answer(), Voice()),
        )
        for message in run(stages, counted()):
            hour.wakes += isinstance(message, Woke)
            hour.utterances += isinstance(message, Utterance)
            hour.commands += len(message.commands) if isinstance(message, Interpretation) else 0
            hour.replies += isinstance(message, SpokenReply)
    return hour


def own_voice(minutes: float) -> Hour:
    """Replies over which nobody speaks, one in four of which hold the wake word and "stop"."""
    hour, room = Hour(), 0
    while hour.minutes < minutes:
        session = Session("judge", 200_000 + room)
        for n in range(REPLIES_A_ROOM):
            reply = session.rng.choice((BOTH_WORDS if n % 4 == 0 else REPLIES)["judge"])
            stopped, _ = session.talk([reply], None)
            hour.replies += 1
            hour.wakes += stopped
            hour.minutes += len(spoken(f"flite:{session.voice}", reply)) / SAMPLE_RATE_HZ / 60
        session.close()
        room += 1
    return hour


def main() -> None:
    """Print a line of figures for each of what is heard."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--data", type=Path, default=Path("../shared/data/audio"))
    parser.add_argument("--home", type=Path, default=Path("../shared/data/home.yaml"))
    parser.add_argument("--sentences", type=Path, default=Path("tests/data/nlu/rejects.txt"))
    parser.add_argument("--heard", nargs="+", choices=HEARD, default=HEARD)
    parser.add_argument("--engine", choices=RECOGNISERS, default="auto")
    parser.add_argument("--called", action="store_true")
    options = parser.parse_args()
    config = heard_by(options.engine, temporary_config(None, options.home))
    rng = random.Random(_SEED)
    sentences = options.sentences.read_text().splitlines()
    _, judging = kitchen(options.data)
    if options.called:
        for name, sounds in (
            ("music", music(options.minutes, rng)),
            ("noise", noise(options.minutes, judging, rng)),
        ):
            count, texts = called(sounds, config)
            told = {"called": name, "utterances": count, "words": texts}
            sys.stdout.write(msgspec.json.encode(told).decode() + "\n")
        return
    hours = {
        "music": lambda: heard(frames(music(options.minutes, rng)), config),
        "noise": lambda: heard(frames(noise(options.minutes, judging, rng)), config),
        "talk": lambda: heard(frames(talk(options.minutes, options.data, sentences, rng)), config),
        "own voice": lambda: own_voice(options.minutes),
    }
    for name in options.heard:
        found = msgspec.to_builtins(hours[name]())
        found["minutes"] = round(found["minutes"], 1)
        sys.stdout.write(msgspec.json.encode({"heard": name, **found}).decode() + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
