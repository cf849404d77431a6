"""Levels are told with their unit, and what is not known is said to be not known."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from assistant.core.messages import SlotValue
from assistant.skill.home import Area, Entity, Floor, Home
from skills.home.levels import colour_of
from tests.support.house import thing
from tests.support.talking import Talk

HOME = Home(
    floors=(Floor(name="Upstairs", id="up"),),
    areas=(
        Area(name="Kitchen", id="kitchen"),
        Area(name="Bathroom", id="bath", floor="up"),
        Area(name="Study", id="study", floor="up"),
    ),
    entities=(
        thing("light.spots", "Spots", "kitchen", "on", brightness=51),
        thing("light.desk", "Desk Lamp", "study", "off"),
        thing("media_player.radio", "Radio", "kitchen", "playing", volume_level=0.3),
        thing("media_player.tv", "TV", "study", "paused", media_title="News", is_volume_muted=True),
        thing("climate.study", "Heater", "study", "heat", temperature=19, current_temperature=17.5),
        thing("cover.study", "Study Blinds", "study", "open", current_position=30),
        thing("vacuum.rex", "Rex", "kitchen", "docked", battery_level=70),
        thing("switch.kettle", "Kettle", "kitchen", "on"),
        thing("fan.bath", "Fan", "bath", "unavailable"),
        thing(
            "sensor.k",
            "Kettle Power",
            "kitchen",
            "1800",
            device_class="power",
            unit_of_measurement="W",
        ),
        thing("sensor.h", "Damp", "bath", "71", device_class="humidity", unit_of_measurement="%"),
        thing("sensor.p", "Patio", None, "4", device_class="temperature", unit_of_measurement="°C"),
        thing("weather.home", "Weather", None, "rainy", humidity=88, wind_speed=20),
    ),
)


@pytest.fixture
def talk(talks: Callable[..., Talk]) -> Talk:
    return talks(home=HOME)


@pytest.mark.parametrize(
    ("slots", "told"),
    [
        ({"level": "brightness", "name": "Spots"}, "The spots are at 20 percent."),
        ({"level": "brightness", "name": "Desk Lamp"}, "The desk lamp is off."),
        ({"level": "brightness"}, "The spots are at 20 percent."),
        (
            {"level": "brightness", "name": "Spots", "value": 20},
            "Yes, the spots are at 20 percent.",
        ),
        ({"level": "brightness", "name": "Spots", "value": 40}, "No, the spots are at 20 percent."),
        ({"level": "volume"}, "The radio is at 30 percent."),
        ({"level": "volume", "name": "TV"}, "The tv is muted."),
        ({"level": "title", "name": "TV"}, "News is paused on the tv."),
        ({"level": "target"}, "The heater is set to 19 degrees."),
        ({"level": "target", "area": "Study"}, "The heater is set to 19 degrees."),
        ({"level": "position", "name": "Study Blinds"}, "The study blinds are 30 percent open."),
        ({"level": "battery", "name": "Rex"}, "The battery of Rex is at 70 percent."),
        ({"level": "power", "name": "Kettle"}, "The kettle power is 1800 watts."),
        ({"level": "humidity", "area": "Bathroom"}, "The humidity in the bathroom is 71 percent."),
        ({"level": "humidity"}, "The damp is 71 percent."),
        ({"level": "temperature", "outdoors": True}, "The patio is 4 degrees Celsius."),
        ({"level": "humidity", "outdoors": True}, "The humidity outside is 88 percent."),
        ({"level": "mode", "area": "Study"}, "The heater is set to heat."),
    ],
)
def test_a_level_is_told(talk: Talk, slots: dict[str, SlotValue], told: str) -> None:
    assert talk.ask("ReadLevel", **slots) == told


@pytest.mark.parametrize(
    ("slots", "told"),
    [
        ({"level": "humidity", "area": "Study"}, "I don't know the humidity in the study."),
        ({"level": "battery", "name": "Kettle"}, "I don't know the battery of the kettle."),
        ({"level": "speed", "name": "Fan"}, "I don't know the speed of the fan."),
        (
            {"level": "target", "area": "Bathroom"},
            "I don't know of any thermostat in the bathroom.",
        ),
        ({"level": "battery", "name": "doorbell"}, "I don't know of any doorbell."),
        ({"level": "carbon_dioxide", "outdoors": True}, "I don't know the air quality outside."),
    ],
)
def test_what_is_not_known_is_told(talk: Talk, slots: dict[str, SlotValue], told: str) -> None:
    assert talk.ask("ReadLevel", **slots) == told


@pytest.mark.parametrize(
    ("attributes", "told"),
    [
        ({"color": "teal"}, "teal"),
        ({"color_temp_kelvin": 2700}, "white, 2700 kelvin"),
        ({"rgb_color": [255, 20, 20]}, "red"),
        ({"rgb_color": [20, 20, 255], "color_temp_kelvin": 2700, "color_mode": "rgb"}, "blue"),
        ({"rgb_color": [250, 250, 245]}, "white"),
        ({}, None),
    ],
)
def test_a_colour_is_named(attributes: dict[str, SlotValue], told: str | None) -> None:
    light = Entity(id="light.one", name="One", state="on", attributes=attributes)
    assert colour_of(light) == told
