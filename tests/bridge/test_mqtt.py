"""A real broker, restarted and refusing: what is said aloud reaches the lamp, and back."""

from __future__ import annotations

import os
import queue
import subprocess
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from paho.mqtt.enums import LogLevel

from assistant.bridge.client import WAITING_COMMANDS, connection, password
from assistant.bridge.mqtt import Broker
from assistant.bridge.payloads import LARGEST_PAYLOAD_BYTES
from assistant.core.config import MqttSettings
from assistant.core.errors import BridgeError, ConfigError
from assistant.core.messages import DeviceChanged, HomeCommand, HomeStates, SlotValue, Tick
from tests.support.bridge import Bench
from tests.support.mosquitto import MOSQUITTO_PASSWD, PATIENCE_S, FakeBroker, Lamp, Mosquitto

CONNECTED = bytes.fromhex("20 03 00 00 00")
"""CONNACK of MQTT 5: success, no properties."""


def test_a_command_reaches_the_lamp_once_and_is_not_retained(
    mosquitto: Mosquitto, things: ExitStack
) -> None:
    lamp = things.enter_context(closing(Lamp(mosquitto.port)))
    bench = things.enter_context(closing(Bench(mosquitto.port)))
    bench.until(DeviceChanged, present=True)
    bench.command("light.kitchen", "on")
    assert lamp.hears("hark/light/kitchen/set") == (b"ON", False)
    bench.command("light.kitchen", "40%")
    payload, _ = lamp.hears("hark/light/kitchen/set")
    assert payload == b'{"state":"ON","brightness":102}'
    late = things.enter_context(closing(Lamp(mosquitto.port)))
    late.tell("hark/end", b"-", retain=False)
    assert late.hears("hark/bridge/state") == (b"online", True)
    assert late.hears("hark/end") == (b"-", False)
    assert late.heard.empty()


def test_states_come_in_retained_ones_too(mosquitto: Mosquitto, things: ExitStack) -> None:
    lamp = things.enter_context(closing(Lamp(mosquitto.port)))
    lamp.tell("hark/light/kitchen/state", b"ON")
    bench = things.enter_context(closing(Bench(mosquitto.port)))
    bench.until(HomeStates, states={"light.kitchen": "on"})
    lamp.tell("hark/switch/fan/state", b'{"state": "OFF", "linkquality": 90}')
    bench.until(HomeStates, states={"switch.fan": "off"})


def test_what_is_no_state_is_logged_once_and_passed_over(
    mosquitto: Mosquitto, things: ExitStack, caplog: pytest.LogCaptureFixture
) -> None:
    lamp = things.enter_context(closing(Lamp(mosquitto.port)))
    bench = things.enter_context(closing(Bench(mosquitto.port)))
    bench.until(DeviceChanged, present=True)
    hostile = (b"\xff", b"{", b'{"state": 3}', b'{"state":"ON","brightness":1e308}', b"x" * 17_000)
    for payload in (b"", *hostile):
        lamp.tell("hark/light/bad/state", payload, retain=False)
    lamp.tell("hark/switch/fan/state", b"ON")
    seen = bench.until(HomeStates)
    assert [m.states for m in seen if isinstance(m, HomeStates)] == [{"switch.fan": "on"}]
    assert sum("light.bad" in record.message for record in caplog.records) == 1


def test_states_of_what_is_not_of_this_home_are_not_even_sent(
    mosquitto: Mosquitto, things: ExitStack
) -> None:
    lamp = things.enter_context(closing(Lamp(mosquitto.port)))
    bench = things.enter_context(closing(Bench(mosquitto.port, ("light.kitchen", "light.a/b"))))
    came = bench.overheard()
    bench.until(DeviceChanged, present=True)
    for topic in ("hark//kitchen/state", "hark/light//state", "hark/switch/fan/state"):
        lamp.tell(topic, b"ON")
    lamp.tell("hark/light/kitchen/state", b"ON")
    bench.until(HomeStates, states={"light.kitchen": "on"})
    bench.stage.follow(["switch.fan"])
    bench.until(HomeStates, states={"switch.fan": "on"})
    lamp.tell("hark/light/kitchen/state", b"OFF")
    lamp.tell("hark/switch/fan/state", b"OFF")
    bench.until(HomeStates, states={"switch.fan": "off"})
    assert came == ["hark/light/kitchen/state"] + 2 * ["hark/switch/fan/state"]


def test_a_broker_that_sends_what_nobody_asked_for_is_not_heeded(
    mosquitto: Mosquitto, things: ExitStack
) -> None:
    lamp = things.enter_context(closing(Lamp(mosquitto.port)))
    bench = things.enter_context(closing(Bench(mosquitto.port, ("light.kitchen",))))
    bench.until(DeviceChanged, present=True)
    bench.subscribe("#")
    for topic in ("x", "hark//kitchen/state", "hark/light//state", "hark/light/kitchen/x/state"):
        lamp.tell(topic, b"OFF")
    lamp.tell("hark/light/kitchen/state", b"ON")
    reports = bench.until(HomeStates)
    assert [m.states for m in reports if isinstance(m, HomeStates)] == [{"light.kitchen": "on"}]
    assert bench.broker.states() == {}


def test_a_huge_retained_payload_does_not_reach_the_bridge(
    mosquitto: Mosquitto, things: ExitStack
) -> None:
    lamp = things.enter_context(closing(Lamp(mosquitto.port)))
    lamp.tell("hark/light/kitchen/state", b"x" * 5_000_000)
    client = connection(MqttSettings(host="127.0.0.1", port=mosquitto.port))
    sizes: queue.Queue[int] = queue.Queue()
    client.when_ended = lambda _: None
    client.on_message = lambda _, __, message: sizes.put(len(message.payload))
    client.on_connect = lambda client, *_: client.subscribe("hark/#", qos=1)
    client.on_subscribe = lambda *_: lamp.tell("hark/end", b"-")
    client.loop_start()
    things.callback(client.loop_stop)
    things.callback(client.disconnect)
    assert sizes.get(timeout=PATIENCE_S) <= LARGEST_PAYLOAD_BYTES


def test_a_flood_leaves_the_latest_state_and_no_queue(
    mosquitto: Mosquitto, things: ExitStack
) -> None:
    lamp = things.enter_context(closing(Lamp(mosquitto.port)))
    bench = things.enter_context(closing(Bench(mosquitto.port)))
    bench.until(DeviceChanged, present=True)
    for number in range(10_000):
        lamp.throw("hark/light/kitchen/state", b"ON" if number % 2 else b"OFF")
    lamp.tell("hark/light/kitchen/state", b"40%")
    reports = bench.until(HomeStates, states={"light.kitchen": "40%"})
    assert len(reports) < 300
    assert bench.broker.states() == {}


def test_a_fault_in_a_callback_ends_neither_thread_nor_connection(
    mosquitto: Mosquitto, things: ExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    def faulty(payload: bytes) -> str:
        if payload == b"bomb":
            raise OverflowError
        return payload.decode()

    monkeypatch.setattr("assistant.bridge.mqtt.read_state", faulty)
    lamp = things.enter_context(closing(Lamp(mosquitto.port)))
    lamp.tell("hark/light/kitchen/state", b"bomb")
    bench = things.enter_context(closing(Bench(mosquitto.port)))
    bench.until(DeviceChanged, present=True)
    lamp.tell("hark/light/kitchen/state", b"on")
    bench.until(HomeStates, states={"light.kitchen": "on"})
    assert bench.broker.alive


def test_a_broker_that_restarts_gets_the_latest_command(
    mosquitto: Mosquitto, things: ExitStack
) -> None:
    bench = things.enter_context(closing(Bench(mosquitto.port)))
    bench.until(DeviceChanged, present=True)
    mosquitto.stop()
    bench.until(DeviceChanged, present=False)
    bench.command("light.kitchen", "on")
    bench.command("light.kitchen", "off")
    mosquitto.start()
    lamp = things.enter_context(closing(Lamp(mosquitto.port)))
    bench.until(DeviceChanged, present=True)
    assert lamp.hears("hark/light/kitchen/set") == (b"OFF", False)
    lamp.tell("hark/light/kitchen/state", b"OFF")
    bench.until(HomeStates, states={"light.kitchen": "off"})


def test_the_broker_may_come_later_than_the_bridge(mosquitto: Mosquitto, things: ExitStack) -> None:
    mosquitto.stop()
    bench = things.enter_context(closing(Bench(mosquitto.port)))
    (absent,) = bench.until(DeviceChanged)
    assert isinstance(absent, DeviceChanged)
    assert not absent.present
    assert str(mosquitto.port) in absent.detail
    mosquitto.start()
    bench.until(DeviceChanged, present=True)


def test_the_bridge_is_online_only_once_it_hears_what_devices_say_to_that() -> None:
    with FakeBroker(CONNECTED) as fake, closing(Bench(fake.port)):
        asked = fake.heard.get(timeout=PATIENCE_S)
        assert b"hark/switch/fan/state" in asked
        assert b"online" not in asked


def test_others_see_that_the_bridge_has_left(mosquitto: Mosquitto, things: ExitStack) -> None:
    lamp = things.enter_context(closing(Lamp(mosquitto.port)))
    bench = Bench(mosquitto.port)
    bench.until(DeviceChanged, present=True)
    assert lamp.hears("hark/bridge/state") == (b"online", False)
    bench.close()
    assert lamp.hears("hark/bridge/state") == (b"offline", False)


@pytest.mark.skipif(MOSQUITTO_PASSWD is None, reason="mosquitto_passwd is not installed")
@pytest.mark.parametrize(("secret", "present"), [("right\n", True), ("wrong\n", False)])
def test_the_password_comes_from_a_file(
    tmp_path: Path, things: ExitStack, secret: str, present: bool
) -> None:
    accounts = tmp_path / "accounts"
    command = (MOSQUITTO_PASSWD or "", "-b", "-c", str(accounts), "hark", "right")
    subprocess.run(command, check=True, capture_output=True)
    broker = Mosquitto(tmp_path, "allow_anonymous false", f"password_file {accounts}")
    things.callback(broker.stop)
    broker.start()
    file = tmp_path / "password"
    file.write_text(secret, "utf-8")
    file.chmod(0o640)
    settings = {"username": "hark", "password_file": str(file)}
    bench = things.enter_context(closing(Bench(broker.port, **settings)))
    (first,) = bench.until(DeviceChanged)
    assert isinstance(first, DeviceChanged)
    assert first.present is present
    assert ("refused" in first.detail) is not present


def test_a_password_that_everyone_can_read_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("secret", "utf-8")
    file.chmod(0o644)
    with pytest.raises(ConfigError, match="chmod"):
        password(MqttSettings(host="h", username="u", password_file=str(file)))
    with pytest.raises(ConfigError, match="password_file"):
        password(MqttSettings(host="h", username="u", password_file=str(tmp_path / "none")))


def test_presence_is_told_again_for_those_who_missed_it(
    mosquitto: Mosquitto, things: ExitStack
) -> None:
    bench = things.enter_context(closing(Bench(mosquitto.port)))
    bench.until(DeviceChanged, present=True)
    due_s = bench.stage.deadline_s()
    assert due_s is not None
    again = list(bench.stage.feed(Tick(at_s=due_s)))
    assert [m.present for m in again if isinstance(m, DeviceChanged)] == [True]
    assert list(bench.stage.feed(Tick(at_s=due_s + 1))) == []


def test_what_a_device_is_to_be_waits_for_the_broker_and_what_it_is_to_do_does_not(
    things: ExitStack,
) -> None:
    broker = things.enter_context(closing(Broker(MqttSettings(host="127.0.0.1", port=1))))
    for told in ({"state": "on"}, {"attributes": {"color": "red"}}, {"command": "next"}):
        broker.publish(HomeCommand(utterance_id="u", entity_id="light.a", **told))
    sent: list[tuple[str, dict[str, SlotValue]]] = []
    broker.publish = lambda wish: sent.append((wish.state, wish.attributes))  # type: ignore[method-assign]
    broker.catch_up()
    assert sent == [("on", {"color": "red"})]


def test_a_broker_that_acknowledges_nothing_is_named(
    mosquitto: Mosquitto, things: ExitStack
) -> None:
    bench = things.enter_context(closing(Bench(mosquitto.port)))
    bench.until(DeviceChanged, present=True)
    mosquitto.pause()
    things.callback(mosquitto.resume)
    with pytest.raises(BridgeError, match="acknowledges"):
        bench.insist("light.kitchen", "on", WAITING_COMMANDS + 1)


def test_a_broker_that_speaks_another_protocol_is_away(things: ExitStack) -> None:
    with FakeBroker(b"\xff" * 8) as fake:
        bench = things.enter_context(closing(Bench(fake.port)))
        (told,) = bench.until(DeviceChanged, present=False)
        assert isinstance(told, DeviceChanged)
        assert "mqtt.version" in told.detail


@pytest.mark.parametrize(
    "settings",
    [{"prefix": "a/#"}, {"prefix": ""}, {"host": "a" * 64}, {"ca_file": "/etc/hark/ca.crt"}],
)
def test_settings_that_cannot_work_are_refused_at_once(settings: dict[str, str]) -> None:
    with pytest.raises(ConfigError, match="mqtt"):
        connection(MqttSettings(**{"host": "h", **settings}))


def test_what_paho_logs_as_an_error_is_complained_of_until_the_end(
    caplog: pytest.LogCaptureFixture,
) -> None:
    broker = Broker(MqttSettings(host="127.0.0.1", port=1))
    broker._client._easy_log(LogLevel.MQTT_LOG_DEBUG, "sent a ping")
    broker._client._easy_log(LogLevel.MQTT_LOG_ERR, "a callback failed")
    signal = broker.fileno()
    broker.close()
    broker._client._easy_log(LogLevel.MQTT_LOG_ERR, "too late")
    told = [record.message for record in caplog.records if "(bridge.client)" in record.message]
    assert told == ["paho: a callback failed (bridge.client)"]
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(signal)
