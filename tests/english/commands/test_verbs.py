"""Verbs of what is done, as a report, a promise and a habit have them."""

from __future__ import annotations

import pytest

from assistant.english.commands.verbs import promised, third_person


@pytest.mark.parametrize(
    ("phrase", "told"),
    [
        ("dim the lights", "dims the lights"),
        ("close the blinds and turn on the fan", "closes the blinds and turns on the fan"),
        ("turn on the fan and the lamp", "turns on the fan and the lamp"),
        ("switch off the pump", "switches off the pump"),
        ("play music", "plays music"),
        ("go home", "goes home"),
        ("carry it out", "carries it out"),
        ('answer "what time is it"', 'answers "what time is it"'),
    ],
)
def test_what_is_done_each_time(phrase: str, told: str) -> None:
    assert third_person(phrase) == told


def test_a_report_promises() -> None:
    assert third_person(promised("I closed the blinds.")) == "closes the blinds"
