"""The sensors at the control socket: how they are, and what is wanted of who judges them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import msgspec

from assistant.core.clock import boottime_s
from assistant.core.errors import ControlError
from assistant.core.messages import Message, SensorsReport, SensorsRequest

ASKED_HERE = "control"
"""The `utterance_id` of a request that came by the control socket."""
LONGEST_S = 7 * 86_400.0
"""Most seconds that are learnt at once."""
KINDS = ("learn", "roll_back")
"""Requests that the socket takes."""


class SensorsNow(msgspec.Struct, frozen=True, kw_only=True, tag="Sensors"):
    """The last report of the sensors, None before the first, and seconds since it came."""

    report: SensorsReport | None = None
    ago_s: float = 0.0


class SensorsAsked(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """A request that is on its way to the process of the sensors."""

    what: str
    sensors: tuple[str, ...]
    for_s: float


class SensorsSeen:
    """Observes every event, and keeps the last report of the sensors."""

    def __init__(self, clock: Callable[[], float] = boottime_s) -> None:
        self._clock = clock
        self._report: SensorsReport | None = None

    def observe(self, message: Message) -> None:
        """Keep `message` if it is a report."""
        if isinstance(message, SensorsReport):
            self._report = message

    def told(self) -> SensorsNow:
        """How the sensors were last."""
        if self._report is None:
            return SensorsNow()
        return SensorsNow(report=self._report, ago_s=round(self._clock() - self._report.at_s, 1))


def sensors_request(arguments: Sequence[str]) -> SensorsRequest:
    """The request of these arguments: "learn", seconds and ids, or "roll_back" and names.

    Raises `ControlError` for anything else.
    """
    what, *names = arguments or ("",)
    if what not in KINDS:
        raise ControlError("control.arguments", f'"sensors_request": there is no "{what:.40}"')
    for_s = _seconds(names.pop(0)) if what == "learn" and names else 0.0
    if not names:
        raise ControlError("control.arguments", f'"sensors_request": what is to {what}?')
    asked = {"utterance_id": ASKED_HERE, "what": what, "sensors": names, "for_s": for_s}
    try:
        return msgspec.convert({**asked, "at_s": boottime_s()}, SensorsRequest)
    except msgspec.ValidationError as error:
        raise ControlError("control.arguments", f'"sensors_request": {error}') from error


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds <= LONGEST_S:
        message = f'"{text:.40}" is no number of seconds up to {LONGEST_S:.0f}'
        raise ControlError("control.arguments", message)
    return seconds
