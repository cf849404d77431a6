"""A version of a model beside another: who reads what, how it ends, and what a restart makes of it.

The models are real ones, and their stage is that of the understanding process.
"""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import pytest

from assistant.core.config import Config, NluSettings, StorageSettings
from assistant.core.errors import ModelError
from assistant.core.layout import TRIAL_MARKERS, TRIALS_FILES, UNDERSTANDING_FILE
from assistant.core.messages import (
    Interpretation,
    Message,
    QualityAlert,
    Replace,
    Transcript,
    Tried,
)
from assistant.core.models import trial as verdicts
from assistant.core.models.calibration import FILE
from assistant.core.models.manifest import SHIPPED, Library
from assistant.core.models.trial import Outcome
from assistant.core.models.trial_file import Trial, TrialFile
from assistant.core.quality.baseline import keep_baseline, models_at_work
from assistant.core.quality.drift import LEAST
from assistant.core.settings.skills import SkillsSettings
from assistant.model_files.acceptance import put_in_use
from assistant.model_files.pull import import_version
from assistant.serving.hot_swap import NluHotSwap
from assistant.serving.trials import NluTrials
from benchmarks.endurance.versions import variant
from nlu import readings
from nlu.classifier.examples import Examples, read_shipped, write_shipped
from nlu.classifier.intent import IntentModel
from nlu.fallback.guesser import Guesser
from skills.registry import load_registry
from tests.support.calibrations import INTENT

PARROT = Path(__file__).parents[1] / "skills" / "parrot"
GUESSED = ("tell me what the time is", "is it raining outside", "turn the light on in the kitchen")
"""Texts that the models alone understand."""
EXACT = "talk like a parrot"
SHARE, FEWEST, MOST = 0.4, 10, 60
APART_S = 1000.0


def cautious(folder: Path) -> None:
    """Make a version that takes nothing for meant for the assistant: it understands no text."""
    calibration = msgspec.structs.replace(INTENT, in_scope=1.0)
    (folder / FILE).write_bytes(msgspec.json.encode(calibration))


VERSIONS: dict[str, Callable[[Path], None] | None] = {"1.1": None, "same": None, "worse": cautious}
"""Versions of the intent model, all with the same weights; "1.1" is in use at first."""


@pytest.fixture(scope="module")
def learning(tmp_path_factory: pytest.TempPathFactory) -> Config:
    """One skill of the user's, and models that are fitted in a second, having few examples."""
    folder = tmp_path_factory.mktemp("trials")
    config = Config(
        storage=StorageSettings(
            state=str(folder), cache=str(folder / "cache"), runtime=str(folder / "run")
        ),
        skills=SkillsSettings(
            folders=(str(PARROT),),
            disabled=tuple(m.name for m in load_registry().manifests if m.name != "conversation"),
        ),
    )
    config.runtime_dir.mkdir(parents=True)
    library = Library(config.models_dir)
    every = read_shipped((SHIPPED / "intent" / "examples.npz").read_bytes())
    few = Examples(every.labels[::30], every.embeddings[::30])
    made = variant("intent", folder / "made", 2)
    write_shipped(made / "examples.npz", few)
    for version, change in VERSIONS.items():
        of = shutil.copytree(made, folder / version)
        if change is not None:
            change(of)
        import_version(library, "intent", of, version, lambda *_: None)
    return config


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """How fast this machine is decides nothing here."""
    monkeypatch.setattr(readings, "SLOW_S", math.inf)
    monkeypatch.setattr(verdicts, "FEWEST", FEWEST)


@pytest.fixture
def config(learning: Config) -> Config:
    """The same with the first version in use, and without a trial."""
    put_in_use(Library(learning.models_dir).choosing("intent", "1.1"), "intent")
    (learning.state_dir / TRIALS_FILES["nlu"]).unlink(missing_ok=True)
    return learning


class Process:
    """The understanding process, as its worker runs it."""

    def __init__(self, config: Config) -> None:
        self._config, self._at_s = config, 0.0
        self._file = TrialFile(config.state_dir / TRIALS_FILES["nlu"])
        self.swap = NluHotSwap()
        self.trials = NluTrials(self.swap, config)
        self.start()

    def start(self) -> None:
        """Make the stage, and go on with what was being tried."""
        self.stage = self.swap.stage(self._config)
        for wish in self.trials.running():
            self.trials.begin(wish)(self.stage)

    def try_out(self, version: str, model: str = "intent", most: int = MOST) -> None:
        wish = Replace(stage="nlu", model=model, version=version, share=SHARE, utterances=most)
        self.trials.begin(wish)(self.stage)

    def say(self, text: str, utterance_id: str = "", after_s: float = APART_S) -> list[Message]:
        self._at_s += after_s
        said, at_s = utterance_id or f"utterance {self._at_s}", self._at_s
        return list(
            self.stage.feed(Transcript(utterance_id=said, revision=0, text=text, at_s=at_s))
        )

    def talk(self, most: int = 2 * MOST, texts: Sequence[str] = GUESSED) -> Tried | None:
        """What ends the trial while somebody says so much; None where nothing does."""
        for number in range(most):
            for message in self.say(texts[number % len(texts)]):
                if isinstance(message, Tried):
                    return message
        return None

    @property
    def guesser(self) -> Guesser:
        assert isinstance(self.stage.guess, Guesser)
        return self.stage.guess

    @property
    def in_use(self) -> str:
        return Library(self._config.models_dir).in_use("intent").version

    @property
    def trial(self) -> Trial:
        return self._file.all()[-1]


@pytest.fixture
def process(config: Config) -> Process:
    return Process(config)


def understood(messages: list[Message]) -> bool:
    (meant,) = (m for m in messages if isinstance(m, Interpretation))
    return bool(meant.commands)


def test_a_worse_version_goes_back_by_itself(process: Process) -> None:
    kept = process.guesser.model("intent")
    process.try_out("worse")
    told = process.talk()
    assert told is not None
    assert (told.version, told.taken, process.in_use) == ("worse", False, "1.1")
    assert "failed, with the other 0 of" in told.reason
    trial = process.trial
    assert (trial.outcome, trial.reason) == (Outcome.BACK, told.reason)
    assert trial.new.missed > 0 == trial.old.missed
    assert trial.new.utterances + trial.old.utterances < MOST
    assert (process.guesser.model("intent"), process.stage.trial) == (kept, None)
    assert all(understood(process.say(text)) for text in GUESSED * 5)


@pytest.mark.depth
def test_a_version_as_good_takes_all_by_itself_and_after_a_restart(
    process: Process, config: Config
) -> None:
    kept = process.guesser.model("intent")
    process.try_out("same")
    told = process.talk()
    assert told is not None
    assert (told.version, told.taken, process.in_use) == ("same", True, "same")
    trial = process.trial
    assert (trial.outcome, trial.before) == (Outcome.TAKEN, "1.1")
    assert trial.new.utterances + trial.old.utterances == MOST
    assert 0.25 < trial.new.utterances / MOST < 0.55
    assert trial.new.seconds > 0 < trial.new.confidence
    taken = process.guesser.model("intent")
    assert taken is not kept
    assert process.stage.trial is None
    assert Process(config).stage.trial is None


@pytest.mark.depth
def test_what_no_model_had_a_part_in_is_not_counted(process: Process) -> None:
    process.try_out("worse")
    assert process.talk(30, [EXACT]) is None
    assert (process.trial.new.utterances, process.trial.old.utterances) == (0, 0)
    process.talk(30)  # the control
    assert process.trial.new.utterances > 0 < process.trial.old.utterances


@pytest.mark.depth
def test_all_revisions_of_an_utterance_are_read_by_one_version(process: Process) -> None:
    process.try_out("worse", most=10_000)
    by = []
    for number in range(30):
        revisions = [
            process.say(GUESSED[0], f"said {number}", after) for after in (1000.0, 1.0, 15)
        ]
        by.append({understood(one) for one in revisions})
    assert {len(read) for read in by} == {1}
    assert set.union(*by) == {True, False}


@pytest.mark.depth
@pytest.mark.parametrize("most", [60, 70, 80, 90])
def test_the_verdict_takes_effect_with_the_next_utterance(process: Process, most: int) -> None:
    """All revisions of the utterance at which it is known are read by the version before."""
    process.try_out("worse", most=most)
    by = []
    while process.stage.trial is not None:
        said = f"said {len(by)}"
        by.append([understood(process.say(GUESSED[0], said, after)) for after in (APART_S, 1.0)])
    assert process.trial.outcome is Outcome.BACK
    assert [first for first, _ in by] == [second for _, second in by]


@pytest.mark.depth
def test_what_follows_in_a_room_is_read_by_the_same_version(process: Process) -> None:
    process.try_out("worse", most=10_000)
    first = understood(process.say(GUESSED[0]))
    follow_ups = {understood(process.say(GUESSED[1], after_s=5.0)) for _ in range(30)}
    assert follow_ups == {first}
    alone = {understood(process.say(GUESSED[1])) for _ in range(30)}
    assert alone == {True, False}  # the control


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param(ModelError("model.broken", "no"), marks=pytest.mark.depth),
        ValueError("the words"),
    ],
)
def test_a_version_that_fails_goes_back_at_once_and_nobody_notices(
    process: Process, broken: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    process.try_out("same")

    def fail(model: IntentModel, text: str) -> object:
        if model is not kept:
            raise broken
        return rank(model, text)

    kept, rank = process.guesser.model("intent"), IntentModel.rank
    monkeypatch.setattr(IntentModel, "rank", fail)
    told: list[Message] = []
    for _ in range(20):
        messages = process.say(GUESSED[0])
        assert understood(messages)
        told += [m for m in messages if isinstance(m, Tried)]
    (end,) = told
    assert isinstance(end, Tried)
    assert (end.taken, "the words" in end.reason) == (False, False)
    assert (process.trial.outcome, process.in_use) == (Outcome.BACK, "1.1")
    assert process.stage.deadline_s() is None  # no fault of the model in use is reported


@pytest.mark.depth
def test_a_text_that_neither_version_can_read_ends_no_trial(
    process: Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    process.try_out("same")

    def fail(*_: object) -> object:
        raise ValueError("odd text")

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(IntentModel, "rank", fail)
        for _ in range(10):
            with pytest.raises(ValueError, match="odd text"):
                process.say(GUESSED[0])
    assert process.trial.outcome is Outcome.RUNNING


@pytest.mark.depth
@pytest.mark.parametrize(("after_s", "ended"), [(5.0, Outcome.BACK), (70.0, Outcome.TAKEN)])
def test_a_version_that_is_put_right_again_and_again_goes_back(
    process: Process, after_s: float, ended: Outcome
) -> None:
    """Both understand the same; what is said long after is about something else."""
    kept = process.guesser.model("intent")
    process.try_out("same")
    while process.stage.trial is not None:
        process.say(GUESSED[0])
        if process.guesser.model("intent") is not kept:
            process.say("that was wrong", after_s=after_s)
    trial = process.trial
    assert (trial.outcome, trial.new.corrected > 0) == (ended, ended is Outcome.BACK)
    assert trial.old.corrected == 0


@pytest.mark.depth
def test_a_trial_goes_on_after_a_restart(process: Process, config: Config) -> None:
    process.try_out("worse", most=10_000)
    process.talk(40)
    before = process.trial
    assert before.new.utterances > 0
    again = Process(config)
    assert again.stage.trial is not None
    assert again.trial == before
    again.talk(20)
    after = again.trial
    assert after.began_s == before.began_s
    assert after.new.utterances + after.old.utterances > 40
    again.start()  # as after a reload
    assert again.stage.trial is not None


@pytest.mark.depth
def test_a_version_that_was_damaged_meanwhile_goes_back_at_the_next_start(
    process: Process, config: Config
) -> None:
    process.try_out("worse")
    file = Library(config.models_dir).version_folder("intent", "worse") / FILE
    content = file.read_bytes()
    file.write_bytes(content + b" ")
    try:
        with pytest.raises(ModelError) as refused:
            Process(config)
    finally:
        file.write_bytes(content)
    assert refused.value.code == "model.corrupt"
    assert process.trial.outcome is Outcome.BACK


def test_a_version_that_ended_the_process_goes_back_at_the_next_start(
    process: Process, config: Config
) -> None:
    process.try_out("same")
    marker = config.runtime_dir / TRIAL_MARKERS["nlu"]
    process.talk(20)
    assert not marker.exists()
    marker.touch()  # as a process leaves it that is killed while the version reads
    again = Process(config)
    assert (again.stage.trial, marker.exists()) == (None, False)
    assert (again.trial.outcome, again.in_use) == (Outcome.BACK, "1.1")


@pytest.mark.depth
@pytest.mark.parametrize("version", ["1.1", "same"])
def test_a_version_that_the_user_puts_in_use_ends_the_trial(
    process: Process, config: Config, version: str
) -> None:
    process.try_out("same")
    process.talk(10)
    process.trials.load("intent", version)(process.stage)
    assert process.stage.trial is None
    assert (process.trial.outcome, process.in_use) == (Outcome.STOPPED, version)
    assert Process(config).stage.trial is None


@pytest.mark.depth
def test_one_that_was_put_in_use_while_nothing_ran_ends_the_trial(
    process: Process, config: Config
) -> None:
    process.try_out("worse")
    put_in_use(Library(config.models_dir).choosing("intent", "same"), "intent")
    assert Process(config).stage.trial is None
    assert process.trial.outcome is Outcome.STOPPED


def test_a_third_version_is_refused_while_one_is_tried(process: Process) -> None:
    process.try_out("same")
    for refused in (
        lambda: process.trials.load("intent", "worse"),
        lambda: process.try_out("worse"),
    ):
        with pytest.raises(ModelError, match="assistant models use intent") as third:
            refused()
        assert third.value.code == "model.trial"
    assert process.stage.trial is not None


@pytest.mark.depth
@pytest.mark.parametrize(
    ("model", "version", "code"),
    [
        ("reader", "9", "model.no_trial"),
        ("intent", "9", "model.no_version"),
        ("intent", "1.1", "model.in_use"),
    ],
)
def test_what_cannot_be_tried_is_refused_with_a_reason(
    process: Process, model: str, version: str, code: str
) -> None:
    with pytest.raises(ModelError) as refused:
        process.try_out(version, model)
    assert refused.value.code == code
    assert process.stage.trial is None


def test_understanding_without_models_tries_none(config: Config) -> None:
    without = msgspec.structs.replace(config, nlu=NluSettings(models=False))
    with pytest.raises(ModelError) as refused:
        Process(without).try_out("same")
    assert refused.value.code == "model.no_trial"


@pytest.mark.depth
def test_of_a_model_that_understands_less_than_at_first_an_alert_tells(config: Config) -> None:
    models = models_at_work(Library(config.models_dir), ("intent", "ner"))
    keep_baseline(config.state_dir / UNDERSTANDING_FILE, models, {"misunderstood": 0.05})
    process = Process(config)
    told = [m for _ in range(2 * LEAST) for m in process.say("and so on and on it goes")]
    (alert,) = (m for m in told if isinstance(m, QualityAlert))
    assert (alert.stage, alert.what, alert.over) == ("nlu", "misunderstood", False)
    process.trials.load("intent", "same")(process.stage)
    told = [m for _ in range(2 * LEAST) for m in process.say("and so on and on it goes")]
    assert not any(isinstance(m, QualityAlert) for m in told)  # of which nothing is known yet
