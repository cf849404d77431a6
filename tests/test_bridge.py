"""A real broker, restarted and refusing: what is said aloud reaches the lamp, and back."""

from __future__ import annotations

import contextlib
import os
import queue
import select
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion

from assistant.bridge import (
    BridgeStage,
    Broker,
    command_payload,
    command_topic,
    password,
    read_state,
)
from assistant.core.bus import Address, Bus
from assistant.core.clock import boottime_s
from assistant.core.config import Mqtt
from assistant.core.errors import BridgeError, ConfigError
from assistant.core.messages import DeviceChanged, HomeCommand, HomeState, Message, SlotValue, Tick

PATIENCE_S = 20.0
PATH = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"))
MOSQUITTO = shutil.which("mosquitto", path=PATH)
MOSQUITTO_PASSWD = shutil.which("mosquitto_passwd", path=PATH)


class Mosquitto:
    """A broker on a port of its own that can be stopped and started again."""

    def __init__(self, folder: Path, *settings: str) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        self._file = folder / "mosquitto.conf"
        lines = (f"listener {self.port} 127.0.0.1", "user root", *settings)
        self._file.write_text("\n".join(lines) + "\n", "utf-8")
        self._running = ExitStack()

    def start(self) -> None:
        command = (MOSQUITTO or "mosquitto", "-v", "-c", str(self._file))
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        self._running.enter_context(process)
        self._running.callback(process.kill)
        assert process.stderr is not None
        if not any(line.rstrip().endswith("running") for line in process.stderr):
            pytest.fail("mosquitto did not start")
        drain = threading.Thread(target=process.stderr.read)
        drain.start()
        self._running.callback(drain.join)
        self._running.callback(process.kill)

    def stop(self) -> None:
        self._running.close()


class Lamp:
    """A device on the broker: keeps what it was told, and tells what it is told to."""

    def __init__(self, port: int) -> None:
        self.heard: queue.Queue[tuple[str, bytes, bool]] = queue.Queue()
        subscribed = threading.Event()
        self._client = Client(CallbackAPIVersion.VERSION2)
        self._client.on_subscribe = lambda *_: subscribed.set()
        self._client.on_message = self._take
        self._client.connect("127.0.0.1", port)
        self._client.subscribe("hark/#", qos=1)
        self._client.loop_start()
        assert subscribed.wait(PATIENCE_S)

    def tell(self, topic: str, payload: bytes, *, retain: bool = True) -> None:
        self._client.publish(topic, payload, 1, retain).wait_for_publish(PATIENCE_S)

    def hears(self, topic: str) -> tuple[bytes, bool]:
        while True:
            heard, payload, retained = self.heard.get(timeout=PATIENCE_S)
            if heard == topic:
                return payload, retained

    def close(self) -> None:
        self._client.disconnect()
        self._client.loop_stop()

    def _take(self, _: Client, __: object, message: MQTTMessage) -> None:
        self.heard.put((message.topic, bytes(message.payload), message.retain))


class Bench:
    """A bridge stage with its broker, pumped by hand as the worker would."""

    def __init__(self, port: int, **settings: str) -> None:
        self.broker = Broker(Mqtt(host="127.0.0.1", port=port, **settings))
        self.stage = BridgeStage(self.broker)
        self._told: deque[Message] = deque()

    def command(self, entity_id: str, state: str) -> None:
        message = HomeCommand(utterance_id="u1", entity_id=entity_id, state=state)
        assert list(self.stage.feed(message)) == []

    def until(self, wanted: type[Message], **values: object) -> list[Message]:
        """Every message up to the first `wanted` one with these values."""
        seen: list[Message] = []
        while True:
            while self._told:
                seen.append(message := self._told.popleft())
                given = {name: getattr(message, name, None) for name in values}
                if isinstance(message, wanted) and given == values:
                    return seen
            ready, _, _ = select.select([self.broker], [], [], PATIENCE_S)
            assert ready, f"no {wanted.__name__} among {seen}"
            for tick in self.broker.read():
                self._told.extend(self.stage.feed(tick))

    def close(self) -> None:
        self.broker.close()


@pytest.fixture
def mosquitto(tmp_path: Path) -> Iterator[Mosquitto]:
    if MOSQUITTO is None:
        pytest.skip("mosquitto is not installed")
    broker = Mosquitto(tmp_path, "allow_anonymous true")
    broker.start()
    yield broker
    broker.stop()


@pytest.fixture
def things() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


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
    bench.until(HomeState, entity_id="light.kitchen", state="on")
    lamp.tell("hark/switch/fan/state", b'{"state": "OFF", "linkquality": 90}')
    bench.until(HomeState, entity_id="switch.fan", state="off")


def test_what_is_no_state_is_logged_and_passed_over(
    mosquitto: Mosquitto, things: ExitStack, caplog: pytest.LogCaptureFixture
) -> None:
    lamp = things.enter_context(closing(Lamp(mosquitto.port)))
    bench = things.enter_context(closing(Bench(mosquitto.port)))
    bench.until(DeviceChanged, present=True)
    for payload in (b"", b"\xff", b"{", b'{"state": 3}', b'{"x":' + b"[" * 9000, b"x" * 20_000):
        lamp.tell("hark/light/bad/state", payload, retain=False)
    lamp.tell("hark/light/good/state", b"ON")
    seen = bench.until(HomeState)
    assert [m.entity_id for m in seen if isinstance(m, HomeState)] == ["light.good"]
    assert sum("hark/light/bad/state" in record.message for record in caplog.records) == 6


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
    bench.until(HomeState, entity_id="light.kitchen", state="off")


def test_the_broker_may_come_later_than_the_bridge(mosquitto: Mosquitto, things: ExitStack) -> None:
    mosquitto.stop()
    bench = things.enter_context(closing(Bench(mosquitto.port)))
    (absent,) = bench.until(DeviceChanged)
    assert isinstance(absent, DeviceChanged)
    assert not absent.present
    assert str(mosquitto.port) in absent.detail
    mosquitto.start()
    bench.until(DeviceChanged, present=True)


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
        password(Mqtt(host="h", username="u", password_file=str(file)))
    with pytest.raises(ConfigError, match="password_file"):
        password(Mqtt(host="h", username="u", password_file=str(tmp_path / "none")))


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
    broker = things.enter_context(closing(Broker(Mqtt(host="127.0.0.1", port=1))))
    for told in ({"state": "on"}, {"attributes": {"color": "red"}}, {"command": "next"}):
        broker.publish(HomeCommand(utterance_id="u", entity_id="light.a", **told))
    sent: list[tuple[str, dict[str, SlotValue]]] = []
    broker.publish = lambda wish: sent.append((wish.state, wish.attributes))  # type: ignore[method-assign]
    broker.catch_up()
    assert sent == [("on", {"color": "red"})]


def test_the_service_joins_the_bus_and_ends_on_sigterm(
    mosquitto: Mosquitto, things: ExitStack, tmp_path: Path
) -> None:
    lamp = things.enter_context(closing(Lamp(mosquitto.port)))
    runtime = tmp_path / "run"
    settings = tmp_path / "config.toml"
    settings.write_text(
        f'[storage]\nruntime = "{runtime}"\n[mqtt]\nhost = "127.0.0.1"\nport = {mosquitto.port}\n',
        "utf-8",
    )
    address = things.enter_context(closing(Address(runtime)))
    consumers: dict[type[Message], str] = {HomeCommand: "bridge", HomeState: "skills"}
    consumes = (HomeState, DeviceChanged)
    skills = things.enter_context(closing(Bus("skills", address, ["bridge"], consumers, consumes)))
    service = subprocess.Popen(_command("--config", str(settings)))
    things.callback(service.kill)
    skills.send(HomeCommand(utterance_id="u1", entity_id="light.kitchen", state="on"))
    assert lamp.hears("hark/light/kitchen/set") == (b"ON", False)
    lamp.tell("hark/light/kitchen/state", b"ON")
    deadline_s = boottime_s() + PATIENCE_S
    heard: list[Message] = []
    while not any(isinstance(m, HomeState) for m in heard) and boottime_s() < deadline_s:
        heard.extend(skills.receive(0.5))
    assert [m.state for m in heard if isinstance(m, HomeState)] == ["on"]
    service.send_signal(signal.SIGTERM)
    assert service.wait(PATIENCE_S) == 0


def test_without_a_broker_in_the_settings_the_service_says_so_and_ends(tmp_path: Path) -> None:
    settings = tmp_path / "config.toml"
    settings.write_text("", "utf-8")
    ended = subprocess.run(
        _command("--config", str(settings)), capture_output=True, text=True, timeout=60, check=True
    )
    assert "mqtt.host" in ended.stderr


def _command(*arguments: str) -> tuple[str, ...]:
    return (sys.executable, "-m", "assistant", "bridge", *arguments)


@pytest.mark.parametrize(
    ("state", "payload"),
    [("on", b"ON"), ("off", b"OFF"), ("locked", b"LOCK"), ("closed", b"CLOSE"), ("heat", b"heat")],
)
def test_states_become_the_payloads_that_devices_know(state: str, payload: bytes) -> None:
    assert command_payload(state) == payload


@pytest.mark.parametrize(
    ("state", "attributes", "payload"),
    [
        ("open", {"position": 40}, b'{"position":40}'),
        ("on", {"color": "red"}, b'{"state":"ON","color":{"r":255,"g":0,"b":0}}'),
        ("", {"color_temp_kelvin": 2700}, b'{"color_temp":370}'),
        (
            "40%",
            {"color": "lime"},
            b'{"state":"ON","brightness":102,"color":{"r":0,"g":255,"b":0}}',
        ),
        ("", {"volume_level": 30}, b'{"volume_level":30}'),
        ("cleaning", {}, b"start"),
        ("next", {}, b"next"),
    ],
)
def test_attributes_are_told_in_json(
    state: str, attributes: dict[str, SlotValue], payload: bytes
) -> None:
    assert command_payload(state, attributes) == payload


@given(st.integers(1, 100))
def test_a_brightness_survives_the_way_there_and_back(percent: int) -> None:
    assert read_state(command_payload(f"{percent}%")) == f"{percent}%"


@pytest.mark.parametrize("entity_id", ["light", ".x", "light.", "light.a/b", "light.#", "a+.b"])
def test_a_name_that_is_no_topic_is_refused(entity_id: str) -> None:
    with pytest.raises(BridgeError, match="topic"):
        command_topic("hark", entity_id)


@given(st.binary(max_size=64))
def test_any_payload_is_a_state_or_refused(payload: bytes) -> None:
    with contextlib.suppress(ValueError):
        assert read_state(payload) == read_state(payload).lower() != ""
