"""The bridge between the daemon and an MQTT broker: the only part that speaks to a network.

Topics follow Home Assistant and zigbee2mqtt. Commands go to PREFIX/domain/object/set, QoS 1 and
never retained, for a device that comes back must not obey an old wish. States come from
PREFIX/domain/object/state, which devices retain. PREFIX/bridge/state, retained and the connection's
last will, tells others whether the bridge is "online" or "offline".
"""

from __future__ import annotations

import contextlib
import logging
import os
import stat
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

import msgspec
from paho.mqtt.client import Client, ConnectFlags, DisconnectFlags, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from assistant.core.clock import boottime_s
from assistant.core.config import Mqtt
from assistant.core.errors import BridgeError, ConfigError
from assistant.core.messages import DeviceChanged, HomeCommand, HomeState, Message, SlotValue, Tick
from assistant.skill.values import Colour

KEEPALIVE_S = 15
RECONNECT_S = (1, 60)
GOODBYE_S = 1.0
ANNOUNCE_EVERY_S = 30.0
JOINED_AFTER_S = 1.0
"""By then whoever listens to this process has joined it, which takes up to 0.2 s."""
LARGEST_PAYLOAD_BYTES = 16_384
FULL_BRIGHTNESS = 255
WHITE = (255, 255, 255)
MIREDS_KELVIN = 1_000_000
"""A white of so many kelvin has this divided by them as its mireds."""

COMMANDS = {
    "on": "ON",
    "off": "OFF",
    "open": "OPEN",
    "closed": "CLOSE",
    "locked": "LOCK",
    "unlocked": "UNLOCK",
    "playing": "play",
    "paused": "pause",
    "cleaning": "start",
    "mowing": "start_mowing",
    "returning": "return_to_base",
    "docked": "dock",
}
"""Wanted state → the payload that Home Assistant's MQTT devices understand by default."""

log = logging.getLogger(__name__)


class Unsent(msgspec.Struct, frozen=True):
    """What a device is to be told when the broker is back: its latest state and attributes."""

    state: str = ""
    attributes: dict[str, SlotValue] = {}

    def then(self, wish: HomeCommand) -> Unsent:
        """The same with what was wished later."""
        return Unsent(wish.state or self.state, {**self.attributes, **wish.attributes})


class Light(msgspec.Struct, frozen=True, omit_defaults=True):
    """A payload in JSON, of which further keys are passed over; brightness is from 0 to 255."""

    state: str
    brightness: float | None = None


class Broker:
    """A connection to the broker that mends itself; a `Source` whose `Tick` means there is news.

    paho's thread keeps the connection; what it hears waits in `news` for the worker's thread.
    """

    def __init__(self, settings: Mqtt) -> None:
        self._settings = settings
        self._news: deque[Message] = deque()
        self._unsent: dict[str, Unsent] = {}
        self._signal = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self.presence: DeviceChanged | None = None
        """What was last heard of the broker; None before the first attempt to connect."""
        self._client = _client(settings)
        self._client.on_connect = self._connected
        self._client.on_subscribe = self._subscribed
        self._client.on_connect_fail = self._unreachable
        self._client.on_disconnect = self._disconnected
        self._client.on_message = self._heard
        self._client.connect_async(settings.host, settings.port, KEEPALIVE_S)
        self._client.loop_start()

    def fileno(self) -> int:
        """A descriptor that is readable when there is news."""
        return self._signal

    def read(self) -> Iterable[Message]:
        """A `Tick` that has the stage ask for the news."""
        with contextlib.suppress(BlockingIOError):
            os.eventfd_read(self._signal)
        return (Tick(at_s=boottime_s()),)

    def news(self) -> Iterator[Message]:
        """Take what was heard since the last call, in order."""
        while self._news:
            yield self._news.popleft()

    def publish(self, wish: HomeCommand) -> None:
        """Command a device; while the broker is away, its latest state and attributes wait for it.

        A command that is no state is dropped then: nobody wants it later. Raises `BridgeError` for
        an entity that no topic can name.
        """
        topic = command_topic(self._settings.prefix, wish.entity_id)
        # Not paho's idea of being connected: it may lag, and paho would send an older wish first.
        if self.presence is None or not self.presence.present:
            if not wish.command:
                before = self._unsent.get(wish.entity_id, Unsent())
                self._unsent[wish.entity_id] = before.then(wish)
            return
        self._unsent.pop(wish.entity_id, None)
        payload = command_payload(wish.command or wish.state, wish.attributes)
        self._client.publish(topic, payload, qos=1)

    def catch_up(self) -> None:
        """Publish what has waited for the broker."""
        waiting, self._unsent = self._unsent, {}
        for entity_id, unsent in waiting.items():
            wish = HomeCommand(
                utterance_id="",
                entity_id=entity_id,
                state=unsent.state,
                attributes=unsent.attributes,
            )
            self.publish(wish)

    def close(self) -> None:
        """Take leave of the broker."""
        if self._client.is_connected():
            farewell = self._client.publish(_presence_topic(self._settings), "offline", 1, True)
            with contextlib.suppress(RuntimeError):
                farewell.wait_for_publish(GOODBYE_S)
        self._client.disconnect()
        self._client.loop_stop()
        os.close(self._signal)

    def _connected(
        self, client: Client, _: Any, __: ConnectFlags, reason: ReasonCode, ___: Properties | None
    ) -> None:
        if reason.is_failure:
            self._changed(False, f"refused: {reason}; see [mqtt] in the settings")
            return
        client.publish(_presence_topic(self._settings), "online", 1, True)
        client.subscribe(f"{self._settings.prefix}/+/+/state", qos=1)

    def _subscribed(
        self, _: Client, __: Any, ___: int, reasons: list[ReasonCode], ____: Properties | None
    ) -> None:
        refused = [str(reason) for reason in reasons if reason.is_failure]
        self._changed(not refused, f"may not subscribe: {refused[0]}" if refused else "")

    def _unreachable(self, _: Client, __: Any) -> None:
        where = f"{self._settings.host}:{self._settings.port}"
        self._changed(False, f"nothing answers at {where}")

    def _disconnected(
        self, _: Client, __: Any, ___: DisconnectFlags, reason: ReasonCode, ____: Properties | None
    ) -> None:
        self._changed(False, f"connection lost: {reason}")

    def _heard(self, _: Client, __: Any, message: MQTTMessage) -> None:
        try:
            state = read_state(message.payload)
        except ValueError as error:
            log.warning("%s: no state of a device: %s", message.topic, error)
            return
        domain, name = message.topic.removeprefix(f"{self._settings.prefix}/").split("/")[:2]
        entity_id = f"{domain}.{name}"
        self._tell(HomeState(utterance_id="broker", entity_id=entity_id, state=state))

    def _changed(self, present: bool, detail: str) -> None:
        if self.presence is not None and self.presence.present == present:
            return
        log.log(logging.INFO if present else logging.WARNING, "broker: %s", detail or "connected")
        self.presence = DeviceChanged(device="broker", present=present, detail=detail)
        self._tell(self.presence)

    def _tell(self, message: Message) -> None:
        self._news.append(message)
        os.eventfd_write(self._signal, 1)


class BridgeStage:
    """Commands to the broker, states and the broker's presence from it."""

    consumes: ClassVar[tuple[type[Message], ...]] = (HomeCommand, Tick)

    def __init__(self, broker: Broker) -> None:
        self._broker = broker
        self._announce_at_s = 0.0

    def feed(self, message: Message) -> Iterable[Message]:
        """Publish a command, or give the broker's news on a `Tick`."""
        if isinstance(message, HomeCommand):
            self._broker.publish(message)
            return
        for news in self._broker.news():
            if isinstance(news, DeviceChanged):
                self._announce_at_s = message.at_s + JOINED_AFTER_S
                if news.present:
                    self._broker.catch_up()
            yield news
        if message.at_s >= self._announce_at_s:
            self._announce_at_s = message.at_s + ANNOUNCE_EVERY_S
            # A broadcast may be lost, above all while the listeners are starting.
            if self._broker.presence is not None:
                yield self._broker.presence

    def deadline_s(self) -> float | None:
        """When the broker's presence is to be told again."""
        return self._announce_at_s


def command_topic(prefix: str, entity_id: str) -> str:
    """The topic that commands `entity_id`; raises `BridgeError` for a name that is no topic."""
    domain, _, name = entity_id.partition(".")
    if not domain or not name or set(entity_id) & set("/+#\0"):
        message = f'"{entity_id}" cannot be named in an MQTT topic; rename it in the home file'
        raise BridgeError("bridge.topic", message)
    return f"{prefix}/{domain}/{name}/set"


def command_payload(
    state: str, attributes: Mapping[str, SlotValue] = MappingProxyType({})
) -> bytes:
    """The payload that brings a device into `state` ("" leaves it) and gives it `attributes`.

    Without attributes it is a plain word, but for "40%", a brightness of 102 out of 255.
    """
    if not attributes and not state.endswith("%"):
        return COMMANDS.get(state, state).encode()
    told: dict[str, Any] = {}
    # A device that is told to open and to stop half way opens.
    if state and "position" not in attributes:
        told["state"] = COMMANDS.get(state, state)
    if state.endswith("%"):
        told |= {"state": "ON", "brightness": round(int(state[:-1]) * FULL_BRIGHTNESS / 100)}
    for name, value in attributes.items():
        told |= _attribute(name, value)
    return msgspec.json.encode(told)


def _attribute(name: str, value: SlotValue) -> dict[str, Any]:
    """An attribute as Home Assistant's MQTT lights and zigbee2mqtt name it."""
    if name == "color":
        red, green, blue = Colour.read(str(value)).rgb or WHITE
        return {"color": {"r": red, "g": green, "b": blue}}
    if name == "color_temp_kelvin":
        return {"color_temp": round(MIREDS_KELVIN / float(value or 1))}
    return {name: value}


def read_state(payload: bytes | bytearray) -> str:
    """The state in a device's payload: a plain word, or JSON with "state" and "brightness".

    Raises `ValueError` for anything else.
    """
    if len(payload) > LARGEST_PAYLOAD_BYTES:
        raise ValueError(f"{len(payload)} bytes are too many")
    text = payload.decode("utf-8").strip()
    if not text:
        raise ValueError("it is empty")
    return _light_state(text) if text.startswith("{") else text.lower()


def _light_state(text: str) -> str:
    try:
        light = msgspec.json.decode(text, type=Light)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ValueError(str(error)) from error
    if light.state.lower() == "on" and light.brightness is not None:
        return f"{min(100, max(1, round(light.brightness * 100 / FULL_BRIGHTNESS)))}%"
    return light.state.lower()


def password(settings: Mqtt) -> str | None:
    """The password in the settings' file, or None; raises `ConfigError` when all may read it."""
    if not settings.password_file:
        return None
    file = Path(settings.password_file).expanduser()
    try:
        secret = file.read_text("utf-8").rstrip("\r\n")
        mode = file.stat().st_mode
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError("bridge.password", f"mqtt.password_file: {error}") from error
    if mode & stat.S_IROTH:
        message = f"{file}: everyone can read this password; run: chmod o= {file}"
        raise ConfigError("bridge.password", message)
    return secret


def _client(settings: Mqtt) -> Client:
    if not settings.prefix or set(settings.prefix) & set("+#\0"):
        raise ConfigError("bridge.prefix", f'mqtt.prefix: "{settings.prefix}" is no topic')
    client = Client(CallbackAPIVersion.VERSION2)
    if settings.username:
        client.username_pw_set(settings.username, password(settings))
    client.will_set(_presence_topic(settings), "offline", qos=1, retain=True)
    client.reconnect_delay_set(*RECONNECT_S)
    return client


def _presence_topic(settings: Mqtt) -> str:
    return f"{settings.prefix}/bridge/state"
