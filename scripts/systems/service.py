"""Hark as a service of a booted root: what it takes to start, mend, obey and end."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from scripts.systems.root import CheckError, Machine, timed, until

UNITS = ("assistant", "assistant-bridge", "assistant-satellites")
HIGHEST_EXPOSURE = {"assistant": 0.6, "assistant-bridge": 1.0, "assistant-satellites": 1.0}
PYTHON, INSIDE = "/opt/hark/.venv/bin/python", "/opt/hark/scripts/systems/inside.py"
PACKAGES = ("systemd-sysv", "dbus", "mosquitto")
BACK_S = 90.0
COMMAND, REPLY = "turn on the kitchen light", "I turned on the kitchen light."
PUBLISHED = "hark/light/kitchen/set"
SETTINGS = """
[storage]
state = "/var/lib/hark"
runtime = "/run/hark"
[audio]
input = "fifo:/var/lib/hark/microphone"
output = "folder:/var/lib/hark/replies"
[home]
file = "/opt/hark/assistant/demo/home.yaml"
area = "kitchen"
[mqtt]
host = "127.0.0.1"
[wyoming]
allow = ["127.0.0.1", "127.0.0.9"]
"""
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


def serve(machine: Machine, source: str) -> Iterator[tuple[str, str]]:
    """Install it and go through its life; gives each step and its figure."""
    yield "make install", _seconds(machine, "make", "-C", source, "install", "PULL=no")
    machine.call("systemctl", "start", "mosquitto")
    write(machine, "/etc/hark/config.toml", SETTINGS)
    yield "restart until ready", _seconds(machine, "systemctl", "restart", "assistant")
    until(lambda: all_active(machine), BACK_S, "the services run")
    machine.call("cp", "-r", f"{source}/examples/documents", "/srv")
    yield "documents added", _seconds(machine, "assistant", "documents", "add", "/srv/documents")
    yield "reload", _seconds(machine, "systemctl", "reload", "assistant")
    yield "back after kill -9", f"{_back_after(machine, 'KILL'):.1f} s"
    yield "back after a hang", f"{_back_after(machine, 'STOP'):.1f} s"
    until(lambda: all_active(machine), BACK_S, "the services run again")
    yield "spoken command until its reply", _spoken_to(machine)
    yield from struck(machine)
    for unit in UNITS:
        yield f"exposure of {unit}", _exposure(machine, unit)
    yield "stop", _seconds(machine, "systemctl", "stop", "assistant")
    for unit in UNITS:
        yield f"open inside {unit}", _open_inside(machine, unit)
    yield "ways out of a skill", _ways_out(machine, source)


def _seconds(machine: Machine, *command: str) -> str:
    return f"{timed(lambda: machine.call(*command)):.1f} s"


def write(machine: Machine, file: str, text: str) -> None:
    """Write a file there."""
    machine.call("mkdir", "-p", file.rpartition("/")[0])
    machine.call("sh", "-c", 'printf %s "$2" >"$1"', "sh", file, text)


def _active(machine: Machine, unit: str) -> bool:
    return shown(machine, unit, "ActiveState") == "active"


def all_active(machine: Machine) -> bool:
    """Whether each unit runs."""
    return all(_active(machine, unit) for unit in UNITS)


def shown(machine: Machine, unit: str, fact: str) -> str:
    """A property of a unit."""
    return machine.call("systemctl", "show", "--property", fact, "--value", unit)


def _back_after(machine: Machine, signal: str) -> float:
    """Seconds from a signal to the daemon's first process until another one is ready."""
    first = shown(machine, "assistant", "MainPID")

    def another() -> bool:
        return shown(machine, "assistant", "MainPID") not in (first, "0")

    machine.call("systemctl", "kill", "--kill-whom=main", f"--signal={signal}", "assistant")
    begun_s = until(another, BACK_S, f"another process after SIG{signal}")
    return begun_s + until(lambda: _active(machine, "assistant"), BACK_S, "ready again")


def _spoken_to(machine: Machine) -> str:
    heard = json.loads(machine.call(PYTHON, INSIDE, "speak", COMMAND, PUBLISHED).splitlines()[-1])
    if heard["reply"] != REPLY or "ON" not in heard["published"]:
        raise CheckError(f"“computer, {COMMAND}”: {heard}")
    return f"{heard['until_reply_s']:.1f} s"


def struck(machine: Machine) -> Iterator[tuple[str, str]]:
    """See that the services hold out blows under their units' limits, and obey after them."""
    before = [_process(machine, unit) for unit in UNITS]
    told = json.loads(machine.call(PYTHON, INSIDE, "strike").splitlines()[-1])
    honest = f"an honest caller waited for {told['honest_s']:.2f} s at the most"
    yield f"{told['blows']} blows", honest
    for unit, process in zip(UNITS, before, strict=True):
        if _process(machine, unit) != process:
            raise CheckError(f"{unit} ended under {told['blows']} blows")
        if unit != UNITS[0]:  # whose processes are bounded one by one
            yield f"memory of {unit} at its peak", _memory(machine, unit)
    yield "spoken command after them", _spoken_to(machine)


def _memory(machine: Machine, unit: str) -> str:
    """The most that a unit of one process held, which is compared here: not every root can."""
    process, _ = _process(machine, unit)
    told = machine.call("grep", "VmHWM", f"/proc/{process}/status")
    held, most = int(told.split()[1]) * 1024, int(shown(machine, unit, "MemoryMax"))
    if held > most:
        raise CheckError(f"{unit} held {held / 1e6:.0f} MB, and may {most / 1e6:.0f}")
    return f"{held / 1e6:.0f} MB of {most / 1e6:.0f}"


def _process(machine: Machine, unit: str) -> tuple[str, str]:
    """The process of a unit, and how often it was started again."""
    return shown(machine, unit, "MainPID"), shown(machine, unit, "NRestarts")


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


def _ways_out(machine: Machine, source: str) -> str:
    """See that a hostile skill gets out by none, inside the unit, which alone would not hold it."""
    machine.call("cp", "-r", f"{source}/tests", "/opt/hark/tests")
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
