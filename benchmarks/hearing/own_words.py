"""The user's own rare words by ear: `python -m benchmarks.hearing.own_words FILE`.

Each line of FILE has its rare words in brackets, and is spoken after the wake word by each voice,
or stands in a folder of recordings in the order of the lines. It is heard by whisper where nothing
is kept, where those words are on a list, and where just the `--others` are, which nobody says.
"""

from __future__ import annotations

import argparse
import re
import sys
import uuid
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import numpy as np
import soundfile

from assistant.cli.shared.conversation import heard_by, temporary_config
from assistant.composition import Composition
from assistant.core.config import Config
from assistant.core.layout import STATE_FILE
from assistant.core.messages import SAMPLE_RATE_HZ
from assistant.evaluation.rejects import read_lines
from audio.frames import at_rate
from benchmarks.hearing.bargein import spoken
from benchmarks.hearing.hours import VOICES
from benchmarks.hearing.rooms import Sound
from nlu.text.canonical import canonical
from skills.state import open_state

_OWN = re.compile(r"\[([^\]]+)\]")
_SILENCE_S = 0.5


def kept(config: Config, texts: Sequence[str], folder: Path) -> Config:
    """The settings of an assistant that has these texts on a list."""
    folder.mkdir()
    with closing(open_state(folder / STATE_FILE)) as database:
        for text in texts:
            database.execute(
                "INSERT INTO list_items (id, list_id, text) VALUES (?, 'shopping', ?)",
                *(uuid.uuid4().hex, text),
            )
    storage = msgspec.structs.replace(
        config.storage, state=str(folder), models=str(config.models_dir)
    )
    return msgspec.structs.replace(config, storage=storage)


def transcripts(config: Config, sounds: Sequence[Sound]) -> Iterator[str]:
    """What is heard in each sound."""
    recognizer = Composition(config).recognition.recognizer()
    silence = np.zeros(round(_SILENCE_S * SAMPLE_RATE_HZ))
    for sound in sounds:
        recognizer.start()
        recognizer.feed(np.concatenate([silence, sound, silence]).astype(np.int16))
        yield recognizer.finish().text


def _recorded(folder: Path) -> Iterator[Sound]:
    for file in sorted(folder.glob("*.wav")):
        samples, rate_hz = soundfile.read(file, dtype="int16")
        yield at_rate(samples.astype(np.int16), rate_hz, SAMPLE_RATE_HZ).astype(np.float64)


def _counted(line: str, transcript: str) -> tuple[int, int]:
    """How many of a line's own words were heard, and whether all of the line was."""
    heard = canonical(transcript.removeprefix("computer ")).text
    own = sum(canonical(word).text in heard for word in _OWN.findall(line))
    return own, heard == canonical(_OWN.sub(r"\1", line)).text


def main(arguments: Sequence[str]) -> None:
    """Print the shares of own words and of lines that were heard."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--others", type=Path, required=True, help="words that nobody says")
    parser.add_argument("--home", type=Path, default=Path("../shared/data/home.yaml"))
    parser.add_argument("--voices", nargs="+", choices=VOICES, default=VOICES[:1])
    parser.add_argument("--sounds", type=Path, help="recordings of the lines, in place of voices")
    options = parser.parse_args(arguments)
    lines, others = read_lines(options.file), read_lines(options.others)
    said = [_OWN.sub(r"\1", line) for line in lines]
    if options.sounds is not None:
        sounds = list(_recorded(options.sounds))
    else:
        sounds = [spoken(f"flite:{v}", f"computer, {s}") for v in options.voices for s in said]
        lines = lines * len(options.voices)
    own = [word for line in lines for word in _OWN.findall(line)]
    config = heard_by("whisper", temporary_config(None, options.home))
    with TemporaryDirectory() as folder:
        for name, texts in {"nothing": [], "own": [*own, *others], "others": others}.items():
            there = kept(config, texts, Path(folder, name))
            counts = list(map(_counted, lines, transcripts(there, sounds)))
            words, whole = (sum(column) for column in zip(*counts, strict=True))
            sys.stdout.write(f"{name}: own words {words / len(own):.3f} of {len(own)}, ")
            sys.stdout.write(f"lines {whole / len(lines):.3f} of {len(lines)}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
