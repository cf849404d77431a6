"""Hark as a service of a booted root: what it takes to start, mend, obey and end."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from scripts.systems.attack import KINDS, deal
from scripts.systems.root import SOURCE, CheckError, Machine, until
from scripts.systems.units import (
    BACK_S,
    INSIDE,
    PYTHON,
    UNITS,
    all_active,
    install,
    is_active,
    seconds,
    shown,
    write,
)

HIGHEST_EXPOSURE = {"assistant": 0.6, "assistant-bridge": 1.0, "assistant-satellites": 1.0}
COMMAND, REPLY = "turn on the kitchen light", "I turned on the kitchen light."
PUBLISHED = "hark/light/kitchen/set"
BLOWS = 1_000
"""Number of blows of each kind; their limits are another check's."""
KNOWN_OPEN = {"io_uring", "keyring", "userfaultfd", "/run/dbus/system_bus_socket"}
PROBE = f"""
[Service]
Type=oneshot
ExecStart=
ExecStart={PYTHON} {INSIDE} %s
Restart=no
WatchdogSec=0
"""
LOOSE = ["reads_a_file", "forks", "starts_a_program"]


def serve(machine: Machine) -> Iterator[tuple[str, str]]:
    """Install it and go through its life; gives each step and its figure."""
    yield from install(machine)
    machine.call("cp", "-r", f"{SOURCE}/examples/documents", "/srv")
    yield "documents added", seconds(machine, "assistant", "documents", "add", "/srv/documents")
    yield "reload", seconds(machine, "systemctl", "reload", "assistant")
    yield "back after kill -9", f"{_back_after(machine, 'KILL'):.1f} s"
    yield "back after a hang", f"{_back_after(machine, 'STOP'):.1f} s"
    until(lambda: all_active(machine), BACK_S, "the services run again")
    yield "spoken command until its reply", _spoken_to(machine)
    for kind in KINDS:
        yield f"{BLOWS:,} blows, {kind}", deal(machine, kind, BLOWS)
    yield "spoken command after them", _spoken_to(machine)
    for unit in UNITS:
        yield f"exposure of {unit}", _exposure(machine, unit)
    yield "stop", seconds(machine, "systemctl", "stop", "assistant")
    for unit in UNITS:
        yield f"open inside {unit}", _open_inside(machine, unit)
    yield "ways out of a skill", _ways_out(machine)


def _back_after(machine: Machine, signal: str) -> float:
    """Seconds from a signal to the daemon's first process until another one is ready."""
    first = shown(machine, "assistant", "MainPID")

    def another() -> bool:
        return shown(machine, "assistant", "MainPID") not in (first, "0")

    machine.call("systemctl", "kill", "--kill-whom=main", f"--signal={signal}", "assistant")
    begun_s = until(another, BACK_S, f"another process after SIG{signal}")
    return begun_s + until(lambda: is_active(machine, "assistant"), BACK_S, "ready again")


def _spoken_to(machine: Machine) -> str:
    heard = json.loads(machine.call(PYTHON, INSIDE, "speak", COMMAND, PUBLISHED).splitlines()[-1])
    if heard["reply"] != REPLY or "ON" not in heard["published"]:
        raise CheckError(f"“computer, {COMMAND}”: {heard}")
    return f"{heard['until_reply_s']:.1f} s"


def _exposure(machine: Machine, unit: str) -> str:
    told = machine.call("systemd-analyze", "security", "--no-pager", f"{unit}.service")
    found = re.search(r"exposure level for \S+: ([\d.]+)", told)
    if not found or float(found[1]) > HIGHEST_EXPOSURE[unit]:
        raise CheckError(f"exposure of {unit} above {HIGHEST_EXPOSURE[unit]}:\n{told}")
    return found[1]


def _open_inside(machine: Machine, unit: str) -> str:
    """See that inside the unit nothing is open that a plain service can reach."""
    plain = ("systemd-run", "--quiet", "--pipe", "--wait", PYTHON, INSIDE, "probe")
    seen = json.loads(machine.call(*plain))
    if not set(seen) >= KNOWN_OPEN:
        raise CheckError(f"the probe is blind: outside the unit it finds {seen}")
    found = _inside(machine, unit, "probe")
    if found:
        raise CheckError(f"inside {unit} there is open: {found}")
    return f"nothing of {len(seen)} outside"


def _ways_out(machine: Machine) -> str:
    """See that a hostile skill gets out by none, inside the unit, which alone would not hold it."""
    machine.call("cp", "-r", f"{SOURCE}/tests", "/opt/hark/tests")
    machine.call(PYTHON, "-m", "pip", "install", "--quiet", "pytest")
    found = _inside(machine, "assistant", "ways-out")
    if found["out"] or found["loose"] != LOOSE:
        raise CheckError(f"inside assistant: {found}")
    return f"none of {found['tried']} inside assistant"


def _inside(machine: Machine, unit: str, what: str) -> Any:
    """What `inside.py` tells of `what`, run in place of a unit's program."""
    write(machine, f"/run/systemd/system/{unit}.service.d/probe.conf", PROBE % what)
    machine.call("systemctl", "daemon-reload")
    # The daemon's unit, tried before, wants the others, and one that failed comes again by itself.
    machine.call("systemctl", "stop", unit)
    machine.call("install", "-d", "-o", "assistant", "-g", "assistant", "/run/hark")
    machine.call("systemctl", "start", unit)
    machine.call("journalctl", "--sync")  # the start ends before the journal has read all of it
    told = machine.call("journalctl", "--output=cat", "--identifier=python", f"--unit={unit}")
    if not told:
        log = machine.call("journalctl", "--no-pager", "--lines=30", f"--unit={unit}")
        raise CheckError(f"inside {unit} the probe told nothing:\n{log}")
    return json.loads(told.splitlines()[-1])
