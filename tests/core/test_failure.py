"""A fault that repeats itself is told a few times a minute, and then by number."""

from __future__ import annotations

import pytest

from assistant.core.failure import Repetition


@pytest.fixture
def repetition() -> Repetition:
    return Repetition("nlu")


def test_the_first_of_a_minute_are_told_and_the_rest_counted(
    repetition: Repetition, caplog: pytest.LogCaptureFixture
) -> None:
    told = [repetition.allows("codec.malformed", second / 100) for second in range(1000)]
    assert told == [True] * 5 + [False] * 995
    repetition.tick(59.99)
    assert caplog.messages == []
    repetition.tick(60.0)
    assert caplog.messages == ["nlu: 995 more like it in a minute (codec.malformed)"]
    assert repetition.allows("codec.malformed", 60.0)


def test_a_minute_begins_with_the_first_fault(repetition: Repetition) -> None:
    assert [repetition.allows("codec.malformed", 100.0) for _ in range(6)][-1] is False
    assert not repetition.allows("codec.malformed", 159.9)
    assert repetition.allows("codec.malformed", 160.0)


def test_each_code_is_counted_by_itself(repetition: Repetition) -> None:
    assert all(repetition.allows(f"a.{number}", 0.0) for number in range(100))
    assert [repetition.allows("a.0", 1.0) for _ in range(6)][-1] is False
    assert repetition.allows("b", 1.0)


def test_few_faults_are_no_news_later(
    repetition: Repetition, caplog: pytest.LogCaptureFixture
) -> None:
    repetition.allows("nlu.internal", 0.0)
    repetition.tick(1000.0)
    assert caplog.messages == []
