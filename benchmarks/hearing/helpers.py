"""What each part beside PocketSphinx's word network adds: `python -m benchmarks.hearing.helpers`.

The same recordings are heard with all of them and without each one. They are the recorded home
commands, these across a room, sentences of every intent, and lines of files in flite's voices. They
have no wake word.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.table import Table

from assistant.cli.evaluation.common import EXAMPLES_VOICES
from assistant.cli.shared.conversation import temporary_config
from assistant.composition import Composition
from assistant.core.messages import Word
from assistant.core.models.calibration import read_calibration
from assistant.core.models.manifest import Library
from assistant.core.speakable import SpeakableSource
from assistant.evaluation.clips import Clip, SentenceLabel, labelled, sound_of
from assistant.evaluation.examples import spoken_examples
from assistant.evaluation.noise import Noise
from assistant.evaluation.rejects import read_lines
from assistant.evaluation.spoken import evaluate_spoken
from audio.asr.acoustic import transform_file
from audio.asr.calibration import HearingCalibration
from audio.asr.domain import prepare
from audio.asr.likelihood import Likelihood
from audio.asr.pocketsphinx import PocketSphinxRecognizer
from audio.asr.second_look.general import GeneralEnglish
from audio.asr.stage import AsrStage
from audio.build import HEARING
from benchmarks.hearing.across_the_room import played
from benchmarks.hearing.hours import VOICES

TRIGRAM, GENERAL, MAP = "trigram", "general English", "map"
HELPERS = TRIGRAM, GENERAL, MAP


class WithoutTrigram(PocketSphinxRecognizer):
    """A recogniser whose trigram hears nothing."""

    def _whole(self) -> tuple[Word, ...]:
        return ()


def ear(
    composition: Composition, prefixes: Sequence[str], folder: Path, lacking: Sequence[str]
) -> AsrStage:
    """PocketSphinx with the parts that are not `lacking`, and files in `folder`."""
    speakable = SpeakableSource("helpers", composition.understanding.templates.speakable)
    likelihood = Likelihood(prepare(speakable, prefixes, folder).network)
    transform = None if MAP in lacking else transform_file(Library(Path()))
    # Processor time, as other work beside it would make general English late.
    general = GeneralEnglish(time.process_time, transform)
    make = WithoutTrigram if TRIGRAM in lacking else PocketSphinxRecognizer
    return AsrStage(
        make(
            speakable,
            prefixes,
            cache_dir=folder,
            look=None if GENERAL in lacking else general,
            likelihood=likelihood.of,
            fits=likelihood.fits,
            opens=likelihood.opens,
            transform=transform,
            calibration=read_calibration(Library(Path()), HEARING, HearingCalibration).pocketsphinx,
        )
    )


def rows(
    composition: Composition, options: argparse.Namespace, folder: Path
) -> Iterator[tuple[str, Sequence[Clip[SentenceLabel]]]]:
    """The recordings by their names; those that are made lie in `folder`."""
    audio = options.data / "audio"
    clips, _ = labelled(audio / "home" / "clips", audio / "home" / "labels.json", SentenceLabel)
    yield "home", clips
    noise = Noise(sound_of(audio / "noise" / "kitchen.flac"))
    yield f"room {options.room}", list(played(clips, options.room, noise, folder))
    sentences = composition.understanding.templates.examples(vocabulary=True)
    yield "examples", spoken_examples(sentences, options.each, EXAMPLES_VOICES, folder)
    for file in options.files:
        lines = read_lines(file)
        said = [
            clip
            for voice in options.voices
            for clip in spoken_examples(
                {f"{file.stem} {voice}": lines}, len(lines), [voice], folder
            )
        ]
        yield file.stem, said


def main(arguments: Sequence[str]) -> None:
    """Hear all recordings with and without each part, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--without", nargs="+", choices=HELPERS, default=HELPERS)
    parser.add_argument("--room", type=int, default=3, help="the seed that a room is drawn with")
    parser.add_argument("--each", type=int, default=1, help="sentences of each intent")
    parser.add_argument("--files", type=Path, nargs="*", default=())
    parser.add_argument("--voices", nargs="+", choices=VOICES, default=VOICES, help="of the files")
    options = parser.parse_args(arguments)
    config = temporary_config(None, options.data / "home.yaml")
    composition = Composition(config)
    prefixes = [keyword.replace("_", " ") for keyword in config.wake.keywords]
    ways = {"all": (), **{f"without {one}": (one,) for one in options.without}}
    table = Table("", "recordings", *ways)
    with TemporaryDirectory() as folder, TemporaryDirectory() as cache:
        ears = [ear(composition, prefixes, Path(cache), lacking) for lacking in ways.values()]
        for name, clips in rows(composition, options, Path(folder)):
            found = [
                evaluate_spoken(clips, asr, composition.nlu(), composition.skills) for asr in ears
            ]
            table.add_row(
                name, str(len(clips)), *(f"{one.right_interpretations:.3f}" for one in found)
            )
    Console(width=140).print(table)


if __name__ == "__main__":
    main(sys.argv[1:])
