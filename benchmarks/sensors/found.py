"""How many faults of a made-up plant are found: `python -m benchmarks.sensors.found`.

The plant is that of `benchmarks/sensors/plant.py`. The stage of the sensors learns its first hours,
in which all is well, and judges the next: a fault is found by an anomaly of its sensor, or one that
names it, that begins in it or within ten seconds after. All others, but those of the same machine
within two minutes after a fault, are false alarms.
"""

from __future__ import annotations

import argparse
import logging
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime

from assistant.core.messages import (
    Anomaly,
    SensorEvent,
    SensorsRequest,
    SensorValue,
    SensorValues,
    Tick,
)
from assistant.core.sensors.described import Sensor, Sensors
from assistant.sensors.stage import SensorsStage
from assistant.sensors.store import Store
from benchmarks.sensors.plant import KINDS, RATE_HZ, SENSORS, Plant, PlantFault, Values, machine

LATE_S = 10.0
AFTER_S = 120.0
A_TURN = RATE_HZ // 2
"""Rows that come in one message: half a second."""


class Clock:
    """The wall time, which goes with the plant's."""

    def __init__(self) -> None:
        self.now = datetime.fromtimestamp(0, UTC)


def name(sensor: int) -> str:
    """The id of a sensor of the plant."""
    return f"s{sensor}"


def described() -> Sensors:
    """The plant's file."""
    machines = Counter(map(machine, range(SENSORS)))
    return Sensors(
        sensors=tuple(
            Sensor(
                id=name(number),
                name=f"sensor {number}",
                topic=f"plant/{number}",
                group=f"machine {machine(number)}" if machines[machine(number)] > 1 else "",
            )
            for number in range(SENSORS)
        )
    )


def begun(
    stage: SensorsStage, clock: Clock, at_s: Values, values: Values
) -> Iterator[tuple[float, Anomaly]]:
    """The anomalies that begin in a minute's values, and when."""
    names = [name(number) for number in range(SENSORS)]
    for first in range(0, len(at_s), A_TURN):
        rows = zip(
            at_s[first : first + A_TURN].tolist(),
            values[first : first + A_TURN].tolist(),
            strict=True,
        )
        came = tuple(
            SensorValue(sensor, value, now_s)
            for now_s, row in rows
            for sensor, value in zip(names, row, strict=True)
            if value == value
        )
        now_s = float(at_s[min(first + A_TURN, len(at_s)) - 1])
        clock.now = datetime.fromtimestamp(now_s, UTC)
        for message in (SensorValues(values=came, at_s=now_s), Tick(at_s=now_s)):
            for output in stage.feed(message):
                if isinstance(output, SensorEvent) and output.anomaly.over is None:
                    yield now_s, output.anomaly


def judged(
    faults: list[PlantFault], anomalies: list[tuple[float, Anomaly]]
) -> tuple[dict[PlantFault, float], list[tuple[float, Anomaly]]]:
    """Fault → how late it was found; and the false alarms."""
    found: dict[PlantFault, float] = {}
    false = []
    for at_s, anomaly in anomalies:
        named = {int(one[1:]) for one in (anomaly.sensor, *anomaly.others)}
        near = [
            fault
            for fault in faults
            if machine(fault.sensor) == machine(int(anomaly.sensor[1:]))
            and fault.begin_s <= at_s <= fault.end_s + AFTER_S
        ]
        for fault in near:
            if fault.sensor in named and at_s <= fault.end_s + LATE_S:
                found.setdefault(fault, at_s - fault.begin_s)
        if not near:
            false.append((at_s, anomaly))
    return found, false


def main() -> None:
    """Run a plant, and print what was found."""
    parser = argparse.ArgumentParser(description="Find the faults of a made-up plant.")
    parser.add_argument("--learn-hours", type=float, default=24.0)
    parser.add_argument("--hours", type=float, default=24.0)
    parser.add_argument("--faults", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    logging.disable(logging.WARNING)  # each anomaly is a line
    learn_s, whole_s = round(given.learn_hours * 3600), round(given.hours * 3600)
    days = -(-(learn_s + whole_s) // 86_400)
    plant = Plant(given.seed, days)
    every = plant.faults(given.faults, learn_s)
    faults = [fault for fault in every if fault.end_s + AFTER_S < learn_s + whole_s]
    clock = Clock()
    stage = SensorsStage(described(), Store(), lambda: clock.now, "boot")
    names = tuple(map(name, range(SENSORS)))
    wish = SensorsRequest(utterance_id="u", what="learn", sensors=names, for_s=learn_s - 60)
    list(stage.feed(wish))
    early = [one for block in plant.blocks(0, learn_s) for one in begun(stage, clock, *block)]
    began_s = time.process_time()
    anomalies = [
        one
        for block in plant.blocks(learn_s, learn_s + whole_s, every)
        for one in begun(stage, clock, *block)
    ]
    took_s = time.process_time() - began_s
    found, false = judged(every, anomalies)
    write = sys.stdout.write
    for kind in KINDS:
        those = [fault for fault in faults if fault.kind == kind]
        delays = [found[fault] for fault in those if fault in found]
        if delays:
            p50 = statistics.median(delays)
            write(f"{kind}: {len(delays)} of {len(those)} found, {p50:.1f} s after their begin\n")
    for fault in faults:
        if fault not in found:
            write(f"missed: {fault}\n")
    for at_s, anomaly in false:
        write(f"false: {anomaly.sensor} {anomaly.fault} at {at_s:.0f} s, {anomaly.score:.2f}\n")
    count, share = sum(fault in found for fault in faults), took_s / whole_s
    write(f"{count} of {len(faults)} found, {len(false)} false alarms in {given.hours:g} hours,")
    write(f" {len(early)} while it learnt; {share:.1%} of a core\n")


if __name__ == "__main__":
    main()
