"""What "on" and "off" mean for each kind of device.

Home Assistant's HassTurnOn also opens, locks, activates and starts; HassTurnOff does the opposite.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assistant.skill import Entity


@dataclass(frozen=True)
class Action:
    """What is done to a device: a state to bring it into, or a `command` where there is none.

    `did` and `do` are its words in a reply and in a question; "{}" in them is the device."""

    did: str
    do: str
    directions: tuple[str, ...]
    """The directions that ask for it: a word for one of them must have been said."""
    state: str = ""
    command: str = ""

    def asked(self, said: Sequence[str]) -> bool:
        """Whether the directions that were said ask for it; a sentence may say none."""
        return not said or not set(said).isdisjoint(self.directions)


ON = Action("turned on {}", "turn on {}", ("on", "start", "resume"), state="on")
OFF = Action("turned off {}", "turn off {}", ("off", "stop"), state="off")
OPEN = Action("opened {}", "open {}", ("open",), state="open")
CLOSE = Action("closed {}", "close {}", ("close",), state="closed")
LOCK = Action("locked {}", "lock {}", ("lock",), state="locked")
UNLOCK = Action("unlocked {}", "unlock {}", ("unlock",), state="unlocked")
START = Action("started {}", "start {}", ("start", "on", "round"), state="cleaning")
PAUSE = Action("paused {}", "pause {}", ("pause", "stop"), state="paused")
MOW = Action("started {}", "start {}", ("start", "on", "round"), state="mowing")
SEND_HOME = Action("sent {} home", "send {} home", ("return", "stop", "off"), state="returning")
DOCK = Action("sent {} home", "send {} home", ("return", "stop", "off"), state="docked")

_TURNED_ON = {
    "cover": OPEN,
    "valve": OPEN,
    "lock": LOCK,
    "scene": Action("activated {}", "activate {}", ("on", "start"), command="on"),
    "script": Action("ran {}", "run {}", ("on", "start"), command="on"),
    "button": Action("pressed {}", "press {}", ("on", "start"), command="press"),
    "input_button": Action("pressed {}", "press {}", ("on", "start"), command="press"),
    "vacuum": START,
    "lawn_mower": MOW,
}
_TURNED_OFF = {
    "cover": CLOSE,
    "valve": CLOSE,
    "lock": UNLOCK,
    "script": Action("stopped {}", "stop {}", ("off", "stop"), command="off"),
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
