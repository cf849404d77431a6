"""The assistant as Home Assistant finds it on a real broker: there or not, muted or not."""

from __future__ import annotations

import json
import threading
from contextlib import ExitStack, closing
from typing import Any

import pytest
from paho.mqtt.client import Client

from assistant.bridge.discovery.announcements import read_announcement
from assistant.bridge.mqtt import Broker
from assistant.core.messages import MuteChanged
from assistant.core.settings.mqtt import MqttSettings
from tests.support.mosquitto import Lamp, Mosquitto
from tests.support.pumped_bridge import PumpedBridge

CONFIG = "homeassistant/device/hark_hark/config"


def bench(mosquitto: Mosquitto, muted: bool | None = None, **settings: Any) -> PumpedBridge[Broker]:
    given = MqttSettings(host="127.0.0.1", port=mosquitto.port, **settings)
    return PumpedBridge(Broker(given, (), lambda: muted))


@pytest.fixture
def listener(mosquitto: Mosquitto, things: ExitStack) -> Lamp:
    return things.enter_context(closing(Lamp(mosquitto.port, topic="#")))


def test_it_announces_itself_with_what_home_assistant_needs(
    mosquitto: Mosquitto, listener: Lamp, things: ExitStack
) -> None:
    bridge = bench(mosquitto, muted=True, announce=True, name="Kitchen Hark")
    things.callback(bridge.link.close)
    bridge.is_there()
    payload, _ = listener.hears(CONFIG)
    told = json.loads(payload)
    assert told["device"]["identifiers"] == ["hark_hark"]
    assert told["device"]["name"] == "Kitchen Hark"
    assert told["origin"]["name"] == "Hark"
    muted, connected = told["components"]["muted"], told["components"]["connected"]
    assert {one["platform"] for one in (muted, connected)} == {"binary_sensor"}
    assert muted["unique_id"] != connected["unique_id"]
    assert not any("command" in option for one in (muted, connected) for option in one)
    assert listener.hears(muted["state_topic"]) == (b"ON", False)
    kept = {}
    for topic in (CONFIG, muted["state_topic"]):
        late = things.enter_context(closing(Lamp(mosquitto.port, topic=topic)))
        kept[topic] = late.hears(topic)
    assert kept == {CONFIG: (payload, True), muted["state_topic"]: (b"ON", True)}


def test_mute_and_unmute_are_told_as_they_come(
    mosquitto: Mosquitto, listener: Lamp, things: ExitStack
) -> None:
    bridge = bench(mosquitto, muted=False, announce=True)
    things.callback(bridge.link.close)
    bridge.is_there()
    assert listener.hears("hark/bridge/muted") == (b"OFF", False)
    list(bridge.stage.feed(MuteChanged(muted=True)))
    assert listener.hears("hark/bridge/muted") == (b"ON", False)
    list(bridge.stage.feed(MuteChanged(muted=False)))
    assert listener.hears("hark/bridge/muted") == (b"OFF", False)


def test_a_mute_that_comes_as_it_announces_itself_is_told(
    mosquitto: Mosquitto, listener: Lamp, things: ExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    announce, muting = Broker._announce, list[threading.Thread]()

    def announced(broker: Broker, client: Client) -> None:
        announce(broker, client)
        if not muting:
            muting.append(threading.Thread(target=broker.muted, args=(True,)))
            muting[0].start()
            muting[0].join(0.1)

    # Before the bridge is made, which may have announced itself as soon as it is.
    monkeypatch.setattr(Broker, "_announce", announced)
    bridge = bench(mosquitto, announce=True)
    things.callback(bridge.link.close)
    bridge.is_there()
    assert listener.hears("hark/bridge/muted") == (b"ON", False)


def test_a_change_that_was_not_told_is_seen(
    mosquitto: Mosquitto, listener: Lamp, things: ExitStack
) -> None:
    muted = [False]
    given = MqttSettings(host="127.0.0.1", port=mosquitto.port, announce=True)
    bridge = PumpedBridge(Broker(given, (), lambda: muted[0]))
    things.callback(bridge.link.close)
    bridge.is_there()
    assert listener.hears("hark/bridge/muted") == (b"OFF", False)
    muted[0] = True
    due_s = bridge.link.due_s()
    assert due_s is not None
    bridge.link.tend(due_s - 1)
    bridge.link.tend(due_s)
    assert listener.hears("hark/bridge/muted") == (b"ON", False)


def test_whether_it_is_there_is_its_last_will(mosquitto: Mosquitto, listener: Lamp) -> None:
    bridge = bench(mosquitto, announce=True)
    bridge.is_there()
    there, _ = listener.hears("hark/bridge/state")
    told = json.loads(listener.hears(CONFIG)[0])
    connected = told["components"]["connected"]
    assert connected["state_topic"] == told["components"]["muted"]["availability_topic"]
    assert (connected["state_topic"], connected["payload_on"]) == ("hark/bridge/state", "online")
    assert there == b"online"
    bridge.link.close()
    assert listener.hears(connected["state_topic"])[0].decode() == connected["payload_off"]


def test_unless_it_is_told_to_it_announces_nothing(
    mosquitto: Mosquitto, listener: Lamp, things: ExitStack
) -> None:
    bridge = bench(mosquitto, muted=True)
    things.callback(bridge.link.close)
    bridge.is_there()
    list(bridge.stage.feed(MuteChanged(muted=False)))
    bridge.command("switch.fan", "on")
    assert listener.hears("hark/switch/fan/set") == (b"ON", False)
    late = things.enter_context(closing(Lamp(mosquitto.port, topic="#")))
    late.tell("end", b"-", retain=False)
    assert late.hears("hark/bridge/state") == (b"online", True)
    assert late.hears("end") == (b"-", False)
    assert late.heard.empty()


def test_no_assistant_takes_another_for_a_device(mosquitto: Mosquitto, listener: Lamp) -> None:
    bridge = bench(mosquitto, announce=True)
    with closing(bridge.link):
        payload, _ = listener.hears(CONFIG)
    assert read_announcement("homeassistant", CONFIG, payload) == ()
    other = payload.replace(b'"Hark","sw', b'"Else","sw')
    assert len(read_announcement("homeassistant", CONFIG, other)) == 2
