"""Every number of the trainings, in one place."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

TRAINING = Path(__file__).resolve().parent
MODELS = TRAINING.parent
SENTENCES = TRAINING / "sentences"
"""Our own annotated sentences."""
NONE = "none"
"""Intent of our own sentences that ask for nothing."""
NOT_OBEYED = "negated"
"""The file of our own sentences that must cause no action, whatever their intent."""
DATA = Path(os.environ.get("ASSISTANT_DATA", MODELS.parent.parent / "shared" / "data"))
"""The public data sets, one folder each."""
BUILD = MODELS.parent / "build" / "training"
"""Checkpoints and logs; safe to delete."""


@dataclass(frozen=True, kw_only=True)
class Config:
    """One training; the base's word embeddings, half of the parameters, stay as they are."""

    seed: int = 7
    epochs: int
    learning_rate: float
    """Of the encoder, at the peak."""
    head_learning_rate: float = 1e-3
    """Of what is trained from scratch."""
    batch: int = 64
    """Sentences of a step."""
    warmup: float = 0.1
    """Share of the steps in which the rate rises; it then falls in a line to 0."""
    swapped: float = 0.0
    """Share of the examples' values that are swapped for others of their label in an epoch."""
    smoothing: float = 0.0
    """Of the tags' targets, where the labels are not always right."""
    weight_decay: float = 0.01
    dropout: float = 0.1


@dataclass(frozen=True, kw_only=True)
class IntentConfig(Config):
    """The intent encoder."""

    scale: float = 24.0
    """Inverse temperature of the cosine softmax."""
    margin: float = 0.15
    """Taken off the right class's cosine (large margin cosine loss, Wang et al. 2018)."""
    exposure: float = 0.5
    """Weight of the loss on outliers (outlier exposure, Hendrycks et al. 2019)."""
    mixture: float = 0.25
    """Weight of outliers mixed from two intents' embeddings (Zhan et al. 2021)."""
    likeness: float = 2.0
    """Weight of staying near the base's similarities within a batch."""
    blend: float = 0.8
    """Share of the trained weights in what ships; the rest are the base's, which keeps what the
    base knows of intents that no set here has (Wortsman et al. 2022)."""
    held_out: float = 0.0
    """Share of CLINC150's intents kept out of training, to measure generality."""


@dataclass(frozen=True, kw_only=True)
class ReaderConfig(Config):
    """The reader."""

    foreign: float = 0.5
    """Share of the questions that are also put to a passage near the right one."""
    made_up: int = 2
    """Questions made of a passage's own sentences in an epoch."""
    kept: float = 0.6
    """Share of the sentence's words that such a question keeps."""
    unmarked: float = 0.5
    """Share of the questions that lose their question mark, as spoken ones have none."""
    likeness: float = 4.0
    """Weight of staying near the base's embeddings."""
    frozen: int = 2
    """Lowest layers that stay as they are, with all below them."""


@dataclass(frozen=True, kw_only=True)
class GeneratorConfig:
    """The generator: its shape and its training."""

    layers: int = 4
    width: int = 384
    heads: int = 6
    positions: int = 320
    """Tokens of prompt and reply together."""
    seed: int = 7
    rounds: int
    """Of `round` examples; each ends with a checkpoint."""
    round: int = 4000
    longest: int = 192
    """Tokens of an example; longer ones are left out."""
    batch: int = 2000
    """Tokens of a step."""
    learning_rate: float = 1.1e-3
    rising: float = 1.0
    """Rounds in which the rate rises."""
    falling: float = 0.4
    """Share of the rounds, the last ones, in which the rate falls."""
    weight_decay: float = 0.05
    grounded: float = 0.5
    """Share of examples about passages."""
    facts: float = 0.1
    """Share of examples about skills' facts; the others are dialogue turns."""
    declined: float = 0.06
    """Share of those whose passage does not answer."""
    without_values: float = 0.4
    """Weight of turns that say no value, such as a goodbye."""
    judged: int = 3
    """Rounds from one look at dev to the next."""


INTENT = IntentConfig(epochs=8, learning_rate=6e-5, batch=96)
INTENT_CHECK = IntentConfig(epochs=3, learning_rate=6e-5, batch=96, held_out=0.2)
NER = Config(epochs=6, learning_rate=1.5e-4, swapped=0.3, smoothing=0.05, dropout=0.15)
READER = ReaderConfig(epochs=4, learning_rate=1.2e-4, batch=16, warmup=0.05)
GENERATOR = GeneratorConfig(rounds=20)
BENCHMARKS = {
    "snips": Config(epochs=7, learning_rate=1.5e-4),
    "atis": Config(epochs=12, learning_rate=2e-4, batch=32),
    "conll": Config(epochs=4, learning_rate=1.5e-4, batch=32),
}
