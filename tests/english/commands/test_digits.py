"""Digits as people say them, and what is none."""

from __future__ import annotations

import pytest

from assistant.english.commands.digits import SPOKEN_DIGITS, digits_of


@pytest.mark.parametrize(
    ("said", "digits"),
    [
        ("one two three four", "1234"),
        ("twelve thirty four", "1234"),
        ("Twelve, thirty-four.", "1234"),
        ("twenty twenty", "2020"),
        ("twenty one oh two", "2102"),
        ("thirty zero five", "3005"),
        ("double seven oh one", "7701"),
        ("triple nine", "999"),
        ("nine double twenty", None),
        ("1 2 3 4", "1234"),
        ("1-2-3-4", "1234"),
        ("0048", "0048"),
        ("my pin is for to won ate", "4218"),
        ("it is", None),
        ("", None),
        ("four candles", None),
        ("turn on the light for ten minutes", None),
        ("two hundred", None),
        ("one " * 41, None),
    ],
)
def test_digits_are_read(said: str, digits: str | None) -> None:
    assert digits_of(said) == digits


@pytest.mark.parametrize(
    "word", [word for word in SPOKEN_DIGITS if word not in ("double", "triple")]
)
def test_the_ear_expects_nothing_that_is_no_digit(word: str) -> None:
    assert digits_of(word)
