"""Fits how sure recognition may be of what it hears: `python -m models.training.hearing DATA`.

Recordings of home commands in the folder DATA, commands and sentences with free text in two of
flite's voices, talk that is not meant for it, noise and music are heard by each engine. Of each
half, the other half's regressions tell how often they are right where they are so sure; those of
both are written to `models/hearing`.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from assistant.cli.shared.conversation import heard_by, temporary_config
from assistant.composition import Composition
from assistant.core.messages import SAMPLE_RATE_HZ
from assistant.core.models.calibration import FILE
from assistant.evaluation.clips import SentenceLabel, labelled, sound_of
from assistant.evaluation.noise import Noise
from assistant.evaluation.rejects import read_lines
from audio.asr.calibration import HearingCalibration, Logistic
from audio.asr.constrained.recognizer import ConstrainedWhisper, Trial
from audio.asr.pocketsphinx import PocketSphinxRecognizer
from audio.asr.recognizer import Recognizer
from audio.build import HEARING
from audio.frames import at_rate
from audio.tts.flite import PATIENCE_S, Flite
from benchmarks.hearing.hours import CALLED_S, kitchen, music, noise
from models.training.config import MODELS, TRAINING
from models.training.examples import with_file
from nlu.text.canonical import canonical

TESTS = MODELS.parent / "tests" / "data"
SPOKEN = (TESTS / "everyday.txt", TESTS / "free_text.txt")
VOICES = ("slt", "awb")
TALK, TALKS = TRAINING / "dev" / "rejects.txt", 150
RATIOS_DB = (6.0, 0.0)
NOISE_MINUTES = 6.0
"""Of noise, and of music."""
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
    noisy: bool = False


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
    yield from _unspoken(data / "audio")


def noisy(data: Path) -> Iterator[Said]:
    """The recordings again, in a kitchen that is as loud and half as loud."""
    audio = data / "audio"
    clips, _ = labelled(audio / "home" / "clips", audio / "home" / "labels.json", SentenceLabel)
    kitchen_noise = Noise(kitchen(audio)[0].astype(np.int16))
    for clip in clips:
        for ratio_db in RATIOS_DB if clip.label.text else ():
            sound = kitchen_noise.under(sound_of(clip.path), ratio_db)
            yield Said(sound, clip.label.text, True, noisy=True)


def _unspoken(audio: Path) -> Iterator[Said]:
    """Noise and music in which nobody speaks."""
    rng = random.Random(7)
    sounds = (*noise(NOISE_MINUTES, kitchen(audio)[0], rng), *music(NOISE_MINUTES, rng))
    length = round(CALLED_S * SAMPLE_RATE_HZ)
    every = np.concatenate(sounds)
    for begin in range(0, len(every) - length, length):
        yield Said(every[begin : begin + length].astype(np.int16), "", False)


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
    values = np.array([values for values, _ in some])
    scale = np.array([1.0, *np.maximum(values.std(axis=0), 1e-9)])
    inputs = np.column_stack([np.ones(len(values)), values]) / scale
    right = np.array([float(is_right) for _, is_right in some])
    weights = np.zeros(inputs.shape[1])
    for _ in range(STEPS):
        chance = 1.0 / (1.0 + np.exp(-(inputs @ weights).clip(-30, 30)))
        slope = inputs.T @ (right - chance) - RIDGE * weights
        spread = chance * (1.0 - chance)
        curve = (inputs * spread[:, None]).T @ inputs + RIDGE * np.eye(len(weights))
        weights += np.linalg.solve(curve, slope)
    constant, *factors = (round(float(weight), 3) for weight in weights / scale)
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


def recognizer_of(engine: str, data: Path) -> Recognizer:
    """The engine as the daemon has it in the home of the data."""
    config = heard_by(engine, temporary_config(None, data / "home.yaml"))
    return Composition(config).recognition.recognizer()


def whispers(data: Path, known: HearingCalibration) -> HearingCalibration:
    """Hear everything by whisper, print how reliable its regressions are, and give those of all."""
    recognizer = recognizer_of("whisper", data)
    if not isinstance(recognizer, ConstrainedWhisper):
        sys.exit("whisper cannot seek what is speakable here: assistant doctor")
    sentences, free, spoken = Cases(), Cases(), Cases()
    for said in (*utterances(data), *noisy(data)):
        trial = recognizer.try_out(said.samples)
        spoken.append((trial.evidence.spoken, bool(said.text)))
        if said.text and not said.noisy:
            of_sentence, of_free = cases(said, trial)
            sentences += of_sentence
            free += of_free
    tell(("sentence", sentences), ("free text", free), ("speech", spoken))
    fitted = msgspec.structs.replace(
        known.whisper, sentence=fit(sentences), free=fit(free), spoken=fit(spoken)
    )
    return msgspec.structs.replace(known, whisper=fitted)


def pocketsphinxes(data: Path, known: HearingCalibration) -> HearingCalibration:
    """The same by PocketSphinx, of the sentences that it hears."""
    recognizer = recognizer_of("pocketsphinx", data)
    if not isinstance(recognizer, PocketSphinxRecognizer):
        raise TypeError(f"{recognizer.name} hears, in place of PocketSphinx")
    sentences = Cases()
    for said in utterances(data):
        recognizer.start()
        recognizer.feed(said.samples)
        text = recognizer.finish().text
        if recognizer.evidence is not None:
            right = said.meant and canonical(text).text == canonical(said.text).text
            sentences.append((recognizer.evidence, right))
    tell(("sentence", sentences))
    fitted = msgspec.structs.replace(known.pocketsphinx, sentence=fit(sentences))
    return msgspec.structs.replace(known, pocketsphinx=fitted)


def tell(*named: tuple[str, Cases]) -> None:
    """Print how reliable the regressions are."""
    for name, some in named:
        for line in reliability(name, some):
            sys.stdout.write(f"{line}\n")


FITTED = {"whisper": whispers, "pocketsphinx": pocketsphinxes}


def main(arguments: Sequence[str]) -> None:
    """Fit the engines, and write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--engines", nargs="+", choices=FITTED, default=FITTED)
    options = parser.parse_args(arguments)
    file, manifest = MODELS / HEARING / FILE, MODELS / "manifest.toml"
    for engine in options.engines:
        known = msgspec.json.decode(file.read_bytes(), type=HearingCalibration)
        written = msgspec.json.encode(FITTED[engine](options.data, known))
        file.write_bytes(msgspec.json.format(written) + b"\n")
        manifest.write_text(with_file(manifest.read_text("utf-8"), HEARING, file), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
