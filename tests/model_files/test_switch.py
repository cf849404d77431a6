"""`assistant models use` and `rollback`, without a daemon and with one that says how it went."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from assistant.cli import models
from assistant.control.server import ControlServer
from assistant.core.config import load_config
from assistant.core.errors import AssistantError, ControlError, ModelError
from assistant.core.layout import TRIALS_FILES
from assistant.core.messages import Message, Replace, Replaced, StageRestarted
from assistant.core.models.manifest import Library
from assistant.core.models.trial import Outcome, Tally
from assistant.core.models.trial_file import Trial, TrialFile
from assistant.core.models.versions import InUse
from assistant.supervision.channel import ProcessStatus, Status
from benchmarks.endurance.versions import UNSOUND, add_unsound, variant

STATUS = Status(processes=(ProcessStatus(name="nlu", state="ready", pid=1),))


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "config.toml"
    file.write_text(f'[storage]\nstate = "{tmp_path}"\nruntime = "{tmp_path}"\n')
    return file


@pytest.fixture
def candidate(tmp_path: Path) -> Path:
    return variant("ner", tmp_path / "stick", 2)


def invoke(config: Path, *arguments: object) -> Result:
    words = [*map(str, arguments), "--config", str(config)]
    return CliRunner().invoke(models.app, words)


def fault(result: Result) -> AssistantError:
    assert isinstance(result.exception, AssistantError), result.output
    return result.exception


def in_use(config: Path) -> InUse:
    return Library(load_config((config,))[0].models_dir).in_use("ner")


def test_a_candidate_is_imported_used_and_taken_back(config: Path, candidate: Path) -> None:
    assert "assistant models use ner 2" in invoke(
        config, "import", "ner", candidate, "--version", "2"
    ).stdout.replace("\n", " ")
    assert in_use(config).version == "1"
    told = invoke(config, "use", "ner", "2")
    assert "ner 2 is in use, from the assistant's next start" in told.stdout
    assert in_use(config) == InUse(version="2", before="1", manifest="1")
    rows = [json.loads(row) for row in invoke(config, "list", "--json").stdout.splitlines()]
    (row,) = (row for row in rows if row["name"] == "ner")
    assert (row["versions"], row["in_use"], row["before"]) == (["1", "2"], "2", "1")
    assert "shipped: 1 [2]" in invoke(config, "list").stdout
    assert invoke(config, "rollback", "ner").exit_code == 0
    assert in_use(config) == InUse(version="1", before="2", manifest="1")


def test_every_version_is_verified(config: Path, candidate: Path) -> None:
    invoke(config, "import", "ner", candidate, "--version", "2")
    weights = (
        Library(load_config((config,))[0].models_dir).version_folder("ner", "2") / "model.onnx"
    )
    weights.write_bytes(weights.read_bytes()[:-1] + b"?")
    told = invoke(config, "verify", "ner", "--json")
    rows = {row["version"]: row["ok"] for row in map(json.loads, told.stdout.splitlines())}
    assert (rows, told.exit_code) == ({"1": True, "2": False}, 2)


def test_another_interface_is_refused_on_the_way_in(config: Path, candidate: Path) -> None:
    # The weights of another model.
    (candidate / "examples.npz").write_bytes(b"")
    refused = fault(invoke(config, "import", "intent", candidate, "--version", "2"))
    assert "its outputs are ['addressee', 'logits'], not ['embedding']" in refused.message


def test_one_without_its_calibration_is_refused_on_the_way_in(
    config: Path, candidate: Path
) -> None:
    (candidate / "calibration.json").unlink()
    refused = fault(invoke(config, "import", "ner", candidate, "--version", "2"))
    assert refused.message == f"{candidate} holds no file calibration.json"


def test_a_bad_candidate_is_refused_and_what_was_in_use_stays(config: Path) -> None:
    library = Library(load_config((config,))[0].models_dir)
    for version, told in add_unsound(library, "ner").items():
        refused = fault(invoke(config, "use", "ner", version))
        assert isinstance(refused, ModelError)  # exit status 2
        assert told in refused.message
        assert in_use(config).version == "1"
    assert len(UNSOUND) == 7


def test_there_is_nothing_before_the_first(config: Path) -> None:
    assert "no other was before it" in fault(invoke(config, "rollback", "ner")).message


class Daemon:
    """A control server whose nlu answers as `answer` says."""

    def __init__(self, folder: Path, answer: Callable[[Replace], Message]) -> None:
        self._server = ControlServer(folder / "control.sock", {}, status=STATUS)
        self._answer = answer
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._serve)
        self.wishes: list[Replace] = []

    def __enter__(self) -> Daemon:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join()
        self._server.close()

    def _serve(self) -> None:
        while not self._stopped.wait(0.005):
            for message in self._server.read():
                assert isinstance(message, Replace)
                self.wishes.append(message)
                # Of another caller's wish; not an answer to this one.
                self._server.show(Replaced(stage="nlu", model="intent", version="2", error="no"))
                self._server.show(self._answer(message))


@pytest.fixture
def imported(config: Path, candidate: Path) -> Path:
    invoke(config, "import", "ner", candidate, "--version", "2")
    return config


def took(wish: Replace) -> Message:
    return Replaced(stage=wish.stage, model=wish.model, version=wish.version)


def refuses(wish: Replace) -> Message:
    return Replaced(stage=wish.stage, model=wish.model, version=wish.version, error="too slow")


def dies(_: Replace) -> Message:
    return StageRestarted(stage="nlu", reason="killed by SIGSEGV")


def test_a_running_daemon_is_asked_and_writes_its_choice_down_itself(
    imported: Path, tmp_path: Path
) -> None:
    with Daemon(tmp_path, took) as daemon:
        told = invoke(imported, "use", "ner", "2")
    (wish,) = daemon.wishes
    assert (wish.stage, wish.model, wish.version) == ("nlu", "ner", "2")
    assert "the running assistant answers by it" in told.stdout.replace("\n", " ")
    assert in_use(imported).version == "1"


@pytest.mark.parametrize(("answer", "told"), [(refuses, "too slow"), (dies, "SIGSEGV")])
def test_what_the_daemon_refuses_is_told_with_its_reason(
    imported: Path, tmp_path: Path, answer: Callable[[Replace], Message], told: str
) -> None:
    with Daemon(tmp_path, answer):
        refused = fault(invoke(imported, "use", "ner", "2"))
    assert isinstance(refused, ModelError)
    assert told in refused.message
    assert in_use(imported).version == "1"


def test_what_is_refused_here_is_not_asked_of_the_daemon(config: Path, tmp_path: Path) -> None:
    library = Library(load_config((config,))[0].models_dir)
    add_unsound(library, "ner")
    with Daemon(tmp_path, took) as daemon:
        assert fault(invoke(config, "use", "ner", "nonsense")).code == "model.canary"
    assert daemon.wishes == []


def test_a_stage_that_does_not_run_has_the_choice_written_down_for_it(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, candidate: Path
) -> None:
    invoke(config, "import", "ner", candidate, "--version", "2")
    monkeypatch.setattr("tests.model_files.test_switch.STATUS", Status())
    with Daemon(tmp_path, took) as daemon:
        told = invoke(config, "use", "ner", "2")
    assert "from the assistant's next start" in told.stdout.replace("\n", " ")
    assert (daemon.wishes, in_use(config).version) == ([], "2")


def test_a_daemon_that_says_nothing_is_named(
    imported: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assistant.model_files.switch.SILENCE_S", 0.05)
    with Daemon(tmp_path, lambda _: StageRestarted(stage="asr", reason="hung")):
        silent = fault(invoke(imported, "use", "ner", "2"))
    assert isinstance(silent, ControlError)
    assert silent.code == "control.silent"


def test_a_version_is_tried_on_a_share_by_the_running_daemon(
    imported: Path, tmp_path: Path
) -> None:
    with Daemon(tmp_path, took) as daemon:
        told = invoke(imported, "try", "ner", "2", "--share", "0.3", "--utterances", "100")
    (wish,) = daemon.wishes
    assert (wish.model, wish.version, wish.share, wish.utterances) == ("ner", "2", 0.3, 100)
    assert "ner 2 reads 30% of what is said, until 100 utterances" in told.stdout
    assert in_use(imported).version == "1"


def test_what_cannot_be_tried_is_refused_here(imported: Path, tmp_path: Path) -> None:
    assert fault(invoke(imported, "try", "ner", "2")).code == "control.down"
    with Daemon(tmp_path, refuses) as daemon:
        assert fault(invoke(imported, "try", "ner", "9")).code == "model.no_version"
        assert fault(invoke(imported, "try", "acoustic", "1")).code == "model.no_trial"
        assert daemon.wishes == []
        assert "too slow" in fault(invoke(imported, "try", "ner", "2")).message


def test_trials_are_shown_with_their_figures(imported: Path, tmp_path: Path) -> None:
    assert "none was tried" in invoke(imported, "trials").stdout
    state = load_config((imported,))[0].state_dir
    old = Tally(utterances=40, missed=3, asked=1, seconds=0.4, confidence=27.0)
    trial = Trial(
        model="ner", version="2", before="1", share=0.2, utterances=500, began_s=0.0, old=old
    )
    TrialFile(state / TRIALS_FILES["nlu"]).keep(trial)
    shown = invoke(imported, "trials").stdout
    assert "ner 2 is tried on 20%: 40 of 500 utterances since 1970-01-01" in shown
    assert "1: 40 utterances, 3 not understood, 1 asked back, 0 put right, 0.75 sure" in shown
    assert "2: no utterances yet" in shown
    assert "shipped: [1] (2)" in invoke(imported, "list").stdout
    (row,) = map(json.loads, invoke(imported, "trials", "--json").stdout.splitlines())
    assert (row["version"], row["old"]["missed"]) == ("2", 3)
    TrialFile(state / TRIALS_FILES["nlu"]).keep(trial.ended(Outcome.BACK, "it failed", 86_400.0))
    assert "ner 2 went back on 1970-01-0" in invoke(imported, "trials").stdout
    assert "shipped: [1] 2" in invoke(imported, "list").stdout
