"""Candidates are loaded one after the other beside the loop, and taken over in that order."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator
from contextlib import suppress

import pytest

from assistant.core.errors import AnswerError, AssistantError, ModelError
from assistant.core.messages import Replace
from assistant.core.models.swap import ModelSwaps, StageSwap, refusal
from assistant.core.stage import Stage


def same(stage: Stage) -> Stage:
    return stage


class Loader:
    """Loads when it is let; "bad" versions are refused, "odd" ones fail."""

    def __init__(self) -> None:
        self.loaded: list[str] = []
        self.ended: list[str] = []
        self.niceness: set[int] = set()
        self.may = threading.Event()

    def __call__(self, model: str, version: str) -> StageSwap:
        self.loaded.append(f"{model} {version}")
        thread = threading.get_native_id()
        self.niceness.add(os.getpriority(os.PRIO_PROCESS, thread))
        assert self.may.wait(60)
        self.ended.append(version)
        if version == "bad":
            raise AnswerError("answer.bad", "of no use")
        if version == "odd":
            raise KeyError("shape\nand much more")
        return same


@pytest.fixture
def loader() -> Iterator[Loader]:
    loader = Loader()
    yield loader
    loader.may.set()
    ended()


def ended() -> None:
    """Wait for the thread that loads."""
    for thread in threading.enumerate():
        if thread.name.startswith("candidate"):
            thread.join(60)


def wish(version: str) -> Replace:
    return Replace(stage="nlu", model="ner", version=version)


def test_verdicts_come_in_the_order_of_asking_once_they_are_known(loader: Loader) -> None:
    replacements = ModelSwaps(loader)
    assert not replacements.busy
    assert list(replacements.verdicts()) == []
    for version in ("2", "bad", "odd"):
        replacements.ask(wish(version))
    assert replacements.busy
    assert list(replacements.verdicts()) == []
    loader.may.set()
    verdicts = []
    while replacements.busy:
        verdicts += list(replacements.verdicts())
    assert [asked.version for asked, _ in verdicts] == ["2", "bad", "odd"]
    assert loader.loaded == ["ner 2", "ner bad", "ner odd"]
    change, refused, failed = (verdict for _, verdict in verdicts)
    assert change is same
    assert isinstance(refused, AnswerError)
    assert isinstance(failed, ModelError)
    assert failed.code == "model.unusable"
    assert failed.message.startswith("ner odd cannot be loaded: KeyError: ")
    replacements.close()


def test_what_waits_when_all_ends_is_never_loaded(loader: Loader) -> None:
    replacements = ModelSwaps(loader)
    replacements.ask(wish("2"))
    replacements.ask(wish("3"))
    replacements.close()
    assert loader.ended == []  # nor is it waited for
    loader.may.set()
    ended()
    assert loader.loaded in ([], ["ner 2"])


def test_nothing_is_waited_for_when_nothing_was_asked(loader: Loader) -> None:
    ModelSwaps(loader).close()
    assert loader.loaded == []


def test_loading_gives_way_to_the_work(loader: Loader) -> None:
    if os.geteuid():
        pytest.skip("only root may also raise the priority that the tests run at")
    loader.may.set()
    replacements = ModelSwaps(loader)
    replacements.ask(wish("2"))
    ended_by = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    while not list(replacements.verdicts()):
        pass
    assert loader.niceness == {5}
    assert os.getpriority(os.PRIO_PROCESS, threading.get_native_id()) == ended_by
    replacements.close()


def test_one_is_loaded_at_a_time() -> None:
    both, together = threading.Barrier(2), list[str]()

    def load(_: str, version: str) -> StageSwap:
        with suppress(threading.BrokenBarrierError):
            both.wait(0.1)
            together.append(version)
        return same

    replacements = ModelSwaps(load)
    for version in ("2", "3"):
        replacements.ask(wish(version))
    while replacements.busy:
        list(replacements.verdicts())
    assert together == []


def test_who_may_not_give_way_loads_all_the_same(
    loader: Loader, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: int) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "setpriority", refuse)
    loader.may.set()
    replacements = ModelSwaps(loader)
    replacements.ask(wish("2"))
    verdicts: list[object] = []
    while not verdicts:
        verdicts += [verdict for _, verdict in replacements.verdicts()]
    assert verdicts == [same]


@pytest.mark.parametrize(
    ("fault", "code", "message"),
    [
        (ModelError("model.corrupt", "damaged"), "model.corrupt", "damaged"),
        (
            ValueError("wrong size\nin many lines"),
            *("model.unusable", "ner 2 cannot be loaded: ValueError: wrong size"),
        ),
        (
            MemoryError(),
            *("model.unusable", "ner 2 cannot be loaded: MemoryError: no reason was given"),
        ),
    ],
)
def test_whatever_ends_a_candidate_is_told_in_one_line(
    fault: BaseException, code: str, message: str
) -> None:
    told = refusal("ner 2", fault)
    assert isinstance(told, AssistantError)
    assert (told.code, told.message) == (code, message)


class OneTrial:
    """One version was on trial when the stage was made."""

    def __init__(self) -> None:
        self.begun: list[str] = []

    def begin(self, wish: Replace) -> StageSwap:
        self.begun.append(wish.version)
        return same

    def running(self) -> Iterable[Replace]:
        return (on_trial("2"),)


def on_trial(version: str) -> Replace:
    return Replace(stage="nlu", model="ner", version=version, share=0.5, utterances=100)


def verdicts(replacements: ModelSwaps) -> list[StageSwap | AssistantError]:
    found = []
    while replacements.busy:
        found += [verdict for _, verdict in replacements.verdicts()]
    replacements.close()
    return found


def test_what_is_on_trial_goes_on_and_what_is_to_be_tried_begins(loader: Loader) -> None:
    trials = OneTrial()
    replacements = ModelSwaps(loader, trials)
    replacements.ask_running()
    replacements.ask(on_trial("3"))
    assert verdicts(replacements) == [same, same]
    assert (trials.begun, loader.loaded) == (["2", "3"], [])


def test_a_stage_that_tries_nothing_refuses_a_trial(loader: Loader) -> None:
    replacements = ModelSwaps(loader)
    replacements.ask_running()
    assert not replacements.busy
    replacements.ask(on_trial("2"))
    (refused,) = verdicts(replacements)
    assert isinstance(refused, ModelError)
    assert (refused.code, loader.loaded) == ("model.no_trial", [])
