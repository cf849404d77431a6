"""What "on" and "off" mean for each kind of device.

Home Assistant's HassTurnOn also opens, locks, activates and starts; HassTurnOff does the opposite.
"""

from __future__ import annotations

from dataclasses import dataclass

from assistant.skill import Entity


@dataclass(frozen=True)
class Deed:
    """A wanted state, or a `command` where there is none; "{}" in its texts is the device."""

    did: str
    do: str
    state: str = ""
    command: str = ""


ON = Deed("turned on {}", "turn on {}", state="on")
OFF = Deed("turned off {}", "turn off {}", state="off")
OPEN = Deed("opened {}", "open {}", state="open")
CLOSE = Deed("closed {}", "close {}", state="closed")
LOCK = Deed("locked {}", "lock {}", state="locked")
UNLOCK = Deed("unlocked {}", "unlock {}", state="unlocked")
START = Deed("started {}", "start {}", state="cleaning")
MOW = Deed("started {}", "start {}", state="mowing")
SEND_HOME = Deed("sent {} home", "send {} home", state="returning")
DOCK = Deed("sent {} home", "send {} home", state="docked")

_TURNED_ON = {
    "cover": OPEN,
    "valve": OPEN,
    "lock": LOCK,
    "scene": Deed("activated {}", "activate {}", command="on"),
    "script": Deed("ran {}", "run {}", command="on"),
    "button": Deed("pressed {}", "press {}", command="press"),
    "input_button": Deed("pressed {}", "press {}", command="press"),
    "vacuum": START,
    "lawn_mower": MOW,
}
_TURNED_OFF = {
    "cover": CLOSE,
    "valve": CLOSE,
    "lock": UNLOCK,
    "script": Deed("stopped {}", "stop {}", command="off"),
    "vacuum": SEND_HOME,
    "lawn_mower": DOCK,
}
_SWITCHED = (
    *("light", "switch", "fan", "media_player", "climate", "humidifier", "input_boolean"),
    *("siren", "remote", "automation", "water_heater", "group", "camera"),
)


def turned(entity: Entity, on: bool) -> Deed | None:
    """What turning a device on or off does to it; None when it cannot be."""
    special = (_TURNED_ON if on else _TURNED_OFF).get(entity.domain)
    if special is None and entity.domain in _SWITCHED:
        return ON if on else OFF
    return special
