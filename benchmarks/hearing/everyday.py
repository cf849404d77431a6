"""Everyday commands by ear: `python -m benchmarks.hearing.everyday FILE`.

Each line of FILE is spoken after the wake word by each of flite's voices. The stages of a fresh
assistant hear it as a microphone in a quiet room gives it, from the first frame to the last. It is
right when it means the same as it does typed.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from assistant.cli.shared.conversation import RECOGNISERS, heard_by, temporary_config
from assistant.composition import Composition
from assistant.core.config import Config
from assistant.core.messages import (
    SAMPLE_RATE_HZ,
    Interpretation,
    Message,
    Transcript,
    Woke,
)
from assistant.core.stage import Stage
from assistant.evaluation.rejects import read_lines
from assistant.evaluation.spoken import commands_of, comparable, meant_by
from assistant.outcome import in_words
from assistant.pipeline import run, typed
from benchmarks.hearing.bargein import spoken
from benchmarks.hearing.hours import VOICES, frames
from nlu.text.canonical import canonical

BEFORE_S, AFTER_S = 1.0, 2.5
"""Seconds of silence around a command, which a microphone hears as well."""


class Outcome(NamedTuple):
    """What became of a command: whether the wake word was noticed, and what was heard and meant."""

    woke: bool
    transcript: str
    meant: Sequence[str]
    right: bool


def hear(composition: Composition, asr: Stage, line: str, voice: str) -> Outcome:
    """Speak a line after the wake word, and compare what is understood with the same typed.

    Each is said to an understanding that has heard nothing before.
    """
    silences = [np.zeros(round(s * SAMPLE_RATE_HZ)) for s in (BEFORE_S, AFTER_S)]
    sound = spoken(f"flite:{voice}", f"computer, {line}")
    stages = (composition.listener(), asr, composition.nlu())
    heard = list(run(stages, frames([silences[0], sound, silences[1]])))
    said = _last(heard, Transcript)
    text = said.text if isinstance(said, Transcript) else ""
    interpretation = _last(heard, Interpretation)
    commands = meant_by(interpretation) if isinstance(interpretation, Interpretation) else ()
    wanted = commands_of(composition.nlu(), typed("typed", line, 0.0)[0])
    alike = bool(wanted) or canonical(text).text == canonical(line).text
    right = alike and comparable(commands) == comparable(wanted)
    woke = any(isinstance(m, Woke) for m in heard)
    return Outcome(woke, text, [*map(in_words, commands)], right)


def _last(heard: Sequence[Message], kind: type[Message]) -> Message | None:
    return next((m for m in reversed(heard) if isinstance(m, kind)), None)


def outcomes(
    lines: Sequence[str], config: Config, voices: Sequence[str]
) -> Iterator[tuple[str, str, Outcome]]:
    """All lines in one voice after the other, and what became of each."""
    composition = Composition(config)
    asr = composition.asr()
    for voice in voices:
        for line in lines:
            yield line, voice, hear(composition, asr, line, voice)


def main(arguments: Sequence[str]) -> None:
    """Print what was not right, and the shares of all and of each voice."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--home", type=Path, default=Path("../shared/data/home.yaml"))
    parser.add_argument("--voices", nargs="+", choices=VOICES, default=VOICES)
    parser.add_argument("--engine", choices=RECOGNISERS, default="auto")
    options = parser.parse_args(arguments)
    config = heard_by(options.engine, temporary_config(None, options.home))
    lines = read_lines(options.file)
    right: Counter[str] = Counter()
    unnoticed = 0
    for line, voice, outcome in outcomes(lines, config, options.voices):
        right[voice] += outcome.right
        unnoticed += not outcome.woke
        if not outcome.right:
            heard = outcome.transcript if outcome.woke else "(no wake word)"
            sys.stdout.write(f"{voice}: {line} | {heard} | {'; '.join(outcome.meant)}\n")
    shares = ", ".join(f"{voice} {right[voice] / len(lines):.3f}" for voice in options.voices)
    every = len(lines) * len(options.voices)
    sys.stdout.write(f"right {right.total() / every:.3f} of {every}: {shares}; ")
    sys.stdout.write(f"wake word not noticed {unnoticed}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
