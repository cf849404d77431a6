"""The broker with the devices that announce themselves there: they become devices of the home."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from paho.mqtt.client import Client
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from assistant.bridge.described import described_text
from assistant.bridge.discovery.announcements import patterns
from assistant.bridge.discovery.devices import described
from assistant.bridge.discovery.registry import Registry, Report
from assistant.bridge.mqtt import Broker, may_not_subscribe
from assistant.bridge.payloads import Publication
from assistant.core.clock import boottime_s
from assistant.core.errors import BridgeError
from assistant.core.messages import HomeCommand, HomeDescribed
from assistant.core.sensors.described import Sensors
from assistant.core.settings.mqtt import MqttSettings

SETTLE_S = 2.0
"""Seconds after a first announcement before the home is described: others mostly follow."""
SETTLE_EVERY_S = 30.0
"""Fewest seconds between two descriptions, as the daemon learns each one's names."""
MEASURED_EVERY_S = 30.0
"""Seconds within which what sensors measure waits for other news: each report goes to the disk."""
TOPICS_A_PACKET = 100
_ANNOUNCED = "what devices announce"

log = logging.getLogger(__name__)


class DiscoveringBroker(Broker):
    """The broker, with the devices of the home's file and those that announce themselves."""

    def __init__(
        self,
        settings: MqttSettings,
        entity_ids: Iterable[str] = (),
        is_muted: Callable[[], bool | None] = lambda: None,
        sensors: Sensors | None = None,
    ) -> None:
        self._registry = Registry(settings.discovery_prefix)
        self._settle_at_s: float | None = None
        self._settled_at_s = -SETTLE_EVERY_S
        self._telling = threading.Lock()
        self._measured: dict[str, Report] = {}
        self._measured_at_s: float | None = None
        self._described: HomeDescribed | None = None
        super().__init__(settings, entity_ids, is_muted, sensors)

    def follow(self, entity_ids: Iterable[str]) -> None:
        """Report the states of these devices too, and all others anew.

        The daemon may have had other devices when it was told.
        """
        super().follow(entity_ids)
        if self._described is not None:
            self._offer(self._described)
        self._tell(self._registry.reports(), at_once=True)

    def due_s(self) -> float | None:
        """When announcements have settled, or measurements have waited long enough."""
        dues_s = (super().due_s(), self._settle_at_s, self._measured_at_s)
        return min((due_s for due_s in dues_s if due_s is not None), default=None)

    def tend(self, at_s: float) -> None:
        """Describe the home that was announced, and report what sensors have measured."""
        super().tend(at_s)
        if self._measured_at_s is not None and at_s >= self._measured_at_s:
            self._tell({}, at_once=True)
        if self._settle_at_s is not None and at_s >= self._settle_at_s:
            self._settle_at_s, self._settled_at_s = None, at_s
            self._describe()

    def _describe(self) -> None:
        settled = self._registry.settle()
        self._unsubscribe(settled.gone)
        topics = {topic for device in settled.new.values() for topic in device.topics}
        self._subscribe(self._client, sorted(topics))
        for entity_id, device in settled.new.items():
            if device.unread:
                unread = ", ".join(device.unread)
                log.warning("%s: not understood: its %s (bridge.template)", entity_id, unread)
        try:
            text = described_text(described(settled.devices))
        except BridgeError as error:
            self._complaints.of(_ANNOUNCED, f"{error.message} ({error.code})")
            return
        self._described = HomeDescribed(text=text)
        self._offer(self._described)

    def _tell(self, reports: Mapping[str, Report], at_once: bool = False) -> None:
        """Report these, with what sensors have measured; that alone waits for other news."""
        with self._telling:
            self._measured |= reports
            if all(entity_id.startswith("sensor.") for entity_id in reports) and not at_once:
                if self._measured and self._measured_at_s is None:
                    self._measured_at_s = boottime_s() + MEASURED_EVERY_S
                    self._wake()
                return
            told, self._measured, self._measured_at_s = self._measured, {}, None
        states = {entity_id: state for entity_id, (state, _) in told.items()}
        self._report(states, {entity_id: more for entity_id, (_, more) in told.items()})

    def _of_home(self) -> set[str]:
        return super()._of_home() | self._registry.topics

    def _publications(self, command: HomeCommand) -> Sequence[Publication]:
        device = self._registry.device(command.entity_id)
        if device is None:
            return super()._publications(command)
        found = list(device.behaviour.publications(command))
        if not found:
            wanted = command.command or command.state or ", ".join(command.attributes)
            message = f"{command.entity_id} has announced no topic that gives it {wanted}"
            raise BridgeError("bridge.topic", message)
        return found

    # ── paho's thread ───────────────────────────────────────────────────────────────────────

    def _subscriptions(self) -> Sequence[str]:
        return [*super()._subscriptions(), *patterns(self._settings.discovery_prefix)]

    def _joined(self, client: Client) -> None:
        if self._present:
            return
        self._subscribe(client, sorted(self._registry.topics))
        # Devices whose states the broker does not keep tell them when this says "online".
        client.publish(f"{self._settings.discovery_prefix}/status", "online", 1)
        super()._joined(client)

    def _subscribed(
        self,
        client: Client,
        _: Any,
        number: int,
        reasons: list[ReasonCode],
        more: Properties | None,
    ) -> None:
        refused = [str(reason) for reason in reasons if reason.is_failure]
        if self._present and refused:
            self._complaints.of(_ANNOUNCED, f"{may_not_subscribe(refused)} (bridge.refused)")
        else:
            super()._subscribed(client, _, number, reasons, more)

    def _subscribe(self, client: Client, topics: Sequence[str]) -> None:
        for start in range(0, len(topics), TOPICS_A_PACKET):
            client.subscribe([(topic, 1) for topic in topics[start : start + TOPICS_A_PACKET]])

    def _take(self, topic: str, payload: bytes | bytearray, is_new: bool) -> None:
        super()._take(topic, payload, is_new)
        if self._registry.is_announcement(topic):
            self._announced(topic, payload)
        reports = dict(self._told(topic, payload))
        if is_new:
            for entity_id, (state, attributes) in reports.items():
                self._sensors.hear_state(entity_id, state, attributes.get)
        self._tell(reports)

    def _announced(self, topic: str, payload: bytes | bytearray) -> None:
        try:
            if self._registry.announces(topic, payload) and self._settle_at_s is None:
                now_s = boottime_s()
                self._settle_at_s = max(now_s + SETTLE_S, self._settled_at_s + SETTLE_EVERY_S)
                self._wake()
        except ValueError as error:
            self._complaints.of(_ANNOUNCED, f"{topic}: {error} (bridge.announcement)")

    def _told(self, topic: str, payload: bytes | bytearray) -> Iterator[tuple[str, Report]]:
        for entity_id, report in self._registry.tells(topic, payload):
            if report is None:
                self._complaints.of(entity_id, "tells no state of a device (bridge.payload)")
            else:
                yield entity_id, report
