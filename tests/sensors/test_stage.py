"""The sensors' stage: values in; what is wrong is kept on the disk, and told by facts."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assistant.core.messages import (
    Message,
    QualityAlert,
    SensorAlarm,
    SensorEvent,
    SensorsReport,
    SensorsRequest,
    SensorValue,
    SensorValues,
    Tick,
)
from assistant.core.sensors.described import Sensor, Sensors
from assistant.sensors.alarms import HOLDS_S
from assistant.sensors.model_watch import MOST
from assistant.sensors.stage import KEEP_EVERY_S, REPORT_EVERY_S, Learning, SensorsStage
from assistant.sensors.store import Store

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
LEARNT_S = 600
PLANT = Sensors(
    sensors=(
        Sensor(id="heat", name="temperature", of="motor three", topic="t", high=80.0),
        Sensor(id="flow", name="flow", of="motor three", topic="t"),
        Sensor(id="cold", name="freezer", topic="t"),
    )
)


class Plant:
    """A plant with a stage over a file; time is that of its values, one of each sensor a second."""

    def __init__(self, file: Path) -> None:
        self.file, self.store = file, Store(file)
        self.at_s = 1000.0
        self.learning: list[Learning] = []
        self._chance = random.Random(5)
        self.start()

    def start(self) -> None:
        """Start the process, perhaps again."""
        self.store.close()
        self.store = Store(self.file)
        self.stage = SensorsStage(PLANT, self.store, self.now, "boot", self.learning)

    def now(self) -> datetime:
        """The wall time, which goes on with that of the values."""
        return NOON + timedelta(seconds=self.at_s)

    def feed(self, message: Message) -> list[Message]:
        return list(self.stage.feed(message))

    def run(self, seconds: float, **values: float) -> list[Message]:
        """What comes of so many seconds in which all is well, but for these values."""
        told: list[Message] = []
        for _ in range(round(seconds)):
            self.at_s += 1
            load = self._chance.gauss(0, 3)
            there = {
                "heat": 60 + load + self._chance.gauss(0, 0.5),
                "flow": 30 - load + self._chance.gauss(0, 0.5),
                "cold": -18 + self._chance.gauss(0, 0.5),
            } | values
            came = tuple(SensorValue(name, value, self.at_s) for name, value in there.items())
            told += self.feed(SensorValues(values=came, at_s=self.at_s))
            told += self.feed(Tick(at_s=self.at_s))
        return told

    def learn(self, *names: str, for_s: float = LEARNT_S) -> None:
        """Declare that all is well with these sensors from now on."""
        wish = SensorsRequest(
            utterance_id="u", what="learn", sensors=names, for_s=for_s, at_s=self.at_s
        )
        self.feed(wish)


@pytest.fixture
def plant(tmp_path: Path) -> Iterator[Plant]:
    made = Plant(tmp_path / "sensors.db")
    yield made
    made.store.close()


@pytest.fixture
def learnt(plant: Plant) -> Plant:
    plant.learn("heat", "flow", "cold")
    plant.run(LEARNT_S + 5)
    return plant


def events(told: Iterable[Message]) -> list[tuple[str, str, bool]]:
    return [
        (one.anomaly.sensor, one.anomaly.fault, one.anomaly.over is not None)
        for one in told
        if isinstance(one, SensorEvent)
    ]


def test_a_limit_of_the_file_needs_no_learning_and_the_alarm_goes_before_the_words(
    plant: Plant,
) -> None:
    told = plant.run(3, heat=90.0)
    alarm, event = (one for one in told if isinstance(one, SensorAlarm | SensorEvent))
    assert isinstance(alarm, SensorAlarm)
    assert isinstance(event, SensorEvent)
    assert alarm.anomaly == event.anomaly
    assert (alarm.anomaly.sensor, alarm.anomaly.fault, alarm.anomaly.value) == (
        "heat",
        "high",
        90.0,
    )
    assert events(plant.run(HOLDS_S + 3)) == [("heat", "high", True)]


def test_what_is_as_it_was_learnt_is_well_and_what_is_not_is_told_once(learnt: Plant) -> None:
    assert events(learnt.run(300)) == []
    assert events(learnt.run(10, cold=-10.0)) == [("cold", "spike", False)]


def test_a_sensor_that_no_longer_fits_its_machine_is_named(learnt: Plant) -> None:
    told = events(learnt.run(60, flow=30.0))
    assert told[0][:2] in {("flow", "together"), ("flow", "stuck")}
    assert {sensor for sensor, _, _ in told} == {"flow"}


def test_one_that_falls_silent_is_noticed_by_time_alone(learnt: Plant) -> None:
    told: list[Message] = []
    for _ in range(60):
        learnt.at_s += 1
        told += learnt.feed(Tick(at_s=learnt.at_s))
    assert {one[:2] for one in events(told)} == {
        *(("heat", "silent"), ("flow", "silent"), ("cold", "silent"))
    }
    assert all(over for _, _, over in events(learnt.run(HOLDS_S + 3)))


def test_while_all_is_declared_well_only_the_limits_of_the_file_hold(plant: Plant) -> None:
    plant.learn("heat", "cold", for_s=300)
    assert events(plant.run(100, cold=20.0)) == []
    assert events(plant.run(5, heat=90.0)) == [("heat", "high", False)]


def test_after_a_restart_it_is_told_again_under_its_id_and_levels_go_on(learnt: Plant) -> None:
    learnt.run(KEEP_EVERY_S + 5)
    (first,) = (one for one in learnt.run(5, heat=90.0) if isinstance(one, SensorAlarm))
    learnt.start()
    again = [one for one in learnt.run(2, heat=90.0) if isinstance(one, SensorAlarm)]
    assert [one.anomaly.id for one in again] == [first.anomaly.id]
    assert events(learnt.run(3, heat=90.0, cold=-10.0)) == [("cold", "spike", False)]
    # The group, whose last ten seconds hold some of it, goes on for so long.
    assert ("heat", "high", True) in events(learnt.run(10 + HOLDS_S + 5))


def test_a_false_alarm_is_learnt_from(learnt: Plant) -> None:
    (begun,) = (one for one in learnt.run(1, cold=-14.2) if isinstance(one, SensorEvent))
    learnt.run(60)
    wish = SensorsRequest(utterance_id="u", what="false_alarm", anomaly=begun.anomaly.id)
    learnt.feed(wish)
    assert events(learnt.run(1, cold=-14.2)) == []
    assert events(learnt.run(1, cold=0.0)) == [("cold", "spike", False)]


def test_what_is_learnt_goes_on_over_a_reload(plant: Plant) -> None:
    plant.learn("cold")
    plant.run(LEARNT_S // 2)
    plant.start()
    plant.run(LEARNT_S // 2 + 5)
    assert events(plant.run(5, cold=-10.0)) == [("cold", "spike", False)]


def test_what_is_learnt_goes_on_after_a_restart_until_its_time(plant: Plant) -> None:
    plant.learn("cold", for_s=2 * LEARNT_S)
    plant.run(LEARNT_S // 2)
    plant.learning = []
    plant.start()
    report = [one for one in plant.run(REPORT_EVERY_S + 1) if isinstance(one, SensorsReport)][-1]
    assert {one.sensor: one.judged for one in report.readings}["cold"] == "learning"
    plant.run(1.5 * LEARNT_S + 5)
    assert "cold" in plant.store.learnt.single
    assert events(plant.run(5, cold=-10.0)) != []
    plant.learning = []
    plant.start()
    assert plant.run(5) != []
    assert plant.learning == []


def test_late_doubled_and_unknown_values_are_counted_and_change_nothing(plant: Plant) -> None:
    plant.run(20)
    now_s = plant.at_s
    odd = (
        SensorValue("cold", 500.0, now_s - 5),
        SensorValue("nobody", 1.0, now_s + 1),
    )
    plant.feed(SensorValues(values=odd, unusable={"cold": 2}, at_s=now_s))
    last = plant.stage._judge.detectors["cold"].trace
    plant.feed(SensorValues(values=(SensorValue("cold", last.value, last.at_s),), at_s=now_s))
    told = plant.run(REPORT_EVERY_S + 1)
    report = [one for one in told if isinstance(one, SensorsReport)][-1]
    assert {name: report.counts[name] for name in ("late", "doubled", "unknown", "unusable")} == {
        "late": 1,
        "doubled": 1,
        "unknown": 1,
        "unusable": 2,
    }
    assert {one.sensor for one in report.readings} == {"heat", "flow", "cold"}


def test_the_report_tells_how_each_sensor_is(learnt: Plant) -> None:
    told = learnt.run(REPORT_EVERY_S + 1, heat=90.0)
    report = [one for one in told if isinstance(one, SensorsReport)][-1]
    judged = {one.sensor: (one.judged, one.usual) for one in report.readings}
    assert judged["heat"][0] == "wrong"
    assert judged["cold"][0] == "well"
    assert judged["cold"][1] == pytest.approx(-18, abs=0.5)
    assert [one.sensor for one in report.wrong] == ["heat"]


def flaps(plant: Plant, hours: int) -> list[QualityAlert]:
    """The alerts while something is wrong with the freezer once in each of so many hours."""
    told: list[Message] = []
    for _ in range(hours):
        plant.at_s += 3600  # nothing comes meanwhile, and nobody looks
        plant.start()
        told += plant.run(60)
        told += plant.run(3, cold=0.0)
    return [one for one in told if isinstance(one, QualityAlert)]


def test_a_model_that_raises_alarms_hour_after_hour_is_told_though_it_is_started_again(
    learnt: Plant,
) -> None:
    assert flaps(learnt, MOST - 1) == []
    assert [(one.what, one.over) for one in flaps(learnt, 1)] == [("cold", False)]


def test_a_model_that_is_learnt_anew_is_no_longer_told(learnt: Plant) -> None:
    assert flaps(learnt, MOST)
    learnt.learn("cold", for_s=300)
    told = learnt.run(310)
    assert [(o.what, o.over) for o in told if isinstance(o, QualityAlert)] == [("cold", True)]
