"""Whose turn it is: short before long, none lost, none starved, and no more than fit."""

from __future__ import annotations

import threading
from collections.abc import Generator
from itertools import pairwise

import pytest

from assistant.answer.generation.token_scheduler import (
    GenerationRequest,
    LateError,
    Outlook,
    OverloadedError,
    TokenScheduler,
    Workers,
    finished,
    round_robin,
    shortest_first,
)
from assistant.core.errors import AnswerError


class Clock:
    """Tells the time that the streams below spend."""

    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


TOKEN_S = 1 / 128


def words(
    count: int, clock: Clock | None = None, token_s: float = TOKEN_S
) -> Generator[int, None, None]:
    for number in range(count):
        if clock is not None:
            clock.now_s += token_s
        yield number


def finish(scheduler: TokenScheduler) -> None:
    while scheduler.work():
        pass


def ended(requests: list[GenerationRequest]) -> list[float]:
    return [request.ended_s or 0.0 for request in requests]


def fifty(order: object) -> tuple[list[GenerationRequest], list[GenerationRequest]]:
    clock = Clock()
    scheduler = TokenScheduler(limit=50, order=order, clock=clock)  # type: ignore[arg-type]
    made = [
        scheduler.submit(words(100 if n % 5 == 0 else 8, clock), 100 if n % 5 == 0 else 8)
        for n in range(50)
    ]
    finish(scheduler)
    assert [r.wait(0) for r in made] == [99 if n % 5 == 0 else 7 for n in range(50)]
    long = [r for n, r in enumerate(made) if n % 5 == 0]
    return [r for r in made if r not in long], long


def test_of_fifty_at_once_the_short_ones_never_wait_for_the_long_ones() -> None:
    short, long = fifty(shortest_first)
    assert max(ended(short)) < min(ended(long))
    assert max(ended(short)) == 40 * 8 * TOKEN_S


def test_taking_turns_lets_the_short_ones_wait() -> None:
    short, _ = fifty(round_robin)
    assert max(ended(short)) > 40 * 8 * TOKEN_S


def test_a_short_one_that_comes_late_goes_before_a_long_one_that_runs() -> None:
    clock = Clock()
    scheduler = TokenScheduler(clock=clock, turn=4)
    long = scheduler.submit(words(100, clock), 100)
    scheduler.work()
    short = scheduler.submit(words(4, clock), 4)
    finish(scheduler)
    assert short.ended_s == 8 * TOKEN_S
    assert long.wait(0) == 99


def test_a_long_one_gets_its_turn_though_short_ones_keep_coming() -> None:
    clock = Clock()
    scheduler = TokenScheduler(limit=100, clock=clock)
    long = scheduler.submit(words(60, clock), 60)
    for _ in range(40):
        scheduler.submit(words(8, clock, 0.1), 8)
        scheduler.work()
    assert long.left < 60


def test_more_than_fit_are_turned_away_at_once() -> None:
    scheduler = TokenScheduler(limit=2)
    for _ in range(2):
        scheduler.submit(words(3), 3)
    with pytest.raises(OverloadedError, match="2 replies"):
        scheduler.submit(words(3), 3)
    finish(scheduler)
    assert scheduler.submit(words(3), 3).left == 3


def test_a_cancelled_stream_is_closed_before_its_next_token() -> None:
    closed = []

    def stream() -> Generator[int, None, None]:
        try:
            yield from range(100)
        finally:
            closed.append(True)

    scheduler = TokenScheduler(turn=1)
    request = scheduler.submit(stream(), 100)
    scheduler.work()
    scheduler.cancel(request)
    finish(scheduler)
    assert (closed, request.wait(0)) == ([True], 0)


@pytest.mark.parametrize("fault", [AnswerError("answer.too_long", "too long"), KeyError("x")])
def test_what_a_stream_raises_is_raised_to_who_waits_and_to_nobody_else(fault: Exception) -> None:
    def broken() -> Generator[int, None, None]:
        yield 1
        raise fault

    scheduler = TokenScheduler()
    bad, good = scheduler.submit(broken(), 5), scheduler.submit(words(30), 30)
    Workers(scheduler, 1).close()
    assert good.wait(0) == 29
    with pytest.raises(type(fault)):
        bad.wait(0)


def test_threads_lose_none_and_tell_every_step() -> None:
    scheduler = TokenScheduler(limit=50)
    told: dict[int, list[int]] = {n: [] for n in range(50)}
    made = [scheduler.submit(words(n + 1), n + 1, told[n].append) for n in range(50)]
    workers = Workers(scheduler, 2)
    workers.close()
    assert [r.wait(1) for r in made] == list(range(50))
    assert all(b == a + 1 for steps in told.values() for a, b in pairwise(steps))
    assert [len(steps) for steps in told.values()] == list(range(1, 51))


def test_what_is_late_goes_first_and_is_told_to_do_without_words() -> None:
    clock = Clock()

    def hurried() -> Generator[object, AnswerError | None, str]:
        for _ in range(50):
            clock.now_s += TOKEN_S
            if (refused := (yield "word")) is not None:
                return refused.code
        return "said"

    scheduler = TokenScheduler(clock=clock)
    late, in_time = hurried(), hurried()
    next(late)
    next(in_time)
    short = scheduler.submit(words(8, clock), 8)
    slow = scheduler.submit(late, 50, until_s=10 * TOKEN_S)
    soon = scheduler.submit(in_time, 50, until_s=1e9)
    finish(scheduler)
    assert (slow.wait(0), soon.wait(0), short.wait(0)) == ("answer.late", "said", 7)
    assert max(ended([slow, short])) < max(ended([soon]))


def test_what_a_stream_learns_of_its_length_counts() -> None:
    clock = Clock()
    scheduler = TokenScheduler(clock=clock, turn=1)

    def foreseen(tokens: int) -> Generator[object, None, None]:
        yield Outlook(tokens)
        yield from words(tokens, clock)

    long = scheduler.submit(foreseen(40), 1)
    short = scheduler.submit(foreseen(10), 5)
    finish(scheduler)
    assert max(ended([short])) < max(ended([long]))


def test_a_request_that_waits_is_cancelled_at_once() -> None:
    scheduler = TokenScheduler()
    request = scheduler.submit(words(5), 5)
    scheduler.cancel(request)
    assert not scheduler.busy
    assert request.wait(0) is None


def test_steps_can_be_done_one_after_the_other() -> None:
    def counted() -> Generator[int, None, str]:
        yield from range(3)
        return "three"

    assert finished(counted()) == "three"
    scheduler = TokenScheduler()
    request = scheduler.submit(counted(), 3)
    finish(scheduler)
    assert request.wait(0) == "three"


def test_a_turn_is_four_tokens_and_no_more_are_done_in_one() -> None:
    scheduler = TokenScheduler()
    request = scheduler.submit(words(9), 9)
    assert scheduler.work()
    assert (request.left, request.last) == (5, 3)
    assert scheduler.busy
    finish(scheduler)
    assert not scheduler.busy
    assert scheduler.work() is False
    assert request.left == 0


def test_a_place_is_the_tokens_left_less_ten_for_each_second_of_waiting() -> None:
    request = GenerationRequest(words(40), 40, 1.0, 2.0)
    assert shortest_first(request, 3.5) == 25.0
    assert round_robin(request, 3.5) == 2.0


def test_thirty_two_are_held_and_one_that_is_worked_on_is_among_them() -> None:
    scheduler = TokenScheduler()
    refused: list[str] = []

    def ask(_: int) -> None:
        assert scheduler.busy
        with pytest.raises(OverloadedError) as fault:
            scheduler.submit(words(1), 1)
        refused.append(fault.value.code)

    scheduler.submit(words(1), 1, ask)
    for _ in range(31):
        scheduler.submit(words(9), 9)
    scheduler.work()
    assert refused == ["answer.overloaded"]
    assert scheduler.submit(words(3), 3).left == 3
    with pytest.raises(OverloadedError):
        scheduler.submit(words(3), 3)


def stream(closed: list[bool]) -> Generator[int, None, None]:
    """A long one that notes when it is closed."""
    try:
        yield from range(100)
    finally:
        closed.append(True)


def test_one_that_a_worker_has_is_cancelled_before_its_next_token() -> None:
    closed: list[bool] = []
    scheduler = TokenScheduler()
    made: list[GenerationRequest] = []

    def hang_up(step: int) -> None:
        if step == 1:
            scheduler.cancel(made[0])
            assert not closed

    made.append(scheduler.submit(stream(closed), 100, hang_up))
    assert scheduler.work()
    assert (closed, made[0].wait(0)) == ([True], 1)
    assert not scheduler.busy


def test_one_that_waits_is_closed_when_it_is_cancelled() -> None:
    closed: list[bool] = []
    clock = Clock()
    scheduler = TokenScheduler(clock=clock)
    request = scheduler.submit(stream(closed), 100)
    scheduler.work()
    clock.now_s = 7.0
    scheduler.cancel(request)
    assert (closed, request.ended_s) == ([True], 7.0)
    scheduler.cancel(request)


def test_after_the_end_nothing_is_taken_on_and_what_there_is_is_finished() -> None:
    scheduler = TokenScheduler()
    last = scheduler.submit(words(9), 9)
    scheduler.close()
    with pytest.raises(OverloadedError):
        scheduler.submit(words(1), 1)
    assert not last.cancelled
    while scheduler.work(block=True):
        pass
    assert last.wait(0) == 8


def test_workers_wait_for_what_comes() -> None:
    scheduler = TokenScheduler()
    workers = Workers(scheduler, 2)
    first = scheduler.submit(words(9), 9)
    assert first.wait(20) == 8
    second = scheduler.submit(words(5), 5)
    assert second.wait(20) == 4
    workers.close()


def test_a_worker_that_nobody_closes_does_not_keep_the_process() -> None:
    before = set(threading.enumerate())
    workers = Workers(TokenScheduler(), 3)
    made = set(threading.enumerate()) - before
    assert [thread.daemon for thread in made] == [True] * 3
    workers.close()
    assert not any(thread.is_alive() for thread in made)


def test_closing_waits_until_all_is_finished() -> None:
    scheduler = TokenScheduler()
    workers = Workers(scheduler, 1)
    long = scheduler.submit(words(20_000), 20_000)
    workers.close()
    assert long.wait(0) == 19_999


def test_two_requests_for_the_same_steps_are_two() -> None:
    steps = words(1)
    assert GenerationRequest(steps, 1, 0.0, 0.0) != GenerationRequest(steps, 1, 0.0, 0.0)


def test_who_waits_too_long_is_told() -> None:
    request = TokenScheduler().submit(words(1), 1)
    with pytest.raises(TimeoutError, match=r"^no reply within 0 s$"):
        request.wait(0)


def test_time_is_over_on_the_very_second() -> None:
    clock = Clock()

    def hurried() -> Generator[object, AnswerError | None, str]:
        while (refused := (yield "word")) is None:
            clock.now_s += 1.0
        assert isinstance(refused, LateError)
        return f"{clock.now_s} {refused.code}"

    scheduler = TokenScheduler(clock=clock)
    stream = hurried()
    next(stream)
    request = scheduler.submit(stream, 50, until_s=3.0)
    finish(scheduler)
    assert request.wait(0) == "3.0 answer.late"


def test_who_is_late_goes_before_who_is_shorter() -> None:
    clock = Clock()
    scheduler = TokenScheduler(clock=clock, turn=1)

    def patient() -> Generator[object, AnswerError | None, str]:
        yield "word"
        return "done"

    late = patient()
    next(late)
    waiting = scheduler.submit(late, 50, until_s=5.0)
    short = scheduler.submit(words(1, clock), 1)
    clock.now_s = 5.0
    scheduler.work()
    assert waiting.wait(0) == "done"
    assert short.ended_s is None


def test_a_word_about_the_length_counts_as_no_token() -> None:
    scheduler = TokenScheduler(turn=2)

    def foreseen() -> Generator[object, None, None]:
        yield Outlook(40)
        yield "word"
        yield "word"

    request = scheduler.submit(foreseen(), 99)
    scheduler.work()
    assert request.left == 39
