"""What Home Assistant tells of a device becomes a report that a message can hold."""

from __future__ import annotations

import msgspec
import pytest

from assistant.bridge.home_assistant.reports import State, reported
from assistant.core.codec import encode
from assistant.core.messages import HomeStates


@pytest.mark.parametrize(
    ("told", "number"),
    [
        ("40.0", 40),
        ("40.5", 40.5),
        ("-9007199254740992", -(2**53)),
        ("1e308", 1e308),
        ("-1e308", -1e308),
        ("18446744073709551616", 2.0**64),
    ],
)
def test_a_number_of_any_size_is_told(told: str, number: float) -> None:
    state = State("light.lamp", "on", {"brightness": msgspec.Raw(told.encode())})
    said, attributes = reported(state)
    assert (said, attributes) == ("on", {"brightness": number})
    encode(HomeStates(states={"light.lamp": said}, attributes={"light.lamp": attributes}))
