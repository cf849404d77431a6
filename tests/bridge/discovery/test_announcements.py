"""What is an announcement, whatever is published where announcements are."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.bridge.discovery.abbreviations import COMPONENT
from assistant.bridge.discovery.announcements import (
    LARGEST_BYTES,
    Announcement,
    _expanded,
    is_announcement,
    patterns,
    read_announcement,
)
from assistant.bridge.discovery.devices import read_device

PREFIX = "homeassistant"
LIGHT = f"{PREFIX}/light/desk/config"
DEVICE = f"{PREFIX}/device/desk/config"


def announced(topic: str, options: Any) -> tuple[Announcement, ...]:
    return read_announcement(PREFIX, topic, json.dumps(options).encode())


@pytest.mark.parametrize(
    ("short", "name"),
    [
        ("stat_t", "state_topic"),
        ("cmd_t", "command_topic"),
        ("bri_cmd_t", "brightness_command_topic"),
        ("clr_temp_val_tpl", "color_temp_value_template"),
        ("curr_temp_t", "current_temperature_topic"),
        ("set_pos_tpl", "set_position_template"),
        ("pr_mode_stat_t", "preset_mode_state_topic"),
        ("mode_stat_tpl", "mode_state_template"),
        ("avty_t", "availability_topic"),
        ("def_ent_id", "default_entity_id"),
    ],
)
def test_options_have_short_names(short: str, name: str) -> None:
    assert COMPONENT[short] == name


def test_the_base_stands_for_itself_at_both_ends_of_a_topic() -> None:
    options = {
        "~": "home/desk",
        "cmd_t": "~/set",
        "stat_t": "state/~",
        "name": "~ is no topic",
        "avty": {"t": "~/will"},
        "dev": {"sa": "Office", "ids": "7"},
    }
    (one,) = announced(LIGHT, options)
    assert one == Announcement(
        component="light",
        source=LIGHT,
        options={
            "command_topic": "home/desk/set",
            "state_topic": "state/home/desk",
            "name": "~ is no topic",
            "availability": [{"topic": "home/desk/will"}],
            "device": {"suggested_area": "Office", "identifiers": "7"},
        },
    )


def test_a_device_announces_its_components_at_once() -> None:
    components = {
        "left": {"p": "switch", "cmd_t": "left/set"},
        "right": {"platform": "switch", "command_topic": "right/set", "state_topic": "right"},
        "gone": {"p": "switch"},
        "update": {"p": "update", "stat_t": "u"},
    }
    shared = {"stat_t": "both", "avty_t": "will", "o": {"name": "x"}, "dev": {"name": "Plug"}}
    left, right = announced(DEVICE, {**shared, "cmps": components})
    assert (left.component, left.source) == ("switch", f"{DEVICE} left")
    assert left.options == {
        "command_topic": "left/set",
        "state_topic": "both",
        "availability_topic": "will",
        "device": {"name": "Plug"},
    }
    assert right.options["state_topic"] == "right"


def test_an_empty_payload_and_other_assistants_announce_nothing() -> None:
    assert read_announcement(PREFIX, LIGHT, b"") == ()
    own = {"o": {"name": "Hark"}, "dev": {"name": "Kitchen"}, "cmps": {"x": {"p": "switch"}}}
    assert announced(DEVICE, own) == ()


@pytest.mark.parametrize(
    "topic",
    [
        "homeassistant/light/desk/config",
        "homeassistant/light/0x00158d/light/config",
        "homeassistant/device/desk/config",
    ],
)
def test_where_announcements_are(topic: str) -> None:
    assert is_announcement(PREFIX, topic)


@pytest.mark.parametrize(
    "topic",
    [
        "homeassistant/light/desk/state",
        "homeassistant/light/config",
        "homeassistant/light/a/b/c/config",
        "homeassistant/light/../config",
        "homeassistant/light/a b/config",
        "homeassistant/update/desk/config",
        "homeassistant2/light/desk/config",
        "x/homeassistant/light/desk/config",
        "light/desk/config",
        f"homeassistant/light/{'x' * 300}/config",
    ],
)
def test_where_no_announcements_are(topic: str) -> None:
    assert not is_announcement(PREFIX, topic)


def test_only_announcements_of_what_is_taken_over_are_asked_for() -> None:
    asked = patterns(PREFIX)
    assert "homeassistant/light/+/config" in asked
    assert "homeassistant/device/+/+/config" in asked
    assert not any("update" in pattern or "#" in pattern for pattern in asked)


@pytest.mark.parametrize(
    "payload",
    [
        b"{",
        b"7",
        b"[]",
        b"\xff",
        b'{"a": ' + b"[" * 50_000,
        b'{"name": "' + b"x" * LARGEST_BYTES + b'"}',
    ],
)
@pytest.mark.parametrize("topic", [LIGHT, DEVICE])
def test_what_is_no_announcement_is_refused(topic: str, payload: bytes) -> None:
    with pytest.raises(ValueError, match=r"JSON|many"):
        read_announcement(PREFIX, topic, payload)


@pytest.mark.parametrize("found", [None, [], {str(n): {} for n in range(201)}])
def test_a_device_without_components_or_with_too_many_is_refused(found: Any) -> None:
    with pytest.raises(ValueError, match="components"):
        announced(DEVICE, {"cmps": found})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
NAMES = st.sampled_from((*COMPONENT, *COMPONENT.values(), "~", "name", "schema", "modes"))


@settings(max_examples=50)
@given(st.dictionaries(NAMES, JSON, max_size=6), st.sampled_from((LIGHT, DEVICE)))
def test_any_options_give_devices_or_are_refused(options: dict[str, Any], topic: str) -> None:
    try:
        for one in announced(topic, options):
            read_device(one)
    except ValueError:
        return


def test_availability_within_availability_is_not_followed() -> None:
    nested: dict[str, Any] = {"topic": "a/b"}
    for _ in range(5_000):
        nested = {"t": "a/b", "avty": [nested]}
    options = _expanded(nested, COMPONENT)
    assert options["availability"][0]["topic"] == "a/b"
