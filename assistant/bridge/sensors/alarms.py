"""What is published of an anomaly: its facts, and once what the sensors' file has for it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

import msgspec

from assistant.bridge.payloads import Publication
from assistant.core.messages import Anomaly
from assistant.core.sensors.described import Sensor, Sensors

MOST_REMEMBERED = 10_000
"""Most ids of anomalies whose alarm has gone out, the last ones."""
MOST_WRONG = 1000
"""Most anomalies that are not over, the last ones."""


def anomaly_topic(prefix: str, sensor: str) -> str:
    """The topic that says what is wrong with a sensor, or was last."""
    return f"{prefix}/anomaly/{sensor}"


def summary(anomaly: Anomaly, described: Sensors) -> str:
    """An anomaly as a line of the log."""
    sensor = described.by_id.get(anomaly.sensor)
    named = f"{anomaly.sensor} ({sensor.spoken})" if sensor is not None else anomaly.sensor
    state = "over" if anomaly.over is not None else "wrong"
    told = f"{named}: {state}, {anomaly.fault}, value {anomaly.value}, score {anomaly.score:.2f}"
    return f"{told}, since {anomaly.began:%Y-%m-%d %H:%M:%S} [{anomaly.id}] (sensors.alarm)"


class Alarms:
    """Makes the publications of anomalies; the facts lie at topics below `prefix`."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._alarmed: OrderedDict[str, None] = OrderedDict()
        self._wrong: OrderedDict[str, Anomaly] = OrderedDict()
        """Anomalies that are not over, by their ids."""

    def publications(self, anomaly: Anomaly, described: Sensors) -> Iterator[Publication]:
        """What is to be published; nothing for a sensor that the file does not list."""
        sensor = described.by_id.get(anomaly.sensor)
        if sensor is None:
            return
        self._note(anomaly)
        # First what is to be done, then what is told.
        if sensor.alarm is not None and self._begins(anomaly):
            alarm = sensor.alarm
            yield Publication(alarm.topic, alarm.payload.encode(), alarm.retain)
        yield self._told(anomaly, sensor, described)
        others = [other for other in self._wrong.values() if other.sensor == sensor.id]
        if anomaly.over is not None and others:  # the topic is to say what is wrong still
            yield self._told(others[-1], sensor, described)

    def _begins(self, anomaly: Anomaly) -> bool:
        if anomaly.over is not None or anomaly.id in self._alarmed:
            return False
        self._alarmed[anomaly.id] = None
        if len(self._alarmed) > MOST_REMEMBERED:
            self._alarmed.popitem(last=False)
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
