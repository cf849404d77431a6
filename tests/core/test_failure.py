"""A fault that repeats itself is told a few times a minute, and then by number."""

from __future__ import annotations

import pytest

from assistant.core.failure import FaultRateLimiter


@pytest.fixture
def limiter() -> FaultRateLimiter:
    return FaultRateLimiter("nlu")


def test_the_first_of_a_minute_are_told_and_the_rest_counted(
    limiter: FaultRateLimiter, caplog: pytest.LogCaptureFixture
) -> None:
    told = [limiter.allows("codec.malformed", second / 100) for second in range(1000)]
    assert told == [True] * 5 + [False] * 995
    limiter.tick(59.99)
    assert caplog.messages == []
    limiter.tick(60.0)
    assert caplog.messages == ["nlu: 995 more like it in a minute (codec.malformed)"]
    assert limiter.allows("codec.malformed", 60.0)


def test_a_minute_begins_with_the_first_fault(limiter: FaultRateLimiter) -> None:
    assert [limiter.allows("codec.malformed", 100.0) for _ in range(6)][-1] is False
    assert not limiter.allows("codec.malformed", 159.9)
    assert limiter.allows("codec.malformed", 160.0)


def test_each_code_is_counted_by_itself(limiter: FaultRateLimiter) -> None:
    assert all(limiter.allows(f"a.{number}", 0.0) for number in range(100))
    assert [limiter.allows("a.0", 1.0) for _ in range(6)][-1] is False
    assert limiter.allows("b", 1.0)


def test_few_faults_are_no_news_later(
    limiter: FaultRateLimiter, caplog: pytest.LogCaptureFixture
) -> None:
    limiter.allows("nlu.internal", 0.0)
    limiter.tick(1000.0)
    assert caplog.messages == []
