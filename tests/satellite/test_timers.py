"""The timers of its room ring at a satellite while its base is away."""

from __future__ import annotations

import pytest
from wyoming.timer import TimerCancelled, TimerFinished, TimerStarted, TimerUpdated

from assistant.rooms.detection import run_satellite
from assistant.satellite.timers import LONGEST_ID, LONGEST_NAME
from tests.support.satellite_board import Board

RUN = run_satellite()
TEN_S = TimerStarted("t1", 10).event()


@pytest.fixture
def board() -> Board:
    """A satellite whose base is there."""
    made = Board()
    made.obeys(RUN)
    return made


def test_the_base_rings_its_timers_while_it_is_there(board: Board) -> None:
    board.obeys(TEN_S)
    assert board.satellite.deadline_s() is None
    assert board.waits(60.0) == []


def test_a_timer_rings_here_while_the_base_is_away(board: Board) -> None:
    board.obeys(TEN_S, TimerStarted("t2", 300, name="pasta").event())
    ends_s = board.now_s + 10
    board.satellite.lost()
    assert board.satellite.deadline_s() == ends_s
    assert board.waits(9.9) == []
    assert board.waits(0.2) == ["Your timer for ten seconds is done."]
    assert board.player.actions == ["failed"]
    assert board.waits(300.0) == ["Your pasta timer is done."]
    assert board.satellite.deadline_s() is None
    assert board.waits(1000.0) == []


def test_a_timer_that_rang_here_does_not_ring_again(board: Board) -> None:
    board.obeys(TEN_S)
    board.satellite.lost()
    assert len(board.waits(11.0)) == 1
    board.obeys(RUN, TimerFinished("t1").event())
    assert len(board.player.said) == 1


def test_a_timer_that_the_base_says_has_finished_rings_once(board: Board) -> None:
    board.obeys(TEN_S, TimerFinished("t1").event(), TimerFinished("t1").event())
    assert board.player.said == ["Your timer for ten seconds is done."]
    board.satellite.lost()
    assert board.waits(60.0) == []


def test_a_timer_rests_and_goes_on(board: Board) -> None:
    board.obeys(TEN_S, TimerUpdated("t1", False, 4).event())
    board.satellite.lost()
    assert board.satellite.deadline_s() is None
    assert board.waits(60.0) == []
    board.obeys(TimerUpdated("t1", True, 4).event())
    assert board.waits(3.0) == []
    assert len(board.waits(1.1)) == 1


def test_a_cancelled_timer_does_not_ring(board: Board) -> None:
    board.obeys(TEN_S, TimerCancelled("t1").event())
    board.satellite.lost()
    assert board.waits(60.0) == []


def test_news_of_timers_that_are_not_known_is_passed_over(board: Board) -> None:
    board.obeys(
        TimerUpdated("x", True, 1).event(), TimerCancelled("x").event(), TimerFinished("x").event()
    )
    board.satellite.lost()
    assert board.waits(60.0) == []


def test_a_base_that_starts_timers_without_end_costs_no_memory(board: Board) -> None:
    board.obeys(*(TimerStarted(f"t{n}", 1).event() for n in range(1000)))
    board.satellite.lost()
    assert len(board.waits(2.0)) == 100


def test_a_timer_of_too_long_a_name_is_said_shortly(board: Board) -> None:
    board.obeys(TimerStarted("t1", 10, name="a" * 100_000).event())
    board.satellite.lost()
    assert board.waits(11.0) == [f"Your {'a' * LONGEST_NAME} timer is done."]


def test_a_timer_of_too_long_an_id_is_refused(board: Board) -> None:
    with pytest.raises(ValueError, match="id is too long"):
        board.obeys(TimerStarted("t" * (LONGEST_ID + 1), 10).event())
    board.satellite.lost()
    assert board.waits(11.0) == []
