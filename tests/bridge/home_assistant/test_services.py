"""What is commanded as calls of Home Assistant's services."""

from __future__ import annotations

from typing import Any

import pytest

from assistant.bridge.home_assistant.services import calls
from assistant.core.errors import BridgeError
from assistant.core.home.music import Music
from assistant.core.messages import HomeCommand


def called(entity_id: str, state: str = "", command: str = "", **attributes: Any) -> list[Any]:
    """Service and data of each call."""
    made = calls(
        HomeCommand(
            utterance_id="u",
            entity_id=entity_id,
            state=state,
            command=command,
            attributes=attributes,
        )
    )
    assert {call.entity_id for call in made} == {entity_id}
    return [(f"{call.domain}.{call.service}", call.data) for call in made]


@pytest.mark.parametrize(
    ("entity_id", "state", "service"),
    [
        ("light.a", "on", "light.turn_on"),
        ("light.a", "off", "light.turn_off"),
        ("switch.a", "on", "switch.turn_on"),
        ("input_boolean.a", "off", "input_boolean.turn_off"),
        ("group.a", "off", "homeassistant.turn_off"),
        ("fan.a", "off", "fan.turn_off"),
        ("cover.a", "open", "cover.open_cover"),
        ("cover.a", "closed", "cover.close_cover"),
        ("valve.a", "closed", "valve.close_valve"),
        ("lock.a", "locked", "lock.lock"),
        ("lock.a", "unlocked", "lock.unlock"),
        ("media_player.a", "off", "media_player.turn_off"),
        ("media_player.a", "playing", "media_player.media_play"),
        ("media_player.a", "paused", "media_player.media_pause"),
        ("climate.a", "on", "climate.turn_on"),
        ("climate.a", "off", "climate.turn_off"),
        ("vacuum.a", "cleaning", "vacuum.start"),
        ("vacuum.a", "returning", "vacuum.return_to_base"),
        ("lawn_mower.a", "mowing", "lawn_mower.start_mowing"),
        ("lawn_mower.a", "docked", "lawn_mower.dock"),
    ],
)
def test_a_state_is_a_service(entity_id: str, state: str, service: str) -> None:
    assert called(entity_id, state) == [(service, {})]


@pytest.mark.parametrize(
    ("entity_id", "command", "service"),
    [
        ("media_player.a", "next", "media_player.media_next_track"),
        ("media_player.a", "previous", "media_player.media_previous_track"),
        ("media_player.a", "volume_up", "media_player.volume_up"),
        ("cover.a", "stop", "cover.stop_cover"),
        ("scene.a", "on", "scene.turn_on"),
        ("script.a", "off", "script.turn_off"),
        ("button.a", "press", "button.press"),
    ],
)
def test_a_command_that_is_no_state_is_a_service(
    entity_id: str, command: str, service: str
) -> None:
    assert called(entity_id, command=command) == [(service, {})]


def test_a_radio_station_is_its_stream() -> None:
    station = Music("station", "Radio Four", address="https://x/4.mp3")
    stream = {"media_content_id": "https://x/4.mp3", "media_content_type": "music"}
    assert called("media_player.a", command=station.command) == [
        ("media_player.play_media", stream)
    ]
    assert called("media_player.a", source="Radio Four") == [
        ("media_player.select_source", {"source": "Radio Four"})
    ]


def test_a_light_is_brought_to_a_brightness_and_a_colour_by_one_call() -> None:
    assert called("light.a", "40%") == [("light.turn_on", {"brightness_pct": 40})]
    assert called("light.a", "on", color="red", color_temp_kelvin=None) == [
        ("light.turn_on", {"rgb_color": [255, 0, 0]})
    ]
    assert called("light.a", color_temp_kelvin=2700) == [
        ("light.turn_on", {"color_temp_kelvin": 2700})
    ]
    assert called("light.a", "off", color="red") == [("light.turn_off", {})]


def test_levels_are_set_as_they_are_and_never_by_steps() -> None:
    assert called("cover.a", "open", position=30) == [
        ("cover.set_cover_position", {"position": 30})
    ]
    assert called("fan.a", "on", percentage=50) == [
        ("fan.turn_on", {}),
        ("fan.set_percentage", {"percentage": 50}),
    ]
    assert called("fan.a", "off", percentage=0) == [("fan.turn_off", {})]
    assert called("climate.a", "on", temperature=20.5) == [
        ("climate.turn_on", {}),
        ("climate.set_temperature", {"temperature": 20.5}),
    ]
    assert called("water_heater.a", "eco") == [
        ("water_heater.set_operation_mode", {"operation_mode": "eco"})
    ]
    assert called("water_heater.a", "off") == [("water_heater.turn_off", {})]
    assert called("humidifier.a", humidity=50) == [("humidifier.set_humidity", {"humidity": 50})]
    assert called("humidifier.a", mode="eco") == [("humidifier.set_mode", {"mode": "eco"})]
    assert called("climate.a", "heat") == [("climate.set_hvac_mode", {"hvac_mode": "heat"})]
    assert called("media_player.a", volume_level=0.3) == [
        ("media_player.volume_set", {"volume_level": 0.3})
    ]
    assert called("media_player.a", is_volume_muted=True) == [
        ("media_player.volume_mute", {"is_volume_muted": True})
    ]


@pytest.mark.parametrize(
    ("entity_id", "state", "command"),
    [
        ("climate.a", "unavailable", ""),
        ("lock.a", "on", ""),
        ("sensor.a", "21", ""),
        ("light.a", "", "next"),
    ],
)
def test_what_no_service_does_is_refused(entity_id: str, state: str, command: str) -> None:
    with pytest.raises(BridgeError, match="no service"):
        called(entity_id, state, command)
