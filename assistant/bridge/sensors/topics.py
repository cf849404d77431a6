"""The subscriptions to the sensors' topics, which may fail without those of the home."""

from __future__ import annotations

import threading
from collections.abc import Iterable

from paho.mqtt.client import Client
from paho.mqtt.reasoncodes import ReasonCode

TOPICS_A_PACKET = 100
QOS = 0
"""A value that comes late is of no use, and its acknowledgement would cost what the value does."""


class SensorTopics:
    """Subscribes, and knows the broker's answers to that from others."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asked: set[int] = set()

    def subscribe(self, client: Client, topics: Iterable[str]) -> None:
        """Subscribe to these; without a connection this does nothing."""
        wanted = sorted(topics)
        for start in range(0, len(wanted), TOPICS_A_PACKET):
            packet = [(topic, QOS) for topic in wanted[start : start + TOPICS_A_PACKET]]
            with self._lock:  # the answer may come before the number is known here
                _, number = client.subscribe(packet)
                if number is not None:
                    self._asked.add(number)

    def refused(self, number: int, reasons: Iterable[ReasonCode]) -> list[str] | None:
        """Why topics were refused; None for the answer to another subscription."""
        with self._lock:
            if number not in self._asked:
                return None
            self._asked.discard(number)
        return [str(reason) for reason in reasons if reason.is_failure]
