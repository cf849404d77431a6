"""Models are opened once, however often a stage is made anew."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from assistant.core.errors import ModelError
from assistant.core.models import opened
from assistant.core.models.manifest import Library
from assistant.core.models.opened import OpenModels
from benchmarks.endurance.versions import add
from nlu.classifier.tagger import Tagger


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    library = Library(tmp_path_factory.mktemp("models"))
    for version in ("2", "3"):
        add(library, "ner", version, seed=int(version))
    return library


def refuse(_: object) -> None:
    raise ModelError("model.unsound", "it answers its canaries otherwise")


def tagger(models: OpenModels, library: Library) -> Tagger:
    return models.get(library, "ner", partial(Tagger.load, library))


def test_a_version_is_opened_once(library: Library) -> None:
    models = OpenModels()
    first = tagger(models, library)
    assert tagger(models, Library(library.pulled)) is first
    assert tagger(models, library.choosing("ner", "2")) is not first


def test_models_of_several_names_stand_side_by_side(library: Library) -> None:
    models = OpenModels()
    first = tagger(models, library)
    assert [models.get(library, name, lambda n=name: n) for name in ("intent", "reader")] == [
        *("intent", "reader")
    ]
    assert tagger(models, library) is first


def test_the_version_before_stays_for_a_rollback(library: Library) -> None:
    models = OpenModels()
    first, second = (tagger(models, library.choosing("ner", version)) for version in "12")
    assert tagger(models, library.choosing("ner", "2")) is second  # again the latest
    assert tagger(models, library) is first
    tagger(models, library.choosing("ner", "3"))
    assert tagger(models, library) is first
    assert tagger(models, library.choosing("ner", "2")) is not second


def test_without_spare_memory_only_the_latest_stays(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opened, "available_bytes", lambda: opened.SPARE_BYTES)
    models = OpenModels()
    first = tagger(models, library)
    tagger(models, library.choosing("ner", "2"))
    assert tagger(models, library) is not first


def test_what_is_refused_is_not_kept(library: Library) -> None:
    models, loaded = OpenModels(), []

    def load() -> str:
        loaded.append("once more")
        return "a model"

    for _ in range(2):
        with pytest.raises(ModelError):
            models.get(library, "ner", load, refuse)
    models.get(library, "ner", load)
    assert len(loaded) == 3


def test_what_is_not_here_is_told_by_who_loads_it(library: Library) -> None:
    models, absent = OpenModels(), library.choosing("ner", "9")
    for _ in range(2):
        with pytest.raises(ModelError) as raised:
            tagger(models, absent)
        assert raised.value.code == "model.missing"


def test_what_nothing_vouches_for_is_not_opened(tmp_path: Path) -> None:
    library = Library(tmp_path)
    add(library, "ner", "2", seed=2)
    other = library.choosing("ner", "2")
    (other.folder("ner") / "lock.json").unlink()
    with pytest.raises(ModelError) as raised:
        OpenModels().get(other, "ner", lambda: "a model")
    assert raised.value.code == "model.unlocked"
