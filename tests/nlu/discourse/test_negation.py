"""Words that speak against taking a text for a command, and similar ones that do not."""

from __future__ import annotations

import pytest

from nlu.discourse.negation import addressed_to_other, not_a_command, reported, unlikely_command
from nlu.text.canonical import canonical


@pytest.mark.parametrize(
    ("text", "report"),
    [
        ("she told me to turn off the oven", True),
        ("i heard you left the lamp on", True),
        ("i have heard this one four times today, skip it", False),
    ],
)
def test_what_somebody_said_is_no_command(text: str, report: bool) -> None:
    assert reported(canonical(text)) is report
    assert not_a_command(canonical(text)) is report


@pytest.mark.parametrize(
    ("text", "called"),
    [
        ("kids, turn that down", True),
        ("mum can you switch off the light", True),
        ("the kids get fifteen minutes of telly, set a timer for it", False),
    ],
)
def test_who_is_called_is_addressed_and_who_is_spoken_of_is_not(text: str, called: bool) -> None:
    assert addressed_to_other(canonical(text)) is called


@pytest.mark.parametrize(
    ("text", "against"),
    [
        ("could you turn your radio down caller", True),
        ("turn your volume down", False),
        ("and now the lights are off on top of it", True),
        ("make sure the lights are off", False),
        ("are the lights off", False),
        ("open the gate if it rains", True),
        ("a bit quieter if you would be so good", False),
        ("i will do it until you stop me", True),
    ],
)
def test_what_another_said_or_that_is_past_or_conditional_is_unlikely_a_command(
    text: str, against: bool
) -> None:
    assert unlikely_command(canonical(text)) is against
