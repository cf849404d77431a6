"""What is published of an anomaly: its facts, and once what the sensors' file has for it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from assistant.bridge.payloads import Publication
from assistant.bridge.sensors.payloads import read
from assistant.core.messages import Anomaly
from assistant.core.sensors.described import Sensor, Sensors

MOST_REMEMBERED = 10_000
"""Most ids of anomalies that have been published, the last ones."""
LONGEST_ID = 200
"""Most characters of an id, as in a message."""
MOST_WRONG = 1000
"""Most anomalies that are not over, the last ones."""


def anomaly_topic(prefix: str, sensor: str) -> str:
    """The topic that says what is wrong with a sensor, or was last; "+" is any sensor."""
    return f"{prefix}/anomaly/{sensor}"


def summary(anomaly: Anomaly, described: Sensors) -> str:
    """An anomaly as a line of the log."""
    sensor = described.by_id.get(anomaly.sensor)
    named = f"{sensor.id} ({sensor.spoken})" if sensor is not None else repr(anomaly.sensor)
    state = "over" if anomaly.over is not None else "wrong"
    told = f"{named}: {state}, {anomaly.fault}, value {anomaly.value}, score {anomaly.score:.2f}"
    return f"{told}, since {anomaly.began:%Y-%m-%d %H:%M:%S} {anomaly.id!r} (sensors.alarm)"


class Alarms:
    """Makes the publications of anomalies; the facts lie at topics below `prefix`.

    The broker keeps the facts, and so remembers for a bridge that is started again which anomalies
    have been published. They follow what is to be done, so that this is never left out for them.
    """

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._lock = threading.Lock()
        self._known: OrderedDict[str, None] = OrderedDict()
        self._wrong: OrderedDict[str, Anomaly] = OrderedDict()
        """Anomalies that are not over, by their ids."""

    def publications(self, anomaly: Anomaly, described: Sensors) -> Iterator[Publication]:
        """What is to be published; nothing for a sensor that the file does not list."""
        sensor = described.by_id.get(anomaly.sensor)
        if sensor is None:
            return
        self._note(anomaly)
        is_new = self._learn(anomaly.id)
        if sensor.alarm is not None and is_new and anomaly.over is None:
            alarm = sensor.alarm
            yield Publication(alarm.topic, alarm.payload.encode(), alarm.retain)
        yield self._told(anomaly, sensor, described)
        others = [other for other in self._wrong.values() if other.sensor == sensor.id]
        if anomaly.over is not None and others:  # the topic is to say what is wrong still
            yield self._told(others[-1], sensor, described)

    def unpublished(self, anomalies: Iterable[Anomaly]) -> list[Anomaly]:
        """Those that have never been published."""
        with self._lock:
            return [anomaly for anomaly in anomalies if anomaly.id not in self._known]

    def remember(self, payload: bytes | bytearray) -> None:
        """Take facts that the broker has kept; another thread's."""
        told = read(payload)
        number = told.get("id") if isinstance(told, dict) else None
        if isinstance(number, str) and len(number) <= LONGEST_ID:
            self._learn(number)

    def _learn(self, number: str) -> bool:
        """Note the id of what is published; whether it is new."""
        with self._lock:
            if number in self._known:
                return False
            self._known[number] = None
            if len(self._known) > MOST_REMEMBERED:
                self._known.popitem(last=False)
            return True

    def _note(self, anomaly: Anomaly) -> None:
        if anomaly.over is not None:
            self._wrong.pop(anomaly.id, None)
            return
        self._wrong[anomaly.id] = anomaly
        if len(self._wrong) > MOST_WRONG:
            self._wrong.popitem(last=False)

    def _told(self, anomaly: Anomaly, sensor: Sensor, described: Sensors) -> Publication:
        facts = _facts(anomaly, sensor, self._cause(anomaly, sensor, described))
        topic = anomaly_topic(self._prefix, sensor.id)
        return Publication(topic, msgspec.json.encode(facts), retain=True)

    def _cause(self, anomaly: Anomaly, sensor: Sensor, described: Sensors) -> str:
        """The operator's words for what is wrong at the same machine or place; "" for none."""
        group = described.groups.get(sensor.judged_with, ())
        beside = (other.sensor for other in self._wrong.values() if other.sensor in group)
        return described.cause({sensor.id, *anomaly.others, *beside})


def _facts(anomaly: Anomaly, sensor: Sensor, cause: str) -> dict[str, Any]:
    return {
        "id": anomaly.id,
        "sensor": sensor.id,
        "name": sensor.name,
        "of": sensor.of,
        "fault": anomaly.fault,
        "state": "wrong" if anomaly.over is None else "over",
        "score": anomaly.score,
        "began": anomaly.began,
        "over": anomaly.over,
        "value": anomaly.value,
        "usual": anomaly.usual,
        "low": anomaly.low,
        "high": anomaly.high,
        "unit": sensor.unit,
        "silent_s": anomaly.silent_s,
        "others": anomaly.others,
        "cause": cause,
    }
