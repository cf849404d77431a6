"""Words of a generator elsewhere: they come as from one's own, or a reason why there are none."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from assistant.answer.generation.token_scheduler import LateError, Outlook, Steps, finished
from assistant.core.errors import AnswerError
from assistant.core.messages import Fact, Message
from assistant.hub.phrases import GENERATOR, PhrasesElsewhere
from assistant.pool.local import LocalPool, LocalStage
from assistant.pool.scaling import ScalingPolicy
from tests.support.slow_phrases import slow_generator


@pytest.fixture(scope="module")
def phrases() -> Iterator[PhrasesElsewhere]:
    stage = LocalStage(slow_generator, ScalingPolicy(least=1, most=1))
    with closing(LocalPool({GENERATOR: stage})) as pool:
        yield PhrasesElsewhere(pool)


def code(steps: Steps[str]) -> str:
    with pytest.raises(AnswerError) as refused:
        finished(steps)
    return refused.value.code


def test_the_sentence_comes_and_others_are_served_meanwhile(phrases: PhrasesElsewhere) -> None:
    def worded() -> Steps[None]:
        said.append((yield from phrases.phrasing("how long", "two years and a day", "Kettle")))

    said: list[str] = []
    steps = list(worded())
    assert said == ["TWO YEARS AND A DAY"]
    assert len(steps) > 2
    assert all(isinstance(step, Outlook) for step in steps)


def test_facts_come_as_one_sentence_or_as_none(phrases: PhrasesElsewhere) -> None:
    assert finished(phrases.wording([Fact(name="left", value="five")], "how long", "x")) == "FIVE"
    assert finished(phrases.wording([Fact(name="left", value="too long")], "", "x")) == ""


def test_why_there_are_none_is_told_as_it_is_said_there(phrases: PhrasesElsewhere) -> None:
    assert code(phrases.phrasing("", "too long", "")) == "answer.too_long"
    assert code(phrases.phrasing("", "broken", "")) == "answer.resting"


def test_who_has_no_time_gets_on_and_nothing_more_is_made(phrases: PhrasesElsewhere) -> None:
    late = LateError("answer.late", "there was no time")
    told = phrases.phrasing("", " ".join("x" * 500), "")
    assert [next(told) for _ in range(3)] == [next(told)] * 3
    with pytest.raises(LateError):
        told.send(late)
    assert finished(phrases.phrasing("", "the next one", "")) == "THE NEXT ONE"


class Ended:
    """The reply of a pool that ends meanwhile: nothing."""

    def __iter__(self) -> Iterator[Message]:
        return self

    def __next__(self) -> Message:
        raise StopIteration

    def wait(self, seconds: float) -> bool:
        return True

    def close(self) -> None:
        """Nothing is made."""


def test_a_reply_that_is_none_costs_no_answer(
    phrases: PhrasesElsewhere, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LocalPool, "run", lambda *_: Ended())
    assert code(phrases.phrasing("", "some text", "")) == "answer.resting"


def test_without_any_worker_it_is_said_without_the_generator() -> None:
    with closing(LocalPool({})) as pool:
        assert code(PhrasesElsewhere(pool).phrasing("", "some text", "")) == "answer.resting"
