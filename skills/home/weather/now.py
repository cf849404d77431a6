"""The weather as it is now, where the home has a weather device."""

from __future__ import annotations

from typing import Annotated

from assistant.skill import Context, Entity, Reply, Request, Skill, Traits, choices
from skills.home.weather.days import brings, foretold, said

CONDITIONS = {
    "clear-night": "clear",
    "cloudy": "cloudy",
    "fog": "foggy",
    "hail": "hailing",
    "lightning": "stormy",
    "lightning-rainy": "stormy and raining",
    "partlycloudy": "partly cloudy",
    "pouring": "pouring",
    "rainy": "raining",
    "snowy": "snowing",
    "snowy-rainy": "sleeting",
    "sunny": "sunny",
    "windy": "windy",
    "windy-variant": "windy and cloudy",
}
"""Home Assistant's state of a weather device → how it is said."""
MEANT = {
    "raining": ("rainy", "pouring", "lightning-rainy", "snowy-rainy"),
    "pouring": ("pouring",),
    "snowing": ("snowy", "snowy-rainy"),
    "sunny": ("sunny",),
    "cloudy": ("cloudy", "partlycloudy", "windy-variant"),
    "windy": ("windy", "windy-variant"),
    "foggy": ("fog",),
    "stormy": ("lightning", "lightning-rainy"),
}
"""What is asked about → the states of which it is true."""

Condition = Annotated[str, choices(*MEANT)]

skill = Skill("home")


def _is_known(request: Request, context: Context) -> bool:
    return _weather(context) is not None


@skill.short(
    "CurrentWeather",
    "(how is|what is) the weather [like|doing] [<outside>] [<outside>]",
    "(what|how) is it (like|doing|looking) <out> [<outside>]",
    "how is it <out> [<outside>]",
    "[just] tell me (what|how) it is [like|doing|looking] <out> [<outside>] [then]",
    "is it [still] {condition} [<outside>] [<outside>]",
    holds=_is_known,
    traits=Traits(asks=True),
)
def current_weather(context: Context, condition: Condition | None = None) -> Reply:
    """Say what the weather is now."""
    weather = _weather(context)
    if weather is None:
        return Reply("I can't tell the weather yet.", done=False)
    begin = "It's"
    if condition is not None:
        begin = "Yes, it's" if weather.state in MEANT[condition] else "No, it's"
    degrees = weather.attributes.get("temperature")
    warm = f", {context.say(degrees)} degrees" if isinstance(degrees, int | float) else ""
    now = f"{begin} {CONDITIONS[weather.state]} now{warm}"
    days = foretold(context, None)
    if isinstance(days, str) or not brings(days[0]):
        return Reply(f"{now}; I have no forecast.")
    when = said(days[0].day, context)
    return Reply(f"{now}. {when[:1].upper()}{when[1:]}: {brings(days[0])}.")


def _weather(context: Context) -> Entity | None:
    """The weather device whose state is known; None for none."""
    devices = (e for e in context.home.entities if e.domain == "weather")
    return next((device for device in devices if device.state in CONDITIONS), None)
