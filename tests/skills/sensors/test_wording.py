"""Each sentence about a sensor says the facts of its anomaly, and nothing besides."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from assistant.core.sensors.described import Sensor, Sensors
from assistant.skill.sensors import SensorReading
from skills.sensors.wording import (
    as_usual,
    cause,
    figures,
    going_on,
    lasting,
    on_day,
    present,
    sentence,
    story,
    the,
)
from tests.support.sensing import (
    CURRENT,
    FREEZER,
    HEAT,
    PLANT,
    PRESSURE,
    VIBRATION,
    anomaly,
    at,
    thaw,
)
from tests.support.talking import EVENING

RATIOS = {
    6.0: "twice its usual value: 6 millimetres per second",
    5.9: "twice its usual value: 5.9 millimetres per second",
    6.9: "about twice its usual value: 6.9 millimetres per second",
    12.0: "four times its usual value: 12 millimetres per second",
    36.0: "twelve times its usual value: 36 millimetres per second",
    90.0: "more than twelve times its usual value: 90 millimetres per second",
}


@pytest.mark.parametrize("value", RATIOS)
def test_a_value_is_told_as_a_multiple_of_its_usual_one(value: float) -> None:
    told = sentence(anomaly(value=value), PLANT)
    assert told == f"Vibration of motor three is {RATIOS[value]}."


VIBRATES = "Vibration of motor three"
FACTS: dict[str, tuple[dict[str, Any], str]] = {
    "a small rise": (
        {"fault": "drift", "value": 4.0},
        f"{VIBRATES} has risen to 4 millimetres per second; usual is 3.",
    ),
    "a fall": (
        {"value": 0.5},
        f"{VIBRATES} has dropped to 0.5 millimetres per second; usual is 3.",
    ),
    "no ratio of degrees": (
        {"sensor": HEAT, "value": 80.0, "usual": 20.0},
        "Temperature of motor three has jumped to 80 degrees Celsius; usual is 20.",
    ),
    "below zero": (
        {"sensor": FREEZER, "fault": "drift", "value": -4.0, "usual": -18.0},
        "Temperature of the freezer has risen to minus 4 degrees Celsius; usual is minus 18.",
    ),
    "a usual value of nothing": (
        {"value": 3.0, "usual": 0.0},
        f"{VIBRATES} has jumped to 3 millimetres per second; usual is 0.",
    ),
    "a usual range alone": (
        {"usual": None, "low": 1.0, "high": 5.0},
        f"{VIBRATES} is 12 millimetres per second; usual is 1 to 5.",
    ),
    "a largest usual value alone": (
        {"usual": None, "high": 5.0},
        f"{VIBRATES} is 12 millimetres per second; usual is at most 5.",
    ),
    "nothing usual": (
        {"usual": None},
        f"{VIBRATES} is 12 millimetres per second, which is unusual.",
    ),
    "no value": ({"value": None, "usual": None}, f"{VIBRATES} is unusual."),
    "high": (
        {"fault": "high", "high": 11.0},
        f"{VIBRATES} is 12 millimetres per second, above its limit of 11.",
    ),
    "hardly high": (
        {"fault": "high", "value": 11.2, "high": 11.0},
        f"{VIBRATES} is 11.2 millimetres per second, above its limit of 11.",
    ),
    "high by the file": (
        {"fault": "high"},
        f"{VIBRATES} is 12 millimetres per second, above its limit of 11.",
    ),
    "low": (
        {"sensor": PRESSURE, "fault": "low", "value": 0.5, "low": 0.8},
        "Pressure of the boiler is 0.5 bar, below its limit of 0.8.",
    ),
    "low without a limit": (
        {"sensor": PRESSURE, "fault": "low", "value": 0.5},
        "Pressure of the boiler is 0.5 bar, below its limit.",
    ),
    "fast": (
        {"sensor": PRESSURE, "fault": "fast", "value": 4.25},
        "Pressure of the boiler changes by more than 2 bar in a second: it is 4.2 bar.",
    ),
    "stuck": (
        {"fault": "stuck", "silent_s": 605.0},
        f"{VIBRATES} has not changed for ten minutes.",
    ),
    "silent": (
        {"fault": "silent", "silent_s": 300.0},
        "I have not heard from the vibration sensor of motor three for five minutes.",
    ),
    "silent for nobody knows how long": (
        {"fault": "silent"},
        "I no longer hear from the vibration sensor of motor three.",
    ),
    "together": (
        {"fault": "together", "others": (HEAT, CURRENT)},
        f"{VIBRATES} no longer fits the temperature and the current of motor three.",
    ),
    "together with others elsewhere": (
        {"fault": "together", "others": (HEAT, PRESSURE)},
        f"{VIBRATES} no longer fits the temperature of motor three and the pressure of the boiler.",
    ),
    "together with nobody knows what": (
        {"fault": "together", "others": ("gone",)},
        f"{VIBRATES} no longer fits the others.",
    ),
}


@pytest.mark.parametrize("what", FACTS)
def test_what_is_wrong_is_told_from_its_facts(what: str) -> None:
    facts, words = FACTS[what]
    assert sentence(anomaly(**facts), PLANT) == words


PAST = {
    "spike": "Vibration of motor three was four times its usual value: 12 millimetres per second.",
    "stuck": "Vibration of motor three no longer changed.",
    "silent": "I did not hear from the vibration sensor of motor three.",
    "high": "Vibration of motor three was 12 millimetres per second, above its limit of 11.",
    "fast": f"{VIBRATES} changed faster than it may: it was 12 millimetres per second.",
    "together": "Vibration of motor three no longer fitted the others.",
}


@pytest.mark.parametrize("fault", PAST)
def test_what_was_wrong_is_told_as_past(fault: str) -> None:
    assert sentence(anomaly(fault=fault), PLANT, past=True) == PAST[fault]


def test_a_story_has_its_time_and_its_length() -> None:
    one = anomaly(began=at(3, 15), over=at(3, 23))
    words = "vibration of motor three was four times its usual value: 12 millimetres per second."
    told = story(one, PLANT, on_day(one.began, EVENING))
    assert told == f"On Monday at 3:15 am {words} It was over after eight minutes."
    assert story(anomaly(), PLANT, "yesterday at 11 pm") == (
        f"Yesterday at 11 pm {words} It still goes on."
    )
    silent = anomaly(fault="silent", began=at(3), over=at(4))
    assert story(silent, PLANT, "today at 3 am").startswith("Today at 3 am I did not hear")


def test_a_cause_is_told_where_the_file_names_it_for_all_that_is_wrong() -> None:
    says = " According to your rules the bearing may be worn."
    assert cause(anomaly(), PLANT, [VIBRATION, HEAT]) == says
    assert cause(anomaly(), PLANT, [VIBRATION]) == ""
    assert cause(thaw(), PLANT, [VIBRATION, HEAT, FREEZER]) == ""


def test_what_is_over_is_told_as_usual() -> None:
    assert as_usual(anomaly(), PLANT) == "Vibration of motor three is as usual again."
    silent = as_usual(anomaly(fault="silent"), PLANT)
    assert silent == "I hear from the vibration sensor of motor three again."


def test_numbers_have_as_few_digits_as_tell_them_apart() -> None:
    assert figures(12.34) == ("12",)
    assert figures(1234.5) == ("1234",)
    assert figures(0.01234) == ("0.012",)
    assert figures(-0.0) == ("0",)
    assert figures(11.04, 11.0) == ("11.04", "11")
    assert figures(5.0, 5.0) == ("5", "5")
    assert figures(1e-12) == ("0",)


def test_lengths_of_time_are_rounded() -> None:
    assert lasting(timedelta(seconds=90)) == "one minute and 30 seconds"
    assert lasting(timedelta(minutes=9, seconds=50)) == "ten minutes"
    assert lasting(timedelta(hours=5, minutes=10)) == "five hours"
    assert lasting(timedelta(days=3, hours=2)) == "three days"
    assert going_on(timedelta(seconds=59)) == ""
    assert going_on(timedelta(minutes=10)) == " This has gone on for ten minutes."


@pytest.mark.parametrize(
    ("name", "spoken"),
    [
        ("freezer", "the freezer"),
        ("the freezer", "the freezer"),
        ("motor three", "motor three"),
        ("motor 3", "motor 3"),
        ("press b", "press b"),
        ("Hall North", "Hall North"),
        ("anna's boiler", "anna's boiler"),
    ],
)
def test_a_machine_has_its_article(name: str, spoken: str) -> None:
    assert the(name) == spoken


def test_how_a_sensor_is_says_its_value() -> None:
    sensor = PLANT.by_id[VIBRATION]

    def reading(judged: Any, value: float | None) -> SensorReading:
        return SensorReading(VIBRATION, judged, value, 0.1, None, None, None)

    assert present(reading("well", 3.14), sensor) == "vibration is 3.1 millimetres per second"
    assert present(reading("learning", 3.0), sensor).endswith(", which I still learn")
    assert present(reading("learning", None), sensor) == "no vibration has come yet"


def test_a_sensor_without_a_machine_has_its_name_alone() -> None:
    alone = Sensors(sensors=(Sensor(id="x", name="cellar humidity sensor", topic="x"),))
    silent = sentence(anomaly("x", "silent"), alone)
    assert silent == "I no longer hear from the cellar humidity sensor."
