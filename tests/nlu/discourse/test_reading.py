"""What one part of a text holds: all of a list, and all that its own parts would say."""

from __future__ import annotations

import pytest

from assistant.core.messages import Command, Slot
from nlu.discourse.reading import ReadPart
from nlu.text.canonical import canonical


def part(text: str, intent: str, *slots: tuple[str, str]) -> ReadPart:
    named = tuple(Slot(name=name, value=raw, raw=raw) for name, raw in slots)
    return ReadPart(canonical(text), Command(intent=intent, slots=named))


@pytest.mark.parametrize(
    ("raw", "items"),
    [
        ("eggs butter and brown sugar", ["eggs", "butter", "brown sugar"]),
        ("fish and chips and um peas", ["fish and chips", "peas"]),
        ("a tin of paint", ["a tin of paint"]),
    ],
)
def test_each_thing_of_a_list_is_one_command(raw: str, items: list[str]) -> None:
    each = part(f"add {raw}", "AddThing", ("item", raw)).each_item()
    assert [one.values["item"] for one in each] == items


WHOLE = part(
    "a timer six hours and fifteen minutes", "Start", ("duration", "6 hours and 15 minutes")
)


@pytest.mark.parametrize(
    ("parts", "held"),
    [
        ((("Start", ("duration", "6 hours")), ("Start", ("duration", "15 minutes"))), True),
        ((("Start", ("duration", "6 hours")), ("Start", ("duration", "5 minutes"))), False),
        ((("Start", ("duration", "6 hours")), ("Start", ("name", "15 minutes"))), False),
        ((("Start", ("duration", "6 hours")), ("Stop", ("duration", "15 minutes"))), False),
        ((), False),
    ],
)
def test_one_value_may_hold_those_of_several_parts(
    parts: tuple[tuple[str, tuple[str, str]], ...], held: bool
) -> None:
    assert WHOLE.holds([part("x", intent, slot) for intent, slot in parts]) is held
