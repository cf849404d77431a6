"""A statement that says why is divided from its command; one that names the home stays."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from nlu.discourse.reasons import without_beneficiary, without_reason, without_remarks
from nlu.text.canonical import canonical


def mentions(words: Sequence[str]) -> bool:
    return any(word in {"lamp", "kitchen", "radio"} or word.isdecimal() for word in words)


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("switch the lamp off, nobody's reading", "switch lamp off"),
        ("turn it off I can't hear a word", "turn it off"),
        ("I'm cold, put the heater on", "put heater on"),
        ("close the shutters, the people next door are looking in", "close shutters"),
        ("the soup is boiling over, cancel the timer", "cancel timer"),
        ("stop the rice, it's boiling over, start again", "stop rice start again"),
        ("turn the heater down while we are out", "turn heater down"),
        ("turn the heater down while the kitchen is warm", None),
        ("fan off it's freezing", "fan off"),
        ("extractor on it stinks", "extractor on"),
        ("blind down its late", "blind down"),
        ("blind down halfway the glare is awful", "blind down halfway"),
        ("blind down halfway the lamp is awful", None),
        ("turn it all off Ida's sleeping", "turn it all off"),
        ("turn off Ida's lamp", None),
        ("lock the gate after we are gone", None),
        ("lock the gate before I leave", None),
        ("it's too dark put the heater on", "put heater on"),
        ("I'm off to bed everything off in here", "everything off in here"),
        ("it is time to put the heater on", None),
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


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("Good girl. Radio off.", "radio off"),
        ("Blimey! Hens in. Shut the hatch.", "shut hatch"),
        ("Shut it, please. A fox was about again.", "shut it please"),
        ("My mum is coming for tea. Is the radio on?", "is radio on"),
        ("Radio off. We are leaving. Shut the hatch.", "radio off shut hatch"),
        ("The lamp is too bright. Dim it.", None),
        ("Morning. Radio off.", "radio off"),
        ("Radio off. Tomorrow night.", None),
        ("Tomorrow night. Radio off.", None),
        ("Radio off. Not yet.", None),
        ("No. Shut the hatch.", None),
        ("Don't. Shut the hatch.", None),
        ("Everything. Shut the hatch.", None),
        ("Fifty percent. Shut the hatch.", None),
        ("Good girl, radio off", None),
        ("Radio off.", None),
        ("We are leaving. Good girl.", "good girl"),
        ("It is late. We are leaving.", None),
        ("", None),
    ],
)
def test_remarks_are_no_part_of_what_is_asked(text: str, commands: str | None) -> None:
    plain = without_remarks(canonical(text), mentions)
    assert (plain.text if plain else None) == commands


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("leave a tiny light on for wilf", "leave a tiny light on"),
        ("turn the radio on for my gran", "turn radio on"),
        ("lamp on for a bit", None),
        ("lamp on for ages", None),
        ("lamp on for an hour", None),
        ("lamp on for dinner", None),
        ("swap the heater for the lamp", None),
    ],
)
def test_for_whom_it_is_is_no_part_of_a_command_and_for_how_long_is(
    text: str, command: str | None
) -> None:
    plain = without_beneficiary(canonical(text), mentions)
    assert (plain.text if plain else None) == command
