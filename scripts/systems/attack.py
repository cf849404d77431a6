"""Blows on the units of a booted root, and under the limits that the units set for themselves."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scripts.systems.root import SOURCE, CheckError, Machine, until
from scripts.systems.units import BACK_S, PYTHON, all_active, install, shown

KINDS = {
    "control": ("assistant", 5_000),
    "wyoming": ("assistant-satellites", 30_000),
    "broker": ("assistant-bridge", 10_000),
}
"""Kind of the blows → the unit that they are for, and their number under its limits."""
SLOWEST_MS = 2_000
"""Longest that an honest caller may wait for."""
RESTS_S = 3.0
"""Seconds after which a process that was killed would have come again."""
TIGHT_MB = 4.0
"""Room that the unit of the control has above what it holds, in which it must not hold blows."""
MB = 1_000_000
GROUPS = Path("/sys/fs/cgroup")
CONTROLLERS = {
    "memory": ("memory.limit_in_bytes", "MemoryMax"),
    "pids": ("pids.max", "TasksMax"),
    "cpuacct": ("", ""),
}
"""Controller → its file for a limit, and the unit's setting for that."""


class Limits:
    """The limits of a unit that runs, as this machine holds them.

    Under control groups of the first version nspawn lets no systemd set any: the unit is started
    again, and its own are set here. `remove` takes the groups away.
    """

    def __init__(self, machine: Machine, unit: str) -> None:
        if not (GROUPS / "memory").is_dir():
            raise CheckError("the attack needs control groups of the first version")
        self._groups = {name: GROUPS / name / f"hark-{unit}" for name in CONTROLLERS}
        for group in self._groups.values():
            group.mkdir()
        for name, (file, setting) in CONTROLLERS.items():
            if file:
                (self._groups[name] / file).write_text(shown(machine, unit, setting))
        first = shown(machine, unit, "MainPID")
        machine.call("systemctl", "restart", "--no-block", unit)
        until(lambda: shown(machine, unit, "MainPID") not in (first, "0"), BACK_S, "another runs")
        # What they hold is counted from here on, and so are the processes that they start.
        within = machine.group / shown(machine, unit, "ControlGroup").lstrip("/")
        there = (GROUPS / "systemd" / within / "cgroup.procs").read_text("ascii").split()
        for process in filter(machine.has, there):
            for group in self._groups.values():
                (group / "cgroup.procs").write_text(process)

    def tighten(self, room_mb: float) -> None:
        """Leave it so much more memory than it holds."""
        held = self.bytes("memory.usage_in_bytes")
        (self._groups["memory"] / "memory.limit_in_bytes").write_text(
            str(round(held + room_mb * MB))
        )

    def bytes(self, file: str) -> int:
        """A number that the memory's controller tells."""
        return int((self._groups["memory"] / file).read_text("ascii"))

    @property
    def cpu_s(self) -> float:
        """CPU time of its processes so far, in seconds."""
        return int((self._groups["cpuacct"] / "cpuacct.usage").read_text("ascii")) / 1e9

    def remove(self) -> None:
        """Take the groups away; what is in them stays alive."""
        for name, group in self._groups.items():
            for process in (group / "cgroup.procs").read_text("ascii").split():
                (GROUPS / name / "cgroup.procs").write_text(process)
            group.rmdir()


def attack(machine: Machine) -> Iterator[tuple[str, str]]:
    """Install the service, and deal blows to each unit; gives each kind and what it cost."""
    yield from install(machine)
    for kind, (_, count) in KINDS.items():
        yield f"{count:,} blows, {kind}", _dealt_within(machine, kind)
    try:
        _dealt_within(machine, "wyoming", TIGHT_MB)
    except CheckError as error:
        yield "too tight a limit", f"is noticed: {error}".splitlines()[0]
    else:
        raise CheckError(f"the attack is blind: {TIGHT_MB:.0f} MB of room were enough")


def deal(machine: Machine, kind: str, count: int) -> str:
    """Deal blows of a kind; raises `CheckError` where its unit ends, or others wait too long."""
    unit, _ = KINDS[kind]
    before = _lives(machine, unit)
    command = f"cd {SOURCE} && exec {PYTHON} -m scripts.systems.blows {kind} {count}"
    told: dict[str, Any] = json.loads(machine.call("sh", "-c", command).splitlines()[-1])
    time.sleep(RESTS_S)
    if (after := _lives(machine, unit)) != before:
        raise CheckError(f"{unit} was {before} before the blows, and is {after}")
    if told["faults"] or told["unserved"] or told["slowest_ms"] > SLOWEST_MS or not told["asked"]:
        raise CheckError(f"{unit}: {told}")
    return (
        f"{told['seconds']} s; status {told['slowest_ms']:.0f} ms at the most, "
        f"{told['asked']} times"
    )


def _dealt_within(machine: Machine, kind: str, room_mb: float | None = None) -> str:
    """Deal blows to a unit that runs within its limits; what that cost it."""
    unit, count = KINDS[kind]
    limits = Limits(machine, unit)
    try:
        until(lambda: all_active(machine), BACK_S, "the services run again")
        if room_mb is not None:
            limits.tighten(room_mb)
        held, cpu_s = limits.bytes("memory.usage_in_bytes"), limits.cpu_s
        told = deal(machine, kind, count)
        peak, cpu_s = limits.bytes("memory.max_usage_in_bytes"), limits.cpu_s - cpu_s
        most = limits.bytes("memory.limit_in_bytes")
    finally:
        limits.remove()
    return (
        f"{unit}: {peak / MB:.0f} MB at the most of {most / MB:,.0f} ({held / MB:.0f} before), "
        f"{cpu_s:.1f} s CPU in {told}"
    )


def _lives(machine: Machine, unit: str) -> tuple[str, ...]:
    """Which process it has, how often it was started again, and the tracebacks in its journal."""
    machine.call("journalctl", "--sync")
    told = machine.call("journalctl", "--output=cat", f"--unit={unit}.service")
    facts = (shown(machine, unit, fact) for fact in ("ActiveState", "MainPID", "NRestarts"))
    return (*facts, f"{told.count('Traceback (most')} tracebacks")
