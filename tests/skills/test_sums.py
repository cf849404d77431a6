"""Sums and units as they are worked out, beside the skill's own tests.yaml."""

from __future__ import annotations

from contextlib import suppress
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.english.numbers import spell
from skills.sums.expression import SumError, result, spoken, words_of
from skills.sums.measures import unit_at
from tests.support.talking import Talk, command


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("two thirds of 60", "40"),
        ("half of ninety plus three", "48"),
        ("a quarter of a hundred and twenty", "30"),
        ("take 5 away from 20", "15"),
        ("three point five times two", "7"),
        ("minus three minus minus four", "1"),
        ("2 to the power of 40", "1099511627776"),
        ("cube root of 27", "3"),
        ("one over seven million", "about 0.000000143"),
        ("1,200 + 34", "1234"),
        ("zero times five", "0"),
        ("two minus twelve", "minus 10"),
    ],
)
def test_a_sum_is_worked_out(text: str, wanted: str) -> None:
    value = result(text)
    assert value is not None
    assert spoken(value) == wanted


@pytest.mark.parametrize(
    "text", ["what is 80", "two plus", "12 plus 3 times banana", "half of it", "", "plus plus"]
)
def test_what_is_no_sum_has_no_result(text: str) -> None:
    assert result(text) is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("10 divided by 0", "zero"),
        ("square root of minus 4", "no square root"),
        ("9 to the power of 9999999", "too large"),
        ("0 to the power of -1", "zero"),
        ("minus 8 to the power of 0.5", "too large|no answer"),
        (f"{'9' * 40} times 2", "too large"),
    ],
)
def test_what_has_no_result_says_why(text: str, why: str) -> None:
    with pytest.raises(SumError, match=why):
        result(text)


@given(st.integers(0, 99_999), st.sampled_from(["plus", "minus", "times"]), st.integers(0, 99_999))
def test_words_and_figures_come_to_what_python_says(one: int, operation: str, other: int) -> None:
    sign = {"plus": "+", "minus": "-", "times": "*"}[operation]
    wanted = Decimal(eval(f"{one} {sign} {other}"))
    assert result(f"what is {one} {operation} {other}") == wanted
    assert result(f"{spell(one)} {operation} {spell(other)}") == wanted


@given(st.text(max_size=200))
def test_no_text_breaks_it(text: str) -> None:
    with suppress(SumError):
        value = result(text)
        assert value is None or spoken(value)


@pytest.mark.parametrize(("imperial", "litres"), [(False, "0.473176473"), (True, "0.56826125")])
def test_a_pint_is_that_of_the_country(imperial: bool, litres: str) -> None:
    unit = unit_at(words_of("two pints"), 1, imperial)
    assert unit is not None
    assert unit[0].worth == Decimal(litres)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("what is a cup of flour in grams", "I don't know how heavy cups of flour are."),
        ("what is a litre of water in kilograms", "1 litre is 1 kilogram."),
        ("what is a mile in kilograms", "Miles measure length, kilograms weight."),
        ("what is a mile in", "Say how much of which unit, and in which unit you want it."),
    ],
)
def test_what_cannot_be_compared_is_told(talk: Talk, text: str, wanted: str) -> None:
    substance = {"substance": text.split()[5]} if " of " in text else {}
    assert talk.say(text, command("ConvertUnits", **substance)) == wanted


@pytest.mark.parametrize("word", ["minus", "a", "half of", "the root of", "two"])
def test_a_sum_without_end_is_none(word: str) -> None:
    assert result(f"{word} " * 5_000 + "2") is None
    assert result("minus minus 2 plus 3") == 5
