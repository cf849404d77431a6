"""The units of a booted root's service: how they are installed, and how they are."""

from __future__ import annotations

from collections.abc import Iterator

from scripts.systems.root import SOURCE, Machine, timed, until

UNITS = ("assistant", "assistant-bridge", "assistant-satellites")
PYTHON, INSIDE = "/opt/hark/.venv/bin/python", "/opt/hark/scripts/systems/inside.py"
PACKAGES = ("systemd-sysv", "dbus", "mosquitto")
BACK_S = 90.0
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


def install(machine: Machine) -> Iterator[tuple[str, str]]:
    """Install the service, and wait until its units run; gives each step and its figure."""
    yield "make install", seconds(machine, "make", "-C", SOURCE, "install", "PULL=no")
    machine.call("systemctl", "start", "mosquitto")
    write(machine, "/etc/hark/config.toml", SETTINGS)
    yield "restart until ready", seconds(machine, "systemctl", "restart", "assistant")
    until(lambda: all_active(machine), BACK_S, "the services run")


def seconds(machine: Machine, *command: str) -> str:
    """Run a command there; how long that took."""
    return f"{timed(lambda: machine.call(*command)):.1f} s"


def write(machine: Machine, file: str, text: str) -> None:
    """Write a file there."""
    machine.call("mkdir", "-p", file.rpartition("/")[0])
    machine.call("sh", "-c", 'printf %s "$2" >"$1"', "sh", file, text)


def is_active(machine: Machine, unit: str) -> bool:
    """Whether a unit runs."""
    return shown(machine, unit, "ActiveState") == "active"


def all_active(machine: Machine) -> bool:
    """Whether each unit runs."""
    return all(is_active(machine, unit) for unit in UNITS)


def shown(machine: Machine, unit: str, fact: str) -> str:
    """A property of a unit."""
    return machine.call("systemctl", "show", "--property", fact, "--value", unit)
