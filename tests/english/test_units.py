"""Units as they are said."""

from __future__ import annotations

import pytest

from assistant.english.units import measured


@pytest.mark.parametrize(
    ("number", "symbol", "words"),
    [
        ("20.5", "°C", "20.5 degrees Celsius"),
        ("1", "W", "1 watt"),
        ("40", "%", "40 percent"),
        ("3", "furlongs", "3 furlongs"),
        ("7", "", "7"),
    ],
)
def test_a_measurement_is_said_with_the_name_of_its_unit(
    number: str, symbol: str, words: str
) -> None:
    assert measured(number, symbol) == words
