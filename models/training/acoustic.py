"""Fits the map that moves PocketSphinx's acoustic model to voices across a room.

`python -m models.training acoustic` needs the daemon's packages, flite and CLINC150, and no torch.
The model was made of people who read into a headset. Here flite's voices say sentences in simulated
rooms (image method), in noise, and one affine map of the means is fitted to them. Each pass takes
the Gaussians' shares as they are after the map before.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Iterator
from contextlib import closing
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from assistant.core.messages import SAMPLE_RATE_HZ
from audio.asr.acoustic import FILE, MODEL
from audio.wake.own.voices import hiss
from benchmarks.hearing.rooms import Room, active_rms, within
from models.training.alignment import Aligned, Aligner
from models.training.config import MODELS
from models.training.corpora import clinc150
from models.training.gaussians import Gaussians
from models.training.phones import flite
from models.training.publish import Entry, publish
from models.training.transform import Statistics, Transform, fit

SEED = 5
SENTENCES = 1200
PASSES = 3
WEIGHT = 500.0
"""Frames that the map before counts for."""
SHARE = 0.7
"""How far the map that ships goes to the fitted one: voices of people differ from flite's."""
IN_A_ROOM = 0.85
PEAK_DB, OVER_NOISE_DB = (-20.0, -3.0), (12.0, 40.0)
QUIET_S = (0.2, 0.5)
"""Seconds of silence before a sentence, and after it."""

log = logging.getLogger(__name__)


def build() -> None:
    """Fit the map, and publish it."""
    spoken = list(islice(_spoken(), SENTENCES))
    model, transform = Gaussians.load(), Transform.identity()
    for _ in range(PASSES):
        statistics = Statistics()
        for speech in spoken:
            statistics.add(speech, model, transform)
        transform = statistics.solve(Transform.identity(), WEIGHT)
    gains = [fit(one, model, transform) - fit(one, model, Transform.identity()) for one in spoken]
    log.info("fitted to %d frames, which gain %.2f each", statistics.frames, np.mean(gains))
    transform = Transform.identity().towards(transform, SHARE)
    entry = Entry(
        version="1",
        kind="acoustic",
        summary="Moves PocketSphinx's English acoustic model to voices across a room (546 numbers)",
        licence="Apache-2.0; fitted to sentences of CLINC150 (CC BY 3.0), spoken by flite",
        inputs={"means": "float32[42, 3, 128, 13]"},
        outputs={"means": "float32[42, 3, 128, 13]"},
    )
    publish(MODEL, entry, {FILE: transform.text().encode()}, MODELS)


def _spoken() -> Iterator[Aligned]:
    dice = random.Random(SEED)
    sentences = [sentence.text.lower() for sentence in clinc150("train")]
    with closing(Aligner()) as aligner:
        while True:
            text = dice.choice(sentences)
            sound = _heard(np.asarray(flite(text, dice).sound, np.float64), dice)
            if (speech := aligner(text, sound.tobytes())) is not None:
                yield speech


def _heard(sound: NDArray[np.float64], dice: random.Random) -> NDArray[np.int16]:
    """`sound` as a microphone hears it, mostly across a room, always in some noise."""
    before, after = (round(dice.uniform(*QUIET_S) * SAMPLE_RATE_HZ) for _ in range(2))
    sound = np.pad(sound, (before, after))
    if dice.random() < IN_A_ROOM:
        room = Room.drawn(dice)
        sound = within(sound, room.response(room.person))
    sound *= 10 ** (dice.uniform(*PEAK_DB) / 20) / np.abs(sound).max()
    noise = hiss(len(sound), np.random.default_rng(dice.getrandbits(32)), dice)
    sound += (
        noise * active_rms(sound) / active_rms(noise) * 10 ** (-dice.uniform(*OVER_NOISE_DB) / 20)
    )
    return np.clip(sound * 32768, -32768, 32767).astype(np.int16)
