"""An hour each of the assistant's own voice, of music and of talk.

Run `python -m benchmarks.hearing.hours`.

Nothing in them is meant for the assistant, so every wake, and every command, is one too many. Its
own voice comes from a loudspeaker in simulated rooms (`benchmarks.hearing.bargein`). Music is
synthesised: melodies, chords and drums. Talk is what people recorded for other ends, and sentences
that ask for nothing in flite's voices; the daemon's own stages hear both from first to last.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from itertools import cycle
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
HEARD = ("music", "talk", "own voice")
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
    options = parser.parse_args()
    config = heard_by(options.engine, temporary_config(None, options.home))
    rng = random.Random(_SEED)
    sentences = options.sentences.read_text().splitlines()
    hours = {
        "music": lambda: heard(frames(music(options.minutes, rng)), config),
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
