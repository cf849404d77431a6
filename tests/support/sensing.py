"""Sensors of a small plant and a home, and what is told of them."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from assistant.core.messages import (
    Anomaly,
    Message,
    PlaybackEnded,
    PlaybackStarted,
    SensorEvent,
    SensorReading,
    SensorsReport,
    SpokenReply,
)
from assistant.core.sensors.described import Cause, Sensor, Sensors
from skills.announcements.waiting import NAME
from tests.support.talking import EVENING, Talk

VIBRATION, HEAT, CURRENT = "motor3_vibration", "motor3_temperature", "motor3_current"
PRESSURE, FREEZER = "boiler_pressure", "freezer_temperature"
PLANT = Sensors(
    sensors=(
        Sensor(id=VIBRATION, name="vibration", of="motor three", unit="mm/s", topic="v", high=11),
        Sensor(id=HEAT, name="temperature", of="motor three", unit="°C", topic="t"),
        Sensor(id=CURRENT, name="current", of="motor three", unit="A", topic="c"),
        Sensor(id=PRESSURE, name="pressure", of="boiler", unit="bar", topic="p", fastest=2),
        Sensor(id=FREEZER, name="temperature", of="freezer", unit="°C", topic="f", urgent=True),
    ),
    causes=(Cause(sensors=(VIBRATION, HEAT), says="the bearing may be worn"),),
)


def anomaly(sensor: str = VIBRATION, fault: Any = "spike", **facts: Any) -> Anomaly:
    """Vibration at four times its usual value, but for what is given."""
    given = {"id": f"a-{sensor}", "began": EVENING, "score": 2.0, "value": 12.0, "usual": 3.0}
    return Anomaly(**{**given, "sensor": sensor, "fault": fault, **facts})


def thaw(**facts: Any) -> Anomaly:
    """A freezer that thaws, which is urgent."""
    return anomaly(FREEZER, "drift", **{"value": -4.0, "usual": -18.0, **facts})


SHAKES = "Vibration of motor three is four times its usual value: 12 millimetres per second."
"""What is said of `anomaly()`."""
THAWS = "Temperature of the freezer has risen to minus 4 degrees Celsius; usual is minus 18."
"""What is said of `thaw()`."""


def begins(one: Anomaly) -> SensorEvent:
    """The event that it begins, or is over."""
    return SensorEvent(anomaly=one)


def over(one: Anomaly, after: timedelta = timedelta(minutes=8)) -> SensorEvent:
    """The event that an anomaly is over."""
    facts = {name: getattr(one, name) for name in one.__struct_fields__}
    return SensorEvent(anomaly=Anomaly(**facts | {"over": one.began + after}))


def report(*readings: SensorReading, wrong: tuple[Anomaly, ...] = ()) -> SensorsReport:
    """How sensors are; by default those of motor three, of which all is well."""
    usual = (
        SensorReading(VIBRATION, "well", 3.0, 0.1, 3.0, 1.0, 5.0),
        SensorReading(HEAT, "well", 61.4, 0.1, 60.0, 50.0, 70.0),
    )
    return SensorsReport(readings=readings or usual, wrong=wrong)


def said(messages: list[Message]) -> list[str]:
    """The words of the announcements among messages."""
    return [one.text for one in announcements(messages)]


def announcements(messages: list[Message]) -> list[SpokenReply]:
    """The announcements among messages."""
    replies = (one for one in messages if isinstance(one, SpokenReply))
    return [one for one in replies if one.utterance_id.startswith(NAME)]


def played(talk: Talk, *messages: Message) -> None:
    """All that messages announce is played to its end."""
    for one in announcements(list(messages)):
        talk.feed(PlaybackStarted(utterance_id=one.utterance_id))
        talk.feed(PlaybackEnded(utterance_id=one.utterance_id))


def at(hour: int, minute: int = 0, day: int = 5) -> datetime:
    """A time of the month of the tests."""
    return EVENING.replace(day=day, hour=hour, minute=minute)
