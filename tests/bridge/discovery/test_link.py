"""A real broker on which devices announce themselves, change, go and misbehave."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, closing
from typing import Any

import pytest

from assistant.bridge.discovery import link as link_module
from assistant.bridge.discovery import registry
from assistant.bridge.discovery.link import DiscoveringBroker
from assistant.core.errors import BridgeError, ConfigError
from assistant.core.messages import HomeDescribed, HomeReceipt, HomeStates
from assistant.core.settings.mqtt import MqttSettings
from assistant.skill.home import Entity
from tests.support.mosquitto import Lamp, Mosquitto
from tests.support.pumped_bridge import PumpedBridge

MOST = 150
"""Most devices that are taken, in place of thousands."""
DESK = "homeassistant/light/desk/config"
LAMP = {
    "name": "Desk Lamp",
    "schema": "json",
    "cmd_t": "desk/set",
    "stat_t": "desk",
    "brightness": True,
    "avty_t": "desk/will",
    "dev": {"sa": "Office"},
}
PLUG = {"name": "Kettle", "cmd_t": "kettle/set", "stat_t": "kettle"}


class Bench(PumpedBridge[DiscoveringBroker]):
    """The bridge's stage on a broker where devices announce themselves."""

    def __init__(self, port: int, *devices: str, **more: Any) -> None:
        settings = MqttSettings(host="127.0.0.1", port=port, discover=True, **more)
        super().__init__(DiscoveringBroker(settings, devices))

    def entities(self) -> dict[str, Entity]:
        """The devices of the home that is described next."""
        found = json.loads(self.hears(HomeDescribed).text)["entities"]
        return {one["id"]: one for one in found}

    def tells(self, entity_id: str) -> tuple[str, dict[str, Any]]:
        """The next report of a device."""
        report = self.hears(HomeStates, lambda m: entity_id in m.states)
        return report.states[entity_id], report.attributes[entity_id]

    def becomes(self, number: int) -> str:
        """What became of a command."""
        outcomes = ("sent", "unsent", "unsure", "failed")
        receipt = self.hears(HomeReceipt, lambda m: any(number in getattr(m, o) for o in outcomes))
        return next(outcome for outcome in outcomes if number in getattr(receipt, outcome))

    def close(self) -> None:
        self.link.close()


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Announcements settle at once, and are described as often as they change."""
    monkeypatch.setattr(link_module, "SETTLE_S", 0.1)
    monkeypatch.setattr(link_module, "SETTLE_EVERY_S", 0.0)


@pytest.fixture
def device(mosquitto: Mosquitto) -> Iterator[Lamp]:
    with closing(Lamp(mosquitto.port, topic="#")) as lamp:
        yield lamp


@pytest.fixture
def bench(mosquitto: Mosquitto, things: ExitStack) -> Bench:
    return things.enter_context(closing(Bench(mosquitto.port)))


def announce(device: Lamp, topic: str, options: dict[str, Any]) -> None:
    device.tell(topic, json.dumps(options).encode())


def test_a_lamp_that_has_announced_itself_is_switched_and_followed(
    device: Lamp, bench: Bench
) -> None:
    announce(device, DESK, LAMP)
    device.tell("desk", b'{"state": "OFF", "brightness": 9}')
    assert bench.entities()["light.desk_lamp"] == {
        "name": "Desk Lamp",
        "id": "light.desk_lamp",
        "area": "office",
        "state": "off",
        "attributes": {"supported_color_modes": ["brightness"]},
        "aliases": [],
    }
    assert bench.tells("light.desk_lamp") == ("off", {"brightness": 9})
    number = bench.command("light.desk_lamp", "40%")
    assert device.hears("desk/set") == (b'{"state":"ON","brightness":102}', False)
    assert bench.becomes(number) == "sent"
    device.tell("desk", b'{"state": "ON", "brightness": 102}')
    assert bench.tells("light.desk_lamp") == ("on", {"brightness": 102})
    device.tell("desk/will", b"offline")
    assert bench.tells("light.desk_lamp") == ("unavailable", {})
    device.tell("desk/will", b"online")
    assert bench.tells("light.desk_lamp") == ("on", {"brightness": 102})


def test_several_topics_are_told_in_their_order_and_acknowledged_once(
    device: Lamp, bench: Bench
) -> None:
    parts = {"cmd_t": "shelf/set", "bri_cmd_t": "shelf/dim", "on_cmd_type": "first"}
    announce(device, "homeassistant/light/shelf/config", {"name": "Shelf", **parts})
    bench.entities()
    number = bench.command("light.shelf", "40%")
    assert device.hears("shelf/set") == (b"ON", False)
    assert device.hears("shelf/dim") == (b"102", False)
    assert bench.becomes(number) == "sent"
    bench.is_there()


def test_what_was_announced_before_is_found_and_devices_are_asked_to_tell(
    mosquitto: Mosquitto, device: Lamp, things: ExitStack
) -> None:
    announce(device, DESK, LAMP)
    bench = things.enter_context(closing(Bench(mosquitto.port)))
    assert device.hears("homeassistant/status") == (b"online", False)
    assert list(bench.entities()) == ["light.desk_lamp"]


def test_a_new_name_and_a_removal_change_the_home(device: Lamp, bench: Bench) -> None:
    announce(device, DESK, LAMP)
    assert list(bench.entities()) == ["light.desk_lamp"]
    announce(device, DESK, LAMP | {"name": "Reading Lamp"})
    assert list(bench.entities()) == ["light.reading_lamp"]
    device.tell(DESK, b"")
    assert list(bench.entities()) == []
    # Its own topics are no longer known, those of the home's file are.
    bench.command("light.reading_lamp", "on")
    assert device.hears("hark/light/reading_lamp/set") == (b"ON", False)


def test_what_a_changed_device_keeps_is_asked_for_again(device: Lamp, bench: Bench) -> None:
    announce(device, "homeassistant/switch/kettle/config", PLUG)
    device.tell("kettle", b"ON")
    bench.entities()
    assert bench.tells("switch.kettle") == ("on", {})
    announce(device, "homeassistant/switch/kettle/config", PLUG | {"stat_off": "ON"})
    bench.entities()
    assert bench.tells("switch.kettle") == ("off", {})


def test_a_device_of_the_homes_file_may_announce_itself(
    mosquitto: Mosquitto, device: Lamp, things: ExitStack
) -> None:
    own = ("light.desk_lamp", "switch.fan")
    bench = things.enter_context(closing(Bench(mosquitto.port, *own)))
    announce(device, DESK, LAMP)
    bench.entities()
    bench.command("light.desk_lamp", "on")
    assert device.hears("desk/set") == (b'{"state":"ON"}', False)
    bench.command("switch.fan", "on")
    assert device.hears("hark/switch/fan/set") == (b"ON", False)
    device.tell("hark/switch/fan/state", b"ON")
    bench.hears(HomeStates, lambda m: m.states == {"switch.fan": "on"})


def test_what_a_device_has_no_topic_for_is_refused_by_name(device: Lamp, bench: Bench) -> None:
    announce(device, "homeassistant/switch/kettle/config", PLUG)
    bench.entities()
    with pytest.raises(BridgeError, match=r"switch\.kettle has announced no topic .* 40%"):
        bench.command("switch.kettle", "40%")
    assert bench.becomes(1) == "unsent"


def test_a_scene_is_turned_on_once(device: Lamp, bench: Bench) -> None:
    announce(device, "homeassistant/scene/film/config", {"name": "Film", "cmd_t": "film"})
    bench.entities()
    assert bench.becomes(bench.command("scene.film", command="on")) == "sent"
    assert device.hears("film") == (b"ON", False)


def test_after_a_reload_all_is_told_again(device: Lamp, bench: Bench) -> None:
    announce(device, "homeassistant/switch/kettle/config", PLUG)
    device.tell("kettle", b"ON")
    first = bench.hears(HomeDescribed)
    assert bench.tells("switch.kettle") == ("on", {})
    bench.stage.follow([])
    assert bench.hears(HomeDescribed) == first
    assert bench.tells("switch.kettle") == ("on", {})


def test_what_sensors_measure_waits_for_other_news(device: Lamp, bench: Bench) -> None:
    warm = {"name": "Warm", "stat_t": "warm"}
    announce(device, "homeassistant/sensor/warm/config", warm)
    assert list(bench.entities()) == ["sensor.warm"]
    announce(device, "homeassistant/switch/kettle/config", PLUG)
    device.tell("kettle", b"ON")
    assert bench.tells("switch.kettle") == ("on", {})
    device.tell("warm", b"21")
    device.tell("warm", b"22")
    device.tell("kettle", b"OFF")
    report = bench.hears(HomeStates)
    assert report.states == {"sensor.warm": "22", "switch.kettle": "off"}


def test_what_sensors_measure_comes_in_the_end(
    device: Lamp, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link_module, "MEASURED_EVERY_S", 0.1)
    announce(device, "homeassistant/sensor/warm/config", {"name": "Warm", "stat_t": "warm"})
    bench.entities()
    device.tell("warm", b"21")
    assert bench.tells("sensor.warm") == ("21", {})


def test_a_broker_that_restarts_is_found_with_its_devices(
    mosquitto: Mosquitto, things: ExitStack, device: Lamp, bench: Bench
) -> None:
    announce(device, DESK, LAMP)
    bench.is_there()
    bench.entities()
    mosquitto.stop()
    bench.is_away()
    mosquitto.start()
    bench.is_there()
    # It has kept nothing, so what was known of the lamp still holds.
    again = things.enter_context(closing(Lamp(mosquitto.port, topic="#")))
    bench.command("light.desk_lamp", "on")
    assert again.hears("desk/set") == (b'{"state":"ON"}', False)
    again.tell("desk", b'{"state": "ON"}')
    assert bench.tells("light.desk_lamp") == ("on", {})


HOSTILE = {
    "homeassistant/light/a/config": b"{",
    "homeassistant/light/b/config": b"\xff\xfe",
    "homeassistant/light/c/config": b"[" * 60_000,
    "homeassistant/light/d/config": b'{"name": "' + b"x" * 66_000 + b'"}',
    "homeassistant/light/e/config": b'{"cmd_t": "#", "name": "E"}',
    "homeassistant/light/f/config": b'{"cmd_t": "x/../../set/+", "name": "F"}',
    "homeassistant/light/g/config": b'{"cmd_t": "c", "stat_t": "$SYS/#", "name": "G"}',
    "homeassistant/light/../h/config": b'{"cmd_t": "c", "name": "H"}',
    "homeassistant/device/i/config": b'{"cmps": {"x": 7, "y": {"p": "light"}}}',
    "homeassistant/switch/j/config": b'{"cmd_t": "hark/bridge/state\\u0000", "name": "J"}',
}


def test_hostile_announcements_are_logged_once_and_change_nothing(
    device: Lamp, bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    bench.is_there()
    for topic, payload in HOSTILE.items():
        device.tell(topic, payload)
    announce(device, DESK, LAMP)
    assert list(bench.entities()) == ["light.desk_lamp"]
    assert sum("bridge.announcement" in record.message for record in caplog.records) == 1
    device.tell("desk", b'{"state": "what"}')
    device.tell("desk", b'{"state": ' + b"[" * 9000)
    device.tell("desk", b'{"state": "ON", "brightness": 1e999}')
    device.tell("desk", b'{"state": "ON"}')
    assert bench.tells("light.desk_lamp") == ("on", {})
    assert bench.link.alive


def test_of_very_many_announcements_some_are_taken(
    device: Lamp, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "MOST_DEVICES", MOST)
    bench.is_there()
    for number in range(MOST + 50):
        options = {"name": f"Plug {number}", "cmd_t": f"p/{number}/set", "stat_t": f"p/{number}"}
        device.throw(f"homeassistant/switch/p{number}/config", json.dumps(options).encode())
    bench.hears(HomeDescribed, lambda m: len(json.loads(m.text)["entities"]) == MOST)
    device.tell(f"p/{MOST - 1}", b"ON")
    assert bench.tells(f"switch.plug_{MOST - 1}") == ("on", {})
    bench.command("switch.plug_0", "on")
    assert device.hears("p/0/set") == (b"ON", False)


def test_an_announcement_that_never_rests_is_described_now_and_then(
    device: Lamp, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    announce(device, DESK, LAMP)
    bench.entities()
    monkeypatch.setattr(link_module, "SETTLE_EVERY_S", 3600.0)
    before = bench.link.due_s()
    announce(device, DESK, LAMP | {"name": "Other Lamp"})
    bench.command("light.desk_lamp", "on")
    device.hears("desk/set")
    device.tell("desk", b'{"state": "ON"}')
    bench.tells("light.desk_lamp")
    after = bench.link.due_s()
    assert before is None
    assert after is not None
    assert after > 3000


@pytest.mark.parametrize("prefix", ["", "home/#", "a+b"])
def test_a_prefix_that_is_no_topic_is_refused(prefix: str) -> None:
    with pytest.raises(ConfigError, match=r"mqtt\.discovery_prefix"):
        DiscoveringBroker(MqttSettings(host="127.0.0.1", discovery_prefix=prefix))


def test_a_home_that_is_too_large_to_tell_leaves_the_one_before(
    device: Lamp, bench: Bench, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    announce(device, DESK, LAMP)
    before = bench.hears(HomeDescribed)
    monkeypatch.setattr("assistant.bridge.described.LARGEST_DESCRIPTION_BYTES", 100)
    announce(device, "homeassistant/switch/kettle/config", PLUG)
    device.tell("kettle", b"ON")
    assert bench.tells("switch.kettle") == ("on", {})
    assert "announce fewer devices (bridge.description)" in caplog.text
    bench.stage.follow([])
    assert bench.hears(HomeDescribed) == before
