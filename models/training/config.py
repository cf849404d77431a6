"""The settings of all trainings."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

TRAINING = Path(__file__).resolve().parent
MODELS = TRAINING.parent
SENTENCES = TRAINING / "sentences"
"""The folder of our own annotated sentences."""
NONE = "none"
"""The intent of our own sentences that are no command and no question."""
NOT_OBEYED = "negated"
"""Name of the file of our own sentences that must cause no action, whichever intent they have."""
DATA = Path(os.environ.get("ASSISTANT_DATA", MODELS.parent.parent / "shared" / "data"))
"""The folder of the public data sets, with a folder for each."""
BUILD = MODELS.parent / "build" / "training"
"""The folder of checkpoints and logs; it may be deleted."""


@dataclass(frozen=True, kw_only=True)
class Config:
    """Settings of one training.

    The word embeddings of the base model, half of its parameters, are not trained.
    """

    seed: int = 7
    epochs: int
    learning_rate: float
    """Highest learning rate of the encoder."""
    head_learning_rate: float = 1e-3
    """Highest learning rate of the layers that are trained from scratch."""
    batch: int = 64
    """Number of sentences in one step."""
    warmup: float = 0.1
    """Share of the steps in which the learning rate rises; after them it falls linearly to 0."""
    swapped: float = 0.0
    """Share of the slot values that each epoch replaces by other values of the same label."""
    smoothing: float = 0.0
    """Label smoothing of the tags, because some labels are wrong."""
    weight_decay: float = 0.01
    dropout: float = 0.1


@dataclass(frozen=True, kw_only=True)
class IntentConfig(Config):
    """Settings of the intent encoder's training."""

    scale: float = 24.0
    """Inverse temperature of the cosine softmax."""
    margin: float = 0.15
    """Margin that is subtracted from the cosine of the right class (large margin cosine loss, Wang
    et al. 2018)."""
    exposure: float = 0.5
    """Weight of the loss on outliers (outlier exposure, Hendrycks et al. 2019)."""
    mixture: float = 0.25
    """Weight of the loss on outliers that are mixed from the embeddings of two intents (Zhan et al.
    2021)."""
    likeness: float = 2.0
    """Weight of the loss that keeps similarities within a batch near those of the base model."""
    blend: float = 0.8
    """Share of the trained weights in the shipped ones; the rest is the base model's, which keeps
    what the base knows about intents of no training set (Wortsman et al. 2022)."""
    held_out: float = 0.0
    """Share of CLINC150's intents that are held out of the training, to measure generality."""


@dataclass(frozen=True, kw_only=True)
class ReaderConfig(Config):
    """Settings of the reader's training."""

    foreign: float = 0.5
    """Share of the questions that are also asked of a passage similar to the right one."""
    made_up: int = 2
    """Number of questions that each epoch makes from the sentences of a passage."""
    kept: float = 0.6
    """Share of a sentence's words that such a question keeps."""
    unmarked: float = 0.5
    """Share of the questions without their question mark, because spoken questions have none."""
    likeness: float = 4.0
    """Weight of the loss that keeps the embeddings near those of the base model."""
    frozen: int = 2
    """Number of the lowest layers that are not trained; nor are the embeddings below them."""


@dataclass(frozen=True, kw_only=True)
class GeneratorConfig:
    """Settings of the generator's network and training."""

    layers: int = 4
    width: int = 384
    heads: int = 6
    positions: int = 320
    """Most tokens of a prompt and its reply together."""
    seed: int = 7
    rounds: int
    """Number of rounds, of `round` examples each; every round ends with a checkpoint."""
    round: int = 4000
    """Number of examples in a round."""
    longest: int = 192
    """Most tokens of an example; longer examples are left out."""
    batch: int = 2000
    """Number of tokens in one step."""
    learning_rate: float = 1.1e-3
    rising: float = 1.0
    """Number of rounds, the first ones, in which the learning rate rises."""
    falling: float = 0.4
    """Share of the rounds, the last ones, in which the learning rate falls."""
    weight_decay: float = 0.05
    grounded: float = 0.5
    """Share of the examples that are about passages."""
    facts: float = 0.1
    """Share of the examples that are about facts from skills; the others are dialogue turns."""
    declined: float = 0.06
    """Share of the examples about passages whose passage does not answer the question."""
    without_values: float = 0.4
    """Weight of dialogue turns without a value, such as a goodbye, when turns are drawn."""
    judged: int = 3
    """Number of rounds between two measurements on the dev split."""


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
