"""The forecast: told as the home's weather device tells it, and honestly where it does not."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from assistant.core.home.forecast import ForecastDay
from assistant.core.messages import DeviceChanged, HomeForecasts
from assistant.skill.home import Entity, Home
from tests.support.talking import Talk, command

WEATHER = Entity(name="Home", id="weather.home", state="cloudy", attributes={"temperature": 6})
TODAY = ForecastDay(at="2026-01-05", condition="cloudy", high=8, low=3, rain_percent=10)
WET = ForecastDay(
    at="2026-01-06T12:00:00+00:00", condition="rainy", high=11, low=6.4, rain_percent=80
)
COLD = ForecastDay(at="2026-01-07", condition="snowy", high=-1, low=-5, rain_percent=60)
DAYS = (TODAY, WET, COLD)
TOMORROW = "2026-01-06T00:00:00+00:00/2026-01-07T00:00:00+00:00"
BOTH = "2026-01-06T00:00:00+00:00/2026-01-08T00:00:00+00:00"


@pytest.fixture
def talk(talks: Callable[..., Talk]) -> Talk:
    talk = talks(broker=True, area="", home=Home(entities=(WEATHER,)))
    talk.feed(DeviceChanged(device="broker", present=True))
    return talk


def told(talk: Talk, *days: ForecastDay) -> None:
    talk.feed(HomeForecasts(forecasts={WEATHER.id: days}))


def asked(talk: Talk, intent: str, **slots: str) -> str:
    return talk.say("?", command(intent, **slots))


@pytest.mark.parametrize(
    ("intent", "slots", "reply"),
    [
        ("DailyForecast", {}, "Today: clouds, 3 to 8 degrees."),
        (
            "DailyForecast",
            {"period": BOTH},
            "Tomorrow: rain, 6 to 11 degrees, chance of rain 80 percent."
            " On Wednesday: snow, 1 to 5 degrees below zero, chance of snow 60 percent.",
        ),
        ("ForecastOf", {"becomes": "rain"}, "No, expect no rain today: clouds, 3 to 8 degrees."),
        (
            "ForecastOf",
            {"becomes": "rain", "period": TOMORROW},
            "Yes, expect rain tomorrow, at 80 percent.",
        ),
        (
            "ForecastOf",
            {"becomes": "stay dry", "period": TOMORROW},
            "No, expect rain tomorrow, at 80 percent.",
        ),
        ("ForecastOf", {"there_is": "frost", "period": BOTH}, "Yes, expect frost on Wednesday."),
        ("ForecastOf", {"needed": "sunscreen", "period": BOTH}, f"No, expect no sun {BOTH}."),
        ("ForecastWarmth", {"period": TOMORROW}, "It will be 6 to 11 degrees tomorrow."),
        ("ForecastWhen", {}, "Rain is likely tomorrow."),
        ("CurrentWeather", {}, "It's cloudy now, 6 degrees. Today: clouds, 3 to 8 degrees."),
    ],
)
def test_it_is_told_day_by_day(talk: Talk, intent: str, slots: dict[str, str], reply: str) -> None:
    told(talk, *DAYS)
    assert asked(talk, intent, **slots) == reply


def test_it_outlasts_a_restart_and_the_newest_counts(talk: Talk) -> None:
    told(talk, TODAY, WET)
    told(talk, TODAY, COLD)
    talk.restart()
    talk.feed(DeviceChanged(device="broker", present=True))
    assert asked(talk, "ForecastWhen") == "Snow is likely on Wednesday."


def test_a_day_is_one_of_the_homes_time_zone(talk: Talk) -> None:
    talk.now = datetime.fromisoformat("2026-01-05T18:30:00+02:00")
    told(talk, ForecastDay(at="2026-01-05T22:00:00+00:00", condition="sunny"))
    assert asked(talk, "DailyForecast") == "Tomorrow: sun."


# ── what is not known ───────────────────────────────────────────────────────────────────────


def test_without_a_forecast_that_is_said(talk: Talk, talks: Callable[..., Talk]) -> None:
    assert asked(talk, "DailyForecast") == "Your home has no weather forecast."
    told(talk)
    assert asked(talk, "ForecastOf", becomes="rain") == "Your home has no weather forecast."
    assert asked(talks(), "ForecastWarmth") == "I have no weather forecast."


def test_an_old_forecast_is_none(talk: Talk) -> None:
    told(talk, *DAYS)
    talk.now = datetime(2026, 1, 9, 12, tzinfo=UTC)
    assert asked(talk, "DailyForecast") == "Your home has no weather forecast."


def test_a_forecast_that_cannot_be_reached_is_not_told(talk: Talk) -> None:
    told(talk, *DAYS)
    talk.feed(DeviceChanged(device="broker", present=False))
    assert asked(talk, "DailyForecast") == "I can't reach the weather forecast now."


def test_days_beyond_it_are_not_made_up(talk: Talk) -> None:
    told(talk, *DAYS)
    later = "2026-01-09T00:00:00+00:00/2026-01-10T00:00:00+00:00"
    assert asked(talk, "DailyForecast", period=later) == "The forecast ends on Wednesday."
    past = "2026-01-03T00:00:00+00:00/2026-01-04T00:00:00+00:00"
    assert asked(talk, "DailyForecast", period=past) == "I don't know how the weather was."


@pytest.mark.parametrize("at", ["", "soon", "2026-13-01", "9" * 60])
def test_days_that_are_none_are_left_out(talk: Talk, at: str) -> None:
    told(talk, ForecastDay(at=at, condition="sunny"), WET)
    assert asked(talk, "DailyForecast").startswith("Tomorrow: rain")


def test_a_day_of_which_nothing_is_told(talk: Talk) -> None:
    told(talk, ForecastDay(at="2026-01-05", condition="no such"))
    assert asked(talk, "DailyForecast") == "Today: nothing is known."
    assert asked(talk, "ForecastWarmth") == "The forecast says nothing of the temperature."
    assert asked(talk, "ForecastOf", becomes="rain") == "No, expect no rain today."
    assert asked(talk, "CurrentWeather") == "It's cloudy now, 6 degrees; I have no forecast."
