"""The connection to the MQTT broker, which is restored when it fails."""

from __future__ import annotations

import contextlib
import logging
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec
from paho.mqtt.client import Client, ConnectFlags, DisconnectFlags, MQTTMessage
from paho.mqtt.enums import LogLevel, MQTTErrorCode
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from assistant.bridge.announcement import announcement, muted_topic
from assistant.bridge.client import connection, why_unreachable
from assistant.bridge.complaints import Complaints
from assistant.bridge.link import FRESH_S, Link
from assistant.bridge.payloads import (
    Publication,
    command_payload,
    command_topic,
    presence_topic,
    read_state,
    state_topic,
)
from assistant.bridge.sensors.alarms import Alarms, anomaly_topic
from assistant.bridge.sensors.inputs import SensorInputs
from assistant.bridge.sensors.outbox import Outbox
from assistant.bridge.sensors.topics import SensorTopics
from assistant.core.clock import boottime_s
from assistant.core.errors import BridgeError
from assistant.core.messages import Anomaly, HomeCommand, HomeReceipt
from assistant.core.sensors.described import Sensors
from assistant.core.settings.mqtt import MqttSettings

GOODBYE_S = 1.0
RETAINED_S = 5.0
"""Seconds after a connection until which the broker has sent what it keeps of anomalies."""
LOOK_EVERY_S = 30.0
"""Seconds between two looks whether the assistant is muted."""
_SILENT = "Keep alive timeout"
"""What paho calls it that nothing was heard for long."""

log = logging.getLogger(__name__)


class _Awaited(msgspec.Struct, frozen=True):
    """What waits for the broker's acknowledgement."""

    ids: tuple[int, ...]
    connection: int | None = None
    """The connection that must bring the acknowledgement; None for any."""


class Broker(Link):
    """The broker, with the states it reports of `entity_ids`; paho's is the connection's thread.

    `is_muted` says whether the assistant is muted, as far as one knows. It passes on the values of
    the `sensors`, and publishes alarms about them.
    """

    def __init__(
        self,
        settings: MqttSettings,
        entity_ids: Iterable[str] = (),
        is_muted: Callable[[], bool | None] = lambda: None,
        sensors: Sensors | None = None,
    ) -> None:
        super().__init__(log, "broker")
        self._settings, self._is_muted = settings, is_muted
        self._muted: bool | None = None
        """Whether the assistant is muted; None where nobody knows."""
        self._telling = threading.Lock()
        """Held so that a mute is told either with the connection or after it."""
        self._look_at_s = 0.0
        self._awaited: dict[int, _Awaited] = {}
        """MQTT's id of a message → what its acknowledgement proves to have arrived."""
        self._acknowledged: deque[tuple[int, int]] = deque()
        """Connection and MQTT's id of the acknowledgements that paho's thread has taken."""
        self._connections = 0
        """How often a connection was begun; paho's thread counts."""
        self._complaints = Complaints(log)
        self._topics = self._named(entity_ids)
        self._sensors = SensorInputs(sensors or Sensors(), self.values, settings.prefix)
        self._sensor_topics, self._facts = SensorTopics(), anomaly_topic(settings.prefix, "")
        self._connected_at_s = 0.0
        self._alarms, self._outbox = Alarms(settings.prefix), Outbox(self._publish_alarm)
        self._answered = self._refused = False
        self._client = connection(settings)
        self._client.when_ended = self._ended
        self._client.on_pre_connect = self._connecting
        self._client.on_connect = self._connected
        self._client.on_subscribe = self._answered_subscription
        self._client.on_publish = self._published
        self._client.on_connect_fail = self._unreachable
        self._client.on_disconnect = self._disconnected
        self._client.on_message = self._heard
        self._client.on_log = self._logged
        self._client.loop_start()

    def follow(self, entity_ids: Iterable[str]) -> None:
        """Subscribe to the states of these devices, and of no others."""
        before, self._topics = self._topics, self._named(entity_ids)
        self._unsubscribe(before.keys() - self._topics.keys())
        if added := [(topic, 1) for topic in self._topics.keys() - before.keys()]:
            self._client.subscribe(added)

    def follow_sensors(self, described: Sensors) -> None:
        """Subscribe to the topics of these sensors, and of no others."""
        before = self._of_sensors()
        self._sensors.follow(described)
        self._unsubscribe(before - self._of_sensors())
        added = self._of_sensors() - before - self._of_home()
        self._sensor_topics.subscribe(self._client, added)

    def _unsubscribe(self, topics: Iterable[str]) -> None:
        """Unsubscribe from those of the topics that nothing needs any more."""
        if gone := sorted(set(topics) - self._of_home() - self._of_sensors()):
            self._client.unsubscribe(gone)

    def _of_home(self) -> set[str]:
        """The topics that are followed for the home."""
        return set(self._topics)

    def _of_sensors(self) -> set[str]:
        """The topics of values, and those of what has been published of them."""
        topics = self._sensors.topics
        return {*topics, f"{self._facts}+"} if topics else set()

    def due_s(self) -> float | None:
        """When to look whether the assistant is muted, or to publish what waits."""
        look_at_s = self._look_at_s if self._settings.announce else None
        dues_s = (look_at_s, self._outbox.due_s())
        return min((due_s for due_s in dues_s if due_s is not None), default=None)

    def tend(self, at_s: float) -> None:
        """Look whether it is muted, as what tells of a change may be lost; publish what waits."""
        if self._outbox.due_s() is not None:
            self._outbox.send(at_s)
        if self._settings.announce and at_s >= self._look_at_s:
            self._look_at_s = at_s + LOOK_EVERY_S
            if (on := self._is_muted()) is not None:
                self.muted(on)

    def muted(self, on: bool) -> None:
        """Publish whether the assistant is muted, where it announces itself."""
        with self._telling:
            if self._settings.announce and on is not self._muted:
                self._muted = on
                if self._present:
                    self._announce(self._client)

    def alarm(self, anomaly: Anomaly) -> None:
        """Publish what is wrong, at once or when the broker is back."""
        self._outbox.put(self._alarms.publications(anomaly, self._sensors.described), boottime_s())

    def still_wrong(self, anomalies: Iterable[Anomaly]) -> None:
        """Publish those that neither this bridge has published nor one before it."""
        if self._present and boottime_s() > self._connected_at_s + RETAINED_S:
            for one in self._alarms.unpublished(anomalies):
                self.alarm(one)

    def _publish_alarm(self, one: Publication) -> bool:
        """Whether paho has taken it, which keeps it until the broker has acknowledged it."""
        sent = self._client.publish(one.topic, one.payload, 1, one.retain)
        return sent.rc != MQTTErrorCode.MQTT_ERR_QUEUE_SIZE

    def receipt(self) -> HomeReceipt | None:
        """What became of commands and has not been reported to the daemon; None for nothing."""
        self._settle()
        return super().receipt()

    def publish(self, command: HomeCommand) -> None:
        """Command a device.

        A change is not published while the broker is away, nor while it is on its way: the skills
        send it again. A command that is not a state is published now or never. Raises `BridgeError`
        for an entity that no topic can name, and when too many commands wait for the broker's
        acknowledgement.
        """
        try:
            wanted = self._publications(command)
        except BridgeError:
            self._conclude(command.ids, "unsent")
            raise
        if command.command:
            self._publish_once(wanted, command)
        elif self._present and not self._is_on_its_way(command):
            for one in wanted:
                sent = self._client.publish(one.topic, one.payload, 1, one.retain)
                if sent.rc == MQTTErrorCode.MQTT_ERR_QUEUE_SIZE:
                    message = (
                        f"the broker acknowledges no commands: {command.entity_id} was not told"
                    )
                    raise BridgeError("bridge.full", message)
            # The broker takes them in their order, so the last one's acknowledgement is for all.
            self._awaited[sent.mid] = _Awaited(command.ids)

    def _publications(self, command: HomeCommand) -> Sequence[Publication]:
        """What carries out a command, at least one; raises `BridgeError` where nothing does."""
        topic = command_topic(self._settings.prefix, command.entity_id)
        if command.command:
            return (Publication(topic, command_payload(command.command)),)
        return (Publication(topic, command_payload(command.state, command.attributes)),)

    def _publish_once(self, wanted: Sequence[Publication], command: HomeCommand) -> None:
        """Publish with QoS 0, which nothing repeats, neither paho nor the broker.

        As it is not acknowledged, our presence is published behind it, which is: a broker takes
        what a connection brings in its order.
        """
        connection = self._connections
        if command.given_at_s < boottime_s() - FRESH_S or not self._present:
            self._conclude(command.ids, "unsent")
            return
        for one in wanted:
            sent = self._client.publish(one.topic, one.payload, qos=0)
            if sent.rc != MQTTErrorCode.MQTT_ERR_SUCCESS:
                self._conclude(command.ids, "unsent")
                return
        proof = self._client.publish(presence_topic(self._settings.prefix), "online", 1, True)
        self._awaited[proof.mid] = _Awaited(command.ids, connection)

    def _is_on_its_way(self, command: HomeCommand) -> bool:
        waiting = {number for publication in self._awaited.values() for number in publication.ids}
        return bool(command.ids) and waiting.issuperset(command.ids)

    def _settle(self) -> None:
        """Conclude what the acknowledgements, and lost connections, say of what was published."""
        while self._acknowledged:
            connection, number = self._acknowledged.popleft()
            publication = self._awaited.get(number)
            if publication is not None and publication.connection in (None, connection):
                del self._awaited[number]
                self._conclude(publication.ids, "sent")
        for number, publication in list(self._awaited.items()):
            lost = not self._present or publication.connection != self._connections
            if publication.connection is not None and lost:
                del self._awaited[number]
                self._conclude(publication.ids, "unsure")

    def close(self) -> None:
        """Publish "offline" and disconnect from the broker."""
        connected = self._client.is_connected()
        if connected:
            farewell = self._client.publish(
                presence_topic(self._settings.prefix), "offline", 1, True
            )
            with contextlib.suppress(RuntimeError, ValueError):
                farewell.wait_for_publish(GOODBYE_S)
        self._hush()
        self._client.disconnect()
        # A thread that is still connecting may take seconds more; it ends with the process.
        if connected:
            self._client.loop_stop()

    def _named(self, entity_ids: Iterable[str]) -> dict[str, str]:
        """Topic → device, without devices that no topic can name."""
        topics: dict[str, str] = {}
        for entity_id in entity_ids:
            try:
                topics[state_topic(self._settings.prefix, entity_id)] = entity_id
            except BridgeError as error:
                log.warning("%s (%s)", error.message, error.code)
        return topics

    # ── paho's thread ───────────────────────────────────────────────────────────────────────

    def _connecting(self, _: Client, __: Any) -> None:
        self._connections += 1
        self._answered = self._refused = False

    def _connected(
        self, client: Client, _: Any, __: ConnectFlags, reason: ReasonCode, ___: Properties | None
    ) -> None:
        self._answered, self._refused = True, reason.is_failure
        if reason.is_failure:
            self._changed(False, f"refused: {reason}; see [mqtt] in the settings")
            return
        # Before its presence is told, by which others go.
        self._connected_at_s = boottime_s()
        self._sensor_topics.subscribe(client, self._of_sensors() - self._of_home())
        if topics := self._subscriptions():
            client.subscribe([(topic, 1) for topic in topics])
        else:
            self._joined(client)

    def _subscriptions(self) -> Sequence[str]:
        """The topics without which the home cannot be followed."""
        return list(self._topics)

    def _answered_subscription(
        self,
        client: Client,
        _: Any,
        number: int,
        reasons: list[ReasonCode],
        more: Properties | None,
    ) -> None:
        refused = self._sensor_topics.refused(number, reasons)
        if refused is None:
            self._subscribed(client, _, number, reasons, more)
        elif refused:
            self._complaints.of("sensors", f"{may_not_subscribe(refused)} (bridge.refused)")

    def _subscribed(
        self, client: Client, __: Any, ___: int, reasons: list[ReasonCode], ____: Properties | None
    ) -> None:
        refused = [str(reason) for reason in reasons if reason.is_failure]
        if refused:
            self._changed(False, may_not_subscribe(refused))
        else:
            self._joined(client)

    def _joined(self, client: Client) -> None:
        """Announce that the bridge misses nothing from now on; devices may wait for this."""
        client.publish(presence_topic(self._settings.prefix), "online", 1, True)
        with self._telling:
            if self._settings.announce:
                self._announce(client)
            self._changed(True, "")

    def _announce(self, client: Client) -> None:
        """Tell Home Assistant of the assistant itself, by retained messages."""
        device = announcement(self._settings)
        client.publish(device.topic, device.payload, 1, device.retain)
        if self._muted is not None:
            state = "ON" if self._muted else "OFF"
            client.publish(muted_topic(self._settings.prefix), state, 1, True)

    def _published(
        self, _: Client, __: Any, number: int, reason: ReasonCode, ___: Properties | None
    ) -> None:
        if reason.is_failure:  # it would be refused again
            self._complaints.of("broker", f"refuses a command: {reason} (bridge.refused)")
        self._acknowledged.append((self._connections, number))
        self._wake()

    def _unreachable(self, _: Client, __: Any) -> None:
        # paho calls this inside its exception handler and does not pass the exception.
        self._changed(False, why_unreachable(self._settings, sys.exception()))

    def _disconnected(
        self, _: Client, __: Any, ___: DisconnectFlags, reason: ReasonCode, ____: Properties | None
    ) -> None:
        if self._answered and not self._refused:
            self._changed(False, f"connection lost: {reason}")
        elif not self._refused and str(reason) == _SILENT:
            self._changed(False, "it accepts the connection, and is silent")
        elif not self._refused:
            told = "it hung up unasked; see mqtt.tls, and mqtt.version for a broker without MQTT 5"
            self._changed(False, told)

    def _heard(self, _: Client, __: Any, message: MQTTMessage) -> None:
        topic, payload = message.topic, message.payload
        if not message.retain:  # what the broker has kept may be of any age
            self._sensors.hear(topic, payload)
        elif topic.startswith(self._facts):
            self._alarms.remember(payload)
        self._take(topic, payload, not message.retain)

    def _take(self, topic: str, payload: bytes | bytearray, is_new: bool) -> None:
        """Report what a payload tells; one that is not new was kept by the broker."""
        entity_id = self._topics.get(topic)
        if entity_id is None:
            return
        try:
            state = read_state(payload)
        except ValueError as error:
            self._complaints.of(entity_id, f"no state of a device: {error} (bridge.payload)")
            return
        if state:
            self._report({entity_id: state})

    def _logged(self, _: Client, __: Any, level: int, text: str) -> None:
        if level == LogLevel.MQTT_LOG_ERR and not self._closed:
            self._complaints.of("paho", f"{text} (bridge.client)")


def may_not_subscribe(reasons: Sequence[str]) -> str:
    """That the broker refuses topics, with the first of its reasons."""
    return f"may not subscribe to {len(reasons)} topics: {reasons[0]}"
