"""Sensors and what is wrong with them, in words for people."""

from __future__ import annotations

from assistant.core.messages import Anomaly
from assistant.core.sensors.described import Sensors


def number(value: float | None, unit: str = "") -> str:
    """A value with its unit; "" for none."""
    return "" if value is None else f"{value:.4g} {unit}".rstrip()


def band(low: float | None, high: float | None) -> str:
    """Between which values nothing is wrong; "" for any."""
    if low is None or high is None:
        return f"from {number(low)}" if high is None and low is not None else _up_to(high)
    return f"{number(low)} to {number(high)}"


def name(sensor: str, described: Sensors) -> str:
    """A sensor as it is said, with its id; the id alone where the file does not list it."""
    known = described.by_id.get(sensor)
    return sensor if known is None else f"{known.spoken} ({sensor})"


def anomaly_line(anomaly: Anomaly, described: Sensors) -> str:
    """A line for an anomaly that begins or is over."""
    called = name(anomaly.sensor, described)
    if anomaly.over is not None:
        return f"{called}: {anomaly.fault} is over"
    return f"{called}: " + ", ".join(filter(None, (anomaly.fault, *_facts(anomaly, described))))


def _facts(anomaly: Anomaly, described: Sensors) -> tuple[str, ...]:
    known = described.by_id.get(anomaly.sensor)
    allowed = band(anomaly.low, anomaly.high)
    return (
        number(anomaly.value, known.unit if known else ""),
        f"usually {number(anomaly.usual)}" if anomaly.usual is not None else "",
        f"well: {allowed}" if allowed else "",
        f"for {number(anomaly.silent_s)} s" if anomaly.silent_s is not None else "",
        f"with {', '.join(anomaly.others)}" if anomaly.others else "",
    )


def _up_to(high: float | None) -> str:
    return "" if high is None else f"up to {number(high)}"
