"""The file that lists the sensors: what is taken, and what is refused with a reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.core.errors import InputError
from assistant.core.sensors.described import Sensors, load_sensors

PLANT = """
sensors:
  - id: vibration
    name: vibration
    of: motor three
    unit: mm/s
    topic: plant/motor3
    field: vibration
    high: 11
    alarm: {topic: plant/motor3/stop, payload: "1"}
  - {id: heat, name: temperature, of: motor three, topic: plant/motor3, field: heat}
  - {id: freezer, name: freezer, entity: sensor.freezer, group: cold}
causes:
  - {sensors: [vibration], says: a bolt may be loose}
  - {sensors: [vibration, heat], says: the bearing may be worn}
"""


def load(folder: Path, text: str) -> Sensors:
    file = folder / "sensors.yaml"
    file.write_text(text)
    return load_sensors(file)


def test_sensors_are_said_by_name_and_machine_and_judged_with_those_of_it(tmp_path: Path) -> None:
    plant = load(tmp_path, PLANT)
    assert [sensor.spoken for sensor in plant.sensors] == [
        "vibration of motor three",
        "temperature of motor three",
        "freezer",
    ]
    assert plant.groups == {"motor three": ("vibration", "heat")}


def test_the_cause_that_names_the_most_sensors_is_told_and_none_that_is_not_there(
    tmp_path: Path,
) -> None:
    plant = load(tmp_path, PLANT)
    assert plant.cause(["vibration", "freezer"]) == "a bolt may be loose"
    assert plant.cause(["heat", "vibration"]) == "the bearing may be worn"
    assert plant.cause(["heat"]) == ""


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{id: a, name: a, topic: t, hihg: 3}", "hihg"),
        ("{id: A b, name: a, topic: t}", "id"),
        ("{id: a, name: a}", "either a topic or an entity"),
        ("{id: a, name: a, topic: t, entity: sensor.a}", "either a topic or an entity"),
        ("{id: a, name: a, topic: plant/#}", "topic"),
        ("{id: a, name: a, topic: t, low: 3, high: 3}", "low must be less"),
        ("{id: a, name: a, topic: t, alarm: {topic: t/+, payload: x}}", "topic"),
        ("{id: a, name: a, topic: t}\n  - {id: a, name: b, topic: t}", "named twice: a"),
        ("{id: a, name: a, topic: t}\ncauses: [{sensors: [b], says: x}]", "not listed: b"),
        ("[", "sensors.yaml"),
    ],
)
def test_what_would_protect_nothing_is_refused(tmp_path: Path, line: str, told: str) -> None:
    with pytest.raises(InputError, match=told) as refused:
        load(tmp_path, f"sensors:\n  - {line}\n")
    assert refused.value.code == "sensors.malformed"


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file") as refused:
        load_sensors(tmp_path / "none.yaml")
    assert refused.value.code == "sensors.unreadable"


def test_a_file_without_sensors_watches_none(tmp_path: Path) -> None:
    assert load(tmp_path, "") == Sensors()
