"""The models of understanding are opened once, however often the stage is made anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.core.config import Config, StorageSettings
from assistant.core.errors import ModelError
from assistant.core.models.manifest import Library
from assistant.serving.hot_swap import NluHotSwap
from benchmarks.versions import add
from nlu.classifier import opened
from nlu.classifier.encoder import SentenceEncoder
from nlu.classifier.opened import Opened
from nlu.classifier.tagger import Tagger


@pytest.fixture
def library(tmp_path: Path) -> Library:
    library = Library(tmp_path)
    for version in ("2", "3"):
        add(library, "ner", version, seed=int(version))
    return library


def refuse(_: Tagger) -> None:
    raise ModelError("model.unsound", "it answers its canaries otherwise")


def test_a_version_is_opened_once(library: Library) -> None:
    models = Opened()
    first = models.tagger(library)
    assert models.tagger(Library(library.pulled)) is first
    assert models.tagger(library.choosing("ner", "2")) is not first
    assert models.encoder(library) is models.encoder(library)


def test_the_version_before_stays_for_a_rollback(library: Library) -> None:
    models = Opened()
    first, second = models.tagger(library), models.tagger(library.choosing("ner", "2"))
    assert models.tagger(library) is first
    models.tagger(library.choosing("ner", "3"))
    assert models.tagger(library) is first
    assert models.tagger(library.choosing("ner", "2")) is not second


def test_without_spare_memory_only_the_latest_stays(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opened, "available_bytes", lambda: opened.SPARE_BYTES - 1)
    models = Opened()
    first = models.tagger(library)
    models.tagger(library.choosing("ner", "2"))
    assert models.tagger(library) is not first


def test_what_is_refused_is_not_kept(library: Library) -> None:
    models, other = Opened(), library.choosing("ner", "2")
    with pytest.raises(ModelError):
        models.tagger(other, refuse)
    with pytest.raises(ModelError):  # it is not taken for one that has passed
        models.tagger(other, refuse)
    assert models.tagger(other) is models.tagger(other)


def test_a_file_that_was_damaged_since_is_told(library: Library) -> None:
    models, other = Opened(), library.choosing("ner", "2")
    models.tagger(other)
    with (other.folder("ner") / "model.onnx").open("r+b") as file:
        file.write(b"x")
    with pytest.raises(ModelError, match="corrupt"):
        models.tagger(other)


def test_a_stage_made_anew_has_the_models_of_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = Config(storage=StorageSettings(state=str(tmp_path), cache=str(tmp_path / "cache")))
    workshop = NluHotSwap()
    workshop.stage(config)
    loaded: list[Library] = []

    def load(library: Library) -> None:
        loaded.append(library)
        raise ModelError("model.missing", "it is gone")

    for kind in (SentenceEncoder, Tagger):
        monkeypatch.setattr(kind, "load", load)
    assert workshop.stage(config).guess is not None
    assert loaded == []
    NluHotSwap().stage(config)  # the models of nobody before it
    assert len(loaded) == 2
