"""Counts of the sensors for Prometheus: their values, what is wrong, and what began to be."""

from __future__ import annotations

from collections import Counter
from typing import get_args

from assistant.control.exposition import family, labels
from assistant.core.layout import SENSORS
from assistant.core.messages import (
    Message,
    SafeModeEntered,
    SensorEvent,
    SensorsReport,
    StageRestarted,
)
from assistant.core.sensors.messages import Fault, Judged


class SensorCounts:
    """The last report of the sensors, and the anomalies since the process started."""

    def __init__(self) -> None:
        self._report: SensorsReport | None = None
        self._begun: dict[str, str] = {}
        """Sensor → its last anomaly, which may be told twice."""
        self._anomalies: Counter[str] = Counter(dict.fromkeys(get_args(Fault), 0))

    def observe(self, message: Message) -> None:
        """Count `message`."""
        match message:
            case SensorsReport():
                self._report = message
            case SensorEvent(anomaly=anomaly) if anomaly.over is None:
                if self._begun.get(anomaly.sensor) != anomaly.id:
                    self._begun[anomaly.sensor] = anomaly.id
                    self._anomalies[anomaly.fault] += 1
            case StageRestarted(stage=stage) | SafeModeEntered(stage=stage) if stage == SENSORS:
                self._report = None

    def lines(self) -> list[str]:
        """The metrics; none where no sensor is watched."""
        lines = self._now(self._report) if self._report else []
        if self._report or self._begun:
            text = "Anomalies of sensors that began, by what is wrong."
            lines += family("sensor_anomalies_total", "counter", text)
            lines += [
                f"hark_sensor_anomalies_total{labels(fault=fault)} {count}"
                for fault, count in sorted(self._anomalies.items())
            ]
        return lines

    def _now(self, report: SensorsReport) -> list[str]:
        judged = Counter(reading.judged for reading in report.readings)
        return [
            *family("sensor_values_total", "counter", "Values of sensors by what became of them."),
            *(
                f"hark_sensor_values_total{labels(result=_result(name))} {count}"
                for name, count in sorted(report.counts.items())
            ),
            *family("sensors", "gauge", "Sensors that have told a value, by how they are judged."),
            *(f"hark_sensors{labels(judged=how)} {judged[how]}" for how in get_args(Judged)),
            *family("sensor_wrong", "gauge", "1 for each sensor that is wrong now."),
            *(
                f"hark_sensor_wrong{labels(sensor=one.sensor, fault=one.fault)} 1"
                for one in report.wrong
            ),
        ]


def _result(count: str) -> str:
    return "judged" if count == "values" else count
