"""A head is fitted once for the same sentences, and again for others or from a damaged file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from assistant.core.models.manifest import SHIPPED, Library
from nlu.classifier.encoder import Embeddings, SentenceEncoder
from nlu.classifier.examples import Examples, IntentLabel, write_shipped
from nlu.classifier.fitting import OwnSentences, first, fitted, found
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


def keyed(*texts: str, key: str = "k") -> OwnSentences:
    talk = [(IntentLabel("Thanks"), "thank you")]
    return OwnSentences([(IntentLabel("Lights"), text) for text in texts], talk, key=key)


def test_a_model_is_found_by_its_key_and_no_sentence_is_embedded(
    tmp_path: Path, shipped: bytes
) -> None:
    encoder, own = Stand(), keyed("lamp", "light")
    assert found(encoder, shipped, tmp_path, "k") is None  # type: ignore[arg-type]
    made = fitted(encoder, shipped, own, tmp_path)  # type: ignore[arg-type]
    asked = encoder.asked
    again = found(encoder, shipped, tmp_path, "k")  # type: ignore[arg-type]
    assert again is not None
    assert encoder.asked == asked
    assert not again.provisional
    assert again.rank("Lights 1") == made.rank("Lights 1")
    assert again.talk("thank you") == made.talk("thank you") != {}
    assert found(encoder, shipped, tmp_path, "other") is None  # type: ignore[arg-type]
    assert found(encoder, shipped + b"other", tmp_path, "k") is None  # type: ignore[arg-type]
    assert found(encoder, shipped, tmp_path, "") is None  # type: ignore[arg-type]
    (head,) = tmp_path.glob("head-*.npz")
    head.unlink()
    assert found(encoder, shipped, tmp_path, "k") is None  # type: ignore[arg-type]


def test_the_head_that_ships_serves_its_encoder_until_another_is_fitted(
    tmp_path: Path, shipped: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    encoder = Stand()
    assert first(encoder, shipped, tmp_path) is None  # type: ignore[arg-type]
    made = fitted(encoder, shipped, keyed("lamp", "light"), tmp_path)  # type: ignore[arg-type]
    file = tmp_path / "head.npz"
    file.write_bytes(made.head.to_ship(encoder.version))
    model = first(encoder, shipped, tmp_path)  # type: ignore[arg-type]
    assert model is not None
    assert model.provisional
    for text in ("Timers 2", "talk 3"):
        whole, rounded = made.rank(text), model.rank(text)
        assert rounded.in_scope == pytest.approx(whole.in_scope, abs=0.01)
        assert rounded.intents()[0][0] == whole.intents()[0][0]
    file.write_bytes(made.head.to_ship("another encoder"))
    assert first(encoder, shipped, tmp_path) is None  # type: ignore[arg-type]
    file.write_bytes(b"PK nothing")
    assert first(encoder, shipped, tmp_path) is None  # type: ignore[arg-type]
    assert "nlu.cache" in caplog.text


def test_the_head_in_the_repository_is_of_the_encoder_beside_it() -> None:
    encoder = SentenceEncoder.load(Library(SHIPPED, SHIPPED))
    examples = (SHIPPED / "intent" / "examples.npz").read_bytes()
    model = first(encoder, examples, SHIPPED / "intent")
    assert model is not None, "make it again: python -m models.training head"
    ranking = model.rank("could you turn the lights in the kitchen on")
    assert ranking.intents()[0][0] == "HassTurnOn"
    assert ranking.in_scope > model.rank("my uncle turned the lights off last year").in_scope
