"""What whisper's window and threads cost, and how well it hears in them.

`python -m benchmarks.hearing.windows tests/data/everyday2.txt` has each recorded home command, and
each line of the file in flite's voices, recognised in windows of at least so many seconds and with
so many threads, in turn, so that the load beside it is the same for all. A text is right when it
means the same as the label does typed. The time is that from the last sound to the transcript.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from assistant.cli.evaluation.common import with_broker
from assistant.cli.shared.conversation import heard_by
from assistant.cli.shared.output import progress
from assistant.composition import Composition
from assistant.control.metrics import percentile
from assistant.core.models.calibration import read_calibration
from assistant.core.speakable import SpeakableSource
from assistant.evaluation.clips import Clip, SentenceLabel, labelled
from assistant.evaluation.examples import spoken_examples
from assistant.evaluation.rejects import read_lines
from assistant.evaluation.spoken import evaluate_spoken
from audio.asr.calibration import HearingCalibration
from audio.asr.constrained.decoder import PieceDecoder
from audio.asr.constrained.recognizer import ConstrainedWhisper
from audio.asr.domain import Sentences, prepare_sought, read_sentences
from audio.asr.recognizer import Recognition
from audio.asr.stage import AsrStage
from audio.asr.whisper import FLOOR_FRAMES, FRAMES_PER_S, WhisperRecognizer
from audio.build import HEARING
from benchmarks.hearing.hours import VOICES

FLOORS_S = 4.0, 6.0, 8.0, 12.0, 30.0
THREADS = 2, 1


class Way(NamedTuple):
    """A shortest window, in seconds, and a number of threads."""

    floor_s: float
    threads: int

    def __str__(self) -> str:
        return f"{self.floor_s:g} s, threads: {self.threads}"


class Windowed(WhisperRecognizer):
    """Whisper with a shortest window of another length."""

    floor_frames = FLOOR_FRAMES
    full_windows = 0
    """How often it looked again, in a full window."""

    def encoded(self, samples: NDArray[np.int16], floor: int) -> tuple[Any, int]:
        """The encoder's output, in the window of another length unless a full one is wanted."""
        self.full_windows += floor != FLOOR_FRAMES
        return super().encoded(samples, self.floor_frames if floor == FLOOR_FRAMES else floor)


class Timed:
    """A recogniser whose transcripts are timed. Implements `Recognizer`."""

    forks = False

    def __init__(self, recognizer: ConstrainedWhisper) -> None:
        self._recognizer, self.name = recognizer, recognizer.name
        self.wall_s: list[float] = []
        self.processor_s: list[float] = []

    def start(
        self, answers: Sequence[str] = (), unasked: bool = False, in_a_row: bool = False
    ) -> None:
        """Begin a new utterance."""
        self._recognizer.start(answers, unasked, in_a_row)

    def feed(self, samples: NDArray[np.int16]) -> None:
        """Take the next samples."""
        self._recognizer.feed(samples)

    def finish(self) -> Recognition:
        """What was said, and how long that took."""
        wall_s, processor_s = time.perf_counter(), time.process_time()
        found = self._recognizer.finish()
        self.wall_s.append(time.perf_counter() - wall_s)
        self.processor_s.append(time.process_time() - processor_s)
        return found


class Ear:
    """Whisper in one `way`, which seeks these sentences."""

    def __init__(self, composition: Composition, way: Way, sentences: Sentences) -> None:
        config, library = composition.config, composition.library
        folder = library.folder(config.asr.model)
        self.whisper = Windowed(folder, threads=way.threads)
        self.whisper.floor_frames = round(way.floor_s * FRAMES_PER_S)
        decoder = PieceDecoder(folder, config.cache_dir / "whisper", way.threads)
        believed = read_calibration(library, HEARING, HearingCalibration).whisper
        self.timed = Timed(ConstrainedWhisper(self.whisper, decoder, sentences, believed))
        self.stage = AsrStage(self.timed)
        self.right: Counter[str] = Counter()
        self.exact: Counter[str] = Counter()

    def hear(self, kind: str, clip: Clip[SentenceLabel], composition: Composition) -> None:
        """Count whether a recording of this kind is understood, by a fresh understanding."""
        found = evaluate_spoken([clip], self.stage, composition.nlu(), composition.skills)
        self.right[kind] += found.right_interpretations == 1.0
        self.exact[kind] += found.exact_transcripts == 1.0

    def cells(self, count: Counter[str]) -> Iterator[str]:
        """The shares of each kind, and the times of all together."""
        for kind, recordings in count.items():
            yield f"{self.right[kind] / recordings:.3f} ({self.exact[kind] / recordings:.3f})"
        for seconds in (self.timed.processor_s, self.timed.wall_s):
            yield " / ".join(f"{percentile(seconds, share) * 1000:.0f}" for share in (0.5, 0.95))
        yield str(self.whisper.full_windows)


def recordings(
    options: argparse.Namespace, folder: Path
) -> Iterator[tuple[str, Clip[SentenceLabel]]]:
    """The recordings that have a sentence, each with the name of its kind."""
    home = options.data / "audio" / "home"
    for clip in labelled(home / "clips", home / "labels.json", SentenceLabel)[0]:
        if clip.label.text is not None:
            yield "home", clip
    lines = read_lines(options.file)
    for voice in options.voices:
        spoken = spoken_examples({voice: lines}, len(lines), [voice], folder)
        yield from ((options.file.stem, clip) for clip in spoken)


def main(arguments: Sequence[str]) -> None:
    """Hear all recordings in every way, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, help="commands, one a line")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--voices", nargs="+", choices=VOICES, default=["slt"], help="of the file")
    parser.add_argument("--floors", type=float, nargs="+", default=FLOORS_S, help="in seconds")
    parser.add_argument("--threads", type=int, nargs="+", default=THREADS)
    options = parser.parse_args(arguments)
    composition = Composition(heard_by("whisper", with_broker(options.data / "home.yaml")))
    speakable = SpeakableSource("windows", composition.understanding.speakable)
    prefixes = [keyword.replace("_", " ") for keyword in composition.config.wake.keywords]
    most, *fewer = options.threads
    ways = [Way(floor_s, most) for floor_s in options.floors]
    ways += [Way(FLOOR_FRAMES / FRAMES_PER_S, threads) for threads in fewer]
    with TemporaryDirectory() as folder, TemporaryDirectory() as cache:
        sentences = read_sentences(prepare_sought(speakable, prefixes, Path(cache)))
        ears = {way: Ear(composition, way, sentences) for way in ways}
        count: Counter[str] = Counter()
        every = list(recordings(options, Path(folder)))
        with progress("recognising") as told:
            for number, (kind, clip) in enumerate(every):
                told(number, len(every))
                count[kind] += 1
                for ear in ears.values():
                    ear.hear(kind, clip, composition)
    named = (f"{kind}: right (exact) of {total}" for kind, total in count.items())
    table = Table("", *named, "processor ms, 50 / 95 %", "wall ms", "full windows")
    for way, ear in ears.items():
        table.add_row(str(way), *ear.cells(count))
    Console(width=140).print(table)


if __name__ == "__main__":
    main(sys.argv[1:])
