"""Free text holds neither a correction nor a further command."""

from __future__ import annotations

import pytest

from assistant.core.messages import Command, Slot
from nlu.discourse.free_text import takes_too_much
from nlu.discourse.reading import ReadPart
from nlu.text.canonical import canonical


@pytest.mark.parametrize(
    ("raw", "too_much"),
    [
        ("oat milk no sorry almond milk", True),
        ("a box of candles to the shopping and mend the gate", True),
        ("candles on my shopping and string", True),
        ("a box of candles", False),
        ("walk to the shops and back", False),
        ("milk and bread", False),
        ("milk", False),
    ],
)
def test_free_text_that_took_in_too_much(raw: str, too_much: bool) -> None:
    slots = (Slot(name="item", value=raw, raw=raw),)
    assert (
        takes_too_much(ReadPart(canonical(f"add {raw}"), Command(intent="Add", slots=slots)))
        is too_much
    )
