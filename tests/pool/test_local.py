"""The pool in processes of this machine: more workers for more work, and what there is time for."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from assistant.core.messages import Message, Question, SpokenReply
from assistant.pool import local
from assistant.pool.local import LocalPool, LocalStage
from assistant.pool.pool import BusyError
from assistant.pool.requests import PoolRequest
from assistant.pool.routing import RequestShape
from assistant.pool.scaling import ScalingPolicy
from tests.support.pool_stages import Speller, asked

PATIENCE_S = 60.0
LONG = " ".join(["word"] * 60)


@pytest.fixture
def start() -> Iterator[Callable[..., LocalPool]]:
    """Starts a pool, and ends it."""
    pools: list[LocalPool] = []

    def started(**policy: float) -> LocalPool:
        stage = LocalStage(partial(Speller, ""), ScalingPolicy(**policy))  # type: ignore[arg-type]
        pools.append(LocalPool({"answer": stage}))
        return pools[-1]

    yield started
    for pool in pools:
        pool.close()


def words(messages: Iterator[Message]) -> list[str]:
    return [m.text for m in messages if isinstance(m, SpokenReply)]


def wait(pool: LocalPool, done: Callable[[], bool]) -> None:
    ends_s = time.monotonic() + PATIENCE_S
    while not done():
        assert time.monotonic() < ends_s
        pool.poll(0.05)


@pytest.mark.depth
def test_load_starts_workers_and_rest_ends_them_and_nothing_is_lost(
    start: Callable[..., LocalPool],
) -> None:
    pool = start(least=1, most=3, target_s=0.1, up_after_s=0.1, down_after_s=0.5)
    streams = [pool.run("answer", asked(f"u{n}", LONG)) for n in range(24)]
    wait(pool, lambda: len(pool.workers("answer")) == 3)
    assert [words(stream) for stream in streams] == [LONG.split()] * 24
    names = {worker.name for worker in pool.workers("answer")}
    assert names == {"answer-1", "answer-2", "answer-3"}
    trickle = iter(range(1000, 2000))
    while len(pool.workers("answer")) == 3:
        reply = pool.run("answer", asked(f"u{next(trickle)}", "still here"))
        assert words(reply) == ["still", "here"]
        time.sleep(0.05)


@pytest.mark.depth
def test_what_there_is_no_time_for_is_asked_in_its_lighter_form_or_not_at_all(
    start: Callable[..., LocalPool],
) -> None:
    pool = start(least=1, most=1)
    assert words(pool.run("answer", asked("u0", "short", ""), budget_s=60.0)) == ["short"]
    before = [pool.run("answer", asked(f"u{n}", LONG)) for n in range(1, 16)]
    lighter = Question(utterance_id="full", text="briefly")
    request = PoolRequest(
        messages=(Question(utterance_id="full", text=LONG),),
        shape=RequestShape(tokens=60),
        lighter=(lighter,),
    )
    assert words(pool.run("answer", request, budget_s=3.0)) == ["briefly"]
    with pytest.raises(BusyError) as refused:
        pool.run("answer", asked("busy", LONG), budget_s=0.01)
    assert refused.value.code == "pool.busy"
    assert words(pool.run("answer", asked("patient", "fine"))) == ["fine"]  # the control
    assert [words(stream) for stream in before] == [LONG.split()] * 15


def test_memory_pressure_counts_as_load(
    start: Callable[..., LocalPool], monkeypatch: pytest.MonkeyPatch
) -> None:
    pool = start(least=1, most=1)
    assert words(pool.run("answer", asked("u1", "now then"), budget_s=60.0)) == ["now", "then"]
    monkeypatch.setattr(local, "memory_pressure", lambda: 1.0)
    with pytest.raises(BusyError):
        pool.run("answer", asked("u2", "now then"), budget_s=5.0)


KILLED = """
import os
from functools import partial
from assistant.pool.local import LocalPool, LocalStage
from assistant.pool.scaling import ScalingPolicy
from tests.support.pool_stages import Speller, asked

if __name__ == "__main__":
    pool = LocalPool({"answer": LocalStage(partial(Speller, ""), ScalingPolicy(least=2))})
    for number in range(8):
        print(*(m.text for m in pool.run("answer", asked(f"u{number}", "where"))), flush=True)
    os.kill(os.getpid(), 9)
"""


def test_the_workers_end_with_who_runs_the_pool_though_it_is_killed(tmp_path: Path) -> None:
    program = tmp_path / "killed.py"
    program.write_text(KILLED)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    command = (sys.executable, program)
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as running:
        assert running.stdout is not None
        numbers = {running.stdout.readline().split()[0].decode() for _ in range(8)}
        assert running.wait(PATIENCE_S) == -9
    ends_s = time.monotonic() + PATIENCE_S
    for number in numbers:
        while Path(f"/proc/{number}").exists():
            assert time.monotonic() < ends_s
            time.sleep(0.05)


def test_a_spare_worker_serves_when_more_are_wanted_and_another_takes_its_place() -> None:
    policy = ScalingPolicy(least=1, most=2, target_s=0.1, up_after_s=0.1, down_after_s=60.0)
    with LocalPool({"answer": LocalStage(partial(Speller, ""), policy, spare=1)}) as pool:
        first, spare = pool.workers("answer")
        assert (first.is_spare, spare.is_spare) == (False, True)
        alone = {words(pool.run("answer", asked(f"u{n}", "where")))[0] for n in range(6)}
        assert alone == {str(first.process.pid)}
        streams = [pool.run("answer", asked(f"v{n}", LONG)) for n in range(12)]
        # There is more to do than is done between two looks, though each comes late.
        more = [pool.run("answer", asked(f"w{n}", " ".join([LONG] * 100))) for n in range(12)]
        wait(pool, lambda: not spare.is_spare)
        for stream in more:
            stream.close()
        assert [words(stream) for stream in streams] == [LONG.split()] * 12
        wait(pool, lambda: len(pool.workers("answer")) == 3)
        assert [worker.is_spare for worker in pool.workers("answer")] == [False, False, True]
