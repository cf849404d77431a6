"""The weather is told as it is now, and nothing is made of it where it is not known."""

from __future__ import annotations

import pytest

from assistant.skill.home import Entity, Home
from tests.support.talking import HOME, Talk, command


def _talk(state: str) -> Talk:
    weather = Entity(name="Weather", id="weather.home", state=state, attributes={"temperature": 6})
    return Talk(home=Home(areas=HOME.areas, entities=(*HOME.entities, weather)))


@pytest.mark.parametrize(
    ("state", "condition", "told"),
    [
        ("cloudy", None, "It's cloudy now, 6 degrees; I have no forecast."),
        ("rainy", "raining", "Yes, it's raining now, 6 degrees; I have no forecast."),
        ("cloudy", "raining", "No, it's cloudy now, 6 degrees; I have no forecast."),
        ("unavailable", None, "I can't tell the weather yet."),
    ],
)
def test_it_is_told_as_it_is_now(state: str, condition: str | None, told: str) -> None:
    talk = _talk(state)
    slots = {} if condition is None else {"condition": condition}
    assert talk.say("how's the weather", command("CurrentWeather", **slots)) == told
    talk.database.close()
