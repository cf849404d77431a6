"""When the sun rises and sets."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta, tzinfo
from typing import NamedTuple

from astral import Observer
from astral import sun as astral

from assistant.core.messages import SunEvent

_TIMES: dict[str, Callable[..., datetime]] = {
    "dawn": astral.dawn,
    "sunrise": astral.sunrise,
    "sunset": astral.sunset,
    "dusk": astral.dusk,
}


class Position(NamedTuple):
    """Where the home is, in degrees north and east."""

    latitude: float
    longitude: float


def sun_time(sun: SunEvent, day: date, where: Position, zone: tzinfo) -> datetime | None:
    """The time of an event on a day; None where there is none, as in a polar summer."""
    observer = Observer(where.latitude, where.longitude)
    try:
        event = _TIMES[sun.event](observer, day, tzinfo=zone)
    except ValueError:
        return None
    moment = event.astimezone(zone) + timedelta(seconds=sun.offset_s)
    return moment.replace(microsecond=0)
