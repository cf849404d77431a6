"""Models that are missing, damaged or not what they should be: what each costs, and the remedy."""

from __future__ import annotations

import hashlib
import logging
import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
import pytest

from assistant.composition import Composition
from assistant.core.config import AsrSettings, Config, StorageSettings
from assistant.core.degraded import TELL_AFTER_S
from assistant.core.messages import (
    Command,
    Interpretation,
    Message,
    StageFailed,
    Tick,
    Transcript,
)
from assistant.core.models.manifest import SHIPPED, Library
from assistant.core.models.opened import OpenModels
from assistant.core.settings.skills import SkillsSettings
from assistant.core.speakable import always
from assistant.core.stage import Stage
from assistant.doctor import checks
from assistant.evaluation.commands import transcribe
from assistant.serving.hot_swap import NluHotSwap
from audio.asr.acoustic import FILE as ACOUSTIC
from audio.build import Recognition
from audio.tts.apology import MODELS, words_for
from nlu.build import Understanding
from nlu.grammar.vocabulary import NO_VOCABULARY
from nlu.stage import NluStage
from tests.support.handmade_onnx import adding_model
from tests.support.voices import speech

Damage = Callable[[Path], None]
NAMES = ("generator", "intent", "ner", "reader")
TIMER, LOOSE = "set a timer for ten minutes", "what hour might it be"


def rewritten(file: str, change: Callable[[bytes], bytes]) -> Damage:
    def damage(folder: Path) -> None:
        (folder / file).write_bytes(change((folder / file).read_bytes()))

    return damage


def vouched(file: str, change: Callable[[bytes], bytes]) -> Damage:
    """The same, and the manifest says that it is so."""

    def damage(folder: Path) -> None:
        before = (folder / file).read_bytes()
        rewritten(file, change)(folder)
        manifest, old = folder.parent / "manifest.toml", hashlib.sha256(before).hexdigest()
        begin, _, end = manifest.read_text().partition(f"[{folder.name}]")
        new = hashlib.sha256((folder / file).read_bytes()).hexdigest()
        manifest.write_text(f"{begin}[{folder.name}]{end.replace(old, new, 1)}")

    return damage


def removed(file: str) -> Damage:
    return lambda folder: (folder / file).unlink()


def unlisted(folder: Path) -> None:
    manifest = folder.parent / "manifest.toml"
    manifest.write_text(manifest.read_text().replace(f"[{folder.name}]", f"[{folder.name}-2]"))


def manifest_of(content: str) -> Damage:
    return lambda folder: (folder.parent / "manifest.toml").write_text(content) and None


def noise(content: bytes) -> bytes:
    return random.Random(1).randbytes(len(content))


def flipped(content: bytes) -> bytes:
    return content[:-1000] + bytes([content[-1000] ^ 1]) + content[-999:]


DAMAGES: dict[str, tuple[Damage, str]] = {
    "missing": (removed("model.onnx"), "model.missing"),
    "its folder is missing": (shutil.rmtree, "model.missing"),
    "truncated": (rewritten("model.onnx", lambda b: b[: len(b) // 2]), "model.corrupt"),
    "empty": (rewritten("model.onnx", lambda _: b""), "model.corrupt"),
    "noise": (rewritten("model.onnx", noise), "model.corrupt"),
    "one bit": (rewritten("model.onnx", flipped), "model.corrupt"),
    "another model": (rewritten("model.onnx", lambda _: adding_model()), "model.corrupt"),
    "another interface": (vouched("model.onnx", lambda _: adding_model()), "model.interface"),
    "recorded noise": (vouched("model.onnx", noise), "model.not_onnx"),
    "no tokenizer": (removed("tokenizer.json"), "model.missing"),
    "tokenizer": (rewritten("tokenizer.json", lambda b: b[:-9]), "model.corrupt"),
    "recorded tokenizer": (vouched("tokenizer.json", lambda b: b[:-9]), "model.unusable"),
    "no calibration": (removed("calibration.json"), "model.missing"),
    "calibration": (rewritten("calibration.json", lambda b: b[:-9]), "model.corrupt"),
    "recorded calibration": (
        vouched("calibration.json", lambda b: b.replace(b"0.", b"1.")),
        "model.calibration",
    ),
    "unlisted": (unlisted, "model.unknown"),
}
OF_INTENT = {
    "no examples": (removed("examples.npz"), "model.missing"),
    "recorded examples": (vouched("examples.npz", lambda b: b[: len(b) // 2]), "model.unusable"),
    "other examples": (vouched("examples.npz", lambda _: b"PK\3\4"), "model.unusable"),
}
OF_NER = {
    "no labels": (removed("labels.json"), "model.missing"),
    "labels": (vouched("labels.json", lambda _: b"[]"), "model.unusable"),
    "labels of no text": (vouched("labels.json", lambda _: b'{"tags":["\xff"]}'), "model.unusable"),
    "fewer labels": (
        vouched("labels.json", lambda _: b'{"tags":["O"],"addressees":["assistant","other"]}'),
        "model.unusable",
    ),
}
OF_ALL = {
    "no manifest": (lambda folder: (folder.parent / "manifest.toml").unlink(), "model.no_manifest"),
    "manifest": (manifest_of("[intent]\nversion = 1"), "model.manifest"),
}
UNDERSTANDING = [
    *((name, how, *DAMAGES[how]) for name in ("intent", "ner") for how in DAMAGES),
    *(("intent", how, *OF_INTENT[how]) for how in OF_INTENT),
    *(("ner", how, *OF_NER[how]) for how in OF_NER),
    *(("intent", how, *OF_ALL[how]) for how in OF_ALL),
]


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Config:
    return Config(
        storage=StorageSettings(state=str(tmp_path_factory.mktemp("state"))),
        skills=SkillsSettings(disabled=("home", "documents", "conversation", "talk", "unserved")),
    )


@pytest.fixture(scope="module")
def shipped(config: Config) -> Composition:
    """What has the models as they ship, and few sentences, as what is damaged are the models."""
    composition = Composition(config)
    composition.understanding.vocabulary = NO_VOCABULARY
    return composition


def understanding_with(library: Library, shipped: Composition, config: Config) -> NluStage:
    """A stage with these models."""
    whole, manifests = shipped.understanding, shipped.registry.manifests
    understanding = Understanding(config, manifests, whole.sentences, library, OpenModels())
    understanding.templates, understanding.own_examples = whole.templates, whole.own_examples
    return understanding.stage(shipped.now)


def damaged(folder: Path, name: str, damage: Damage) -> Library:
    """The shipped models, of which one was damaged."""
    shipped = folder / "models"
    shipped.mkdir()
    shutil.copy(SHIPPED / "manifest.toml", shipped)
    for other in (*NAMES, "wake", "acoustic", "hearing"):
        if other == name:
            shutil.copytree(SHIPPED / name, shipped / name)
        else:
            (shipped / other).symlink_to(SHIPPED / other)
    damage(shipped / name)
    return Library(folder / "pulled", shipped)


def understood(stage: NluStage, text: str, at_s: float) -> tuple[Command, ...]:
    heard = Transcript(utterance_id=f"{at_s}", revision=0, text=text, at_s=at_s)
    (read,) = (m for m in stage.feed(heard) if isinstance(m, Interpretation))
    return read.commands


def told(stage: Stage, at_s: float) -> list[Message]:
    """What the worker would have of the stage by `at_s`, without any work."""
    due_s = stage.deadline_s()
    return [] if due_s is None or due_s > at_s else list(stage.feed(Tick(at_s=due_s)))


@pytest.mark.parametrize(
    ("name", "damage", "code"),
    [(name, damage, code) for name, _, damage, code in UNDERSTANDING],
    ids=[f"{name}: {how}" for name, how, _, _ in UNDERSTANDING],
)
def test_understanding_goes_on_with_sentences_and_tells_once_why(
    tmp_path: Path,
    config: Config,
    shipped: Composition,
    caplog: pytest.LogCaptureFixture,
    name: str,
    damage: Damage,
    code: str,
) -> None:
    stage = understanding_with(damaged(tmp_path, name, damage), shipped, config)
    assert told(stage, 1000.0) == []  # nobody is there
    for at_s in (1000.0, 1001.0):
        (command,) = understood(stage, TIMER, at_s)
        assert (command.intent, command.slots[0].value) == ("HassStartTimer", 600)
        understood(stage, LOOSE, at_s)
    assert told(stage, 1001.0 + TELL_AFTER_S / 2) == []
    (fault,) = told(stage, 1001.0 + TELL_AFTER_S)
    assert isinstance(fault, StageFailed)
    part = "manifest" if code in ("model.manifest", "model.no_manifest") else name
    assert (fault.stage, fault.part, fault.code) == ("nlu", part, code)
    assert words_for(fault) == MODELS[part]
    understood(stage, TIMER, 2000.0)
    assert told(stage, 3000.0) == []
    assert caplog.text.count(f"({code})") == 1


@pytest.mark.parametrize(
    ("damage", "code"),
    [
        (lambda folder: (folder / ACOUSTIC).unlink(), "model.missing"),
        (rewritten(ACOUSTIC, lambda content: content[:-9]), "model.corrupt"),
        (vouched(ACOUSTIC, lambda content: content[:-9]), "model.unusable"),
        (vouched(ACOUSTIC, lambda content: b"\xff" + content), "model.unusable"),
    ],
)
def test_the_ear_goes_on_without_its_map_and_tells_why(
    tmp_path: Path, damage: Damage, code: str
) -> None:
    config = Config(storage=StorageSettings(state=str(tmp_path), cache=str(tmp_path)))
    library = damaged(tmp_path, "acoustic", damage)
    recognition = Recognition(config, library, always(["stop", "go on"]))
    stage = recognition.stage()
    (report,) = recognition.faults.take_reports()
    assert (report.part, report.code) == ("acoustic", code)
    assert words_for(report) == MODELS["acoustic"]
    sound = np.frombuffer(b"".join(speech("stop")), np.int16)
    assert transcribe(stage, sound)[0].text == "stop"


def test_whole_models_guess_and_nothing_is_told(
    tmp_path: Path, config: Config, shipped: Composition
) -> None:
    """The control of the test above."""
    stage = understanding_with(Library(tmp_path), shipped, config)
    assert stage.guess is not None
    understood(stage, TIMER, 1000.0)
    assert told(stage, 3000.0) == []


def test_a_model_that_fails_at_work_is_not_asked_again(
    tmp_path: Path, config: Config, shipped: Composition
) -> None:
    """Recorded so, and with a tokenizer whose pieces the model has no rows for."""

    def more_pieces(content: bytes) -> bytes:
        vocabulary = msgspec.json.decode(content)
        pieces = vocabulary["model"]["vocab"]
        vocabulary["model"]["vocab"] = {p: i + 40_000 * (i > 2000) for p, i in pieces.items()}
        return msgspec.json.encode(vocabulary)

    library = damaged(tmp_path, "ner", vouched("tokenizer.json", more_pieces))
    stage = understanding_with(library, shipped, config)
    for at_s in (1000.0, 1001.0):
        understood(stage, LOOSE, at_s)
        assert understood(stage, TIMER, at_s)
    (fault,) = told(stage, 2000.0)
    assert isinstance(fault, StageFailed)
    assert (fault.part, fault.code) == ("ner", "model.unusable")


def test_a_mended_model_is_taken_over_while_the_stage_runs(
    config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    swap = NluHotSwap()
    with monkeypatch.context() as without:
        without.setattr(Understanding, "tagger", None)
        stage = swap.stage(config)
    assert understood(stage, LOOSE, 1000.0) == ()
    assert swap.load("ner", "1")(stage) is stage
    (command,) = understood(stage, LOOSE, 2000.0)
    assert command.intent == "HassGetCurrentTime"


@pytest.mark.parametrize(
    ("damage", "code"),
    [
        (lambda _: None, ""),
        (removed("calibration.json"), "model.missing"),
        (vouched("calibration.json", lambda _: b"{}"), "model.calibration"),
    ],
)
@pytest.mark.parametrize("engine", ["whisper", "pocketsphinx"])
def test_recognition_goes_on_without_its_calibration_and_tells_why(
    tmp_path: Path, whisper_model: Path, damage: Damage, code: str, engine: str
) -> None:
    config = Config(
        storage=StorageSettings(state=str(tmp_path), cache=str(tmp_path)),
        asr=AsrSettings(engine=engine),
    )
    library = damaged(tmp_path, "hearing", damage)
    library.folder("whisper-tiny.en").parent.mkdir(parents=True)
    library.folder("whisper-tiny.en").symlink_to(whisper_model)
    recognition = Recognition(config, library, always(["stop the music", "go on"]))
    stage = recognition.stage()
    reports = list(recognition.faults.take_reports())
    assert [(one.part, one.code) for one in reports] == [("sentences", code)] * bool(code)
    assert [words_for(one) for one in reports] == [MODELS["sentences"]] * bool(code)
    sound = np.frombuffer(b"".join(speech("stop the music")), np.int16)
    assert transcribe(stage, sound)[0].text == "stop the music"


def test_whisper_gives_way_to_pocketsphinx(tmp_path: Path) -> None:
    config = Config(storage=StorageSettings(state=str(tmp_path), cache=str(tmp_path)))
    library = Library(config.models_dir)
    recognition = Recognition(config, library, always(["stop", "go on"]))
    assert recognition.stage().deadline_s() is None
    assert "whisper" not in recognition.faults  # it was never pulled
    folder = library.folder("whisper-tiny.en")
    folder.mkdir(parents=True)
    for file in library.artefact("whisper-tiny.en").files:
        (folder / file.name).write_bytes(b"x")
    for engine in ("auto", "whisper"):
        wanted = msgspec.structs.replace(config, asr=AsrSettings(engine=engine))
        recognition = Recognition(wanted, library, always(["stop", "go on"]))
        stage = recognition.stage()
        recognition.faults.note_work(1000.0)
        (fault,) = told(stage, 2000.0)
        assert isinstance(fault, StageFailed)
        assert (fault.stage, fault.part, fault.code) == ("asr", "whisper", "model.corrupt")
        assert words_for(fault) == MODELS["whisper"]


@pytest.mark.parametrize("name", NAMES)
def test_the_remedy_of_what_ships_works(tmp_path: Path, name: str) -> None:
    """In a checkout it is git's; elsewhere the assistant is installed again."""
    library = damaged(tmp_path, name, lambda _: None)
    git = ("git", "-C", str(tmp_path), "-c", "core.compression=0")
    git = (*git, "-c", "user.name=n", "-c", "user.email=e@example.org")
    for arguments in (("init", "-q"), ("add", "."), ("commit", "-q", "-m", "all")):
        subprocess.run((*git, *arguments), check=True)
    assert all(finding.ok for finding in checks.models(library))
    for damage in (removed("model.onnx"), rewritten("tokenizer.json", noise), shutil.rmtree):
        damage(library.shipped / name)
        (finding,) = (finding for finding in checks.models(library) if not finding.ok)
        assert finding.name == f"model {name}"
        command = finding.remedy.removeprefix("run: ")
        subprocess.run(command.split(), check=True)
        assert all(finding.ok for finding in checks.models(library))
    shutil.rmtree(tmp_path / ".git")
    removed("model.onnx")(library.shipped / name)
    (finding,) = (finding for finding in checks.models(library) if not finding.ok)
    assert "sudo make install" in finding.remedy


def test_a_broken_manifest_is_one_finding_with_its_mend(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    library = damaged(tmp_path, "ner", manifest_of("nothing"))
    with caplog.at_level(logging.ERROR):
        (finding,) = checks.models(library)
    assert not finding.ok
    assert "sudo make install" in finding.remedy
