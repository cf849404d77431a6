"""Questions about the weather of the coming days."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated

from assistant.skill import Context, Period, Reply, Request, Skill, Traits, choices
from skills.home.weather.days import (
    LIKELY_PERCENT,
    MOST_DAYS,
    POSSIBLE_PERCENT,
    WET,
    Day,
    brings,
    falls,
    foretold,
    said,
    warmth,
)

skill = Skill("home")


@dataclass(frozen=True)
class Kind:
    """A kind of weather that is asked about; `dry` is true of days without rain."""

    noun: str
    holds: Callable[[Day], bool]
    dry: bool = False


def _among(*conditions: str) -> Callable[[Day], bool]:
    return lambda day: day.told.condition in conditions


def _wet(day: Day) -> bool:
    return day.rain_percent >= LIKELY_PERCENT or day.told.condition in WET


RAIN = Kind("rain", lambda day: _wet(day) and day.told.condition != "snowy")
DRY = Kind("rain", _wet, dry=True)
SNOW = Kind("snow", _among("snowy", "snowy-rainy"))
SUN = Kind("sun", _among("sunny", "partlycloudy", "clear-night"))
STORM = Kind("thunderstorms", _among("lightning", "lightning-rainy"))
FROST = Kind("frost", lambda day: day.freezes)
WIND = Kind("wind", _among("windy", "windy-variant"))
FOG = Kind("fog", _among("fog"))
CLOUDS = Kind("clouds", _among("cloudy", "partlycloudy", "windy-variant"))
BECOMES = {
    **dict.fromkeys(("rain", "be raining", "be wet", "be rainy", "pour"), RAIN),
    **dict.fromkeys(("stay dry", "be dry", "clear up", "be nice"), DRY),
    **dict.fromkeys(("snow", "be snowing", "be snowy"), SNOW),
    **dict.fromkeys(("be sunny", "be clear"), SUN),
    **dict.fromkeys(("storm", "be stormy", "thunder"), STORM),
    **dict.fromkeys(("freeze", "be frosty", "be icy"), FROST),
    "be windy": WIND,
    "be foggy": FOG,
    "be cloudy": CLOUDS,
}
"""What it may do → the kind of weather."""
THERE_IS = {
    "rain": RAIN,
    "snow": SNOW,
    **dict.fromkeys(("frost", "ice"), FROST),
    **dict.fromkeys(("storm", "storms", "thunder"), STORM),
    **dict.fromkeys(("sun", "sunshine"), SUN),
    "wind": WIND,
    "fog": FOG,
}
NEEDED = {
    **dict.fromkeys(("umbrella", "umbrellas", "raincoat", "wellies"), RAIN),
    **dict.fromkeys(("sunscreen", "sun cream", "sunglasses", "sun hat"), SUN),
}
"""What is worn or taken along → the weather that it is for."""
_CLOTHES = "(coat|coats|jacket|jackets|scarf|hat|gloves|boots|jumper)"

Becomes = Annotated[str, choices(*BECOMES)]
ThereIs = Annotated[str, choices(*THERE_IS)]
Needed = Annotated[str, choices(*NEEDED)]


def _is_asked(request: Request, context: Context) -> bool:
    """Always: these sentences are also of the subject that is declined without this skill."""
    return True


@skill.short(
    "DailyForecast",
    "(what is|give me|tell me|read me) the [weather] forecast [[for] {period}]",
    "(what is|how is|what will) the weather (going to be|be|looking) [like] [[for] {period}]",
    "(what|how) is the weather [like] [for] {period}",
    "what (shall|should) <we> wear [{period}]",
    f"(do|does|should|will) <we> (need|take|wear|want|bring) (a|an|the|some|my|our) {_CLOTHES}"
    " [{period}]",
    "(is it|will it be) (barbecue|beach|gardening|washing) weather [{period}]",
    holds=_is_asked,
    traits=Traits(asks=True),
)
def daily_forecast(context: Context, period: Period | None = None) -> Reply:
    """Say what the weather will be, on each day that is asked about."""
    return _told(foretold(context, period), lambda days: _days(days, context))


@skill.short(
    "ForecastOf",
    "<will_it> {becomes} [{period}|<late>]",
    "(is there|will there be) [any|a] {there_is} [coming|forecast] [{period}]",
    "is [any|a] {there_is} (coming|forecast|expected) [{period}]",
    "(do|does|should|will) <we> (need|take|wear|want|bring) [a|an|the|some|their|my|our] {needed}"
    " [{period}|<late>]",
    holds=_is_asked,
    traits=Traits(asks=True),
)
def forecast_of(
    request: Request,
    context: Context,
    becomes: Becomes | None = None,
    there_is: ThereIs | None = None,
    needed: Needed | None = None,
    period: Period | None = None,
) -> Reply:
    """Say whether there will be rain, snow, frost, …, or what an umbrella is needed for."""
    named = {**BECOMES, **THERE_IS, **NEEDED}
    kind = named[becomes or there_is or needed or "rain"]
    slot = request.slot("period")
    then = slot.raw.strip() if slot is not None else "today"
    return _told(foretold(context, period), lambda days: _verdict(kind, days, then, context))


@skill.short(
    "ForecastWarmth",
    "how (hot|cold|warm) (will it be|is it going to be|will it get|does it get) [{period}]",
    "what (is the temperature going to be|temperature will it be|will the temperature be)"
    " [{period}]",
    "<will_it> be (hot|cold|warm|freezing|cool|mild) [{period}]",
    holds=_is_asked,
    traits=Traits(asks=True),
)
def forecast_warmth(context: Context, period: Period | None = None) -> Reply:
    """Say how warm it will be, on each day that is asked about."""
    return _told(foretold(context, period), lambda days: _warmth(days, context))


@skill.short(
    "ForecastWhen", "(what|which) day (will it rain|is it going to rain)", traits=Traits(asks=True)
)
def when_it_rains(context: Context) -> Reply:
    """Say which of the days that are foretold is the first with rain."""
    coming = Period(since=context.now, until=context.now + timedelta(days=MOST_DAYS))
    return _told(foretold(context, coming), lambda days: _first(days, context))


def _told(found: Sequence[Day] | str, words: Callable[[Sequence[Day]], str]) -> Reply:
    return Reply(found, done=False) if isinstance(found, str) else Reply(words(found))


def _days(days: Sequence[Day], context: Context) -> str:
    told = [f"{said(one.day, context)}: {brings(one) or 'nothing is known'}." for one in days]
    return " ".join(f"{text[:1].upper()}{text[1:]}" for text in told)


def _warmth(days: Sequence[Day], context: Context) -> str:
    told = [f"{said(one.day, context)}: {warmth(one)}" for one in days if warmth(one)]
    if not told:
        return "The forecast says nothing of the temperature."
    if len(days) == 1:
        return f"It will be {warmth(days[0])} {said(days[0].day, context)}."
    return " ".join(f"{text[:1].upper()}{text[1:]}." for text in told)


def _first(days: Sequence[Day], context: Context) -> str:
    first = next((one for one in days if _wet(one)), None)
    if first is None:
        return f"No rain is likely until {said(days[-1].day, context).removeprefix('on ')}."
    return f"{falls(first).capitalize()} is likely {said(first.day, context)}."


def _verdict(kind: Kind, days: Sequence[Day], then: str, context: Context) -> str:
    """Answer yes or no: whether a kind of weather is likely on any of the days."""
    on = [one for one in days if kind.holds(one)]
    yes, no = ("No", "Yes") if kind.dry else ("Yes", "No")
    if on:
        when = context.say([said(one.day, context) for one in on])
        chance = on[0].told.rain_percent if kind.noun == "rain" and len(on) == 1 else None
        percent = "" if chance is None else f", at {round(chance)} percent"
        noun = falls(on[0]) if kind.dry else kind.noun
        return f"{yes}, expect {noun} {when}{percent}."
    wettest = max(days, key=lambda one: one.rain_percent)
    if kind.noun == "rain" and wettest.rain_percent >= POSSIBLE_PERCENT:
        when, likely = said(wettest.day, context), round(wettest.rain_percent)
        return f"Perhaps: the chance of rain {when} is {likely} percent."
    if len(days) > 1:
        return f"{no}, expect no {kind.noun} {then}."
    what = f": {brings(days[0])}" if brings(days[0]) else ""
    return f"{no}, expect no {kind.noun} {said(days[0].day, context)}{what}."
