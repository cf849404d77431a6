"""A real broker, restarted and refusing: what is said aloud reaches the lamp, and back."""

from __future__ import annotations

import os
import queue
import select
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
from paho.mqtt.client import MQTTMessage, MQTTMessageInfo
from paho.mqtt.enums import LogLevel, MQTTErrorCode
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.reasoncodes import ReasonCode

from assistant.bridge.client import WAITING_COMMANDS, connection, password
from assistant.bridge.mqtt import FRESH_S, Broker
from assistant.bridge.payloads import LARGEST_PAYLOAD_BYTES
from assistant.core.clock import boottime_s
from assistant.core.errors import BridgeError, ConfigError
from assistant.core.messages import DeviceChanged, HomeCommand, HomeReceipt, HomeStates, Tick
from assistant.core.settings.mqtt import MqttSettings
from tests.support.bridge import Bench
from tests.support.mosquitto import MOSQUITTO_PASSWD, PATIENCE_S, FakeBroker, Lamp, Mosquitto
from tests.support.processes import until

CONNECTED = bytes.fromhex("20 03 00 00 00")
"""CONNACK of MQTT 5: success, no properties."""
QOS_1 = b"\x01"
"""A subscription's options, at its end: messages are repeated until they are acknowledged."""
LOST = DeviceChanged(device="broker", present=False, detail="connection lost: Unspecified error")


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


def test_what_is_published_waits_for_no_acknowledgement(
    mosquitto: Mosquitto, things: ExitStack
) -> None:
    bench = things.enter_context(closing(Bench(mosquitto.port)))
    bench.until(DeviceChanged, present=True)
    opened: Any = bench.broker._client.socket()
    assert opened.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


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
    mosquitto: Mosquitto, things: ExitStack, caplog: pytest.LogCaptureFixture
) -> None:
    lamp = things.enter_context(closing(Lamp(mosquitto.port)))
    bench = things.enter_context(closing(Bench(mosquitto.port, ("light.kitchen", "light.a/b"))))
    told = '"light.a/b" cannot be named in an MQTT topic; rename it in the home file (bridge.topic)'
    assert [record.message for record in caplog.records] == [told]
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
    assert bench.broker.states() is None


@pytest.mark.parametrize(("version", "most_bytes"), [("5", 1), ("3.1.1", 140_000)])
def test_of_a_huge_retained_payload_no_more_than_its_beginning_reaches_the_bridge(
    mosquitto: Mosquitto, things: ExitStack, version: str, most_bytes: int
) -> None:
    lamp = things.enter_context(closing(Lamp(mosquitto.port)))
    lamp.tell("hark/light/kitchen/state", b"x" * 5_000_000)
    client = connection(
        MqttSettings(host="127.0.0.1", port=mosquitto.port, version=version)  # type: ignore[arg-type]
    )
    sizes: queue.Queue[int] = queue.Queue()
    client.when_ended = lambda _: None
    client.on_message = lambda _, __, message: sizes.put(len(message.payload))
    client.on_connect = lambda client, *_: client.subscribe("hark/#", qos=1)
    client.on_subscribe = lambda *_: lamp.tell("hark/end", b"-")
    client.loop_start()
    things.callback(client.loop_stop)
    things.callback(client.disconnect)
    came = list(iter(lambda: sizes.get(timeout=PATIENCE_S), 1))  # until the end
    assert all(LARGEST_PAYLOAD_BYTES < size < most_bytes for size in came)


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
    assert bench.broker.states() is None


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


def test_what_is_commanded_while_the_broker_is_away_is_left_to_those_who_command(
    mosquitto: Mosquitto, things: ExitStack
) -> None:
    bench = things.enter_context(closing(Bench(mosquitto.port)))
    bench.until(DeviceChanged, present=True)
    mosquitto.stop()
    bench.until(DeviceChanged, present=False)
    bench.command("light.kitchen", "on")
    skipped = bench.command("media_player.tv", command="next")
    bench.until(HomeReceipt, sent=(), unsent=(skipped,), unsure=())
    mosquitto.start()
    lamp = things.enter_context(closing(Lamp(mosquitto.port)))
    bench.until(DeviceChanged, present=True)
    done = bench.command("light.kitchen", "off")
    bench.until(HomeReceipt, sent=(done,), unsent=(), unsure=())
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
    with FakeBroker(CONNECTED) as fake, closing(Bench(fake.port)) as bench:
        asked = fake.heard.get(timeout=PATIENCE_S)
        assert b"hark/switch/fan/state" + QOS_1 in asked
        assert b"online" not in asked
        bench.stage.follow(["light.hall"])
        told = b""
        while b"hark/light/hall/state" not in told:
            told += fake.heard.get(timeout=PATIENCE_S)
        assert told.endswith(b"hark/light/hall/state" + QOS_1)


def test_without_devices_the_bridge_is_online_at_once(
    mosquitto: Mosquitto, things: ExitStack
) -> None:
    bench = things.enter_context(closing(Bench(mosquitto.port, ())))
    bench.until(DeviceChanged, present=True)


def test_others_see_that_the_bridge_has_left(
    mosquitto: Mosquitto, things: ExitStack, caplog: pytest.LogCaptureFixture
) -> None:
    lamp = things.enter_context(closing(Lamp(mosquitto.port)))
    bench = Bench(mosquitto.port)
    bench.until(DeviceChanged, present=True)
    assert lamp.hears("hark/bridge/state") == (b"online", False)
    bench.close()
    assert not bench.broker.alive
    assert lamp.hears("hark/bridge/state") == (b"offline", False)
    late = things.enter_context(closing(Lamp(mosquitto.port)))
    assert late.hears("hark/bridge/state") == (b"offline", True)
    assert caplog.text == ""


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


def test_each_command_is_reported_once_the_broker_has_it(
    mosquitto: Mosquitto, things: ExitStack
) -> None:
    lamp = things.enter_context(closing(Lamp(mosquitto.port)))
    bench = things.enter_context(closing(Bench(mosquitto.port)))
    bench.until(DeviceChanged, present=True)
    mosquitto.pause()
    things.callback(mosquitto.resume)
    lit = bench.command("light.kitchen", "on")
    skipped = bench.command("media_player.tv", command="next")
    assert bench.broker.receipt() is None
    mosquitto.resume()
    told = bench.until_reported(lit, skipped)
    assert all(not (receipt.unsent or receipt.unsure) for receipt in told)
    assert lamp.hears("hark/light/kitchen/set") == (b"ON", False)
    assert lamp.hears("hark/media_player/tv/set") == (b"next", False)


def test_a_command_whose_connection_is_lost_before_its_receipt_is_unsure_and_not_repeated(
    mosquitto: Mosquitto, things: ExitStack
) -> None:
    bench = things.enter_context(closing(Bench(mosquitto.port)))
    bench.until(DeviceChanged, present=True)
    mosquitto.pause()
    skipped = bench.command("media_player.tv", command="next")
    lit = bench.command("light.kitchen", "on")
    mosquitto.stop()
    bench.until(HomeReceipt, sent=(), unsent=(), unsure=(skipped,))
    mosquitto.start()
    lamp = things.enter_context(closing(Lamp(mosquitto.port)))
    meanwhile = bench.until(DeviceChanged, present=True)
    again = bench.command("media_player.tv", command="previous")
    sent = {number for m in meanwhile if isinstance(m, HomeReceipt) for number in m.sent}
    bench.until_reported(*({lit, again} - sent))
    assert lamp.hears("hark/media_player/tv/set") == (b"previous", False)


def test_a_command_that_is_no_state_is_not_obeyed_when_it_is_old(
    mosquitto: Mosquitto, things: ExitStack
) -> None:
    lamp = things.enter_context(closing(Lamp(mosquitto.port)))
    bench = things.enter_context(closing(Bench(mosquitto.port)))
    bench.until(DeviceChanged, present=True)
    old = bench.command("media_player.tv", command="next", age_s=FRESH_S + 0.5)
    bench.until(HomeReceipt, sent=(), unsent=(old,), unsure=())
    bench.until_reported(bench.command("media_player.tv", command="previous", age_s=FRESH_S / 2))
    assert lamp.hears("hark/media_player/tv/set") == (b"previous", False)


def test_a_broker_that_acknowledges_nothing_is_named(
    mosquitto: Mosquitto, things: ExitStack
) -> None:
    bench = things.enter_context(closing(Bench(mosquitto.port)))
    bench.until(DeviceChanged, present=True)
    mosquitto.pause()
    things.callback(mosquitto.resume)
    told = "^the broker acknowledges no commands: light.kitchen was not told$"
    with pytest.raises(BridgeError, match=told) as fault:
        bench.insist("light.kitchen", "on", WAITING_COMMANDS + 1)
    assert fault.value.code == "bridge.full"


def test_a_broker_that_speaks_another_protocol_is_away(things: ExitStack) -> None:
    with FakeBroker(b"\xff" * 8) as fake:
        bench = things.enter_context(closing(Bench(fake.port)))
        (told,) = bench.until(DeviceChanged, present=False)
        assert isinstance(told, DeviceChanged)
        assert "mqtt.version" in told.detail


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        (
            "34 07 0001 78 0001 00 78",
            "paho: the broker sends with QoS 2, which nobody has asked for",
        ),
        ("30 02 ffff", "connection lost: Protocol error"),
        ("30 ff ff ff ff ff", "connection lost: Protocol error"),
        ("f0 00", "connection lost: Protocol error"),
        ("32 04 0000 0000", "connection lost: Protocol error"),
    ],
)
def test_a_packet_that_no_broker_may_send_ends_the_connection_and_not_the_thread(
    things: ExitStack, caplog: pytest.LogCaptureFixture, sent: str, told: str
) -> None:
    with FakeBroker(CONNECTED + bytes.fromhex(sent)) as fake:
        bench = things.enter_context(closing(Bench(fake.port)))
        bench.until(DeviceChanged, present=False)
        assert bench.broker.alive
        assert told in caplog.text


@pytest.mark.parametrize(("asked_s", "asks_every_s"), [(0, 15), (65_535, 15), (4, 4)])
def test_a_broker_cannot_have_it_ask_less_often_whether_it_is_there(
    things: ExitStack, asked_s: int, asks_every_s: int
) -> None:
    with FakeBroker(bytes.fromhex("20 06 00 00 03 13") + asked_s.to_bytes(2)) as fake:
        bench = things.enter_context(closing(Bench(fake.port)))
        fake.heard.get(timeout=PATIENCE_S)  # it subscribes once it is connected
        until(lambda: bench.broker._client._keepalive == asks_every_s)
        bench.broker._client.disconnect()


@pytest.mark.parametrize(
    "settings",
    [{"prefix": "a/#"}, {"prefix": ""}, {"host": "a" * 64}, {"ca_file": "/etc/hark/ca.crt"}],
)
def test_settings_that_cannot_work_are_refused_at_once(settings: dict[str, str]) -> None:
    with pytest.raises(ConfigError, match="mqtt"):
        connection(MqttSettings(**{"host": "h", **settings}))


# ── what paho tells, without a broker that does it ──────────────────────────────────────────────


class Quiet(Broker):
    """A broker that accepts the connection and says nothing; the tests call in paho's place."""

    def __init__(self, port: int) -> None:
        super().__init__(MqttSettings(host="127.0.0.1", port=port), ["light.kitchen", "fan.a"])
        self.sent: list[tuple[str, bytes, int, bool]] = []
        self.takes = MQTTErrorCode.MQTT_ERR_SUCCESS
        self._client.publish = self._note  # type: ignore[assignment, method-assign]
        until(lambda: self._client.socket() is not None)  # then paho's thread calls nothing more

    def _note(self, topic: str, payload: Any, qos: int = 0, retain: bool = False) -> Any:
        self.sent.append((topic, payload, qos, retain))
        info = MQTTMessageInfo(len(self.sent))
        info.rc = self.takes
        return info

    def tell(self, what: str, *values: Any) -> None:
        """Have paho tell it `what`, such as "connect"."""
        getattr(self._client, f"on_{what}")(self._client, None, *values)

    def hear(self, topic: str, payload: bytes) -> None:
        """Have a message come."""
        message = MQTTMessage(topic=topic.encode())
        message.payload = payload
        self.tell("message", message)

    def answer(self, name: str) -> None:
        """Have the broker answer so to the connection."""
        self.tell("connect", {}, ReasonCode(PacketTypes.CONNACK, name), None)

    def hang_up(self, why: str = "Unspecified error") -> None:
        """Have the connection end."""
        reason = ReasonCode(PacketTypes.DISCONNECT, why)
        self.tell("disconnect", None, reason, None)

    def has_news(self) -> bool:
        """Whether it is readable; then it is read."""
        readable = bool(select.select([self], [], [], 0)[0])
        self.read()
        return readable


@pytest.fixture
def silent_port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


@pytest.fixture
def quiet(silent_port: int) -> Iterator[Quiet]:
    with closing(Quiet(silent_port)) as made:
        yield made


def test_what_paho_logs_as_an_error_is_complained_of_until_the_end(
    silent_port: int, caplog: pytest.LogCaptureFixture
) -> None:
    broker = Quiet(silent_port)
    broker._client._easy_log(LogLevel.MQTT_LOG_DEBUG, "sent a ping")
    broker._client._easy_log(LogLevel.MQTT_LOG_ERR, "a callback failed")
    signal = broker.fileno()
    broker.close()
    broker._client._easy_log(LogLevel.MQTT_LOG_ERR, "too late")
    told = [record.message for record in caplog.records if "(bridge.client)" in record.message]
    assert told == ["paho: a callback failed (bridge.client)"]
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(signal)
    until(lambda: not broker.alive)  # its thread ends too


def test_there_is_news_when_something_is_new(quiet: Quiet) -> None:
    assert (quiet.presence, quiet.alive) == (None, True)
    assert not quiet.has_news()
    quiet.hear("hark/light/kitchen/state", b"ON")
    assert quiet.has_news()
    quiet.hear("hark/light/kitchen/state", b"OFF")
    quiet.hear("hark/fan/a/state", b"ON")
    assert not quiet.has_news()  # the stage has not yet asked for the first
    assert quiet.states() == HomeStates(states={"light.kitchen": "off", "fan.a": "on"})
    quiet.told(HomeStates(states={"light.kitchen": "off", "fan.a": "off"}))
    assert quiet.states() == HomeStates(states={"fan.a": "on"})
    quiet.told(HomeStates(states={"fan.a": "on"}))
    for nothing in (b"", b"{", b"online"):
        quiet.hear("hark/fan/a/state", nothing)
    quiet.hear("hark/fan/b/state", b"ON")
    assert (quiet.states(), quiet.has_news()) == (None, False)
    quiet.hear("hark/fan/a/state", b"ON")
    assert quiet.has_news()


def test_news_are_read_as_the_time(quiet: Quiet) -> None:
    before_s = boottime_s()
    (tick,) = quiet.read()
    assert isinstance(tick, Tick)
    assert before_s <= tick.at_s <= boottime_s()


def test_each_change_is_told_and_logged_once(
    quiet: Quiet, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    quiet.tell("subscribe", 1, [ReasonCode(PacketTypes.SUBACK, "Granted QoS 1")], None)
    assert quiet.sent == [("hark/bridge/state", "online", 1, True)]
    quiet.tell("subscribe", 2, [ReasonCode(PacketTypes.SUBACK, "Granted QoS 1")], None)
    assert quiet.presence == DeviceChanged(device="broker", present=True, detail="")
    assert quiet.has_news()
    quiet.answer("Success")
    assert not quiet.has_news()
    for _ in range(2):
        quiet.hang_up()
        assert quiet.presence == LOST
    assert quiet.has_news()
    assert [(record.levelname, record.message) for record in caplog.records] == [
        ("INFO", "broker: connected"),
        ("WARNING", f"broker: {LOST.detail} (bridge.away)"),
    ]


def told_away(broker: Broker) -> str:
    assert broker.presence is not None
    assert not broker.presence.present
    return broker.presence.detail


UNASKED = "it hung up unasked; see mqtt.tls, and mqtt.version for a broker without MQTT 5"


def test_why_the_broker_is_away_is_what_it_last_answered(quiet: Quiet) -> None:
    quiet.hang_up()
    assert told_away(quiet) == UNASKED
    quiet.answer("Success")
    quiet.hang_up()
    assert told_away(quiet) == LOST.detail
    quiet.answer("Not authorized")
    refused = "refused: Not authorized; see [mqtt] in the settings"
    assert told_away(quiet) == refused
    quiet.hang_up()
    assert told_away(quiet) == refused
    quiet.tell("pre_connect")
    quiet.hang_up()
    assert told_away(quiet) == UNASKED
    quiet.answer("Success")
    quiet.tell("pre_connect")
    quiet.hang_up()
    assert told_away(quiet) == UNASKED
    quiet.tell("connect_fail")
    assert told_away(quiet).startswith("nothing answers at 127.0.0.1:")
    quiet.tell("pre_connect")
    quiet.hang_up("Keep alive timeout")
    assert told_away(quiet) == "it accepts the connection, and is silent"


def test_a_broker_that_lets_nobody_listen_is_away(quiet: Quiet) -> None:
    names = ("Granted QoS 1", "Not authorized", "Quota exceeded")
    quiet.tell("subscribe", 1, [ReasonCode(PacketTypes.SUBACK, name) for name in names], None)
    assert told_away(quiet) == "may not subscribe to 2 topics: Not authorized"
    assert quiet.sent == []


def next_track(given_at_s: float) -> HomeCommand:
    return HomeCommand(
        given_at_s=given_at_s, utterance_id="u", entity_id="player.c", command="next", ids=(1,)
    )


def test_a_change_on_its_way_is_not_published_again(quiet: Quiet) -> None:
    quiet.presence = DeviceChanged(device="broker", present=True, detail="")
    for ids in ((1, 2), (1, 2), (2,), (2, 3)):
        quiet.publish(HomeCommand(utterance_id="u", entity_id="light.a", state="off", ids=ids))
    assert [payload for _, payload, *_ in quiet.sent] == [b"OFF", b"OFF"]


def test_a_command_that_is_no_state_is_followed_by_what_is_acknowledged(quiet: Quiet) -> None:
    quiet.presence = DeviceChanged(device="broker", present=True, detail="")
    now_s = boottime_s()
    quiet.publish(
        HomeCommand(
            given_at_s=now_s, utterance_id="u", entity_id="player.c", command="next", ids=(1,)
        )
    )
    assert quiet.sent == [
        ("hark/player/c/set", b"next", 0, False),
        ("hark/bridge/state", "online", 1, True),
    ]


def test_a_command_that_is_no_state_and_is_not_taken_is_unsent(quiet: Quiet) -> None:
    quiet.presence = DeviceChanged(device="broker", present=True, detail="")
    quiet.takes = MQTTErrorCode.MQTT_ERR_NO_CONN
    quiet.publish(next_track(boottime_s()))
    assert [payload for _, payload, *_ in quiet.sent] == [b"next"]
    assert quiet.receipt() == HomeReceipt(unsent=(1,))


@pytest.mark.parametrize("announce", [False, True])
def test_whether_it_is_muted_is_looked_at_twice_a_minute_by_who_announces_itself(
    silent_port: int, announce: bool
) -> None:
    looked: list[float] = []
    settings = MqttSettings(host="127.0.0.1", port=silent_port, announce=announce)
    with closing(Broker(settings, is_muted=lambda: bool(looked.append(at_s)))) as broker:
        assert broker.due_s() == (0.0 if announce else None)
        for at_s in (100.0, 129.9, 130.0):
            broker.tend(at_s)
        assert looked == [100.0, 130.0] * announce
        assert broker.due_s() == (160.0 if announce else None)


@pytest.mark.parametrize("again", [False, True])
def test_an_acknowledgement_by_a_later_connection_proves_nothing(quiet: Quiet, again: bool) -> None:
    quiet.presence = DeviceChanged(device="broker", present=True, detail="")
    now_s = boottime_s()
    quiet.publish(
        HomeCommand(
            given_at_s=now_s, utterance_id="u", entity_id="player.c", command="next", ids=(1,)
        )
    )
    quiet.publish(HomeCommand(utterance_id="u", entity_id="light.a", state="on", ids=(2,)))
    if again:
        quiet.tell("pre_connect")
    for number in (2, 3):
        quiet.tell("publish", number, ReasonCode(PacketTypes.PUBACK, "Success"), None)
    sent, unsure = ((2,), (1,)) if again else ((1, 2), ())
    assert quiet.receipt() == HomeReceipt(sent=sent, unsure=unsure)
    quiet.received(HomeReceipt(sent=sent))
    assert quiet.receipt() == (HomeReceipt(unsure=unsure) if unsure else None)


def test_what_the_broker_refuses_is_over_and_named(
    quiet: Quiet, caplog: pytest.LogCaptureFixture
) -> None:
    quiet.presence = DeviceChanged(device="broker", present=True, detail="")
    quiet.publish(HomeCommand(utterance_id="u", entity_id="light.a", state="on", ids=(2,)))
    quiet.tell("publish", 1, ReasonCode(PacketTypes.PUBACK, "Not authorized"), None)
    assert quiet.receipt() == HomeReceipt(sent=(2,))
    assert "broker: refuses a command: Not authorized (bridge.refused)" in caplog.text


def test_a_device_that_no_topic_can_name_is_given_up(quiet: Quiet) -> None:
    with pytest.raises(BridgeError, match="cannot be named"):
        quiet.publish(HomeCommand(utterance_id="u", entity_id="light.a/b", state="on", ids=(4,)))
    assert quiet.receipt() == HomeReceipt(unsent=(4,))


def test_after_the_end_nothing_is_told(silent_port: int, caplog: pytest.LogCaptureFixture) -> None:
    quiet = Quiet(silent_port)
    quiet.close()
    quiet.hang_up()
    quiet.tell("connect_fail")
    quiet.hear("hark/light/kitchen/state", b"ON")
    assert quiet.presence is None
    assert caplog.text == ""


@pytest.mark.parametrize("fault", [None, ValueError("queue full"), RuntimeError("no connection")])
def test_leaving_takes_a_second_at_most_whatever_the_broker_does(
    mosquitto: Mosquitto, monkeypatch: pytest.MonkeyPatch, fault: Exception | None
) -> None:
    def wait(_: MQTTMessageInfo, timeout_s: float | None = None) -> None:
        waited.append(timeout_s)
        if fault is not None:
            raise fault

    waited: list[float | None] = []
    monkeypatch.setattr(MQTTMessageInfo, "wait_for_publish", wait)
    bench = Bench(mosquitto.port)
    bench.until(DeviceChanged, present=True)
    bench.close()
    assert waited == [1.0]
    assert not bench.broker.alive


def test_the_end_of_the_thread_is_told_aloud(
    monkeypatch: pytest.MonkeyPatch, things: ExitStack, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("paho.mqtt.client.Client.loop_forever", lambda *_: 0)
    broker = things.enter_context(closing(Broker(MqttSettings(host="127.0.0.1", port=1))))
    assert select.select([broker], [], [], PATIENCE_S)[0]
    assert not broker.alive
    told = "the thread of the connection has ended: None (bridge.ended)"
    assert [record.message for record in caplog.records] == [told]
