"""What a pool promises, whichever engine runs it: each message once, in order, whatever dies."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest

from assistant.core.messages import Message, SpokenReply, StageFailed
from assistant.pool.local import LocalPool, LocalStage
from assistant.pool.pool import Pool, PoolError
from assistant.pool.scaling import ScalingPolicy
from tests.support.pool_stages import Speller, asked

Make = Callable[..., Pool]


def local(died: Path, workers: int) -> LocalPool:
    policy = ScalingPolicy(least=workers, most=workers)
    return LocalPool({"answer": LocalStage(partial(Speller, str(died)), policy)})


ENGINES: dict[str, Make] = {"local": local}


@pytest.fixture(params=ENGINES)
def pool(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Pool]:
    """Two workers that spell."""
    with ExitStack() as running:
        made = ENGINES[request.param](tmp_path / "died", 2)
        running.callback(made.close)
        yield made


def words(messages: Iterator[Message]) -> list[str]:
    return [m.text for m in messages if isinstance(m, SpokenReply)]


def test_a_reply_comes_message_by_message_in_order(pool: Pool) -> None:
    stream = pool.run("answer", asked("u1", "one two three"))
    (first, *others) = stream
    assert isinstance(first, SpokenReply)
    assert (first.utterance_id, first.text, first.more) == ("u1", "one", True)
    assert words(iter(others)) == ["two", "three"]


def test_many_at_once_share_the_workers_and_none_waits_for_a_slow_reader(pool: Pool) -> None:
    """Each fifth stream is read only after all others have ended."""
    draw = random.Random(1)
    texts = {f"u{n}": " ".join(f"w{n}-{i}" for i in range(draw.randint(1, 30))) for n in range(80)}
    streams = {name: pool.run("answer", asked(name, text)) for name, text in texts.items()}
    slow = [name for n, name in enumerate(streams) if n % 5 == 0]
    for name in [*(name for name in streams if name not in slow), *slow]:
        assert words(streams[name]) == texts[name].split()


def test_a_conversation_stays_with_its_worker(pool: Pool) -> None:
    def where(area: str) -> set[str]:
        replies = (pool.run("answer", asked(f"{area}{n}", "where", area)) for n in range(5))
        return {"".join(words(reply)) for reply in replies}

    assert [len(where(area)) for area in ("kitchen", "hall", "attic")] == [1, 1, 1]


def test_what_a_worker_held_when_it_died_is_given_once_and_whole(
    pool: Pool, tmp_path: Path
) -> None:
    texts = {f"u{n}": f"a{n} b c d e f" for n in range(10)} | {"dying": "now die quickly"}
    streams = {name: pool.run("answer", asked(name, text)) for name, text in texts.items()}
    for name, text in texts.items():
        assert words(streams[name]) == text.split()
    assert (tmp_path / "died").exists()


def test_a_conversation_outlives_its_worker(pool: Pool, tmp_path: Path) -> None:
    assert words(pool.run("answer", asked("u1", "first", "kitchen"))) == ["first"]
    assert words(pool.run("answer", asked("u2", "now die", "kitchen"))) == ["now", "die"]
    assert (tmp_path / "died").exists()
    assert words(pool.run("answer", asked("u3", "last", "kitchen"))) == ["now", "die"]
    assert words(pool.run("answer", asked("u4", "last", "hall"))) == ["nothing"]  # the control


def test_a_fault_of_the_stage_ends_the_reply_and_nothing_else(pool: Pool) -> None:
    good, bad = (
        pool.run("answer", asked("u1", "all is well")),
        pool.run("answer", asked("u2", "fail")),
    )
    (fault,) = bad
    assert isinstance(fault, StageFailed)
    assert (fault.code, fault.utterance_id) == ("answer.test", "u2")
    assert words(good) == ["all", "is", "well"]


def test_what_is_closed_comes_no_further(pool: Pool) -> None:
    stream = pool.run("answer", asked("u1", " ".join(["on"] * 500)))
    next(stream)
    stream.close()
    assert len(list(stream)) < 100
    assert words(pool.run("answer", asked("u2", "and on"))) == ["and", "on"]


def test_a_stage_that_does_not_run_is_refused(pool: Pool) -> None:
    with pytest.raises(PoolError, match="no voice runs here; there are: answer"):
        pool.run("voice", asked("u1", "hello"))


def test_a_request_over_which_every_worker_is_silent_fails(
    pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assistant.pool.local.SILENCE_S", 0.3)
    silent = pool.run("answer", asked("u1", "forget this"))
    with pytest.raises(PoolError, match="have died over it, or were silent"):
        list(silent)
    assert words(pool.run("answer", asked("u2", "this"))) == ["this"]
