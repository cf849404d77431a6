"""Ears side by side: `python -m benchmarks.hearing.ears --data ../shared/data`.

Three recognisers hear the same recorded home commands, and the same understanding reads what they
give: PocketSphinx with its own general model, PocketSphinx with a plain trigram of the sentences
that may be said here, and the one of this project, which has the same sentences.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import numpy as np
import pocketsphinx
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from assistant.cli.shared.conversation import temporary_config
from assistant.composition import Composition
from assistant.core.speakable import SpeakableSource
from assistant.evaluation.clips import Clip, SentenceLabel, labelled
from assistant.evaluation.spoken import SpokenFigures, evaluate_spoken
from audio.asr.domain import prepare
from audio.asr.pronunciation import dictionary_path
from audio.asr.recognizer import Recognition, recognition
from audio.asr.second_look.general import spoken_words
from audio.asr.stage import AsrStage

MODEL = Path(pocketsphinx.get_model_path("en-us"))


class Plain:
    """PocketSphinx as it comes, with a language model file; decodes when an utterance ends."""

    name = "pocketsphinx"
    forks = True

    def __init__(self, language_model: Path, dictionary: Path) -> None:
        self._decoder = pocketsphinx.Decoder(
            hmm=str(MODEL / "en-us"),
            lm=str(language_model),
            dict=str(dictionary),
            loglevel="FATAL",
        )
        self._heard: list[NDArray[np.int16]] = []

    def start(
        self, answers: Sequence[str] = (), unasked: bool = False, in_a_row: bool = False
    ) -> None:
        """Forget the last utterance."""
        self._heard = []

    def feed(self, samples: NDArray[np.int16]) -> None:
        """Take the next samples, 16 kHz mono."""
        self._heard.append(samples)

    def finish(self) -> Recognition:
        """Decode the whole utterance and return what was said."""
        self._decoder.start_utt()
        self._decoder.process_raw(np.concatenate(self._heard).tobytes(), full_utt=True)
        self._decoder.end_utt()
        return recognition(spoken_words(self._decoder), self.name)


def ears(composition: Composition, folder: Path) -> Iterator[tuple[str, AsrStage]]:
    """Each recogniser with its name."""
    general = Plain(MODEL / "en-us.lm.bin", dictionary_path())
    yield "PocketSphinx, general model", AsrStage(general)
    speakable = SpeakableSource("ears", composition.understanding.templates.speakable)
    domain = prepare(speakable, (), folder)
    trigram = Plain(domain.trigram, domain.dictionary)
    yield "PocketSphinx, plain trigram of the same sentences", AsrStage(trigram)
    yield "this ear", composition.asr()


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One ear's figures, and the seconds that all clips took it."""

    name: str
    figures: SpokenFigures
    took_s: float


def compare(clips: Sequence[Clip[SentenceLabel]], home: Path) -> Iterator[Row]:
    """The figures of each ear on the same clips, with the understanding for `home`."""
    composition = Composition(temporary_config(None, home))
    with TemporaryDirectory() as folder:
        for name, asr in ears(composition, Path(folder)):
            began_s = time.perf_counter()
            figures = evaluate_spoken(clips, asr, composition.nlu(), composition.skills)
            yield Row(name=name, figures=figures, took_s=round(time.perf_counter() - began_s, 1))


def main(arguments: Sequence[str]) -> None:
    """Compare, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    data = parser.parse_args(arguments).data
    home = data / "audio" / "home"
    clips, _ = labelled(home / "clips", home / "labels.json", SentenceLabel)
    table = Table("ear", "right", "exact", "word error rate", "by voice", "actions", "seconds")
    for row in compare(clips, data / "home.yaml"):
        one = row.figures
        voices = ", ".join(f"{v} {share:.2f}" for v, share in one.right_by_voice.items())
        cells = (one.right_interpretations, one.exact_transcripts, one.wer)
        shown = (f"{cell:.2f}" for cell in cells)
        table.add_row(row.name, *shown, voices, str(one.actions_on_rejects), f"{row.took_s}")
    Console(width=140).print(table)


if __name__ == "__main__":
    main(sys.argv[1:])
