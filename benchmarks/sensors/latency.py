"""From a value to its action: `python -m benchmarks.sensors.latency --values 100000 --rate 2000`.

A real broker, `assistant bridge` and the daemon run. 200 sensors tell values, each in its turn; now
and then one of those with hard limits tells a value beyond its limit, and then usual ones again.
Measured is the time from the publication of such a value to the arrival of the action that the
sensors' file names, at another client of the broker.
"""

from __future__ import annotations

import argparse
import itertools
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np
from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion

from assistant.bench.rig import Rig, running_daemon
from assistant.control.metrics import percentile
from assistant.control.procfs import usage
from assistant.core.errors import ControlError
from assistant.core.layout import SENSORS
from assistant.core.messages import SAMPLE_RATE_HZ
from assistant.core.sensors.described import Sensor
from benchmarks.hearing.hours import VOICES
from benchmarks.peers import COMMANDS
from benchmarks.rooms import running
from benchmarks.satellites import said
from benchmarks.sensors.limited_plant import HIGH, STOP, USUAL, as_file, limited, plant
from tests.support.mosquitto import running_broker

TURN_S = 0.002
"""Seconds between two turns of the publisher, in each of which it catches up with its rate."""
READY_EVERY_S = 1.0
READY_S = 60.0
MISSED_AFTER_S = 5.0
SPREAD = 3.0
"""Standard deviation of usual values."""
AT_ONCE = "set_tcp_nodelay true"
"""As the documentation has it: else the broker holds values back for up to 40 ms."""
PAUSE_S = 4.0
"""Silence after what is said, in which it is answered."""
SWITCHES_S = 0.0005
"""Seconds for which one thread of this process may hold up another, which is measured with it."""


class Measured(NamedTuple):
    """Milliseconds until each action, how many did not come, and shares of a core in percent."""

    waits_ms: list[float]
    missed: int
    bridge: float
    sensors: float
    rate: float
    """Values a second that were really published."""

    def __str__(self) -> str:
        found = sorted(self.waits_ms) or [float("nan")]
        waits = f"p50 {percentile(found, 0.5):.1f}, p99 {percentile(found, 0.99):.1f}"
        return (
            f"{len(self.waits_ms)} actions, {self.missed} missed; {waits}, "
            f"longest {found[-1]:.1f} ms; {self.rate:.0f} values a second; "
            f"of a core bridge {self.bridge:.1f} %, sensors {self.sensors:.1f} %\n"
        )


class Operator:
    """Hears the actions, and knows since when each is awaited."""

    def __init__(self, port: int) -> None:
        self.waits_ms: list[float] = []
        self._began_s: dict[str, float] = {}
        self._client = Client(CallbackAPIVersion.VERSION2)
        self._client.on_message = self._heard
        self._client.connect("127.0.0.1", port)
        self._client.loop_start()
        self._client.subscribe(f"{STOP}/#", qos=1)

    def await_action(self, sensor: str) -> None:
        """Note that a value beyond a limit is published now."""
        self._began_s[sensor] = time.monotonic()

    def missing(self) -> list[str]:
        """The sensors whose action has not come."""
        return list(self._began_s)

    def close(self) -> None:
        """Leave the broker."""
        self._client.disconnect()
        self._client.loop_stop()

    def _heard(self, _: Client, __: object, message: MQTTMessage) -> None:
        now_s = time.monotonic()
        began_s = self._began_s.pop(message.topic.rpartition("/")[2], None)
        if began_s is not None:
            self.waits_ms.append(1000 * (now_s - began_s))


class Machines:
    """Publish values of all sensors in their turn, and now and then one beyond its limit.

    They do so by one thread, which no other one of this process holds up for long.
    """

    def __init__(self, port: int, operator: Operator, every_s: float) -> None:
        self._operator, self._every_s = operator, every_s
        self._rng = random.Random(1)
        self._client = Client(CallbackAPIVersion.VERSION2)
        self._client.connect("127.0.0.1", port)
        while not self._client.is_connected():
            self._client.loop()
        self._sensors = itertools.cycle(plant().sensors)
        self._broken = itertools.cycle(limited(plant())[1:])  # the first tells when all is ready
        self._wanted = deque[Sensor]()

    def run(self, count: int, rate: float) -> float:
        """Publish so many values at that rate; the rate that was reached."""
        began_s = time.monotonic()
        breaks_at_s = began_s + self._every_s
        published = 0
        while published < count:
            now_s = time.monotonic()
            if now_s >= breaks_at_s:
                breaks_at_s += self._every_s
                self._wanted.append(next(self._broken))
            while self._wanted:
                self.break_one(self._wanted.popleft())
                published += 1
            due = min(count, int((now_s - began_s) * rate))
            for _ in range(due - published):
                self._tell(next(self._sensors), self._rng.gauss(USUAL, SPREAD))
            published = max(published, due)
            self._client.loop(0)  # answers to its pings
            time.sleep(TURN_S)
        return published / (time.monotonic() - began_s)

    def break_soon(self, sensor: Sensor) -> None:
        """Have the thread that runs publish a value beyond the sensor's limit."""
        self._wanted.append(sensor)

    def break_one(self, sensor: Sensor) -> None:
        """Publish a value beyond the sensor's limit."""
        self._operator.await_action(sensor.id)
        self._tell(sensor, 2 * HIGH)

    def mend(self, sensor: Sensor) -> None:
        """Publish a usual value."""
        self._tell(sensor, USUAL)

    def close(self) -> None:
        """Leave the broker."""
        self._client.disconnect()

    def _tell(self, sensor: Sensor, value: float) -> None:
        self._client.publish(str(sensor.topic), f"{value:.3f}", qos=0)


def _await_first(machines: Machines, operator: Operator) -> None:
    """Break one until its action comes: then all are joined."""
    sensor = limited(plant())[0]
    until_s = time.monotonic() + READY_S
    while not operator.waits_ms:
        if time.monotonic() > until_s:
            raise ControlError("bench.not_ready", "no action came for a value beyond its limit")
        machines.break_one(sensor)
        time.sleep(READY_EVERY_S)
        machines.mend(sensor)
        time.sleep(TURN_S)
    operator.waits_ms.clear()


@contextmanager
def _talking(rig: Rig, wanted: bool) -> Iterator[None]:
    """Speak one command after the other into the daemon's microphone meanwhile."""
    ended = threading.Event()
    silence = np.zeros(round(PAUSE_S * SAMPLE_RATE_HZ), np.int16)

    def talk() -> None:
        for text in itertools.cycle(COMMANDS):
            if ended.is_set():
                return
            sound = np.frombuffer(said(text, VOICES[0]).sound, np.int16)
            rig.play(np.concatenate([sound, silence]))

    thread = threading.Thread(target=talk)
    if wanted:
        thread.start()
    yield
    ended.set()
    if wanted:
        thread.join()


class Bench(NamedTuple):
    """A daemon with a bridge and a broker, and what tells values and hears actions."""

    rig: Rig
    bridge: subprocess.Popen[bytes]
    operator: Operator
    machines: Machines


@contextmanager
def running_plant(every_s: float) -> Iterator[Bench]:
    """Run all of it until an action has come; raises `ControlError` where it does not serve."""
    with ExitStack() as opened:
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="hark-sensors-")))
        port = opened.enter_context(running_broker(folder, AT_ONCE)).port
        file = folder / "sensors.yaml"
        file.write_text(as_file(plant()), "utf-8")
        settings = f'[mqtt]\nhost = "127.0.0.1"\nport = {port}\n[sensors]\nfile = "{file}"\n'
        rig = opened.enter_context(running_daemon(settings=settings))
        log = opened.enter_context(rig.log.open("ab"))
        bridge = opened.enter_context(running(log, "bridge", "--config", str(rig.config)))
        operator = opened.enter_context(closing(Operator(port)))
        machines = opened.enter_context(closing(Machines(port, operator, every_s)))
        _await_first(machines, operator)
        yield Bench(rig, bridge, operator, machines)


def measure(values: int, rate: float, every_s: float, talks: bool) -> Measured:
    """Time actions; raises `ControlError` where the daemon does not come to serve."""
    with running_plant(every_s) as (rig, bridge, operator, machines):
        began_s, before = time.monotonic(), _processors(rig, bridge.pid)
        with _talking(rig, talks):
            reached = machines.run(values, rate)
        took_s = time.monotonic() - began_s
        after = _processors(rig, bridge.pid)
        until_s = time.monotonic() + MISSED_AFTER_S
        while operator.missing() and time.monotonic() < until_s:
            time.sleep(TURN_S)
        shares = (100 * (after[0] - before[0]) / took_s, 100 * (after[1] - before[1]) / took_s)
        return Measured(operator.waits_ms, len(operator.missing()), *shares, reached)


def _processors(rig: Rig, bridge: int) -> tuple[float, float]:
    """Seconds of processor time of the bridge, and of the process that judges the sensors."""
    judging = sum(one.cpu_s for one in usage(rig.process.pid).values() if one.name == SENSORS)
    return usage(bridge)[bridge].cpu_s, judging


def main() -> None:
    """Measure, print, and exit with 1 where an action did not come."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--values", type=int, default=100_000)
    parser.add_argument("--rate", type=float, default=2000.0)
    parser.add_argument("--every", type=float, default=0.5, help="seconds between two alarms")
    parser.add_argument(
        "--talk", action="store_true", help="speak commands to the daemon meanwhile"
    )
    given = parser.parse_args()
    sys.setswitchinterval(SWITCHES_S)
    measured = measure(given.values, given.rate, given.every, given.talk)
    sys.stdout.write(str(measured))
    sys.exit(measured.missed > 0)


if __name__ == "__main__":
    main()
