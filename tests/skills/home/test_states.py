"""Questions about states, in plain words: yes or no, which, how many, and where somebody is."""

from __future__ import annotations

import pytest

from assistant.core.messages import SlotValue
from tests.support.house import replied
from tests.support.talking import Talk, command

CURTAINS = {"domain": "cover", "device_class": "curtain", "area": "Living Room"}


@pytest.mark.parametrize(
    ("text", "slots", "told"),
    [
        (
            "is the curtain left closed",
            {"domain": "cover", "name": "Curtain Left", "state": "closed"},
            "No, the curtain left is open.",
        ),
        (
            "are any curtains open in the living room",
            {**CURTAINS, "state": "open"},
            "Yes, the curtain left is open.",
        ),
        (
            "are all the curtains open in the living room",
            {**CURTAINS, "state": "open"},
            "No, the curtain right is closed.",
        ),
        (
            "which curtains are closed in the living room",
            {**CURTAINS, "state": "closed"},
            "The curtain right is closed.",
        ),
        (
            "how many curtains are closed in the living room",
            {**CURTAINS, "state": "closed"},
            "One curtain in the living room is closed.",
        ),
        (
            "how many shades are closed upstairs",
            {"domain": "cover", "device_class": "shade", "floor": "Upstairs", "state": "closed"},
            "No shade upstairs is closed.",
        ),
        (
            "can you tell me if any lights are on in the house",
            {"domain": "light", "state": "on"},
            "Yes, the counter is on.",
        ),
        (
            "is the front door locked",
            {"domain": "lock", "name": "Front Door", "state": "locked"},
            "Yes, the front door is locked.",
        ),
        (
            "is the front door open",
            {
                "domain": "binary_sensor",
                "device_class": "door",
                "name": "Front Door",
                "state": "on",
            },
            "No, the front door is closed.",
        ),
        (
            "are all the doors locked",
            {"domain": "lock", "state": "locked"},
            "No, the back door is unlocked.",
        ),
        (
            "is the phone charging",
            {
                "domain": "binary_sensor",
                "device_class": "battery_charging",
                "name": "Phone",
                "state": "on",
            },
            "Yes, the phone is charging.",
        ),
        (
            "is the phone battery low",
            {"domain": "binary_sensor", "device_class": "battery", "name": "Phone", "state": "on"},
            "No, the phone is normal.",
        ),
        (
            "what is the garden temperature",
            {"name": "Garden Temperature"},
            "The garden temperature is 12 degrees Celsius.",
        ),
        (
            "which curtains are closed",
            {"domain": "cover", "device_class": "curtain", "state": "closed"},
            "The curtain right is closed.",
        ),
        ("where is alice", {"domain": "person", "name": "Alice"}, "Alice is away."),
        (
            "is alice at home",
            {"domain": "person", "name": "Alice", "state": "home"},
            "No, Alice is away.",
        ),
        ("is the tv on", {"name": "TV", "state": "on"}, "Yes, the tv is playing."),
        (
            "what about the locks",
            {"domain": "lock"},
            "The front door is locked and the back door is unlocked.",
        ),
        ("what's the shopping list", {"name": "Shopping List"}, "Your shopping list is empty."),
    ],
)
def test_states_are_told(house: Talk, text: str, slots: dict[str, SlotValue], told: str) -> None:
    reply = replied(house.hear(text, command("HassGetState", **slots)))
    assert (reply.text, reply.done, reply.acted) == (told, True, False)


@pytest.mark.parametrize(
    ("slots", "told"),
    [
        ({"name": "Party Mode"}, "I don't know the state of the party mode."),
        ({"name": "Sauna"}, "I don't know of any sauna."),
    ],
)
def test_what_is_not_known_is_told(house: Talk, slots: dict[str, SlotValue], told: str) -> None:
    reply = replied(house.hear("words", command("HassGetState", **slots)))
    assert (reply.text, reply.done) == (told, False)


@pytest.mark.parametrize(
    ("slots", "told"),
    [
        ({"area": "Living Room"}, "It's 21.5 degrees in the living room."),
        ({"area": "Bedroom"}, "It's 17 degrees in the bedroom."),
        ({"name": "Thermostat"}, "The thermostat shows 21.5 degrees."),
        ({"name": "Garden Temperature"}, "The garden temperature shows 12 degrees Celsius."),
        ({"area": "Kitchen"}, "I don't know the temperature in the kitchen."),
    ],
)
def test_how_warm_it_is(house: Talk, slots: dict[str, SlotValue], told: str) -> None:
    assert house.ask("HassClimateGetTemperature", **slots) == told
