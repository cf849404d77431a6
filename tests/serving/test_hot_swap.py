"""Stages made anew with another version of a model, and when that comes to be in use."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

import pytest

from assistant.composition import Composition
from assistant.core.config import Config, NluSettings, StorageSettings
from assistant.core.errors import AnswerError, ModelError
from assistant.core.messages import Message
from assistant.core.models.manifest import Library
from assistant.serving.hot_swap import HotSwap, NluHotSwap
from benchmarks.versions import add, add_unsound


class Reads:
    """A stage that runs one version of the NER model."""

    consumes: ClassVar[tuple[type[Message], ...]] = ()

    def __init__(self, version: str) -> None:
        self.version = version

    def feed(self, message: Message) -> Iterable[Message]:
        return ()

    def deadline_s(self) -> float | None:
        return None


def made(composition: Composition) -> Reads:
    return Reads(composition.library.version("ner"))


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Config:
    folder = tmp_path_factory.mktemp("workshop")
    config = Config(
        storage=StorageSettings(state=str(folder), cache=str(folder / "cache")),
        nlu=NluSettings(models=False),
    )
    library = Library(config.models_dir)
    add(library, "ner", "2", seed=2)
    add_unsound(library, "ner")
    return config


@pytest.fixture(autouse=True)
def first(config: Config) -> None:
    """The version that ships is in use."""
    (config.models_dir / "ner.in-use.json").unlink(missing_ok=True)


def in_use(config: Config) -> str:
    return Library(config.models_dir).use("ner").version


def test_a_stage_is_made_beside_the_one_that_runs_and_takes_its_turn(config: Config) -> None:
    workshop = HotSwap(made)
    stage = workshop.stage(config)
    change = workshop.load("ner", "2")
    assert in_use(config) == "1"
    stage = change(stage)
    assert isinstance(stage, Reads)
    assert (stage.version, in_use(config)) == ("2", "2")
    assert isinstance(again := workshop.stage(config), Reads)
    assert again.version == "2"


def test_where_there_is_one_writer_only_models_are_loaded_before_the_turn(config: Config) -> None:
    done: list[str] = []

    def prepare(composition: Composition) -> None:
        done.append(f"prepared {composition.library.version('ner')}")

    def make(composition: Composition) -> Reads:
        done.append("made")
        return made(composition)

    workshop = HotSwap(make, prepare)
    stage = workshop.stage(config)
    change = workshop.load("ner", "2")
    assert done == ["made", "prepared 2"]
    change(stage)
    assert done == ["made", "prepared 2", "made"]


def test_a_stage_that_cannot_be_made_leaves_the_choice_as_it_was(config: Config) -> None:
    def make(composition: Composition) -> Reads:
        if composition.library.version("ner") == "2":
            raise AnswerError("answer.none", "no database")
        return made(composition)

    workshop = HotSwap(make, lambda _: None)
    stage = workshop.stage(config)
    change = workshop.load("ner", "2")
    with pytest.raises(AnswerError):
        change(stage)
    assert in_use(config) == "1"


@pytest.mark.parametrize("version", ["nonsense", "corrupt", "9"])
def test_what_is_unsound_is_refused_before_anything_is_made(config: Config, version: str) -> None:
    workshop = HotSwap(made)
    workshop.stage(config)
    with pytest.raises(ModelError):
        workshop.load("ner", version)
    assert in_use(config) == "1"


def test_understanding_without_models_has_the_choice_for_when_it_has_them(config: Config) -> None:
    workshop = NluHotSwap()
    stage = workshop.stage(config)
    with pytest.raises(ModelError):
        workshop.load("ner", "nonsense")
    assert workshop.load("ner", "2")(stage) is stage
    assert in_use(config) == "2"
