"""The file that lists the sensors: what each one is, where its values come from, what is done.

sensors:
  - id: motor3_vibration
    name: vibration
    of: motor three
    unit: mm/s
    topic: plant/motor3          # MQTT, here with {"vibration": 1.2}
    field: vibration
    high: 11
    alarm: {topic: plant/motor3/stop, payload: "1"}
causes:
  - sensors: [motor3_vibration, motor3_temperature]
    says: the bearing may be worn
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from assistant.core.errors import InputError
from assistant.core.files import read_text
from assistant.core.yaml_text import YamlError, read_yaml

MOST_BYTES = 4 << 20
"""Most bytes of the file; one with 200 sensors has 40 kB."""
MOST_SENSORS = 1000

SensorId = Annotated[str, Meta(pattern=r"^[a-z0-9_]{1,64}\Z")]
"""Letters, digits and underscores, as it is a level of topics."""
Said = Annotated[str, Meta(min_length=1, max_length=100)]
Topic = Annotated[str, Meta(pattern=r"^[^+#\x00-\x1f]{1,500}\Z")]
"""A topic of MQTT without wildcards."""


class Alarm(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is published once when something is wrong with a sensor, such as a shutdown."""

    topic: Topic
    payload: Annotated[str, Meta(max_length=4096)] = ""
    retain: bool = False


class Sensor(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A sensor, whose values come from an MQTT topic or are those of a device of the home."""

    id: SensorId
    name: Said
    """What it measures, as it is said: "vibration"."""
    of: Annotated[str, Meta(max_length=100)] = ""
    """The machine or place, as it is said: "motor three"; "" for none."""
    unit: Annotated[str, Meta(max_length=30)] = ""
    topic: Topic | None = None
    field: Annotated[str, Meta(max_length=200)] = ""
    """Where in a payload of JSON the number stands: keys with dots between them; "" for the whole
    payload."""
    entity: Annotated[str, Meta(max_length=200)] = ""
    """The id of a device of the home whose state it is; "" for a sensor with a topic."""
    low: float | None = None
    """A value below it is wrong at once."""
    high: float | None = None
    """A value above it is wrong at once."""
    fastest: Annotated[float, Meta(gt=0)] | None = None
    """Most change of the value in a second."""
    silent_after_s: Annotated[float, Meta(gt=0)] | None = None
    """Seconds without a value after which that is wrong; None for what is learnt."""
    group: Annotated[str, Meta(max_length=100)] = ""
    """Sensors of one group are judged together, too; "" for those of the same machine or place."""
    alarm: Alarm | None = None
    urgent: bool = False
    """Whether it is told in quiet hours, too, and again until somebody acknowledges it."""

    @property
    def spoken(self) -> str:
        """As it is said: "vibration of motor three"."""
        return f"{self.name} of {self.of}" if self.of else self.name

    @property
    def judged_with(self) -> str:
        """The name of its group; "" for none."""
        return self.group or self.of


class Cause(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the operator says of faults of all these sensors at a time."""

    sensors: Annotated[tuple[SensorId, ...], Meta(min_length=1)]
    says: Annotated[str, Meta(min_length=1, max_length=300)]


class Sensors(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, dict=True):
    """All that the file tells."""

    sensors: tuple[Sensor, ...] = ()
    causes: tuple[Cause, ...] = ()

    @cached_property
    def by_id(self) -> Mapping[str, Sensor]:
        """Sensor by its id."""
        return {sensor.id: sensor for sensor in self.sensors}

    @cached_property
    def groups(self) -> Mapping[str, tuple[str, ...]]:
        """Group → the ids of its sensors, of which there are at least two."""
        names = Counter(sensor.judged_with for sensor in self.sensors)
        return {
            name: tuple(sensor.id for sensor in self.sensors if sensor.judged_with == name)
            for name, count in names.items()
            if name and count > 1
        }

    def cause(self, wrong: Iterable[str]) -> str:
        """What the operator says of faults of these sensors; "" for nothing.

        Of several the one that names the most sensors is right.
        """
        ids = set(wrong)
        fitting = [cause for cause in self.causes if ids.issuperset(cause.sensors)]
        return max(fitting, key=lambda cause: len(cause.sensors)).says if fitting else ""


def load_sensors(path: Path) -> Sensors:
    """Read the file; raises `InputError` when it is missing, no YAML, or names what is not there.

    Unlike in a home's file no key is ignored: a limit that is spelt wrong would protect nothing.
    """
    try:
        document = read_yaml(read_text(path, MOST_BYTES)) or {}
        sensors = msgspec.convert(document, Sensors)
    except OSError as error:
        raise InputError("sensors.unreadable", f"{path}: {error.strerror}") from error
    except (YamlError, UnicodeDecodeError, msgspec.ValidationError) as error:
        raise InputError("sensors.malformed", f"{path}: {error}") from error
    if fault := _fault(sensors):
        raise InputError("sensors.malformed", f"{path}: {fault}")
    return sensors


def _fault(sensors: Sensors) -> str:
    if len(sensors.sensors) > MOST_SENSORS:
        return f"it lists more than {MOST_SENSORS} sensors"
    counts = Counter(sensor.id for sensor in sensors.sensors)
    if twice := [name for name, count in counts.items() if count > 1]:
        return f"named twice: {', '.join(sorted(twice)[:10])}"
    for sensor in sensors.sensors:
        if (sensor.topic is None) == (not sensor.entity):
            return f"{sensor.id}: it needs either a topic or an entity"
        if sensor.low is not None and sensor.high is not None and sensor.low >= sensor.high:
            return f"{sensor.id}: low must be less than high"
    for cause in sensors.causes:
        if unknown := [name for name in cause.sensors if name not in sensors.by_id]:
            return f"a cause names a sensor that is not listed: {unknown[0]}"
    return ""
