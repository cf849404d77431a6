"""Hostile payloads of sensors: `python -m benchmarks.sensors.payloads --count 1000000`.

What devices publish is changed by an attacker and read as the bridge reads it, for sensors of many
fields. For most of the time nobody takes the values, so that those that wait reach their limit. Now
and then a true value is among them, which has to come out.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import sys
import time
from collections.abc import Callable
from typing import NamedTuple

from assistant.bridge.sensors.inputs import SensorInputs
from assistant.bridge.sensors.payloads import LARGEST_NUMBER
from assistant.bridge.sensors.waiting import MOST_WAITING, WaitingValues
from assistant.core.memory import trim_heap
from assistant.core.messages import SensorValues
from assistant.core.sensors.described import Sensor, Sensors
from benchmarks.hostile.payloads import payload as of_device
from benchmarks.hostile.watcher import resident

TOPIC = "plant/all"
FIELDS = ("", "state", "brightness", "a", "a.b", "battery", "color.x", "update.state", "position")
TRUE_EVERY = 1000
TAKEN_EVERY = 200_000
"""Payloads after which the values are taken; of so many some have gone by then."""
LARGE_BYTES = 1 << 20
TRUE_FIELD = "true"

_NUMBERS = (
    *(
        "NaN",
        "-Infinity",
        "Infinity",
        "1e400",
        "-1e308",
        "1e16",
        "-0",
        "00",
        "1_000",
        "0x1F",
        "+-1",
    ),
    *("9" * 400, "-" + "9" * 5000, "0." + "0" * 5000 + "1", "1e" + "9" * 400, "1e-400", "²", "٣"),
    *(
        "21,5",
        "21.5 °C",
        "unavailable",
        "unknown",
        "null",
        "None",
        "nan",
        "inf",
        "on",
        "OFF",
        "true",
    ),
)


def _bare(rng: random.Random) -> bytes:
    return rng.choice(_NUMBERS).encode()


def _in_json(rng: random.Random) -> bytes:
    number, field = rng.choice(_NUMBERS), rng.choice(FIELDS[1:]).split(".")
    quoted = rng.choice((number, f'"{number}"', f"[{number}]"))
    opened = "".join(f'{{"{key}":' for key in field)
    return f"{opened}{quoted}{'}' * (len(field) - rng.choice((0, 0, 0, 1)))}".encode()


def _deep(rng: random.Random) -> bytes:
    opening = rng.choice((b"[", b'{"a":', b'{"a":{"b":', b'[{"a":'))
    return opening * rng.choice((10, 1000, 2700, 100_000))


def _huge(rng: random.Random) -> bytes:
    return rng.choice((b"1", b"{", b'"', b"\xff", b" ")) * rng.choice((16_384, 16_385, LARGE_BYTES))


def _noise(rng: random.Random) -> bytes:
    return rng.randbytes(rng.choice((0, 1, 2, 8, 100, 4000)))


_MAKERS: dict[Callable[[random.Random], bytes], float] = {
    of_device: 60,
    _bare: 12,
    _in_json: 20,
    _noise: 6,
    _deep: 1,
    _huge: 0.5,
}
"""Functions that make a payload → their shares in hundredths, about."""


def payload(rng: random.Random) -> bytes:
    """A payload that is wrong in some way, or absurd."""
    (make,) = rng.choices(tuple(_MAKERS), tuple(_MAKERS.values()))
    return make(rng)


class Outcome(NamedTuple):
    """What became of the payloads."""

    values: int
    unusable: int
    lost: int
    wrong: int
    """Values that are no numbers that something can measure."""
    missing: int
    """True values that did not come out although they were among the newest."""
    grown_mb: float
    """The most memory above that at the start."""


def attack(count: int, seed: int = 1, most: int = MOST_WAITING) -> Outcome:
    """Have so many payloads read; no more than `most` values wait."""
    rng = random.Random(seed)
    sensors = tuple(
        Sensor(id=f"s{n}", name="s", topic=TOPIC, field=field) for n, field in enumerate(FIELDS)
    )
    truth = Sensor(id="truth", name="truth", topic=TOPIC, field=TRUE_FIELD)
    waiting = WaitingValues(lambda: None, most)
    inputs = SensorInputs(Sensors(sensors=(*sensors, truth)), waiting, "hark")
    before = _resident()
    values = unusable = wrong = missing = peak = 0
    last = 0
    for number in range(1, count + 1):
        inputs.hear(TOPIC, payload(rng))
        if number % TRUE_EVERY == 0:
            last = number
            inputs.hear(TOPIC, json.dumps({TRUE_FIELD: str(number)}).encode())
        if number % TAKEN_EVERY == 0 or number == count:
            peak = max(peak, _resident() - before)
            taken = _taken(waiting)
            told = [one for message in taken for one in message.values]
            values += len(told)
            unusable += sum(sum(message.unusable.values()) for message in taken)
            wrong += sum(not _measurable(one.value) for one in told)
            missing += last > 0 and last not in (o.value for o in told if o.sensor == "truth")
            last = 0
    return Outcome(values, unusable, waiting.lost, wrong, missing, peak / 1e6)


def _resident() -> int:
    """Bytes of memory, without what the C library keeps for later, as a worker sees to it."""
    trim_heap()
    return resident(os.getpid())[0]


def _taken(waiting: WaitingValues) -> list[SensorValues]:
    found = []
    while (message := waiting.next()) is not None:
        waiting.delivered()
        found.append(message)
    return found


def _measurable(value: float) -> bool:
    return math.isfinite(value) and abs(value) <= LARGEST_NUMBER


def main() -> None:
    """Attack, print what became of it, and exit with 1 where anything was wrong or missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    began_s = time.monotonic()
    outcome = attack(given.count, given.seed)
    took_s = time.monotonic() - began_s
    sys.stdout.write(
        f"{given.count} payloads in {took_s:.0f} s: {outcome.values} values, "
        f"{outcome.unusable} unusable, {outcome.lost} lost to newer ones, {outcome.wrong} wrong, "
        f"{outcome.missing} true ones missing; at most {outcome.grown_mb:.1f} MB more memory\n"
    )
    sys.exit(outcome.wrong + outcome.missing > 0)


if __name__ == "__main__":
    main()
