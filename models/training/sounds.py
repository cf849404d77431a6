"""What the speech embedding learns from: features of altered synthetic speech and their phones."""

from __future__ import annotations

import logging
import random
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import soxr
from numpy.typing import NDArray

from assistant.core.messages import SAMPLE_RATE_HZ
from audio.asr.pronunciation import dictionary_path
from audio.wake.own.features import FRAME_S, STEPS_A_UNIT, WINDOW_S, Features
from audio.wake.own.voices import altered
from models.training.corpora import clinc150
from models.training.phones import Espeak, Spoken, flite

CHUNKS, CHUNK, VARIANTS = 6, 600, 3
"""How many files of examples, how many utterances each holds, and how often each is altered."""
SENTENCES = 0.25
"""Share of the utterances that are sentences of CLINC150; the others are one to four words."""
BABBLE = 0.3
"""Share of the utterances over which somebody else speaks more softly."""
STRETCH = (0.8, 1.25)
FRESH = 0.5
"""Share of the utterances before which the features begin anew."""

log = logging.getLogger(__name__)


def build(folder: Path) -> None:
    """Write the examples into `folder`, a file a chunk; those that are there stay."""
    folder.mkdir(parents=True, exist_ok=True)
    missing = [n for n in range(CHUNKS) if not (folder / f"{n}.npz").exists()]
    with ProcessPoolExecutor(2) as pool:
        for done in pool.map(partial(_write, folder), missing):
            log.info("%s", done.name)


def _write(folder: Path, number: int) -> Path:
    dice = random.Random(number)
    lines = dictionary_path().read_text(encoding="utf-8").splitlines()
    words = [word for word in (line.split()[0] for line in lines) if word.isalpha()]
    sentences = [s.text for s in clinc150("train")]
    speakers = [flite, Espeak()]
    features, made = Features(), []
    before: Spoken | None = None
    for _ in range(CHUNK):
        several = " ".join(dice.sample(words, dice.randint(1, 4)))
        text = dice.choice(sentences) if dice.random() < SENTENCES else several
        spoken = dice.choice(speakers)(text, dice)
        made += [_example(spoken, before, features, dice) for _ in range(VARIANTS)]
        before = spoken
    heard, phones = (np.concatenate(parts) for parts in zip(*made, strict=True))
    file = folder / f"{number}.npz"
    unfinished = folder / f"{number}.part.npz"
    np.savez(unfinished, features=heard, phones=phones)
    unfinished.rename(file)
    return file


def _example(
    spoken: Spoken, other: Spoken | None, features: Features, dice: random.Random
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Features as uint8[n, 40], `STEPS_A_UNIT` to one, and the phone of each frame."""
    ratio, before_s = dice.uniform(*STRETCH), dice.uniform(0.1, 0.9)
    sound = np.asarray(
        soxr.resample(spoken.sound, SAMPLE_RATE_HZ, SAMPLE_RATE_HZ * ratio), np.float32
    )
    if other is not None and dice.random() < BABBLE:
        size = min(len(sound), len(other.sound))
        sound[:size] += 10 ** (-dice.uniform(6, 25) / 20) * other.sound[:size]
    pcm, _ = altered(sound, dice, before_s, dice.uniform(0.1, 0.6), stretch=(1, 1))
    if dice.random() < FRESH:
        features.forget()
    heard = np.array(list(features.push(pcm.tobytes())), np.float32)
    middles_s = np.arange(len(heard)) * FRAME_S + WINDOW_S / 2
    steps = np.clip(np.round(heard * STEPS_A_UNIT), 0, 255).astype(np.uint8)
    return steps, spoken.at((middles_s - before_s) / ratio)
