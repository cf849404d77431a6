"""Examples survive being written; embeddings are made once, also when the file is damaged."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from assistant.core.errors import ModelError
from nlu.classifier.encoder import Embeddings
from nlu.classifier.examples import (
    CachedEncoder,
    Examples,
    IntentLabel,
    embed,
    read_shipped,
    write_shipped,
)

LIGHTS = IntentLabel("HassTurnOn", (("domain", "light"),))


class Counting:
    """An encoder that counts the texts that it was given."""

    version = "0123456789abcdef"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def encode(self, texts: Sequence[str]) -> Embeddings:
        self.asked += texts
        return np.array([[len(text), 1.0] for text in texts], np.float32)


def test_shipped_examples_come_back_nearly_as_they_were(tmp_path: Path) -> None:
    made = np.random.default_rng(1).normal(size=(3, 8)).astype(np.float32)
    written = Examples([LIGHTS, None, IntentLabel("Stop")], made)
    write_shipped(tmp_path / "examples.npz", written)
    read = read_shipped((tmp_path / "examples.npz").read_bytes())
    assert read.labels == written.labels
    assert np.abs(read.embeddings - made).max() < np.abs(made).max() / 100


@pytest.mark.parametrize(("field", "value"), [(6, 127), (8, 1), (10, 99)])
def test_an_archive_of_another_kind_is_no_examples(tmp_path: Path, field: int, value: int) -> None:
    """A byte of a file's entry: the version needed, "encrypted", and how it is packed."""
    write_shipped(tmp_path / "examples.npz", Examples([None], np.ones((1, 8), np.float32)))
    content = bytearray((tmp_path / "examples.npz").read_bytes())
    content[content.index(b"PK\1\2") + field] = value
    with pytest.raises(ModelError, match="cannot be read") as fault:
        read_shipped(bytes(content))
    assert fault.value.code == "model.unusable"


def test_a_label_is_a_line_of_text() -> None:
    assert IntentLabel.read(LIGHTS.text) == LIGHTS


def test_only_new_sentences_are_embedded(tmp_path: Path) -> None:
    encoder = Counting()
    cached = CachedEncoder(encoder, tmp_path)  # type: ignore[arg-type]
    first = cached.encode(["a", "bb"])
    again = cached.encode(["bb", "ccc", "a"])
    assert sorted(encoder.asked) == ["a", "bb", "ccc"]
    assert again.tolist() == [[2, 1], [3, 1], [1, 1]]
    assert first.tolist() == [[1, 1], [2, 1]]


def test_the_last_of_other_embeddings_are_kept_too(tmp_path: Path) -> None:
    encoder = Counting()
    cached = CachedEncoder(encoder, tmp_path, others=2)  # type: ignore[arg-type]
    for texts in (["a"], ["bb"], ["ccc"], ["dddd"]):
        cached.encode(texts)
    asked = len(encoder.asked)
    assert cached.encode(["dddd", "ccc", "bb"]).tolist() == [[4, 1], [3, 1], [2, 1]]
    assert len(encoder.asked) == asked
    cached.encode(["a"])
    assert encoder.asked[asked:] == ["a"]


def test_without_others_what_is_not_asked_for_again_is_forgotten(tmp_path: Path) -> None:
    encoder = Counting()
    cached = CachedEncoder(encoder, tmp_path, "lessons")  # type: ignore[arg-type]
    cached.encode(["a", "bb"])
    assert cached.encode([]).shape == (0, 0)
    cached.encode(["bb"])
    assert sorted(encoder.asked) == ["a", "bb", "bb"]


def test_another_model_or_a_damaged_cache_starts_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    CachedEncoder(Counting(), tmp_path).encode(["a"])  # type: ignore[arg-type]
    (file,) = tmp_path.iterdir()
    file.write_bytes(b"PK not a zip")
    encoder = Counting()
    assert CachedEncoder(encoder, tmp_path).encode(["a"]).tolist() == [[1, 1]]  # type: ignore[arg-type]
    assert encoder.asked == ["a"]
    assert "nlu.cache" in caplog.text


def test_a_cache_that_cannot_be_written_costs_only_time(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    cached = CachedEncoder(Counting(), tmp_path / "file" / "nlu")  # type: ignore[arg-type]
    assert embed(cached, [(LIGHTS, "ab")]).embeddings.tolist() == [[2, 1]]
    assert "nlu.cache" in caplog.text
