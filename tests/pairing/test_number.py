"""The number that a satellite says can be guessed at three times, and then costs time."""

from __future__ import annotations

import pytest

from assistant.core.errors import InputError, RoomsError
from assistant.pairing.number import DIGITS, LASTS_S, TRIES, WAIT_S, Number
from assistant.pairing.secret import of_number


class Clock:
    """A clock that a test moves."""

    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def number(clock: Clock) -> Number:
    return Number(clock)


def spend(number: Number) -> None:
    """Try a number as often as it may be."""
    for _ in range(TRIES):
        number.tried()


def test_it_stays_the_same_while_it_lasts(number: Number, clock: Clock) -> None:
    digits = number.offer()
    assert digits.isdecimal()
    assert len(digits) == DIGITS
    clock.now_s = LASTS_S - 1
    assert number.offer() == digits
    assert number.tried() == digits


def test_it_ends_by_itself(number: Number, clock: Clock) -> None:
    seen = set()
    for turn in range(3):
        clock.now_s = LASTS_S * turn
        seen.add(number.offer())
    assert len(seen) > 1
    clock.now_s += LASTS_S
    with pytest.raises(RoomsError, match="has ended"):
        number.tried()


def test_none_can_be_tried_before_one_is_said(number: Number) -> None:
    with pytest.raises(RoomsError, match="ask for another"):
        number.tried()


def test_after_three_tries_it_has_ended_and_the_next_one_waits(
    number: Number, clock: Clock
) -> None:
    for turn in range(4):
        number.offer()
        spend(number)
        with pytest.raises(RoomsError, match="has ended"):
            number.tried()
        clock.now_s += WAIT_S * 2**turn - 1
        with pytest.raises(RoomsError, match="another in 1 s"):
            number.offer()
        clock.now_s += 1


def test_who_knows_it_ends_the_waiting(number: Number) -> None:
    number.offer()
    spend(number)
    number.guessed()
    assert number.offer()


@pytest.mark.parametrize("typed", ["123456", " 123 456\n", "12 34 56"])
def test_spaces_in_what_is_typed_do_not_matter(typed: str) -> None:
    assert of_number(typed) == b"number 123456"


@pytest.mark.parametrize("typed", ["", "12345", "1234567", "12345x", "१२३४५६", "-12345"])
def test_what_is_no_number_is_refused(typed: str) -> None:
    with pytest.raises(InputError, match="6 digits"):
        of_number(typed)
