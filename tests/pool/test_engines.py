"""What a pool promises, whichever engine runs it: each message once, in order, whatever dies."""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from assistant.core.messages import Message, SpokenReply, StageFailed
from assistant.hub.phrases import GENERATOR, PhrasesElsewhere
from assistant.pool.local import LocalPool, LocalStage
from assistant.pool.pool import Pool, PoolError
from assistant.pool.scaling import ScalingPolicy
from tests.support.pool_stages import Speller, asked
from tests.support.slow_phrases import slow_generator

Make = Callable[[Path, float], Pool]
PATIENCE_S = 60.0
"""Seconds without a message of a worker that mean nothing on a busy machine."""


def local(died: Path, silence_s: float) -> Pool:
    policy = ScalingPolicy(least=2, most=2)
    stages = {
        "answer": LocalStage(partial(Speller, str(died)), policy),
        GENERATOR: LocalStage(slow_generator, policy),
    }
    return LocalPool(stages, silence_s=silence_s, starts_s=min(PATIENCE_S, 4 * silence_s))


def ray(died: Path, silence_s: float) -> Pool:
    pytest.importorskip("assistant.hub.ray.engine", reason="the extra hub is not installed")
    pool = importlib.import_module("assistant.hub.ray.pool")
    stages = {"answer": partial(Speller, str(died)), GENERATOR: slow_generator}
    made: Pool = pool.ray_pool(stages, replicas=2, silence_s=silence_s)
    return made


ENGINES: dict[str, Make] = {"local": local, "ray": ray}


@pytest.fixture(scope="module")
def died(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that is there once a worker has died of "die"."""
    return tmp_path_factory.mktemp("pool") / "died"


@pytest.fixture(scope="module", params=ENGINES)
def engine(request: pytest.FixtureRequest, died: Path) -> Iterator[Pool]:
    """Two workers that spell; Ray takes 10 s to start."""
    with closing(ENGINES[request.param](died, PATIENCE_S)) as made:
        yield made


@pytest.fixture
def pool(engine: Pool, died: Path) -> Pool:
    died.unlink(missing_ok=True)
    return engine


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


def test_what_a_worker_held_when_it_died_is_given_once_and_whole(pool: Pool, died: Path) -> None:
    texts = {f"u{n}": f"a{n} b c d e f" for n in range(10)} | {"dying": "now die quickly"}
    streams = {name: pool.run("answer", asked(name, text)) for name, text in texts.items()}
    for name, text in texts.items():
        assert words(streams[name]) == text.split()
    assert died.exists()


def test_a_conversation_outlives_its_worker(pool: Pool, died: Path) -> None:
    assert words(pool.run("answer", asked("u1", "first", "kitchen"))) == ["first"]
    assert words(pool.run("answer", asked("u2", "now die", "kitchen"))) == ["now", "die"]
    assert died.exists()
    assert words(pool.run("answer", asked("u3", "last", "kitchen"))) == ["now", "die"]
    assert words(pool.run("answer", asked("u4", "last", "cellar"))) == ["nothing"]  # the control


def test_a_fault_of_the_stage_ends_the_reply_and_nothing_else(pool: Pool) -> None:
    good, bad = (
        pool.run("answer", asked("u1", "all is well")),
        pool.run("answer", asked("u2", "fail")),
    )
    (fault,) = bad
    assert isinstance(fault, StageFailed)
    assert (fault.code, fault.utterance_id) == ("answer.test", "u2")
    assert words(good) == ["all", "is", "well"]


def test_a_generator_words_what_several_have_found_meanwhile(pool: Pool) -> None:
    texts = [f"text {number} {'and more ' * number}".strip() for number in range(6)]
    words = PhrasesElsewhere(pool)
    steps = {text: words.phrasing("why", text, "title") for text in texts}
    said = dict[str, str]()
    while steps:
        for text, one in list(steps.items()):
            try:
                next(one)
            except StopIteration as end:
                said[text] = end.value
                del steps[text]
    assert said == {text: text.upper() for text in texts}


def test_what_is_closed_comes_no_further(pool: Pool) -> None:
    stream = pool.run("answer", asked("u1", " ".join(["on"] * 500)))
    next(stream)
    stream.close()
    assert len(list(stream)) < 100
    assert words(pool.run("answer", asked("u2", "and on"))) == ["and", "on"]


def test_a_stage_that_does_not_run_is_refused(pool: Pool) -> None:
    with pytest.raises(PoolError, match="no voice runs here; there are: answer, generator"):
        pool.run("voice", asked("u1", "hello"))


@pytest.mark.depth
@pytest.mark.parametrize("kind", ENGINES)
def test_a_request_over_which_every_worker_is_silent_fails(kind: str, tmp_path: Path) -> None:
    with closing(ENGINES[kind](tmp_path / "died", 4.0)) as pool:
        silent = pool.run("answer", asked("u1", "forget this"))
        with pytest.raises(PoolError) as failed:
            list(silent)
        assert failed.value.code in ("pool.died", "pool.silent")
        assert words(pool.run("answer", asked("u2", "this"))) == ["this"]


def test_a_conversation_that_comes_back_to_a_worker_goes_on_from_its_last_request(
    pool: Pool,
) -> None:
    """Much else is asked meanwhile, so that it moves to and fro."""
    texts = [f"turn {n}" for n in range(12)]
    said = ""
    for number, text in enumerate(texts):
        others = [pool.run("answer", asked(f"o{number}-{n}", "a b c d e f g h")) for n in range(9)]
        if said:
            assert words(pool.run("answer", asked(f"l{number}", "last", "loft"))) == said.split()
            said = "last"
        assert words(pool.run("answer", asked(f"t{number}", text, "loft"))) == text.split()
        said = text
        assert [len(words(other)) for other in others] == [8] * 9
