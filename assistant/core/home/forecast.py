"""What the weather will be: one day of a forecast."""

from __future__ import annotations

import msgspec


class ForecastDay(msgspec.Struct, frozen=True, kw_only=True):
    """A day as a weather device foretells it; what it does not say is None."""

    at: str
    """A date or a moment of the day in ISO 8601."""
    condition: str = ""
    """The state that a weather device would have, such as "rainy"."""
    high: float | None = None
    """The highest temperature, in the device's own scale."""
    low: float | None = None
    rain_percent: float | None = None
    """How likely rain or snow is, from 0 to 100."""
