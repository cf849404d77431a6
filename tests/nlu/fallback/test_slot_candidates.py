"""Which words of a text may be a number."""

from __future__ import annotations

from datetime import datetime

import pytest
from hassil.intents import RangeSlotList

from assistant.skill.manifest import SlotSchema
from nlu.fallback.slot_candidates import SlotFinder
from nlu.text.canonical import canonical

PERCENT = RangeSlotList(name="percent", start=0, stop=100)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("make that one nicer", []),
        ("the bedside one a bit cosier", []),
        ("the other one softer please", []),
        ("make that one twenty", [20]),
        ("volume one", [1]),
        ("set it to one", [1]),
        ("one percent is enough", [1]),
        ("dim it one percent", [1]),
    ],
)
def test_a_one_for_a_thing_is_no_number(text: str, numbers: list[int], now: datetime) -> None:
    schema = SlotSchema(name="brightness", kind="integer")
    found = SlotFinder({"percent": PERCENT}).find("percent", schema, canonical(text), (), now)
    assert [one.value for one in found] == numbers
