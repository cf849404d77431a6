"""All that is announced, changed and taken back, and what is told meanwhile."""

from __future__ import annotations

import json
from typing import Any

import pytest

from assistant.bridge.discovery.registry import MOST_DEVICES, Registry
from assistant.bridge.payloads import LARGEST_PAYLOAD_BYTES

LAMP = "homeassistant/light/desk/config"
DEVICE = "homeassistant/device/plugs/config"


def options(**more: Any) -> bytes:
    return json.dumps({"name": "Desk Lamp", "cmd_t": "set", "stat_t": "state", **more}).encode()


@pytest.fixture
def registry() -> Registry:
    return Registry("homeassistant")


def test_what_is_announced_is_a_device_once_it_has_settled(registry: Registry) -> None:
    assert registry.announces(LAMP, options())
    assert registry.device("light.desk_lamp") is None
    settled = registry.settle()
    assert list(settled.devices) == list(settled.new) == ["light.desk_lamp"]
    assert registry.topics == {"state"}
    assert dict(registry.tells("state", b"ON")) == {"light.desk_lamp": ("on", {})}
    assert dict(registry.tells("state", b"ON")) == {}
    assert dict(registry.tells("elsewhere", b"ON")) == {}
    assert registry.reports() == {"light.desk_lamp": ("on", {})}


def test_the_same_announcement_is_no_news_and_keeps_what_was_told(registry: Registry) -> None:
    registry.announces(LAMP, options())
    registry.settle()
    list(registry.tells("state", b"ON"))
    assert not registry.announces(LAMP, options())
    registry.announces("homeassistant/switch/other/config", options(name="Plug"))
    settled = registry.settle()
    assert list(settled.new) == ["switch.plug"]
    assert registry.reports() == {"light.desk_lamp": ("on", {})}


def test_what_is_announced_anew_is_another_device(registry: Registry) -> None:
    registry.announces(LAMP, options())
    registry.settle()
    assert registry.announces(LAMP, options(name="Reading Lamp", stat_t="elsewhere"))
    settled = registry.settle()
    assert list(settled.devices) == list(settled.new) == ["light.reading_lamp"]
    assert settled.gone == ["state"]


def test_what_is_taken_back_is_gone(registry: Registry) -> None:
    components = {"a": {"p": "switch", "cmd_t": "a"}, "b": {"p": "switch", "cmd_t": "b"}}
    registry.announces(DEVICE, options(cmps=components))
    registry.announces(LAMP, options())
    assert len(registry.settle().devices) == 3
    assert registry.announces(LAMP, b"")
    assert registry.announces(DEVICE, options(cmps={"a": components["a"], "b": {"p": "switch"}}))
    assert len(registry.settle().devices) == 1
    assert not registry.announces(LAMP, b"")


def test_what_cannot_be_taken_leaves_what_was_there(registry: Registry) -> None:
    registry.announces(LAMP, options())
    for nonsense in (b"{", options(cmd_t="#"), options(schema="template")):
        with pytest.raises(ValueError, match=r"."):
            registry.announces(LAMP, nonsense)
    assert list(registry.settle().devices) == ["light.desk_lamp"]


def test_nonsense_is_told_of_the_device_that_tells_it(registry: Registry) -> None:
    registry.announces(LAMP, options())
    registry.announces("homeassistant/sensor/any/config", options(name="Any"))
    registry.settle()
    assert dict(registry.tells("state", b"what")) == {
        "light.desk_lamp": None,
        "sensor.any": ("what", {}),
    }
    for nonsense in (b"\xff", b"x" * (LARGEST_PAYLOAD_BYTES + 1)):
        found = dict(registry.tells("state", nonsense))
        assert found == {"light.desk_lamp": None, "sensor.any": None}


def test_there_is_a_limit_to_the_devices(registry: Registry) -> None:
    components = {str(n): {"p": "button", "cmd_t": "c"} for n in range(200)}
    for number in range(MOST_DEVICES // 200):
        registry.announces(f"homeassistant/device/{number}/config", options(cmps=components))
    for topic in (LAMP, DEVICE):
        with pytest.raises(ValueError, match="more than"):
            registry.announces(topic, options(cmps=components))
    # Those that are there may still change, and make room.
    assert registry.announces("homeassistant/device/0/config", b"")
    assert registry.announces(LAMP, options())
    assert len(registry.settle().devices) == MOST_DEVICES - 199
