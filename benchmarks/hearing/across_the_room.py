"""Recorded commands across a room.

Run `python -m benchmarks.hearing.across_the_room --data ../shared/data`.

The recordings are played into simulated rooms (`benchmarks.hearing.rooms`) in kitchen noise, 20 dB
below.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import soundfile
from rich.console import Console
from rich.table import Table

from assistant.cli.shared.conversation import RECOGNISERS, heard_by, temporary_config
from assistant.composition import Composition
from assistant.core.messages import SAMPLE_RATE_HZ
from assistant.evaluation.clips import Clip, SentenceLabel, labelled, sound_of
from assistant.evaluation.noise import Noise
from assistant.evaluation.spoken import SpokenFigures, evaluate_spoken
from benchmarks.hearing.rooms import Room, within

SNR_DB = 20.0
PEAK = 0.5 * 32767


def played(
    clips: Sequence[Clip[SentenceLabel]], seed: int, noise: Noise, folder: Path
) -> Iterator[Clip[SentenceLabel]]:
    """The clips as a microphone hears them in the room that is drawn with `seed`."""
    room = Room.drawn(random.Random(seed))
    response = room.response(room.person)
    for clip in clips:
        sound = within(np.asarray(sound_of(clip.path), np.float64), response)
        level = (sound * PEAK / np.abs(sound).max()).astype(np.int16)
        path = folder / f"{seed}-{clip.path.stem}.wav"
        soundfile.write(path, noise.under(level, SNR_DB), SAMPLE_RATE_HZ)
        yield Clip(path, clip.label)


def main(arguments: Sequence[str]) -> None:
    """Hear the clips in each room, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--rooms", default="3,5,11", help="the seeds that rooms are drawn with")
    parser.add_argument("--engine", choices=RECOGNISERS, default="auto")
    options = parser.parse_args(arguments)
    audio = options.data / "audio"
    clips, _ = labelled(audio / "home" / "clips", audio / "home" / "labels.json", SentenceLabel)
    noise = Noise(sound_of(audio / "noise" / "kitchen.flac"))
    table = Table("room", "right", "by voice", "exact", "word error rate")
    with TemporaryDirectory() as folder:
        config = heard_by(options.engine, temporary_config(None, options.data / "home.yaml"))
        ear = Composition(config)
        asr = ear.asr()
        for seed in map(int, options.rooms.split(",")):
            heard = list(played(clips, seed, noise, Path(folder)))
            found = evaluate_spoken(heard, asr, ear.nlu(), ear.skills)
            table.add_row(str(seed), *_cells(found))
    Console(width=140).print(table)


def _cells(found: SpokenFigures) -> Iterator[str]:
    yield f"{found.right_interpretations:.3f} of {found.clips}"
    yield ", ".join(f"{voice} {share:.2f}" for voice, share in found.right_by_voice.items())
    yield f"{found.exact_transcripts:.2f}"
    yield f"{found.wer:.2f}"


if __name__ == "__main__":
    main(sys.argv[1:])
