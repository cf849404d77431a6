"""The days that the home's weather device foretells, and how they are said."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, time

from assistant.skill import Context, Entity, ForecastDay, Period

NONE = "Your home has no weather forecast."
NO_DEVICE = "I have no weather forecast."
AWAY = "I can't reach the weather forecast now."
MOST_DAYS = 7
"""Most days that one reply tells."""
LIKELY_PERCENT = 50
"""Chance of rain from which it is likely."""
POSSIBLE_PERCENT = 20
SKIES = {
    "clear-night": "a clear sky",
    "cloudy": "clouds",
    "exceptional": "unusual weather",
    "fog": "fog",
    "hail": "hail",
    "lightning": "thunderstorms",
    "lightning-rainy": "thunderstorms and rain",
    "partlycloudy": "sun and clouds",
    "pouring": "heavy rain",
    "rainy": "rain",
    "snowy": "snow",
    "snowy-rainy": "sleet",
    "sunny": "sun",
    "windy": "wind",
    "windy-variant": "wind and clouds",
}
"""Home Assistant's condition of a day → what the day brings."""
WET = frozenset(
    ("hail", "lightning-rainy", "pouring", "rainy", "snowy", "snowy-rainy", "lightning")
)


@dataclass(frozen=True)
class Day:
    """A day that is foretold, in the time zone of the home."""

    day: date
    told: ForecastDay
    fahrenheit: bool = False

    @property
    def sky(self) -> str:
        """What the day brings, as a noun; "" where that is not told."""
        return SKIES.get(self.told.condition, "")

    @property
    def freezes(self) -> bool:
        """Whether it is to be colder than water freezes at."""
        lows = (t for t in (self.told.low, self.told.high) if t is not None)
        low = min(lows, default=None)
        return low is not None and low < (32 if self.fahrenheit else 0)

    @property
    def rain_percent(self) -> float:
        """How likely rain is; by the condition where no chance is told."""
        if self.told.rain_percent is not None:
            return self.told.rain_percent
        return 100.0 if self.told.condition in WET else 0.0


def foretold(context: Context, period: Period | None) -> tuple[Day, ...] | str:
    """The days of a period, or of today; where there are none, the sentence that says why."""
    devices = [entity for entity in context.home.entities if entity.domain == "weather"]
    if not devices:
        return NO_DEVICE
    told = [(device, context.home.forecast(device.id)) for device in devices]
    device, days = next(((d, days) for d, days in told if days), (devices[0], ()))
    if not days:
        return AWAY if any(days is None for _, days in told) else NONE
    coming = sorted(_read(device, days, context), key=lambda one: one.day)
    coming = [one for one in coming if one.day >= context.now.date()]
    if period is None:
        # Late in the day its forecast may begin with tomorrow.
        return tuple(coming[:1]) or NONE
    wanted = [one for one in coming if _within(one.day, period, context.now)]
    if wanted:
        return tuple(wanted[:MOST_DAYS])
    if period.until <= context.now:
        return "I don't know how the weather was."
    return f"The forecast ends {said(coming[-1].day, context)}." if coming else NONE


def said(day: date, context: Context) -> str:
    """When a day is: "tomorrow", "on Saturday"."""
    ahead = (day - context.now.date()).days
    if ahead < 2:
        return str(context.say(day))
    return f"on {day:%A}" if ahead < 7 else f"on {context.say(day)}"


def warmth(day: Day) -> str:
    """How warm a day is to be: "6 to 11 degrees"; "" where that is not told."""
    high, low = (None if t is None else round(t) for t in (day.told.high, day.told.low))
    if high is None:
        return "" if low is None else f"no less than {_number(low)}"
    if low is None or low == high:
        return f"up to {_number(high)}"
    if low < 0 and high <= 0:
        return f"{-high} to {-low} degrees below zero"
    return f"{low if low >= 0 else f'minus {-low}'} to {_number(high)}"


def falls(day: Day) -> str:
    """What falls on a wet day."""
    return "snow" if day.told.condition.startswith("snowy") else "rain"


def brings(day: Day) -> str:
    """What a day brings: "rain, 6 to 11 degrees, chance of rain 80 percent"."""
    parts = [day.sky, warmth(day)]
    if (chance := day.told.rain_percent) is not None and chance >= POSSIBLE_PERCENT:
        parts.append(f"chance of {falls(day)} {round(chance)} percent")
    return ", ".join(part for part in parts if part)


def _number(degrees: int) -> str:
    number = f"{degrees}" if degrees >= 0 else f"minus {-degrees}"
    return f"{number} degree{'' if abs(degrees) == 1 else 's'}"


def _within(day: date, period: Period, now: datetime) -> bool:
    """Whether a day is meant by a period: "tonight" ends on the next day and is of this one."""
    if day == period.since.astimezone(now.tzinfo).date():
        return True
    return period.since < datetime.combine(day, time(12), now.tzinfo) < period.until


def _read(device: Entity, days: Iterable[ForecastDay], context: Context) -> list[Day]:
    """The days whose moment can be read, each once."""
    fahrenheit = device.fact("temperature_unit").endswith("F")
    found: dict[date, Day] = {}
    for told in days:
        try:
            moment = datetime.fromisoformat(told.at)
        except ValueError:
            continue
        day = moment.astimezone(context.now.tzinfo).date() if moment.tzinfo else moment.date()
        found.setdefault(day, Day(day, told, fahrenheit))
    return list(found.values())
