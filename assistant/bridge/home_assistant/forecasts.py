"""Forecasts of Home Assistant's weather devices, day by day."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Annotated

import msgspec

from assistant.bridge.complaints import Complaints
from assistant.bridge.home_assistant.responses import response
from assistant.bridge.home_assistant.services import Call
from assistant.bridge.home_assistant.session import RefusedError, Session
from assistant.core.errors import UNDECODABLE
from assistant.core.home.forecast import ForecastDay
from assistant.core.messages import HomeForecasts

DOMAIN = "weather"
MOST_DEVICES = 8
MOST_DAYS = 16
LONGEST_WORD = 64
"""Most characters of a moment, and of a condition."""

_Degrees = Annotated[float, msgspec.Meta(ge=-200, le=200)] | None
_Share = Annotated[float, msgspec.Meta(ge=0, le=100)] | None
_Word = Annotated[str, msgspec.Meta(max_length=LONGEST_WORD)]


class _Day(msgspec.Struct):
    datetime: _Word
    condition: _Word | None = None
    temperature: _Degrees = None
    templow: _Degrees = None
    precipitation_probability: _Share = None


class _Forecast(msgspec.Struct):
    forecast: list[msgspec.Raw] | None = None


class Forecasts:
    """Reads what the weather devices foretell; `offer` is given all of it."""

    def __init__(self, offer: Callable[[HomeForecasts], object], complaints: Complaints) -> None:
        self._offer, self._complaints = offer, complaints

    async def read(self, session: Session, entity_ids: Iterable[str]) -> None:
        """Read the forecasts of those of the entities that are weather devices.

        A device that foretells nothing is logged. Raises `BridgeError` as `Session.ask`.
        """
        named = sorted(e for e in entity_ids if e.partition(".")[0] == DOMAIN)
        found = {}
        for entity_id in named[:MOST_DEVICES]:
            try:
                found[entity_id] = tuple(await _days(session, entity_id))
            except (RefusedError, TimeoutError) as error:
                why = str(error) or "no answer"
                self._complaints.of(entity_id, f"tells no forecast: {why} (bridge.refused)")
        if found:
            self._offer(HomeForecasts(forecasts=found))


async def _days(session: Session, entity_id: str) -> Iterator[ForecastDay]:
    call = Call(DOMAIN, "get_forecasts", entity_id, {"type": "daily"})
    forecast = await response(session, call, _Forecast, "a forecast")
    return _read((forecast.forecast or ())[:MOST_DAYS])


def _read(contents: Iterable[msgspec.Raw]) -> Iterator[ForecastDay]:
    """The days that are such; another version may tell one otherwise."""
    for content in contents:
        try:
            day = msgspec.json.decode(content, type=_Day)
        except UNDECODABLE:
            continue
        yield ForecastDay(
            at=day.datetime,
            condition=day.condition or "",
            high=day.temperature,
            low=day.templow,
            rain_percent=day.precipitation_probability,
        )
