"""Which half of the day a time is of, and whether it names its day."""

from __future__ import annotations

import pytest

from assistant.english.commands.half_days import says_day, says_half_of_day


@pytest.mark.parametrize(
    "words",
    ["7 pm", "seven in the morning", "tonight", "nineteen thirty", "19:30", "at noon", "twenty past"
     " six in the evening"],
)  # fmt: skip
def test_it_is_of_one_half(words: str) -> None:
    assert says_half_of_day(words)


@pytest.mark.parametrize(
    "words",
    ["seven", "at half six", "quarter past seven", "twenty to seven", "7 30"],
)
def test_it_may_be_of_either(words: str) -> None:
    assert not says_half_of_day(words)


@pytest.mark.parametrize(
    ("words", "named"),
    [("friday at six", True), ("six tomorrow", True), ("half past six", False), ("at noon", False)],
)
def test_whether_a_day_is_named(words: str, named: bool) -> None:
    assert says_day(words) is named
