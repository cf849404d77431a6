"""The directions that words name."""

from __future__ import annotations

import pytest

from assistant.core.messages import Slot
from assistant.english.commands.directions import opposites
from nlu.discourse.direction import directions
from nlu.text.canonical import canonical


def named(text: str) -> Slot | None:
    return Slot(name="area", value=text, raw=text) if text == "patio" else None


@pytest.mark.parametrize(
    ("text", "said", "unsaid"),
    [
        ("turn on the lamp", "on", "off"),
        ("lamp off", "off", "on"),
        ("open the door", "open", "unlock"),
        ("unlock the door", "unlock", "lock"),
        ("raise the blinds", "open", "close"),
        ("lower the volume", "down", "up"),
        ("turn off the lights on the patio", "off", "on"),
        ("turn off the lights on the first floor", "off", "on"),
        ("the lamp", "", "on"),
    ],
)
def test_a_word_names_its_direction(text: str, said: str, unsaid: str) -> None:
    found = directions(canonical(text), named)
    assert said in found or not said
    assert unsaid not in found


def test_each_direction_is_opposed_both_ways() -> None:
    assert opposites(["on"]) == {"off"}
    assert opposites(["off", "lock"]) == {"on", "unlock"}
    assert not opposites([])
