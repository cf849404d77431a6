"""A made-up plant: 200 sensors at 10 Hz, and faults of known kinds and sizes.

All sizes are in deviations of a sensor's own noise, which is white and rounded to tenths.

- 160 sensors stand on 32 machines, five on each; 40 stand alone. Each has a season of the day, a
  sine of 0 to 4 deviations. A machine has a load, an Ornstein-Uhlenbeck process with a time
  constant of 10 to 60 minutes, of which each of its sensors shows 3 to 6 deviations, up or down.
- *spike*: 6 to 15 deviations more or less, for 0.3 to 2 s.
- *drift*: a ramp to 3 to 10 deviations within ten minutes, which stays for ten more.
- *stuck*: the same value for 1 to 10 minutes.
- *silence*: no value for 0.5 to 10 minutes.
- *broken correlation*: for 30 minutes a sensor of a machine shows the load the other way round; in
  them it is at least 3 deviations off for a minute in all.

Faults of one machine, or of a sensor that stands alone, are at least 30 minutes apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Kind = Literal["spike", "drift", "stuck", "silence", "broken"]
KINDS: tuple[Kind, ...] = ("spike", "drift", "stuck", "silence", "broken")
MACHINES, ON_EACH, ALONE = 32, 5, 40
SENSORS = MACHINES * ON_EACH + ALONE
RATE_HZ = 10
DAY_S = 86_400
BLOCK_S = 60
APART_S = 1800
_TENTHS = 10.0

Values = NDArray[np.float64]


class PlantFault(NamedTuple):
    """One fault: its sensor, from when to when in seconds, and its size in deviations."""

    kind: Kind
    sensor: int
    begin_s: float
    end_s: float
    size: float


def machine(sensor: int) -> int:
    """The machine of a sensor; one that stands alone counts as a machine of its own."""
    return sensor // ON_EACH if sensor < MACHINES * ON_EACH else MACHINES + sensor


class Plant:
    """The values of all sensors, a minute at a time; `seed` makes the plant, `days` its length."""

    def __init__(self, seed: int, days: int) -> None:
        rng = np.random.default_rng(seed)
        self._rng, self._seconds = rng, days * DAY_S
        self._offset = rng.uniform(-50, 50, SENSORS)
        self._scale = 10 ** rng.uniform(-2, 2, SENSORS)
        self._season = rng.uniform(0, 4, SENSORS)
        self._phase = rng.uniform(0, 2 * np.pi, SENSORS)
        signs = rng.choice([-1, 1], SENSORS)
        self._loading = np.where(
            np.arange(SENSORS) < MACHINES * ON_EACH, signs * rng.uniform(3, 6, SENSORS), 0.0
        )
        self._loads = self._make_loads(rng.uniform(600, 3600, MACHINES))
        """float64[seconds, machines], of variance one."""

    def _make_loads(self, constants_s: Values) -> Values:
        keeps = np.exp(-1 / constants_s)
        jumps = np.sqrt(1 - keeps**2)
        loads = np.empty((self._seconds + 1, MACHINES))
        loads[0] = self._rng.standard_normal(MACHINES)
        for second in range(self._seconds):
            loads[second + 1] = keeps * loads[second] + jumps * self._rng.standard_normal(MACHINES)
        return loads

    def faults(self, count: int, from_s: int) -> list[PlantFault]:
        """As many faults of each kind, from a moment on, in the order of their begins."""
        busy: dict[int, list[tuple[float, float]]] = {}
        made: list[PlantFault] = []
        for number in range(count):
            kind = KINDS[number % len(KINDS)]
            while True:
                fault = self._drawn(kind, from_s)
                taken = busy.setdefault(machine(fault.sensor), [])
                free = all(
                    fault.end_s + APART_S < begin or end + APART_S < fault.begin_s
                    for begin, end in taken
                )
                if free and (kind != "broken" or self._shows(fault)):
                    break
            taken.append((fault.begin_s, fault.end_s))
            made.append(fault)
        return sorted(made, key=lambda fault: fault.begin_s)

    def _drawn(self, kind: Kind, from_s: int) -> PlantFault:
        rng = self._rng
        sensor = int(rng.integers(MACHINES * ON_EACH if kind == "broken" else SENSORS))
        lasts_s, size = {
            "spike": (rng.uniform(0.3, 2), rng.uniform(6, 15)),
            "drift": (1200.0, rng.uniform(3, 10)),
            "stuck": (rng.uniform(60, 600), 0.0),
            "silence": (rng.uniform(30, 600), 0.0),
            "broken": (1800.0, 0.0),
        }[kind]
        begin_s = round(rng.uniform(from_s + APART_S, self._seconds - APART_S - lasts_s), 1)
        # A tenth more or less would decide whether a spike has its three values.
        lasts_s = np.ceil(lasts_s * RATE_HZ) / RATE_HZ
        return PlantFault(
            kind, sensor, begin_s, begin_s + lasts_s, float(size * rng.choice([-1, 1]))
        )

    def _shows(self, fault: PlantFault) -> bool:
        load = self._loads[int(fault.begin_s) : int(fault.end_s), machine(fault.sensor)]
        return int((np.abs(2 * load * self._loading[fault.sensor]) >= 3).sum()) >= 60

    def blocks(
        self, from_s: int, to_s: int, faults: Sequence[PlantFault] = ()
    ) -> Iterator[tuple[Values, Values]]:
        """Times float64[n] in seconds and values float64[n, sensors] of one minute after the other.

        A value that does not come is NaN.
        """
        held: dict[PlantFault, float] = {}
        for begin_s in range(from_s, to_s, BLOCK_S):
            at_s = begin_s + np.arange(BLOCK_S * RATE_HZ) / RATE_HZ
            there = [f for f in faults if f.begin_s < begin_s + BLOCK_S and begin_s < f.end_s]
            standard = self._standard(at_s)
            for fault in there:
                self._break(standard, at_s, fault)
            values = self._offset + self._scale * np.round(standard * _TENTHS) / _TENTHS
            for fault in there:
                self._hold(values, at_s, fault, held)
            yield at_s, values

    def _standard(self, at_s: Values) -> Values:
        season = self._season * np.sin(2 * np.pi * at_s[:, None] / DAY_S + self._phase)
        seconds = np.arange(int(at_s[0]), int(at_s[0]) + BLOCK_S + 1)
        loads = self._loads[seconds[0] : seconds[-1] + 1]
        between = np.stack([np.interp(at_s, seconds, loads[:, m]) for m in range(MACHINES)], axis=1)
        shown = np.zeros((len(at_s), SENSORS))
        shown[:, : MACHINES * ON_EACH] = np.repeat(between, ON_EACH, axis=1)
        self._shown = shown * self._loading
        return season + self._shown + self._rng.standard_normal(shown.shape)

    def _break(self, standard: Values, at_s: Values, fault: PlantFault) -> None:
        """Put a spike, a drift or a broken correlation into what is not scaled yet."""
        here = (at_s >= fault.begin_s) & (at_s < fault.end_s)
        if fault.kind == "spike":
            standard[here, fault.sensor] += fault.size
        elif fault.kind == "drift":
            share = np.minimum((at_s[here] - fault.begin_s) / 600, 1.0)
            standard[here, fault.sensor] += fault.size * share
        elif fault.kind == "broken":
            standard[here, fault.sensor] -= 2 * self._shown[here, fault.sensor]

    def _hold(
        self, values: Values, at_s: Values, fault: PlantFault, held: dict[PlantFault, float]
    ) -> None:
        """Let a value stand still, or not come."""
        here = (at_s >= fault.begin_s) & (at_s < fault.end_s)
        if not here.any():
            return
        if fault.kind == "silence":
            values[here, fault.sensor] = np.nan
        elif fault.kind == "stuck":
            first = values[here, fault.sensor][0]
            values[here, fault.sensor] = held.setdefault(fault, float(first))
