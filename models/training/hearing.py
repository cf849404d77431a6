"""Fits how sure recognition may be of what it hears: `python -m models.training.hearing DATA`.

Recordings of home commands in the folder DATA, commands and sentences with free text in two of
flite's voices, and talk that is not meant for it, are heard by whisper. Of each half, the other
half's regressions tell how often they are right where they are so sure; those of both are written
to `models/hearing`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from assistant.cli.shared.conversation import temporary_config
from assistant.composition import Composition
from assistant.core.messages import SAMPLE_RATE_HZ
from assistant.core.models.calibration import FILE
from assistant.evaluation.clips import SentenceLabel, labelled, sound_of
from assistant.evaluation.rejects import read_lines
from audio.asr.constrained.belief import HearingCalibration, Logistic
from audio.asr.constrained.recognizer import ConstrainedWhisper, Trial
from audio.build import HEARING
from audio.frames import at_rate
from audio.tts.flite import PATIENCE_S, Flite
from models.training.config import MODELS, TRAINING
from models.training.examples import with_file
from nlu.text.canonical import canonical

TESTS = MODELS.parent / "tests" / "data"
SPOKEN = (TESTS / "everyday.txt", TESTS / "free_text.txt")
VOICES = ("slt", "awb")
TALK, TALKS = TRAINING / "dev" / "rejects.txt", 150
QUIET = np.zeros(3 * SAMPLE_RATE_HZ // 10, np.int16)
STEPS, RIDGE = 50, 1e-3
DEGREES = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 1.0)

Cases = list[tuple[Sequence[float], bool]]
"""The inputs of a regression, and whether the text was right."""


class Said(NamedTuple):
    """Samples, the words in them, and whether they are meant for the assistant."""

    samples: NDArray[np.int16]
    text: str
    meant: bool


def utterances(data: Path) -> Iterator[Said]:
    """All that is heard, in an order in which every other one is much like the others."""
    home = data / "audio" / "home"
    clips, _ = labelled(home / "clips", home / "labels.json", SentenceLabel)
    for clip in clips:
        if clip.label.text:
            yield Said(sound_of(clip.path), clip.label.text, True)
    for voice in VOICES:
        for file in SPOKEN:
            yield from (Said(_spoken(line, voice), line, True) for line in read_lines(file))
    for line in read_lines(TALK)[:TALKS]:
        yield Said(_spoken(line, VOICES[0]), line, False)


def _spoken(text: str, voice: str) -> NDArray[np.int16]:
    sound = Flite(voice, PATIENCE_S).synthesise(text)
    return np.concatenate([QUIET, at_rate(sound.pcm, sound.rate_hz, SAMPLE_RATE_HZ), QUIET])


def cases(said: Said, trial: Trial) -> tuple[Cases, Cases]:
    """What an utterance tells of sentences, and of free text."""
    wanted = canonical(said.text).text
    free: Cases = [(trial.evidence.free, canonical(trial.free).text == wanted)]
    if trial.evidence.sentence is None:
        return [], free
    right = said.meant and canonical(trial.sentence).text == wanted
    return [(trial.evidence.sentence, right)], free


def fit(some: Cases) -> Logistic:
    """The logistic regression of the cases, by Newton's method."""
    inputs = np.array([(1.0, *values) for values, _ in some])
    right = np.array([float(is_right) for _, is_right in some])
    weights = np.zeros(inputs.shape[1])
    for _ in range(STEPS):
        chance = 1.0 / (1.0 + np.exp(-(inputs @ weights).clip(-30, 30)))
        slope = inputs.T @ (right - chance) - RIDGE * weights
        spread = chance * (1.0 - chance)
        curve = (inputs * spread[:, None]).T @ inputs + RIDGE * np.eye(len(weights))
        weights += np.linalg.solve(curve, slope)
    constant, *factors = (round(float(weight), 3) for weight in weights)
    return Logistic(constant, tuple(factors))


def reliability(name: str, some: Cases) -> Iterator[str]:
    """For each degree how sure the other half's regression is, and how often that is right."""
    halves = some[::2], some[1::2]
    judged = [
        (fit(other).chance(values), right)
        for half, other in (halves, halves[::-1])
        for values, right in half
    ]
    for low, high in pairwise(DEGREES):
        inside = [(sure, right) for sure, right in judged if low <= sure < high]
        if inside:
            sure, right = (sum(column) / len(inside) for column in zip(*inside, strict=True))
            yield f"{name}: {len(inside)} of {low} to {high}: sure {sure:.2f}, right {right:.2f}"


def main(arguments: Sequence[str]) -> None:
    """Hear everything, print how reliable the regressions are, and write those of all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    data = parser.parse_args(arguments).data
    config = temporary_config(None, data / "home.yaml")
    asr = msgspec.structs.replace(config.asr, engine="whisper")
    recognizer = Composition(msgspec.structs.replace(config, asr=asr)).recognition.recognizer()
    if not isinstance(recognizer, ConstrainedWhisper):
        sys.exit("whisper is not here; run: assistant models pull whisper-tiny.en")
    sentences, free = Cases(), Cases()
    for said in utterances(data):
        of_sentence, of_free = cases(said, recognizer.try_out(said.samples))
        sentences += of_sentence
        free += of_free
    for line in (*reliability("sentence", sentences), *reliability("free text", free)):
        sys.stdout.write(f"{line}\n")
    file, manifest = MODELS / HEARING / FILE, MODELS / "manifest.toml"
    known = msgspec.json.decode(file.read_bytes(), type=HearingCalibration)
    whisper = msgspec.structs.replace(known.whisper, sentence=fit(sentences), free=fit(free))
    written = msgspec.json.encode(HearingCalibration(whisper))
    file.write_bytes(msgspec.json.format(written) + b"\n")
    manifest.write_text(with_file(manifest.read_text("utf-8"), HEARING, file), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
