"""What devices announce is how they are told, and how they are understood."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from assistant.bridge.discovery.announcements import read_announcement
from assistant.bridge.discovery.devices import AnnouncedDevice, read_device
from assistant.bridge.discovery.registry import Followed
from assistant.bridge.discovery.templates import variables
from assistant.core.messages import HomeCommand, SlotValue

Sent = list[tuple[str, str]]


def device(component: str, **options: Any) -> AnnouncedDevice:
    """The device that announces these options."""
    payload = msgspec.json.encode({"name": "Thing", **options})
    topic = f"homeassistant/{component}/thing/config"
    (announced,) = read_announcement("homeassistant", topic, payload)
    found = read_device(announced)
    assert found is not None
    return found


def sent(thing: AnnouncedDevice, state: str = "", command: str = "", **more: SlotValue) -> Sent:
    """What a command publishes."""
    given = HomeCommand(
        utterance_id="u", entity_id="x.thing", state=state, command=command, attributes=more
    )
    found = thing.behaviour.publications(given)
    return [(one.topic, one.payload.decode()) for one in found]


def told(thing: AnnouncedDevice, *payloads: tuple[str, str]) -> Any:
    """What is reported after a device has told these payloads."""
    followed = Followed(thing)
    for topic, payload in payloads:
        followed.takes(topic, variables(payload.encode()))
    return followed.report


TASMOTA = {
    "~": "desk/",
    "cmd_t": "cmnd/desk/POWER",
    "stat_t": "~tele",
    "stat_val_tpl": "{{ value_json.POWER }}",
    "bri_cmd_t": "cmnd/desk/Dimmer",
    "bri_stat_t": "~tele",
    "bri_scl": 100,
    "bri_val_tpl": "{{ value_json.Dimmer }}",
    "on_cmd_type": "brightness",
    "rgb_cmd_t": "cmnd/desk/Color2",
    "clr_temp_cmd_t": "cmnd/desk/CT",
    "clr_temp_stat_t": "~tele",
    "clr_temp_val_tpl": "{{ value_json.CT }}",
}
"""A light as Tasmota announces it: abbreviated, a topic for each part."""
ZIGBEE = {
    "schema": "json",
    "command_topic": "zigbee2mqtt/Desk/set",
    "state_topic": "zigbee2mqtt/Desk",
    "brightness": True,
    "brightness_scale": 254,
    "supported_color_modes": ["xy", "color_temp"],
}
"""A light as Zigbee2MQTT announces it: one topic that takes JSON."""


@pytest.mark.parametrize(
    ("state", "attributes", "payloads"),
    [
        ("on", {}, [("cmnd/desk/POWER", "ON")]),
        ("off", {}, [("cmnd/desk/POWER", "OFF")]),
        ("40%", {}, [("cmnd/desk/Dimmer", "40")]),
        ("", {"brightness": 51}, [("cmnd/desk/Dimmer", "20")]),
        ("1%", {}, [("cmnd/desk/Dimmer", "1")]),
        ("on", {"color": "red"}, [("cmnd/desk/Color2", "255,0,0"), ("cmnd/desk/POWER", "ON")]),
        ("", {"color_temp_kelvin": 2700}, [("cmnd/desk/CT", "370"), ("cmnd/desk/POWER", "ON")]),
        ("", {"color": None, "brightness": None}, []),
    ],
)
def test_a_light_with_a_topic_for_each_part(
    state: str, attributes: dict[str, SlotValue], payloads: Sent
) -> None:
    assert sent(device("light", **TASMOTA), state, **attributes) == payloads


def test_when_a_light_is_turned_on_is_its_own_choice() -> None:
    style, power = ("bri", "102"), ("p", "1")
    options = {"command_topic": "p", "brightness_command_topic": "bri", "payload_on": 1}
    assert sent(device("light", **options), "40%") == [style, power]
    assert sent(device("light", **options, on_command_type="first"), "40%") == [power, style]
    assert sent(device("light", command_topic="p"), "40%") == [("p", "ON")]


@pytest.mark.parametrize(
    ("state", "attributes", "payload"),
    [
        ("on", {}, '{"state":"ON"}'),
        ("off", {"brightness": 9}, '{"state":"OFF"}'),
        ("40%", {}, '{"state":"ON","brightness":102}'),
        ("", {"color": "red"}, '{"state":"ON","color":{"x":0.6401,"y":0.33}}'),
        ("on", {"color_temp_kelvin": 2700}, '{"state":"ON","color_temp":370}'),
    ],
)
def test_a_light_that_takes_json(
    state: str, attributes: dict[str, SlotValue], payload: str
) -> None:
    assert sent(device("light", **ZIGBEE), state, **attributes) == [
        ("zigbee2mqtt/Desk/set", payload)
    ]


def test_colours_are_sent_in_the_parts_that_a_light_takes() -> None:
    hs = device("light", schema="json", command_topic="c", supported_color_modes=["hs"])
    assert sent(hs, color="lime") == [("c", '{"state":"ON","color":{"h":120.0,"s":100.0}}')]
    own = device(
        "light",
        command_topic="c",
        rgb_command_topic="rgb",
        rgb_command_template='{"r":{{ red }},"b":{{ blue }}}',
    )
    assert sent(own, color="blue") == [("rgb", '{"r":0,"b":255}'), ("c", "ON")]


def test_what_lights_tell_is_understood() -> None:
    tasmota, zigbee = device("light", **TASMOTA), device("light", **ZIGBEE)
    tele = '{"POWER": "ON", "Dimmer": 40, "CT": 370}'
    assert told(tasmota, ("desk/tele", tele)) == (
        "on",
        {"brightness": 102, "color_temp_kelvin": 2703, "color_mode": "color_temp"},
    )
    state = '{"state": "ON", "brightness": 127, "color_mode": "color_temp", "color_temp": 250}'
    assert told(zigbee, ("zigbee2mqtt/Desk", state)) == (
        "on",
        {"brightness": 128, "color_temp_kelvin": 4000, "color_mode": "color_temp"},
    )
    red = '{"state": "ON", "color_mode": "rgb", "color": {"r": 255, "g": 0, "b": 0}}'
    assert told(zigbee, ("zigbee2mqtt/Desk", red)) == (
        "on",
        {"rgb_color": [255, 0, 0], "color_mode": "rgb"},
    )
    assert told(zigbee, ("zigbee2mqtt/Desk", '{"linkquality": 9}')) is None
    assert told(zigbee, ("zigbee2mqtt/Desk", '{"state": null}')) == ("unknown", {})
    # A long payload of a device with many values is read as well.
    long = '{"state": "OFF", "update": "' + "x" * 2000 + '"}'
    assert told(zigbee, ("zigbee2mqtt/Desk", long)) == ("off", {})


def test_what_a_light_can_do_is_described() -> None:
    modes = "supported_color_modes"
    assert device("light", **ZIGBEE).behaviour.attributes == {modes: ["xy", "color_temp"]}
    assert device("light", **TASMOTA).behaviour.attributes == {modes: ["color_temp", "rgb"]}
    assert device("light", command_topic="c").behaviour.attributes == {modes: ["onoff"]}


def test_a_plug_with_words_of_its_own() -> None:
    plug = device(
        "switch",
        command_topic="zigbee2mqtt/Fan/set",
        state_topic="zigbee2mqtt/Fan",
        value_template="{{ value_json.state }}",
        payload_on="1",
        payload_off="0",
        state_on="ON",
        state_off="OFF",
        command_template='{"state_left": {{ value }}}',
    )
    assert sent(plug, "on") == [("zigbee2mqtt/Fan/set", '{"state_left": 1}')]
    assert told(plug, ("zigbee2mqtt/Fan", '{"state": "OFF"}')) == ("off", {})
    with pytest.raises(ValueError, match="none of the states"):
        told(plug, ("zigbee2mqtt/Fan", '{"state": "x"}'))


def test_a_cover_by_its_position() -> None:
    cover = device(
        "cover",
        command_topic="c",
        position_topic="s",
        position_template="{{ value_json.position }}",
        state_topic="s",
        value_template="{{ value_json.state }}",
        state_open="OPEN",
        state_closed="CLOSE",
        state_stopped="STOP",
        set_position_topic="c",
        set_position_template='{"position": {{ position }} }',
    )
    assert sent(cover, "open") == [("c", "OPEN")]
    assert sent(cover, "open", position=40) == [("c", '{"position": 40 }')]
    assert sent(cover, command="stop") == [("c", "STOP")]
    assert told(cover, ("s", '{"state": "OPEN", "position": 40}')) == ("open", {"position": 40})
    assert told(cover, ("s", '{"state": "STOP", "position": 0}')) == ("closed", {"position": 0})


def test_a_cover_that_knows_positions_alone() -> None:
    options = {"position_open": 0, "position_closed": 50}
    cover = device("cover", set_position_topic="p", position_topic="s", **options)
    assert sent(cover, "closed") == [("p", "50")]
    assert sent(cover, position=80) == [("p", "10")]
    assert sent(cover, command="stop") == []
    assert told(cover, ("s", "50")) == ("closed", {"position": 0})
    assert told(cover, ("s", "10")) == ("open", {"position": 80})


def test_a_cover_that_stops_where_nobody_knows_is_as_it_was_going() -> None:
    cover = device("cover", command_topic="c", state_topic="s", payload_stop=None)
    assert told(cover, ("s", "closing"), ("s", "stopped")) == ("closed", {})
    assert told(cover, ("s", "opening"), ("s", "stopped")) == ("open", {})
    assert sent(cover, command="stop") == []


def test_a_lock() -> None:
    lock = device("lock", command_topic="c", state_topic="s", state_locked="LOCK")
    assert sent(lock, "unlocked") == [("c", "UNLOCK")]
    assert sent(lock, "on") == []
    assert told(lock, ("s", "LOCK")) == ("locked", {})
    assert told(lock, ("s", "JAMMED")) == ("jammed", {})


def test_a_fan_with_three_speeds() -> None:
    fan = device(
        "fan",
        command_topic="c",
        state_topic="s",
        percentage_command_topic="p",
        percentage_state_topic="ps",
        speed_range_max=3,
    )
    assert sent(fan, "on") == [("c", "ON")]
    assert sent(fan, "on", percentage=50) == [("c", "ON"), ("p", "2")]
    assert sent(fan, "off", percentage=50) == [("c", "OFF")]
    assert told(fan, ("s", "ON"), ("ps", "2")) == ("on", {"percentage": 67})
    assert fan.behaviour.attributes == {"percentage_step": 33.33}


def test_a_thermostat() -> None:
    thermostat = device(
        "climate",
        mode_cmd_t="m",
        mode_stat_t="s",
        mode_stat_tpl="{{ value_json.system_mode }}",
        modes=["off", "heat"],
        temp_cmd_t="t",
        temp_stat_t="s",
        temp_stat_tpl="{{ value_json.target }}",
        curr_temp_t="s",
        curr_temp_tpl="{{ value_json.local }}",
        min_temp=5,
    )
    assert sent(thermostat, "heat", temperature=21) == [("m", "heat"), ("t", "21")]
    assert sent(thermostat, "cool") == []
    state = '{"system_mode": "heat", "target": 21.5, "local": 19}'
    levels = {"temperature": 21.5, "current_temperature": 19}
    assert told(thermostat, ("s", state)) == ("heat", levels)
    assert thermostat.behaviour.attributes == {"min_temp": 5}


def test_sensors_only_tell() -> None:
    warm = device("sensor", stat_t="s", val_tpl="{{ value_json.t }}", unit_of_meas="°C")
    assert told(warm, ("s", '{"t": 21.5}')) == ("21.5", {})
    assert warm.behaviour.attributes == {"unit_of_measurement": "°C"}
    door = device(
        "binary_sensor",
        stat_t="s",
        val_tpl="{{ value_json.contact }}",
        pl_on=False,
        pl_off=True,
        dev_cla="door",
    )
    assert told(door, ("s", '{"contact": false}')) == ("on", {})
    assert door.behaviour.attributes == {"device_class": "door"}
    assert sent(door, "on") == []


def test_scenes_and_buttons_are_triggered_and_never_kept() -> None:
    scene = device("scene", command_topic="c", payload_on='{"scene_recall": 2}', retain=True)
    button = device("button", command_topic="b")
    assert sent(scene, command="on") == [("c", '{"scene_recall": 2}')]
    assert sent(button, command="press") == [("b", "PRESS")]
    given = HomeCommand(utterance_id="u", entity_id="scene.thing", command="on")
    assert [one.retain for one in scene.behaviour.publications(given)] == [False]


def test_a_change_is_kept_where_the_device_asks_for_that() -> None:
    given = HomeCommand(utterance_id="u", entity_id="switch.thing", state="on")
    kept = device("switch", command_topic="c", retain=True).behaviour.publications(given)
    assert [one.retain for one in kept] == [True]
    plain = device("switch", command_topic="c").behaviour.publications(given)
    assert [one.retain for one in plain] == [False]


@pytest.mark.parametrize(
    ("mode", "payloads", "state"),
    [
        ("latest", ["a:offline"], "unavailable"),
        ("latest", ["a:offline", "b:online"], "on"),
        ("latest", ["a:what"], "on"),
        ("all", ["a:offline", "b:online"], "unavailable"),
        ("all", ["a:online", "b:online"], "on"),
        ("any", ["a:offline"], "on"),
        ("any", ["a:offline", "b:offline"], "unavailable"),
    ],
)
def test_availability_is_obeyed(mode: str, payloads: list[str], state: str) -> None:
    ways = [{"t": "a", "val_tpl": "{{ value_json.state }}"}, {"topic": "b"}]
    plug = device("switch", cmd_t="c", stat_t="s", avty=ways, avty_mode=mode)
    said = [
        (topic, f'{{"state": "{word}"}}' if topic == "a" else word)
        for topic, word in (one.split(":") for one in payloads)
    ]
    assert told(plug, ("s", "ON"), *said) == (state, {})


def test_one_availability_topic_is_enough() -> None:
    plug = device("switch", cmd_t="c", avty_t="will", pl_not_avail="Offline", pl_avail="Online")
    assert told(plug, ("will", "Offline")) == ("unavailable", {})
    assert told(plug, ("will", "Offline"), ("will", "Online")) == ("unknown", {})
    assert told(plug, ("will", "Online")) is None


@pytest.mark.parametrize(
    ("component", "options"),
    [
        ("light", {}),
        ("light", {"command_topic": "a/#"}),
        ("light", {"command_topic": "$SYS/broker"}),
        ("light", {"command_topic": 7}),
        ("light", {"command_topic": "x" * 300}),
        ("light", {"command_topic": "c", "schema": "template"}),
        ("light", {"command_topic": "c", "brightness_scale": 0}),
        ("light", {"command_topic": "c", "brightness_scale": 1e300}),
        ("switch", {"command_topic": "c", "state_topic": "+/state"}),
        ("switch", {"command_topic": "c", "payload_on": ["ON"]}),
        ("switch", {"command_topic": "c", "retain": "yes"}),
        ("switch", {"command_topic": "c", "availability": [{"topic": "#"}]}),
        ("switch", {"command_topic": "c", "availability_mode": "some"}),
        ("lock", {"command_topic": "c", "code_format": r"^\d{4}$"}),
        ("fan", {"command_topic": "c", "speed_range_min": 5, "speed_range_max": 5}),
        ("cover", {"state_topic": "s"}),
        ("cover", {"command_topic": "c", "position_open": 1, "position_closed": 1}),
        ("sensor", {}),
        ("climate", {"modes": "heat"}),
    ],
)
def test_what_cannot_be_is_refused(component: str, options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"."):
        device(component, **options)


def test_what_a_template_says_that_is_not_understood_is_left_out_alone() -> None:
    plug = device("switch", cmd_t="c", stat_t="s", val_tpl="{% if value %}ON{% endif %}")
    assert plug.unread == ("value_template",)
    assert sent(plug, "on") == [("c", "ON")]
    assert told(plug, ("s", "x")) is None
