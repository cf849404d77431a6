"""Number words to digits and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.english.numbers import FIGURES, counted, ordinal, read_number, spell


@given(st.integers(0, 999_999_999))
def test_every_number_survives_being_spelled(number: int) -> None:
    words = spell(number).split()
    assert read_number(words) == (number, len(words))


@given(st.integers(0, 99))
def test_a_number_is_compared_by_its_figures(number: int) -> None:
    assert FIGURES[spell(number).replace(" ", "-")] == str(number)


@pytest.mark.parametrize(
    ("words", "read"),
    [
        ("six thirty", (6, 1)),
        ("twenty twenty", (20, 1)),
        ("one hundred and five degrees", (105, 4)),
        ("a hundred", (100, 2)),
        ("a lamp", None),
        ("", None),
    ],
)
def test_the_longest_number_is_read(words: str, read: tuple[int, int] | None) -> None:
    assert read_number(words.split()) == read


def test_ordinals_in_figures() -> None:
    ordinals = [ordinal(number) for number in (1, 2, 3, 4, 11, 12, 13, 20, 21, 112)]
    assert ordinals == ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "20th", "21st", "112th"]


@pytest.mark.parametrize(
    ("thing", "meant"),
    [
        ("for tins of kidney beans", "four tins of kidney beans"),
        ("too large onions", "two large onions"),
        ("for the birds", "for the birds"),
        ("for my sisters", "for my sisters"),
        ("for breakfast", "for breakfast"),
        ("forks", "forks"),
        ("for", "for"),
        ("tree lights", "tree lights"),
    ],
)
def test_a_number_that_was_written_as_another_word_counts_things(thing: str, meant: str) -> None:
    assert counted(thing) == meant
