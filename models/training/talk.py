"""Embeds talk in synthetic voices, which an enrolled wake word is told from on every device.

`python -m models.training talk` needs the daemon's packages, flite, espeak-ng and CLINC150, and
no torch.
"""

from __future__ import annotations

import logging
import random
from pathlib import Path

import numpy as np

from assistant.core.messages import SAMPLE_RATE_HZ
from assistant.core.models.manifest import Library
from audio.wake.own.background import FILE, MODEL, write_background
from audio.wake.own.embedding import SpeechEmbedding
from audio.wake.own.voices import altered, utter
from models.training.config import MODELS
from models.training.corpora import clinc150
from models.training.examples import with_file

SEED = 1
TALK_S = 1200.0
BEFORE_S, AFTER_S = 0.4, 0.3
"""Seconds of silence around each sentence."""

log = logging.getLogger(__name__)


def build(models: Path = MODELS) -> Path:
    """Have voices say sentences of CLINC150's train split, and write their vectors."""
    dice = random.Random(SEED)
    sentences = [s.text for split in ("train", "oos_train") for s in clinc150(split)]
    embedding = SpeechEmbedding(Library(models, models))
    spoken, heard_s = [], 0.0
    while heard_s < TALK_S:
        sound, _ = altered(utter(dice.choice(sentences), dice), dice, BEFORE_S, AFTER_S)
        spoken.append(embedding.of(sound))
        heard_s += len(sound) / SAMPLE_RATE_HZ
        if len(spoken) % 100 == 0:
            log.info("%d sentences, %.0f s", len(spoken), heard_s)
    file = models / MODEL / FILE
    file.parent.mkdir(exist_ok=True)
    write_background(file, np.concatenate(spoken))
    manifest = models / "manifest.toml"
    manifest.write_text(with_file(manifest.read_text("utf-8"), MODEL, file), "utf-8")
    return file
