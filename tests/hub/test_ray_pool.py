"""The pool on a Ray Serve of its own; it takes 10 s to start, so all tests share one."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

pytest.importorskip("assistant.hub.ray.engine", reason="the extra hub is not installed")

from assistant.core.clock import boottime_s
from assistant.core.messages import Message, Question, SpokenReply, StageFailed
from assistant.hub.observation.watch import CallRecord, Watch, asking
from assistant.hub.ray.engine import ray
from assistant.hub.ray.ledger import ledger_of
from assistant.hub.ray.pool import RayPool
from assistant.pool.pool import BusyError, PoolError
from assistant.pool.requests import TOKENS, PoolRequest
from tests.support.counting_stage import STEP_S, breakable, counting
from tests.support.passing_stage import PASSED_TOKENS, passing

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


SOON_S = 20.0
"""Time in which what replicas tell has surely arrived, and a breaker has closed."""


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the processes whose stage `breakable` fails."""
    return tmp_path_factory.mktemp("broken")


@pytest.fixture(scope="module")
def pool(broken: Path) -> Iterator[RayPool]:
    makers = {"counting": counting, "passing": passing, "breakable": partial(breakable, broken)}
    pool = RayPool(makers, replicas=2, tenants=("", "red", "blue"))
    yield pool
    pool.close()


def question(text: str, utterance_id: str = "same") -> PoolRequest:
    return PoolRequest(messages=(Question(utterance_id=utterance_id, text=text),))


def spoken(messages: Iterator[Message]) -> list[str]:
    return [m.text for m in messages if isinstance(m, SpokenReply)]


def comes(is_so: Callable[[], bool]) -> bool:
    """Whether it is so soon."""
    until_s = time.monotonic() + SOON_S
    while not is_so() and time.monotonic() < until_s:
        time.sleep(0.05)
    return is_so()


def numbers(until: int) -> list[str]:
    return [str(n) for n in range(until + 1)]


def test_many_at_once_each_get_their_own_reply_whole_and_in_order(pool: RayPool) -> None:
    asked = [pool.run("counting", question(str(n % 7))) for n in range(60)]
    assert [spoken(one) for one in asked] == [numbers(n % 7) for n in range(60)]


def test_what_comes_at_once_is_shared_by_the_replicas(pool: RayPool) -> None:
    asked = [pool.run("counting", question("where")) for _ in range(40)]
    assert len({spoken(one)[0] for one in asked}) == 2


def test_a_fault_of_the_stage_is_its_reply(pool: RayPool) -> None:
    (failed,) = pool.run("counting", question("fail"))
    assert isinstance(failed, StageFailed)
    assert (failed.code, failed.utterance_id) == ("answer.broken", "same")


def test_there_is_no_stage_of_another_name(pool: RayPool) -> None:
    with pytest.raises(
        PoolError, match="no asr runs here; there are: breakable, counting, passing"
    ):
        pool.run("asr", question("1"))


def test_none_is_lost_and_none_told_twice_when_a_replica_is_killed(pool: RayPool) -> None:
    asked = [pool.run("counting", question("40")) for _ in range(30)]
    begun = [next(one) for one in asked]
    assert spoken(iter(begun)) == ["0"] * 30
    (where,) = spoken(pool.run("counting", question("where")))
    os.kill(int(where), signal.SIGKILL)
    assert [spoken(one) for one in asked] == [numbers(40)[1:]] * 30


def test_nothing_of_a_tenant_reaches_another(pool: RayPool) -> None:
    told = [
        spoken(pool.run("counting", question("which"), tenant=tenant))[0]
        for tenant in ("red", "blue") * 6
    ]
    assert {one.split()[0] for one in told[::2]} == {"red"}
    assert {one.split()[0] for one in told[1::2]} == {"blue"}
    # Each of two replicas counted six askers at most: a stage that both shared would count more.
    assert all(int(one.split()[1]) < 6 for one in told)


def test_nobody_joins_without_the_token_of_this_start(pool: RayPool) -> None:
    address = ray.get_runtime_context().gcs_address
    program = f"""
from ray._raylet import GcsClient
GcsClient({address!r}).internal_kv_keys(b"", None)
print("is in")
"""
    for token in (os.environ["RAY_AUTH_TOKEN"], "0" * 64):
        tried = subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | {"RAY_AUTH_TOKEN": token},
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert ("is in" in tried.stdout) == (token != "0" * 64)
        assert ("AuthenticationError" in tried.stderr) == (token == "0" * 64)


def test_what_has_no_time_is_told_at_once_or_taken_in_its_lighter_form(pool: RayPool) -> None:
    asked = [pool.run("counting", question("100")) for _ in range(10)]
    for one in asked:
        next(one)
    with pytest.raises(BusyError, match="busy right now"):
        pool.run("counting", question("1"), budget_s=1e-6)
    assert spoken(pool.run("counting", question("1"), budget_s=1e6)) == ["0", "1"]
    for one in asked:
        one.close()


def test_nothing_more_is_made_of_a_reply_that_nobody_waits_for(pool: RayPool) -> None:
    stream = pool.run("counting", question("1000000"))
    next(stream)
    stream.close()
    counts = ledger_of("counting")
    assert counts is not None
    for _ in range(200):  # whatever is served meanwhile gives it the time to end
        assert spoken(pool.run("counting", question("0"))) == ["0"]
        if not any(state.left for state in counts.states()):
            break
    assert not any(state.left for state in counts.states())
    assert list(stream) == []


def test_a_call_notes_how_long_its_request_waited_and_that_it_began_anew(pool: RayPool) -> None:
    calls: list[CallRecord] = []

    async def asked(text: str, name: str) -> list[str]:
        with Watch((calls.append,)).call("test", ""), asking("counting", name, ""):
            return spoken(iter([m async for m in pool.stream("counting", question(text, name))]))

    async def some_while_a_replica_is_killed() -> None:
        (where,) = await asked("where", "first")
        every = asyncio.gather(*(asked("40", str(number)) for number in range(8)))
        await asyncio.sleep(10 * STEP_S)
        os.kill(int(where), signal.SIGKILL)
        await every

    asyncio.run(some_while_a_replica_is_killed())
    (first,), *others = [call.stages for call in calls]
    assert first.asked_s < first.began_s < first.ended_s
    assert first.retries == 0
    loads = asyncio.run(pool.loads())
    assert loads["counting"].replicas <= 2
    assert loads["counting"].tokens_outstanding == 0
    assert len(others) == 8
    assert max(one.retries for (one,) in others) > 0


def test_what_a_replica_asks_of_other_replicas_counts_in_this_process_too(pool: RayPool) -> None:
    counts = ledger_of("counting")
    assert counts is not None
    assert comes(lambda: [state.left for state in counts.states()] == [(), ()])
    passed = pool.run("passing", question("100000"))
    assert comes(lambda: counts.load(boottime_s()).tokens_outstanding == PASSED_TOKENS)
    ours = [pool.run("counting", question("100000")) for _ in range(4)]
    for one in ours:
        next(one)
    assert sorted(state.left for state in counts.states()) == [(TOKENS,) * 4, (PASSED_TOKENS,)]
    for one in (passed, *ours):
        one.close()
    assert comes(lambda: [state.left for state in counts.states()] == [(), ()])


def test_a_replica_that_fails_each_request_is_left_alone_and_tried_again(
    pool: RayPool, broken: Path
) -> None:
    def where() -> list[str]:
        """The processes that reply to as many requests at once; "" for those that fail."""
        asked = [pool.run("breakable", question("where")) for _ in range(20)]
        return ["".join(spoken(one)) for one in asked]

    whole = set(where())
    assert len(whole) == 2
    failing = broken / min(whole)
    failing.touch()
    assert where().count("") > 3
    # A rest may be over meanwhile: then one request is the probe.
    assert where().count("") <= 1
    failing.unlink()
    assert comes(lambda: set(where()) == whole)
