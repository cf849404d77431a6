"""Questions about states, in plain words: yes or no, which, how many, and where somebody is."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from assistant.core.messages import SlotValue
from assistant.skill.home import Area, Floor, Home
from tests.support.house import replied, thing
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


SENSED = Home(
    floors=(Floor(name="Upstairs", id="up"),),
    areas=(Area(name="Kitchen", id="kitchen"), Area(name="Loft", id="loft", floor="up")),
    entities=(
        thing("light.table", "Table Lamp", "kitchen", "on"),
        thing("switch.stars", "Star Lights", "loft", "on"),
        thing("media_player.radio", "Radio", "loft", "paused"),
        thing("binary_sensor.pane", "Loft Window", "loft", "on", device_class="window"),
        thing("binary_sensor.pane2", "Kitchen Window", "kitchen", "off", device_class="window"),
        thing("binary_sensor.hall", "Hall", "loft", "on", device_class="occupancy"),
        thing("binary_sensor.sink", "Sink Leak", "kitchen", "off", device_class="moisture"),
        thing("binary_sensor.bath", "Bath Leak", "loft", "off", device_class="moisture"),
        thing("binary_sensor.shed", "Shed Door", None, "unavailable", device_class="door"),
        thing("lock.gate", "Gate", None, "unlocked"),
        thing("vacuum.rex", "Rex", "kitchen", "docked"),
        thing("climate.loft", "Heater", "loft", "heat"),
    ),
)


@pytest.mark.parametrize(
    ("text", "slots", "told"),
    [
        (
            "is everything off",
            {"name": "all", "state": "off"},
            "No, the table lamp and the star lights are on and the radio is paused.",
        ),
        (
            "is everything off in here",
            {"state": "off", "area": "Kitchen"},
            "No, the table lamp is on.",
        ),
        (
            "are the windows shut",
            {"domain": "cover", "device_class": "window", "state": "closed"},
            "No, the loft window is open.",
        ),
        (
            "is there somebody upstairs",
            {
                "domain": "binary_sensor",
                "device_class": "motion",
                "state": "on",
                "floor": "Upstairs",
            },
            "Yes, the hall sensor reports somebody.",
        ),
        (
            "any leaks",
            {"domain": "binary_sensor", "device_class": "moisture", "state": "on"},
            "No, none of the two water sensors has noticed anything.",
        ),
        (
            "is there water in the kitchen",
            {
                **{"domain": "binary_sensor", "device_class": "moisture", "state": "on"},
                **{"area": "Kitchen"},
            },
            "No, the sink leak sensor reports no water.",
        ),
        (
            "what is open",
            {"name": "all", "state": "open"},
            "The loft window is open. I don't know the state of the shed door.",
        ),
        (
            "did we lock up",
            {"name": "all", "state": "locked", "domain": "lock"},
            "No, the gate is unlocked.",
        ),
        (
            "did anyone unlock the gate",
            {"name": "Gate", "state": "unlocked"},
            "The gate is unlocked.",
        ),
        (
            "is the gate shut",
            {"name": "Gate", "state": "closed"},
            "I only know that the gate is unlocked.",
        ),
        (
            "is rex charging",
            {"name": "Rex", "state": "charging"},
            "I only know that Rex is docked.",
        ),
        ("is the radio on", {"name": "Radio", "state": "on"}, "The radio is paused."),
        (
            "are the star lights on",
            {"name": "Star Lights", "state": "on"},
            "Yes, the star lights are on.",
        ),
        (
            "is the heating on",
            {"domain": "climate", "state": "on"},
            "Yes, the heater is set to heat.",
        ),
        (
            "and in the loft",
            {"domain": "switch", "state": "off", "area": "Loft"},
            "The star lights are on.",
        ),
        (
            "is the star lights on in the kitchen",
            {"name": "Star Lights", "state": "on", "area": "Kitchen"},
            "I don't know of any star lights in the kitchen.",
        ),
    ],
)
def test_a_question_is_answered_from_all_kinds_of_devices(
    talks: Callable[..., Talk], text: str, slots: dict[str, SlotValue], told: str
) -> None:
    talk = talks(home=SENSED)
    assert replied(talk.hear(text, command("HassGetState", **slots))).text == told
