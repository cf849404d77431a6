"""What "on" and "off" mean for each kind of device.

Home Assistant's HassTurnOn also opens, locks, activates and starts; HassTurnOff does the opposite.
"""

from __future__ import annotations

from dataclasses import dataclass

from assistant.skill import Entity


@dataclass(frozen=True)
class Action:
    """What is done to a device: a state to bring it into, or a `command` where there is none.

    `did` and `do` are its words in a reply and in a question; "{}" in them is the device."""

    did: str
    do: str
    state: str = ""
    command: str = ""


ON = Action("turned on {}", "turn on {}", state="on")
OFF = Action("turned off {}", "turn off {}", state="off")
OPEN = Action("opened {}", "open {}", state="open")
CLOSE = Action("closed {}", "close {}", state="closed")
LOCK = Action("locked {}", "lock {}", state="locked")
UNLOCK = Action("unlocked {}", "unlock {}", state="unlocked")
START = Action("started {}", "start {}", state="cleaning")
MOW = Action("started {}", "start {}", state="mowing")
SEND_HOME = Action("sent {} home", "send {} home", state="returning")
DOCK = Action("sent {} home", "send {} home", state="docked")

_TURNED_ON = {
    "cover": OPEN,
    "valve": OPEN,
    "lock": LOCK,
    "scene": Action("activated {}", "activate {}", command="on"),
    "script": Action("ran {}", "run {}", command="on"),
    "button": Action("pressed {}", "press {}", command="press"),
    "input_button": Action("pressed {}", "press {}", command="press"),
    "vacuum": START,
    "lawn_mower": MOW,
}
_TURNED_OFF = {
    "cover": CLOSE,
    "valve": CLOSE,
    "lock": UNLOCK,
    "script": Action("stopped {}", "stop {}", command="off"),
    "vacuum": SEND_HOME,
    "lawn_mower": DOCK,
}
_SWITCHED = (
    *("light", "switch", "fan", "media_player", "climate", "humidifier", "input_boolean"),
    *("siren", "remote", "automation", "water_heater", "group", "camera"),
)


def turned(entity: Entity, on: bool) -> Action | None:
    """What turning a device on or off does to it; None when it cannot be."""
    special = (_TURNED_ON if on else _TURNED_OFF).get(entity.domain)
    if special is None and entity.domain in _SWITCHED:
        return ON if on else OFF
    return special
