"""Stages made anew with another version of a model, and when that comes to be in use."""

from __future__ import annotations

import shutil
import weakref
from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar

import msgspec
import pytest

from assistant.composition import Composition
from assistant.core.config import Config, NluSettings, StorageSettings
from assistant.core.errors import AnswerError, ModelError
from assistant.core.messages import Message
from assistant.core.models.calibration import FILE
from assistant.core.models.manifest import SHIPPED, Library
from assistant.core.settings.skills import SkillsSettings
from assistant.core.stage import Stage
from assistant.model_files.acceptance import put_in_use
from assistant.model_files.pull import import_version
from assistant.serving import hot_swap
from assistant.serving.hot_swap import AsrHotSwap, HotSwap, NluHotSwap
from audio.asr import domain
from benchmarks.endurance.versions import add, add_unsound, variant
from nlu.classifier.encoder import SentenceEncoder
from nlu.classifier.examples import Examples, read_shipped, write_shipped
from nlu.classifier.intent import IntentModel
from nlu.classifier.tagger import Tagger
from nlu.fallback.guesser import Guesser
from nlu.grammar.templates import Templates
from nlu.speakable import speakable
from nlu.stage import NluStage
from nlu.text.canonical import canonical
from skills.registry import load_registry
from tests.support.calibrations import INTENT

PARROT = Path(__file__).parents[1] / "skills" / "parrot"
SAID = canonical("talk like a parrot for Mary Smith")


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
    folder = tmp_path_factory.mktemp("models")
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
    return Library(config.models_dir).in_use("ner").version


def test_a_stage_is_made_beside_the_one_that_runs_and_takes_its_turn(config: Config) -> None:
    swap = HotSwap(made)
    stage = swap.stage(config)
    change = swap.load("ner", "2")
    assert in_use(config) == "1"
    stage = change(stage)
    assert isinstance(stage, Reads)
    assert (stage.version, in_use(config)) == ("2", "2")
    assert isinstance(again := swap.stage(config), Reads)
    assert again.version == "2"


def test_where_there_is_one_writer_only_models_are_loaded_before_the_turn(config: Config) -> None:
    done: list[str] = []

    def prepare(composition: Composition) -> None:
        done.append(f"prepared {composition.library.version('ner')}")

    def make(composition: Composition) -> Reads:
        done.append("made")
        return made(composition)

    swap = HotSwap(make, prepare)
    stage = swap.stage(config)
    change = swap.load("ner", "2")
    assert done == ["made", "prepared 2"]
    change(stage)
    assert done == ["made", "prepared 2", "made"]


def test_a_stage_that_cannot_be_made_leaves_the_choice_as_it_was(config: Config) -> None:
    def make(composition: Composition) -> Reads:
        if composition.library.version("ner") == "2":
            raise AnswerError("answer.none", "no database")
        return made(composition)

    swap = HotSwap(make, lambda _: None)
    stage = swap.stage(config)
    change = swap.load("ner", "2")
    with pytest.raises(AnswerError):
        change(stage)
    assert in_use(config) == "1"


@pytest.mark.parametrize("version", ["nonsense", "corrupt", "9"])
def test_what_is_unsound_is_refused_before_anything_is_made(config: Config, version: str) -> None:
    swap = HotSwap(made)
    swap.stage(config)
    with pytest.raises(ModelError):
        swap.load("ner", version)
    assert in_use(config) == "1"


def test_what_making_a_stage_left_behind_is_freed(config: Config) -> None:
    left: list[weakref.ref[Composition]] = []

    def make(composition: Composition) -> Reads:
        composition.itself = composition  # type: ignore[attr-defined]
        left.append(weakref.ref(composition))
        return made(composition)

    HotSwap(make).stage(config)
    assert left[0]() is None


def test_what_loading_freed_is_given_back_before_the_turn(
    config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    monkeypatch.setattr(hot_swap, "trim_heap", lambda: done.append("given back"))

    def make(composition: Composition) -> Reads:
        done.append("made")
        return made(composition)

    swap = HotSwap(make)
    stage = swap.stage(config)
    change = swap.load("ner", "2")
    assert done == ["made", "made", "given back"]
    change(stage)
    assert done == ["made", "made", "given back"]


@pytest.mark.depth
def test_understanding_without_models_has_the_choice_for_when_it_has_them(config: Config) -> None:
    swap = NluHotSwap()
    stage = swap.stage(config)
    with pytest.raises(ModelError):
        swap.load("ner", "nonsense")
    assert swap.load("ner", "2")(stage) is stage
    assert in_use(config) == "2"


@pytest.fixture(scope="module")
def learning(tmp_path_factory: pytest.TempPathFactory) -> Config:
    """One skill of the user's, and models that are fitted in a second, having few examples."""
    folder = tmp_path_factory.mktemp("understanding")
    config = Config(
        storage=StorageSettings(state=str(folder), cache=str(folder / "cache")),
        skills=SkillsSettings(
            folders=(str(PARROT),),
            disabled=tuple(manifest.name for manifest in load_registry().manifests),
        ),
    )
    library = Library(config.models_dir)
    every = read_shipped((SHIPPED / "intent" / "examples.npz").read_bytes())
    for seed, (version, step) in enumerate((("2", 30), ("3", 30), ("forgetful", 200)), start=2):
        of = variant("intent", folder / version, seed)
        few = Examples(every.labels[::step], every.embeddings[::step])
        write_shipped(of / "examples.npz", few)
        import_version(library, "intent", of, version, lambda *_: None)
    add(library, "ner", "2", seed=2)
    add_unsound(library, "ner")
    return config


@pytest.fixture
def small(learning: Config) -> Config:
    """The same with the versions in use that there are at first."""
    library = Library(learning.models_dir)
    put_in_use(library.choosing("intent", "2"), "intent")
    put_in_use(library.choosing("ner", "1"), "ner")
    return learning


@pytest.fixture(scope="module")
def unchanged(learning: Config) -> tuple[NluHotSwap, NluStage]:
    """A stage for tests that put no other model into it."""
    put_in_use(Library(learning.models_dir).choosing("intent", "2"), "intent")
    swap = NluHotSwap()
    return swap, swap.stage(learning)


def chosen(config: Config) -> dict[str, str]:
    return {name: Library(config.models_dir).in_use(name).version for name in ("intent", "ner")}


def guesser(stage: Stage) -> Guesser:
    guess = getattr(stage, "guess", None)
    assert isinstance(guess, Guesser)
    return guess


def believed(stage: Stage) -> tuple[float, list[str]]:
    """What the stage's models, the one and the other, make of the same words."""
    guess = guesser(stage)
    return guess.rank(SAID).in_scope, [f"{s.label} {s.confidence:.4f}" for s in guess.spans(SAID)]


def heads(config: Config) -> set[Path]:
    return set(config.cache_dir.rglob("head-*.npz"))


@pytest.mark.parametrize(
    ("model", "version"), [pytest.param("intent", "3", marks=pytest.mark.depth), ("ner", "2")]
)
def test_understanding_goes_on_with_the_other_model_from_its_turn_on(
    small: Config, model: str, version: str
) -> None:
    swap = NluHotSwap()
    stage = swap.stage(small)
    before = believed(stage)
    change = swap.load(model, version)
    assert (believed(stage), chosen(small)) == (before, {"intent": "2", "ner": "1"})
    assert change(stage) is stage  # with what it has in mind
    assert chosen(small) == {"intent": "2", "ner": "1", model: version}
    replaced = believed(stage)
    assert replaced != before
    assert believed(NluHotSwap().stage(small)) == replaced  # as after the next start
    assert believed(swap.stage(small)) == replaced


@pytest.mark.depth
def test_another_intent_model_knows_the_users_own_skill_and_is_fitted_once(small: Config) -> None:
    swap = NluHotSwap()
    stage = swap.stage(small)
    swap.load("intent", "3")(stage)
    assert guesser(stage).rank(SAID).intents()[0][0] == "Parrot"
    fitted = heads(small)
    assert len(fitted) >= 2  # other tests share the cache
    for version in ("2", "3"):
        swap.load("intent", version)(stage)
    assert guesser(stage).rank(SAID).intents()[0][0] == "Parrot"
    assert heads(small) == fitted


@pytest.mark.parametrize(
    ("model", "version", "code"),
    [
        ("intent", "forgetful", "model.canary"),
        ("ner", "nonsense", "model.canary"),
        ("ner", "corrupt", "model.corrupt"),
        ("intent", "9", "model.no_version"),
        ("ner", "9", "model.no_version"),
        ("reader", "9", "model.no_version"),  # which understanding does not even run
    ],
)
def test_an_unsound_model_is_refused_and_understanding_stays_as_it_was(
    small: Config,
    unchanged: tuple[NluHotSwap, NluStage],
    model: str,
    version: str,
    code: str,
) -> None:
    swap, stage = unchanged
    before = believed(stage)
    with pytest.raises(ModelError) as refused:
        swap.load(model, version)
    assert refused.value.code == code
    assert believed(stage) == before
    assert chosen(small) == {"intent": "2", "ner": "1"}


def test_what_loading_a_model_freed_is_given_back(
    small: Config, unchanged: tuple[NluHotSwap, NluStage], monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    monkeypatch.setattr(hot_swap, "trim_heap", lambda: done.append("given back"))
    swap, _ = unchanged
    swap.candidate(Library(small.models_dir).choosing("ner", "2"), "ner")
    assert done == ["given back"]
    with pytest.raises(ModelError) as refused:
        swap.candidate(Library(small.models_dir), "reader")
    assert refused.value.code == "model.no_trial"


@pytest.mark.depth
def test_settings_read_anew_while_a_model_is_loaded_may_want_none_or_want_them_again(
    small: Config,
) -> None:
    without = msgspec.structs.replace(small, nlu=NluSettings(models=False))
    swap = NluHotSwap()
    swap.stage(small)
    change = swap.load("ner", "2")
    stage = swap.stage(without)
    assert change(stage) is stage
    assert chosen(small)["ner"] == "2"
    change = swap.load("ner", "1")
    stage = swap.stage(small)
    before = believed(stage)
    assert change(stage) is stage
    assert believed(stage) == before
    assert chosen(small)["ner"] == "1"


@pytest.mark.depth
def test_a_version_of_a_model_brings_the_numbers_that_decide(small: Config) -> None:
    """The same weights in a version that is more cautious: it believes the same, and does less."""
    library = Library(small.models_dir)
    cautious = shutil.copytree(library.folder("intent"), small.state_dir / "cautious")
    calibration = msgspec.structs.replace(INTENT, in_scope_of_free_text=1.0)
    (cautious / FILE).write_bytes(msgspec.json.encode(calibration))
    import_version(library, "intent", cautious, "cautious", lambda *_: None)
    swap = NluHotSwap()
    stage = swap.stage(small)
    before, may_be = believed(stage), guesser(stage).may_be(SAID, "Parrot")
    swap.load("intent", "cautious")(stage)
    assert (believed(stage), guesser(stage).may_be(SAID, "Parrot")) == (before, False)
    assert may_be


@pytest.mark.depth
def test_a_stage_made_anew_opens_no_model_a_second_time(
    small: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    swap = NluHotSwap()
    before = believed(swap.stage(small))
    asked: list[object] = []

    def load(library: Library) -> None:
        asked.append(library)
        raise ModelError("model.missing", "it is gone")

    for kind in (SentenceEncoder, Tagger):
        monkeypatch.setattr(kind, "load", load)
    assert believed(swap.stage(small)) == before
    assert asked == []
    NluHotSwap().stage(small)  # the models of nobody before it
    assert len(asked) == 2


@pytest.mark.depth
def test_another_skills_sentences_are_matched_at_once_and_the_fit_follows(
    small: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    swap = NluHotSwap()
    stage = swap.stage(small)
    assert swap.unfinished() == ""
    more = (*small.skills.folders, str(PARROT.parent / "moon"))
    skills = msgspec.structs.replace(small.skills, folders=more)
    changed = msgspec.structs.replace(small, skills=skills)
    before, old = heads(small), believed(stage)
    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(SentenceEncoder, "encode", lambda *_: pytest.fail("it was asked"))
        meanwhile.setattr(Templates, "labelled", lambda *_: pytest.fail("sentences were drawn"))
        stage = swap.stage(changed)
    (command,) = stage.explain("which phase is the moon in").commands
    assert command.intent == "MoonPhase"
    assert (swap.unfinished(), heads(small), believed(stage)) == ("intent", before, old)
    assert "MoonPhase" not in dict(guesser(stage).rank(SAID).intents())
    swap.load(swap.unfinished(), "")(stage)
    assert "MoonPhase" in dict(guesser(stage).rank(SAID).intents())
    assert len(heads(small) - before) == 1
    assert chosen(small) == {"intent": "2", "ner": "1"}
    whole = believed(NluHotSwap().stage(changed))  # as after the next start
    assert believed(stage) == whole != old
    assert swap.unfinished() == ""


@pytest.mark.depth
def test_a_head_of_another_encoder_is_no_beginning(small: Config) -> None:
    swap = NluHotSwap()
    swap.stage(small)
    put_in_use(Library(small.models_dir).choosing("intent", "3"), "intent")
    for head in heads(small):
        head.unlink()
    swap.stage(small)
    assert swap.unfinished() == ""


def test_a_first_start_serves_what_ships_and_fits_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = Config(storage=StorageSettings(state=str(tmp_path), cache=str(tmp_path)))
    swap = NluHotSwap()
    monkeypatch.setattr(IntentModel, "fit", lambda *_: pytest.fail("a head was fitted"))
    monkeypatch.setattr(Templates, "labelled", lambda *_: pytest.fail("sentences were drawn"))
    stage = swap.stage(config)
    assert swap.unfinished() == "intent"
    said = canonical("could you make it a bit brighter in here for me")
    assert guesser(stage).rank(said).intents()[0][0] == "HassLightSet"
    assert heads(config) == set()


def test_recognition_begins_with_few_sentences_and_is_given_all_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(speakable, "_MOST_DRAWN", 100)
    monkeypatch.setattr(domain, "DRAWN", 20_000)
    storage = StorageSettings(state=str(tmp_path), cache=str(tmp_path))
    others = (manifest.name for manifest in load_registry().manifests)
    config = Config(
        storage=storage,
        nlu=NluSettings(models=False),
        skills=SkillsSettings(disabled=tuple(name for name in others if name != "timers")),
    )

    def domains(folder: str) -> list[Path]:
        return sorted((tmp_path / "asr" / folder).glob("*.fsg"))

    swap = AsrHotSwap()
    stage = swap.stage(config)
    assert (swap.unfinished(), len(domains("few")), domains("")) == ("sentences", 1, [])
    whole = swap.load(swap.unfinished(), "")(stage)
    assert whole is not stage
    assert swap.unfinished() == ""
    (few,), (made,) = domains("few"), domains("")
    assert few.stat().st_size < made.stat().st_size
    later = AsrHotSwap()
    later.stage(config)
    assert (later.unfinished(), len(domains("few"))) == ("", 1)
