"""Blows on the service of a booted root, on which its units' own limits are set for it.

What `struck` deals goes beside them; here a process that takes more than its unit may is killed.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

from scripts.systems.root import SOURCE, CheckError, Machine, until
from scripts.systems.service import BACK_S, PYTHON, SETTINGS, all_active, shown, write

BLOWS = {
    "control": ("assistant", 5_000),
    "wyoming": ("assistant-satellites", 30_000),
    "broker": ("assistant-bridge", 10_000),
}
"""Kind of the blows → the unit that they are for, and how many."""
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
    machine.call("make", "-C", SOURCE, "install", "PULL=no")
    machine.call("systemctl", "start", "mosquitto")
    write(machine, "/etc/hark/config.toml", SETTINGS)
    machine.call("systemctl", "restart", "assistant")
    until(lambda: all_active(machine), BACK_S, "the services run")
    for kind, (unit, count) in BLOWS.items():
        yield f"{count:,} blows, {kind}", _dealt(machine, kind, unit, count)
    unit, count = BLOWS["wyoming"]
    try:
        _dealt(machine, "wyoming", unit, count, TIGHT_MB)
    except CheckError as error:
        yield "too tight a limit", f"is noticed: {error}".splitlines()[0]
    else:
        raise CheckError(f"the attack is blind: {unit} held it with {TIGHT_MB:.0f} MB of room")


def _dealt(machine: Machine, kind: str, unit: str, count: int, room_mb: float | None = None) -> str:
    """Deal blows to a unit; raises `CheckError` where it does not hold, or others wait too long."""
    limits = Limits(machine, unit)
    try:
        until(lambda: all_active(machine), BACK_S, "the services run again")
        before = _lives(machine, unit)
        if room_mb is not None:
            limits.tighten(room_mb)
        held, cpu_s = limits.bytes("memory.usage_in_bytes"), limits.cpu_s
        deal = f"cd {SOURCE} && exec {PYTHON} -m scripts.systems.blows {kind} {count}"
        told = json.loads(machine.call("sh", "-c", deal).splitlines()[-1])
        time.sleep(RESTS_S)
        peak, cpu_s = limits.bytes("memory.max_usage_in_bytes"), limits.cpu_s - cpu_s
        most = limits.bytes("memory.limit_in_bytes")
    finally:
        limits.remove()
    if (after := _lives(machine, unit)) != before:
        raise CheckError(f"{unit} was {before} before the blows, and is {after}")
    if told["faults"] or told["slowest_ms"] > SLOWEST_MS or not told["asked"]:
        raise CheckError(f"{unit}: {told}")
    return (
        f"{unit}: {peak / MB:.0f} MB at the most of {most / MB:,.0f} ({held / MB:.0f} before), "
        f"{cpu_s:.1f} s CPU in {told['seconds']} s; status {told['slowest_ms']} ms at the most, "
        f"{told['asked']} times"
    )


def _lives(machine: Machine, unit: str) -> tuple[str, ...]:
    """Which process it has, how often it was started again, and the tracebacks in its journal."""
    machine.call("journalctl", "--sync")
    told = machine.call("journalctl", "--output=cat", f"--unit={unit}.service")
    facts = (shown(machine, unit, fact) for fact in ("ActiveState", "MainPID", "NRestarts"))
    return (*facts, f"{told.count('Traceback (most')} tracebacks")
