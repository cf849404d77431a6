"""A version of a model of answering beside another: who answers what, and how it ends.

The models and documents are real ones, and their stage is that of the answering process.
"""

from __future__ import annotations

import math
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import msgspec
import pytest

from assistant.answer import trial as answering
from assistant.answer.answers import DocumentAnswers
from assistant.answer.trial import AnswerTrial
from assistant.core.clock import boottime_s
from assistant.core.config import Config, DocumentsSettings, StorageSettings
from assistant.core.errors import ModelError
from assistant.core.layout import KNOWLEDGE_FILE, TRIAL_MARKERS, TRIALS_FILES
from assistant.core.messages import (
    BargeIn,
    Message,
    Question,
    Replace,
    SpokenReply,
    StageFailed,
    Tick,
    Tried,
)
from assistant.core.models import trial as verdicts
from assistant.core.models.calibration import FILE
from assistant.core.models.manifest import SHIPPED, Library
from assistant.core.models.trial import Outcome
from assistant.core.models.trial_file import Trial, TrialFile
from assistant.model_files.pull import import_version
from assistant.serving import trials as serving
from assistant.serving.answering import AnswerStageMaker, load_reader
from assistant.serving.hot_swap import HotSwap
from assistant.serving.trials import AnswerTrials
from benchmarks.endurance.versions import babbling, unchecked, variant
from tests.support.calibrations import READER

pytestmark = [pytest.mark.depth, pytest.mark.timeout(600)]
DOCUMENTS = Path(__file__).parents[2] / "examples" / "documents"
ASKED = (
    "how long does the guarantee of the dishwasher run",
    "when do the bins go out",
    "when does the boiler need a service",
)
FILES = sum(file.is_file() for file in DOCUMENTS.rglob("*"))
SHARE, FEWEST, MOST, MANY = 0.5, 10, 40, 10_000
APART_S = 1000.0


def cautious(folder: Path) -> Path:
    """A reader that is never certain of an answer."""
    shutil.copytree(SHIPPED / "reader", folder)
    worse = msgspec.structs.replace(READER, certain=1e6)
    (folder / FILE).write_bytes(msgspec.json.encode(worse))
    return folder


VERSIONS: dict[tuple[str, str], Callable[[Path], Path]] = {
    ("generator", "same"): lambda folder: shutil.copytree(SHIPPED / "generator", folder),
    ("generator", "babbles"): babbling,
    ("reader", "alike"): lambda folder: variant("reader", folder, 2),
    ("reader", "cautious"): cautious,
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The versions, imported."""
    folder = tmp_path_factory.mktemp("versions")
    library = Library(folder / "models")
    library.pulled.mkdir()
    for (name, version), make in VERSIONS.items():
        import_version(library, name, make(folder / f"{name} {version}"), version, unchecked)
    return library.pulled


@pytest.fixture
def config(tmp_path: Path, made: Path) -> Config:
    """A state of its own, with those versions."""
    (tmp_path / "run").mkdir()
    (tmp_path / "state").mkdir()
    storage = StorageSettings(
        state=str(tmp_path / "state"), cache=str(tmp_path / "cache"), runtime=str(tmp_path / "run")
    )
    config = Config(storage=storage, documents=DocumentsSettings(folders=(str(DOCUMENTS),)))
    shutil.copytree(made, config.models_dir, copy_function=lambda a, b: Path(b).hardlink_to(a))
    return config


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """How fast this machine is decides nothing, nor do the canaries, which come before."""
    monkeypatch.setattr(answering, "SLOW_S", math.inf)
    monkeypatch.setattr(verdicts, "FEWEST", FEWEST)
    monkeypatch.setattr(serving, "check_version", lambda *_: None)


class Process:
    """The answering process, as its worker runs it."""

    def __init__(self, config: Config) -> None:
        # From now on: what was asked long ago, by the real clock, has no time for words.
        self._config, self._at_s, self._number = config, boottime_s(), 0
        self._file = TrialFile(config.state_dir / TRIALS_FILES["answer"])
        self._maker = AnswerStageMaker(config.state_dir / KNOWLEDGE_FILE)
        self.swap = HotSwap(self._maker, load_reader)
        self.trials = AnswerTrials(self.swap, self._maker, config)
        self.stage = self.swap.stage(config)
        while not self.indexed:
            list(self.stage.feed(Tick(at_s=self._at_s)))
            self._at_s += 0.01
            time.sleep(0.002)  # the parser is a process of its own
        for wish in self.trials.running():
            self.trials.begin(wish)(self.stage)
        self.work()

    @property
    def indexed(self) -> bool:
        assert self._maker.knowledge is not None
        found = self._maker.knowledge.sources.all()
        read = len(found) == FILES and not self._maker.knowledge.unread()
        return read and not any(source.unencoded for source in found)

    def close(self) -> None:
        assert self._maker.knowledge is not None
        self._maker.knowledge.close()

    def try_out(self, model: str, version: str, most: int = MOST) -> None:
        wish = Replace(stage="answer", model=model, version=version, share=SHARE, utterances=most)
        self.trials.begin(wish)(self.stage)

    def work(self) -> list[Message]:
        """Everything that is due."""
        told: list[Message] = []
        due_s = self.stage.deadline_s()
        while due_s is not None and due_s <= self._at_s:
            told += self.stage.feed(Tick(at_s=self._at_s))
            due_s = self.stage.deadline_s()
        return told

    def ask(self, text: str = "", after_s: float = APART_S) -> list[Message]:
        self._at_s += after_s
        self._number += 1
        # Each in other words, as answers are kept.
        text = text or f"{ASKED[self._number % len(ASKED)]}{'?' * self._number}"
        asked = Question(utterance_id=f"u{self._number}", text=text, at_s=0.0)
        asked = msgspec.structs.replace(asked, at_s=self._at_s)
        return [*self.stage.feed(asked), *self.work()]

    def talk(self, most: int = 200) -> Tried | None:
        """Ask until the trial ends, or so often."""
        for _ in range(most):
            messages = self.ask()
            assert len([m for m in messages if isinstance(m, SpokenReply)]) == 1
            assert not any(isinstance(m, StageFailed) for m in messages)
            if ended := [m for m in messages if isinstance(m, Tried)]:
                return ended[0]
        return None

    @property
    def trial(self) -> Trial:
        return self._file.all()[-1]

    def in_use(self, model: str) -> str:
        return Library(self._config.models_dir).in_use(model).version


@pytest.fixture
def start(config: Config) -> Iterator[Callable[[], Process]]:
    """Starts the process, in place of the one before."""
    with ExitStack() as running:

        def begin() -> Process:
            running.pop_all().close()
            return running.enter_context(closing(Process(config)))

        yield begin


@pytest.fixture
def process(start: Callable[[], Process]) -> Process:
    return start()


def said(messages: list[Message]) -> str:
    (reply,) = (m for m in messages if isinstance(m, SpokenReply))
    return reply.text


@pytest.mark.parametrize(
    ("model", "version", "flaw"),
    [("generator", "babbles", "misworded"), ("reader", "cautious", "missed")],
)
def test_a_worse_version_goes_back_by_itself(
    process: Process, model: str, version: str, flaw: str
) -> None:
    before = process.in_use(model)
    process.try_out(model, version)
    told = process.talk()
    assert told is not None
    assert (told.stage, told.model, told.version, told.taken) == ("answer", model, version, False)
    assert (process.in_use(model), process.stage.trial) == (before, None)
    trial = process.trial
    assert (trial.outcome, trial.stage) == (Outcome.BACK, "answer")
    assert getattr(trial.new, flaw) > getattr(trial.old, flaw)
    assert "three years" in said(process.ask(ASKED[0]))


@pytest.mark.parametrize(("model", "version"), [("generator", "same"), ("reader", "alike")])
def test_a_version_as_good_takes_all_and_after_a_restart(
    start: Callable[[], Process], model: str, version: str
) -> None:
    process = start()
    usual = process.stage.answers
    process.try_out(model, version)
    told = process.talk()
    assert told is not None
    assert (told.taken, process.in_use(model), process.stage.trial) == (True, version, None)
    trial = process.trial
    assert trial.new.utterances + trial.old.utterances == MOST
    assert trial.new.utterances > FEWEST / 2 < trial.old.utterances
    assert isinstance(process.stage.answers, DocumentAnswers)
    assert process.stage.answers is not usual
    assert process.indexed  # the vectors of a new reader were handed over
    assert "three years" in said(process.ask(ASKED[0]))
    again = start()
    assert again.stage.trial is None
    assert "three years" in said(again.ask(ASKED[0]))


def test_what_follows_in_a_room_is_answered_by_the_same_version(process: Process) -> None:
    process.try_out("reader", "cautious", most=MANY)
    process.work()
    first = "don't know" in said(process.ask())
    assert {"don't know" in said(process.ask(after_s=5.0)) for _ in range(12)} == {first}
    assert {"don't know" in said(process.ask()) for _ in range(12)} == {True, False}  # the control


@pytest.mark.parametrize("broken", [ModelError("model.broken", "no"), ValueError("the words")])
def test_a_version_that_fails_goes_back_at_once_and_nobody_notices(
    process: Process, broken: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    process.try_out("reader", "alike", most=MANY)
    process.work()
    trial = process.stage.trial
    assert trial is not None

    def fail(*_: object, **__: object) -> object:
        raise broken

    monkeypatch.setattr(trial.rival.answers, "answering", fail)
    told = process.talk(20)
    assert told is not None
    assert (told.taken, "the words" in told.reason) == (False, False)
    assert process.trial.outcome is Outcome.BACK


def test_a_reader_that_cannot_encode_the_documents_goes_back(
    process: Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    process.try_out("reader", "alike")
    trial = process.stage.trial
    assert trial is not None
    assert trial.waits
    reader = trial.rival.reader
    assert reader is not None
    monkeypatch.setattr(reader._encoder, "encode", lambda _: 1 / 0)
    told = [m for m in process.work() if isinstance(m, Tried)]
    assert [(one.taken, one.reason) for one in told] == [(False, "it failed: ZeroDivisionError")]


def test_a_trial_goes_on_after_a_restart(start: Callable[[], Process]) -> None:
    process = start()
    process.try_out("generator", "same", most=MANY)
    process.talk(20)
    before = process.trial
    assert before.new.utterances > 0 < before.old.utterances
    again = start()
    assert again.trial == before
    again.talk(5)
    assert again.trial.new.utterances + again.trial.old.utterances > 20


def test_a_version_that_ended_the_process_goes_back_at_the_next_start(
    start: Callable[[], Process], config: Config
) -> None:
    process = start()
    process.try_out("generator", "same", most=MANY)
    process.talk(10)
    marker = config.runtime_dir / TRIAL_MARKERS["answer"]
    assert not marker.exists()
    seen = _marked_while_answering(process, marker)
    assert seen == {True, False}
    marker.touch()  # as a process leaves it that is killed while the version answers
    again = start()
    assert (again.stage.trial, marker.exists()) == (None, False)
    assert again.trial.outcome is Outcome.BACK


def _marked_while_answering(process: Process, marker: Path) -> set[bool]:
    """Whether the marker is there in the middle of questions; all of them are cut off."""
    seen = set[bool]()
    for number in range(20):
        text = f"{ASKED[0]}{'!' * number}"
        at_s = boottime_s() + APART_S * number
        asked = Question(utterance_id=f"cut {number}", text=text, at_s=at_s)
        list(process.stage.feed(asked))
        seen.add(marker.exists())
        list(process.stage.feed(BargeIn(utterance_id=asked.utterance_id)))
        assert not marker.exists()
    return seen


def test_another_version_put_in_use_by_hand_ends_the_trial(process: Process) -> None:
    process.try_out("generator", "babbles", most=MANY)
    with pytest.raises(ModelError, match="generator babbles is being tried beside generator 1"):
        process.trials.load("reader", "alike")
    with pytest.raises(ModelError, match="to end that: assistant models use"):
        process.trials.load("generator", "same")
    process.stage = process.trials.load("generator", "1")(process.stage)  # type: ignore[assignment]
    assert (process.trial.outcome, process.stage.trial) == (Outcome.STOPPED, None)
    with pytest.raises(ModelError, match="generator 1 is in use already"):
        process.try_out("generator", "1")


def test_a_model_that_answers_nothing_is_not_tried(process: Process) -> None:
    with pytest.raises(ModelError) as refused:
        process.try_out("gpt-neo-125m", "1.1")
    assert refused.value.code == "model.no_trial"
    assert not isinstance(process.stage.trial, AnswerTrial)
