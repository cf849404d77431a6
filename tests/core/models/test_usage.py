"""What is counted of the models, by threads and forks, and what is told of it."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from assistant.core.fork import Fork
from assistant.core.messages import ModelsUsed, ModelUse
from assistant.core.models.session import open_session, run, session_of_bytes
from assistant.core.models.usage import USAGE, Meter, ModelUsage
from tests.core.models.test_session import library_with
from tests.support.handmade_onnx import adding_model

BUSY_S = 0.05


def work(seconds: float = BUSY_S) -> None:
    """Take so much of this thread's processor time."""
    ends_s = time.thread_time() + seconds
    while time.thread_time() < ends_s:
        pass


def of_one(usage: ModelUsage) -> ModelUse:
    told = usage.news("nlu")
    assert told is not None
    (used,) = told.models
    return used


def test_a_run_counts_the_time_that_it_works_and_not_the_time_that_it_waits() -> None:
    usage = ModelUsage()
    with Meter("ner", "1", usage=usage).run():
        work()
        time.sleep(4 * BUSY_S)
    used = of_one(usage)
    assert (used.model, used.version, used.runs) == ("ner", "1", 1)
    assert BUSY_S <= used.cpu_s < 4 * BUSY_S


@pytest.mark.parametrize(("threads", "counted"), [(1, False), (2, True)])
def test_only_a_model_with_several_threads_counts_the_work_of_others(
    threads: int, counted: bool
) -> None:
    usage = ModelUsage()
    with Meter("whisper", "1", threads, usage).run():
        other = threading.Thread(target=work)
        other.start()
        other.join()
    assert (of_one(usage).cpu_s >= BUSY_S) is counted


def test_a_run_that_fails_counts_too() -> None:
    usage = ModelUsage()
    with pytest.raises(ValueError, match="broken"), Meter("ner", "1", usage=usage).run():
        raise ValueError("broken")
    assert of_one(usage).runs == 1


def test_versions_are_told_apart_and_totals_go_on() -> None:
    usage = ModelUsage()
    for version in ("1", "2", "1"):
        usage.add("ner", version, 0.5)
    first = usage.news("nlu")
    usage.add("ner", "2", 0.25)
    second = usage.news("nlu")
    assert first is not None
    assert second is not None
    assert {(m.version, m.cpu_s, m.runs) for m in first.models} == {("1", 1.0, 2), ("2", 0.5, 1)}
    assert {(m.version, m.cpu_s, m.runs) for m in second.models} == {("1", 1.0, 2), ("2", 0.75, 2)}
    assert second.began_s == first.began_s


def test_nothing_is_told_where_nothing_has_run_since() -> None:
    usage = ModelUsage()
    assert usage.news("nlu") is None
    usage.add("ner", "1", 0.5)
    assert usage.news("nlu") is not None
    assert usage.news("nlu") is None


def test_one_of_the_stages_of_a_process_tells_of_all() -> None:
    usage = ModelUsage()
    usage.add("ner", "1", 0.5)
    assert usage.news("nlu") is not None
    usage.add("reader", "1", 0.5)
    assert usage.news("answer") is None
    told = usage.news("nlu")
    assert told is not None
    assert [used.model for used in told.models] == ["ner", "reader"]


def test_threads_lose_no_run_of_each_other() -> None:
    usage, runs, threads = ModelUsage(), 2_000, 4
    at_once = threading.Barrier(threads)

    def count() -> None:
        at_once.wait()
        for _ in range(runs):
            usage.add("ner", "1", 1.0)

    started = [threading.Thread(target=count) for _ in range(threads)]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()
    used = of_one(usage)
    assert (used.runs, used.cpu_s) == (runs * threads, runs * threads)


def test_a_fork_counts_from_nothing_and_its_parent_goes_on() -> None:
    USAGE.begin()
    USAGE.add("ner", "1", 0.5)

    def in_fork() -> tuple[int, bool, ModelsUsed | None]:
        fresh = USAGE.news("nlu") is None
        USAGE.add("ner", "1", 0.25)
        return os.getpid(), fresh, USAGE.news("nlu")

    with USAGE._lock:  # as by another thread at that moment: the fork must not wait for it
        fork = Fork(in_fork)
    pid, fresh, of_fork = fork.finish()
    own = USAGE.news("nlu")
    assert pid != os.getpid()
    assert fresh
    assert of_fork is not None
    assert own is not None
    assert (of_fork.models[0].cpu_s, own.models[0].cpu_s) == (0.25, 0.5)
    assert own.began_s < of_fork.began_s


def test_a_session_of_the_library_is_counted_and_others_are_not(tmp_path: Path) -> None:
    USAGE.begin()
    sound = {"x": np.zeros(2, np.float32)}
    run(session_of_bytes(adding_model()), sound)
    assert USAGE.news("nlu") is None
    session = open_session(library_with(tmp_path, adding_model()), "adder", "model.onnx")
    run(session, sound)
    session.run(None, sound)  # as Piper and the generator do
    used = of_one(USAGE)
    assert (used.model, used.version, used.runs) == ("adder", "1", 2)
    assert used.cpu_s > 0
