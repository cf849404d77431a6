"""Real models replaced while texts are understood, through control socket, bus and worker."""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing

import msgspec
import pytest

from assistant.control.client import ControlClient
from assistant.core.bus import Address, Bus
from assistant.core.config import Config, load_config
from assistant.core.errors import ModelError
from assistant.core.layout import TRIALS_FILES
from assistant.core.messages import Command, Interpretation
from assistant.core.models.manifest import Library
from assistant.core.models.trial import Outcome
from assistant.core.models.trial_file import TrialFile
from assistant.evaluation.specimen import specimen_home
from assistant.model_files import switch
from assistant.serving.processes import consumers, make_worker
from assistant.supervision.heartbeat import Heartbeat
from benchmarks.endurance.swaps import expected, sentences
from benchmarks.endurance.traffic import Answers, Asked, Traffic
from benchmarks.endurance.versions import UNSOUND, add, add_unsound
from nlu import readings
from skills.registry import load_registry

pytestmark = pytest.mark.long

PER_S = 10.0


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Config]:
    """The settings of an understanding that runs, with a control socket, as threads.

    It may use two more versions of the NER model, and some that are unsound.
    """
    folder = tmp_path_factory.mktemp("swaps")
    (folder / "run").mkdir()
    home = folder / "home.yaml"
    home.write_text(json.dumps(msgspec.to_builtins(specimen_home(load_registry().manifests))))
    file = folder / "config.toml"
    folders = f'state = "{folder}"\ncache = "{folder}/cache"\nruntime = "{folder}/run"\n'
    file.write_text(f'[storage]\n{folders}[home]\nfile = "{home}"\n')
    library = Library(load_config((file,))[0].models_dir)
    for version in ("2", "3"):
        add(library, "ner", version, seed=int(version))
    add_unsound(library, "ner")
    with closing(Address(folder / "run")) as address, ExitStack() as open_things:
        names = ("control", "nlu")
        workers = [make_worker(n, (file,), Heartbeat(), address, open_things) for n in names]
        threads = [threading.Thread(target=worker.run) for worker in workers]
        ended = threading.Event()
        threads.append(threading.Thread(target=_take_all, args=(address, names, ended)))
        for thread in threads:
            thread.start()
        yield load_config((file,))[0]
        ended.set()
        for worker in workers:
            worker.stop()
        for thread in threads:
            thread.join()


def _take_all(address: Address, names: Sequence[str], ended: threading.Event) -> None:
    """Stand in for the skills, whose queue would be full after a hundred utterances."""
    with closing(Bus("skills", address, names, consumers(), (Interpretation,))) as bus:
        while not ended.is_set():
            list(bus.receive(0.1))


def test_no_text_is_lost_and_each_is_read_by_a_model_in_use(config: Config) -> None:
    traffic = Traffic(config.runtime_dir, sentences(20), PER_S)
    try:
        for version in ("2", "nonsense", "3", "interface", "1", "corrupt", "3", "2", "1"):
            if version in UNSOUND:
                with pytest.raises(ModelError, match=UNSOUND[version][0]):
                    switch.use(config, "ner", version, known=True)
                continue
            with traffic.changing("ner", version):
                assert switch.use(config, "ner", version, known=True)
        with traffic.changing("ner", "2"):
            assert switch.roll_back(config, "ner") == ("2", True)
    finally:
        asked = traffic.stop()
    answers = expected(config, traffic.texts, [("1", version) for version in ("1", "2", "3")])
    assert len(asked) > 20
    assert not [one.text for one in asked if one.answer is None]
    assert not [one.text for one in asked if not answers.fits(one)]
    assert answers.split(asked) == 0
    assert any(map(answers.telling, asked))
    assert Library(config.models_dir).version("ner") == "2"


def _go_on(traffic: Traffic) -> None:
    """Wait until each text has been said once more."""
    number = len(traffic.asked())
    while len(traffic.asked()) < number + 2 * 20:
        threading.Event().wait(0.1)


def test_a_version_on_trial_reads_a_share_and_then_takes_all(
    config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readings, "SLOW_S", math.inf)  # how fast this machine is decides nothing
    switch.use(config, "ner", "1", known=True)
    record = TrialFile(config.state_dir / TRIALS_FILES["nlu"])
    watcher = ControlClient(config.control_socket).follow("watch", 60.0)
    traffic = Traffic(config.runtime_dir, sentences(20), PER_S)
    try:
        with traffic.changing("ner", "2"):
            switch.try_out(config, "ner", "2", 0.5, 80)
            with pytest.raises(ModelError, match="ner 2 is being tried beside ner 1"):
                switch.use(config, "ner", "3", known=True)
            end = next(event for event in watcher if event["type"] == "Tried")
        _go_on(traffic)
    finally:
        asked = traffic.stop()
    answers = expected(config, traffic.texts, [("1", version) for version in ("1", "2")])
    (trial,) = record.all()
    assert (end["version"], end["taken"], trial.outcome) == ("2", True, Outcome.TAKEN)
    assert trial.old.utterances + trial.new.utterances == 80
    assert Library(config.models_dir).in_use("ner").version == "2"
    assert not [one.text for one in asked if one.answer is None]
    assert not [one.text for one in asked if not answers.fits(one)]
    assert answers.split(asked) == 0
    sure = [answers.by(one) for one in asked if answers.telling(one)]
    assert {pair for pairs in sure for pair in pairs} == {("1", "1"), ("1", "2")}


def test_an_answer_of_neither_model_would_be_noticed(config: Config) -> None:
    # The control of the test above: nobody tells of the change.
    switch.use(config, "ner", "1", known=True)
    traffic = Traffic(config.runtime_dir, sentences(20), PER_S)
    try:
        switch.use(config, "ner", "2", known=True)
        _go_on(traffic)
    finally:
        asked = traffic.stop()
    answers = expected(config, traffic.texts, [("1", version) for version in ("1", "2")])
    assert not all(map(answers.fits, asked))


@pytest.mark.parametrize(("came_s", "split"), [(0.5, 1), (1.5, 0)])
def test_a_revision_after_a_rest_may_be_read_by_the_next_model(came_s: float, split: int) -> None:
    lamp, fan = ((Command(intent=intent),) for intent in ("LampOn", "FanOn"))
    answers = Answers({("1", "1"): {"on": lamp}, ("1", "2"): {"on": fan}})

    def answered(commands: tuple[Command, ...], at_s: float) -> Asked:
        meant = Interpretation(utterance_id="u", revision=0, text="on", commands=commands)
        return Asked("on", {("1", "1")}, at_s, at_s, meant)

    assert answers.split([answered(lamp, 0.0), answered(fan, came_s)]) == split
