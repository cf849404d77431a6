"""Kill the sensors' process while alarms begin: `python -m benchmarks.sensors.kills`.

The real process runs over a real bus and a real file; this program stands where the bridge and the
skills do. One sensor after the other passes its limit and stays there, and the process is ended by
SIGKILL at a random moment within the next milliseconds. Each alarm must come at least once to both,
always under one id, and be in the file once.
"""

from __future__ import annotations

import argparse
import contextlib
import logging
import multiprocessing
import os
import random
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import closing
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import NoReturn

from assistant.core.bus import Address, Bus
from assistant.core.clock import boottime_s
from assistant.core.errors import BusError
from assistant.core.layout import SENSORS, SENSORS_FILE
from assistant.core.messages import SensorAlarm, SensorEvent, SensorValue, SensorValues
from assistant.sensors.store import Store
from assistant.serving.processes import consumers, serve
from assistant.supervision.heartbeat import Heartbeat

WITHIN_S = 10.0
KILLED_WITHIN_S = 0.03
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["assistant.serving.processes", "assistant.sensors.stage"])


def plant(folder: Path, count: int) -> Path:
    """The settings, with a file of so many sensors."""
    sensors = "".join(
        f"  - {{id: s{number}, name: sensor {number}, topic: plant/{number}, high: 10}}\n"
        for number in range(count)
    )
    (folder / "sensors.yaml").write_text(f"sensors:\n{sensors}", "utf-8")
    (folder / "runtime").mkdir(mode=0o700)
    config = folder / "config.toml"
    config.write_text(
        f'[storage]\nstate = "{folder}"\nruntime = "{folder}/runtime"\n'
        f'[sensors]\nfile = "{folder}/sensors.yaml"\n',
        "utf-8",
    )
    return config


def started(config: Path) -> BaseProcess:
    """The process, forked as the zygote does: by one that has no threads, as these may hold locks
    for ever in what is forked beside them."""
    process = FORKS.Process(target=_be_the_process, args=(config,))
    process.start()
    return process


def _be_the_process(config: Path) -> NoReturn:
    logging.disable(logging.WARNING)
    with contextlib.suppress(KeyboardInterrupt):
        serve(Heartbeat(), SENSORS, str(config))
    os._exit(1)


class Ends:
    """The ends of the bus that the process speaks with."""

    def __init__(self, bridge: Bus, skills: Bus) -> None:
        self._bridge, self._skills = bridge, skills
        self.alarms: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.events: defaultdict[str, Counter[str]] = defaultdict(Counter)
        """Sensor → how often each id has come."""

    def send(self, *values: tuple[str, float]) -> None:
        """Send values as the bridge does; while nobody takes them they are lost."""
        now_s = boottime_s()
        came = tuple(SensorValue(sensor, value, now_s) for sensor, value in values)
        with contextlib.suppress(BusError):
            self._bridge.send(SensorValues(values=came, at_s=now_s))

    def take(self, wait_s: float = 0.0) -> None:
        """Take what has come."""
        for bus, told in ((self._bridge, self.alarms), (self._skills, self.events)):
            for message in _all(bus, wait_s):
                if isinstance(message, SensorAlarm | SensorEvent):
                    told[message.anomaly.sensor][message.anomaly.id] += 1


def _all(bus: Bus, wait_s: float) -> Iterator[object]:
    while came := list(bus.receive(wait_s)):
        yield from came
        wait_s = 0.0


def kill(config: Path, ends: Ends, count: int, seed: int) -> float:
    """Have an alarm begin and the process killed, so often; the longest an alarm took to come."""
    chance, longest_s = random.Random(seed), 0.0
    process = started(config)
    for number in range(count):
        sensor = f"s{number}"
        ends.send((sensor, 5.0))
        time.sleep(chance.uniform(0, KILLED_WITHIN_S))
        ends.send((sensor, 20.0))
        time.sleep(chance.uniform(0, KILLED_WITHIN_S))
        process.kill()
        process.join()
        process, began_s = started(config), time.monotonic()
        while not (ends.alarms[sensor] and ends.events[sensor]):
            if time.monotonic() - began_s > WITHIN_S:
                break
            ends.send((sensor, 20.0))  # it is still wrong
            ends.take(0.01)
        longest_s = max(longest_s, time.monotonic() - began_s)
    process.kill()
    process.join()
    return longest_s


def main() -> None:
    """Kill, and print what came."""
    parser = argparse.ArgumentParser(description="Kill the sensors' process during alarms.")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    logging.disable(logging.WARNING)  # each alarm is a line
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        config = plant(folder, given.count)
        with (
            closing(Address(folder / "runtime")) as address,
            closing(Bus("bridge", address, (), consumers(), (SensorAlarm,))) as bridge,
            closing(Bus("skills", address, (), consumers(), (SensorEvent,))) as skills,
        ):
            ends = Ends(bridge, skills)
            longest_s = kill(config, ends, given.count, given.seed)
        with closing(Store(folder / SENSORS_FILE)) as store:
            kept = Counter(anomaly.sensor for anomaly in store.going_on)
    write = sys.stdout.write
    for what, told in (("alarms", ends.alarms), ("events", ends.events)):
        none = given.count - sum(bool(ids) for ids in told.values())
        several = sum(len(ids) > 1 for ids in told.values())
        again = sum(ids.total() - len(ids) for ids in told.values())
        write(f"{what}: {none} never came, {several} under several ids, {again} came again\n")
    twice = sum(count > 1 for count in kept.values())
    write(f"{len(kept)} of {given.count} in the file, {twice} of them twice;")
    write(f" the longest took {longest_s:.2f} s after a kill\n")


if __name__ == "__main__":
    main()
