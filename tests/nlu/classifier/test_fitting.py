"""A head is fitted once for the same sentences, and again for others or from a damaged file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from nlu.classifier.encoder import Embeddings
from nlu.classifier.examples import Examples, IntentLabel, write_shipped
from nlu.classifier.fitting import OwnSentences, fitted
from tests.support.calibrations import INTENT

LABELS = [IntentLabel(name) for name in ("Lights", "Timers", "Music", "Doors", "News")]


class Stand:
    """An encoder whose embeddings depend on the text alone, and which counts what it is asked."""

    version = "stand-in-of-an-encoder"
    calibration = INTENT

    def __init__(self) -> None:
        self.asked = 0

    def encode(self, texts: Sequence[str]) -> Embeddings:
        self.asked += len(texts)
        rows = [np.random.default_rng(list(text.encode())).normal(size=16) for text in texts]
        made = np.array(rows, np.float32)
        unit: Embeddings = made / np.linalg.norm(made, axis=1, keepdims=True)
        return unit


@pytest.fixture
def shipped(tmp_path: Path) -> bytes:
    texts = [f"{label.intent} {n}" for label in LABELS for n in range(6)]
    labels: list[IntentLabel | None] = [label for label in LABELS for _ in range(6)]
    outside = [f"talk {n}" for n in range(12)]
    embeddings = Stand().encode([*texts, *outside])
    write_shipped(tmp_path / "e.npz", Examples([*labels, *[None] * 12], embeddings))
    return (tmp_path / "e.npz").read_bytes()


def test_the_same_sentences_are_fitted_once(tmp_path: Path, shipped: bytes) -> None:
    encoder, own = Stand(), [(IntentLabel("Lights"), f"lamp {n}") for n in range(4)]
    first = fitted(encoder, shipped, OwnSentences(own), tmp_path).rank("Lights 1")  # type: ignore[arg-type]
    assert encoder.asked == len(own) + 1
    again = fitted(encoder, shipped, OwnSentences(own), tmp_path).rank("Lights 1")  # type: ignore[arg-type]
    assert encoder.asked == len(own) + 2
    assert again == first
    more = OwnSentences([*own, (IntentLabel("Lights"), "new")])
    fitted(encoder, shipped, more, tmp_path)  # type: ignore[arg-type]
    assert encoder.asked == len(own) + 3  # only the new sentence is embedded


def test_a_damaged_head_is_fitted_again(
    tmp_path: Path, shipped: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    own = OwnSentences([(IntentLabel("Lights"), "lamp")])
    fitted(Stand(), shipped, own, tmp_path)  # type: ignore[arg-type]
    (file,) = tmp_path.glob("head-*.npz")
    file.write_bytes(b"PK nothing")
    ranking = fitted(Stand(), shipped, own, tmp_path).rank("Timers 2")  # type: ignore[arg-type]
    assert ranking.intents()[0][0] == "Timers"
    assert "nlu.cache" in caplog.text


def test_talk_is_compared_with_and_changes_no_head(tmp_path: Path, shipped: bytes) -> None:
    commands = [(IntentLabel("Lights"), f"lamp {n}") for n in range(4)]
    talk = [(IntentLabel("Thanks"), "thank you"), (IntentLabel("Bye"), "see you")]
    alone = fitted(Stand(), shipped, OwnSentences(commands), tmp_path)  # type: ignore[arg-type]
    both = fitted(Stand(), shipped, OwnSentences(commands, talk), tmp_path)  # type: ignore[arg-type]
    assert both.rank("Lights 1") == alone.rank("Lights 1")
    assert alone.talk("thank you") == {}
    near = both.talk("thank you")
    assert near["Thanks"] == pytest.approx(1.0)
    assert near["Bye"] < 0.9


def test_a_head_that_starts_from_another_knows_new_intents_and_is_not_kept(
    tmp_path: Path, shipped: bytes
) -> None:
    commands = [(IntentLabel("Lights"), f"lamp {n}") for n in range(4)]
    first = fitted(Stand(), shipped, OwnSentences(commands), tmp_path)  # type: ignore[arg-type]
    kept = sorted(file.name for file in tmp_path.glob("head-*.npz"))
    more = OwnSentences([*commands, *((IntentLabel("Roof"), f"roof {n}") for n in range(4))])
    warm = fitted(Stand(), shipped, more, tmp_path, first.head)  # type: ignore[arg-type]
    assert warm.rank("roof 1").intents()[0][0] == "Roof"
    assert "Roof" not in dict(first.rank("roof 1").intents())  # the control
    assert np.array_equal(warm.head.spread, first.head.spread)
    assert sorted(file.name for file in tmp_path.glob("head-*.npz")) == kept
    cold = fitted(Stand(), shipped, more, tmp_path)  # type: ignore[arg-type]
    again = fitted(Stand(), shipped, more, tmp_path, first.head)  # type: ignore[arg-type]
    assert again.rank("roof 1") == cold.rank("roof 1")  # what is kept comes first
