"""A statement that says why is divided from its command; one that names the home stays."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from nlu.discourse.reasons import without_reason
from nlu.text.canonical import canonical


def mentions(words: Sequence[str]) -> bool:
    return not {"lamp", "kitchen", "radio"}.isdisjoint(words)


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("switch the lamp off, nobody's reading", "switch lamp off"),
        ("turn it off I can't hear a word", "turn it off"),
        ("I'm cold, put the heater on", "put heater on"),
        ("close the shutters, the people next door are looking in", "close shutters"),
        ("the soup is boiling over, cancel the timer", "cancel timer"),
        ("stop the rice, it's boiling over, start again", "stop rice start again"),
        ("lamp on", None),
        ("I'm cold", None),
        ("I would like the lamp on", None),
        ("dim the lamp, the kitchen is bright enough", None),
        ("lamp on, turn the heater off", None),
        ("lamp on, is the heater off", None),
        ("", None),
    ],
)
def test_a_reason_is_no_part_of_its_command(text: str, command: str | None) -> None:
    plain = without_reason(canonical(text), mentions)
    assert (plain.text if plain else None) == command
