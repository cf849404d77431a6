"""What the weather devices of Home Assistant foretell."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from assistant.bridge.home_assistant import link as link_module
from assistant.bridge.home_assistant import responses as responses_module
from assistant.bridge.home_assistant.forecasts import MOST_DAYS
from assistant.core.home.forecast import ForecastDay
from assistant.core.messages import HomeForecasts, HomeStates
from tests.bridge.home_assistant.conftest import Bench
from tests.support.home_assistant import PATIENCE_S, HomeAssistant, state

WEATHER = "weather.home"
DAY = {
    "datetime": "2026-01-06T00:00:00+00:00",
    "condition": "rainy",
    "temperature": 11.0,
    "templow": 6.4,
    "precipitation": 4.2,
    "precipitation_probability": 80,
    "humidity": 70,
}
READ = ForecastDay(at=DAY["datetime"], condition="rainy", high=11, low=6.4, rain_percent=80)


@pytest.fixture
def there(there: HomeAssistant) -> HomeAssistant:
    there.states[WEATHER] = state(WEATHER, "cloudy", "Home", temperature=6)
    there.forecasts[WEATHER] = [DAY]
    return there


def days(bench: Bench) -> tuple[ForecastDay, ...]:
    return bench.hears(HomeForecasts).forecasts[WEATHER]


def test_the_days_are_told_by_the_service(bench: Bench, there: HomeAssistant) -> None:
    assert days(bench) == (READ,)
    assert there.called() == ("weather.get_forecasts", WEATHER, {"type": "daily"})


def test_they_are_read_again_now_and_then_and_after_a_reload(
    join: Callable[..., Bench], there: HomeAssistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link_module, "FORECASTS_EVERY_S", 0.1)
    bench = join()
    assert days(bench) == (READ,)
    there.forecasts[WEATHER] = []
    bench.hears(HomeForecasts, lambda m: m.forecasts == {WEATHER: ()})
    monkeypatch.setattr(link_module, "FORECASTS_EVERY_S", 1000.0)
    there.forecasts[WEATHER] = [DAY]
    bench.stage.follow([])
    bench.hears(HomeForecasts, lambda m: m.forecasts == {WEATHER: (READ,)})


# ── what is wrong ───────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("fault", ["silent", "refused", "wrong"])
def test_a_device_that_foretells_nothing_hinders_no_lamp(
    join: Callable[..., Bench],
    there: HomeAssistant,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    fault: str,
) -> None:
    monkeypatch.setattr(responses_module, "ANSWER_S", 0.1)
    if fault == "silent":
        there.silent.add("weather.get_forecasts")
    elif fault == "refused":
        there.failing["get_forecasts"] = "does not support daily"
    else:
        there.instead["call_service"] = lambda line, asked: there.result(line, asked["id"], 7)
    bench = join()
    bench.is_there()
    assert bench.hears(HomeStates).states["light.kitchen"] == "off"
    deadline_s = time.monotonic() + PATIENCE_S
    while "weather.home: tells no forecast" not in caplog.text and time.monotonic() < deadline_s:
        time.sleep(0.01)
    assert "weather.home: tells no forecast" in caplog.text
    there.instead.clear()
    assert bench.becomes(bench.command("light.kitchen", "on")) == "sent"
    assert HomeForecasts not in bench.link.facts


@pytest.mark.parametrize(
    ("told", "read"),
    [
        (None, ()),
        ([None, 7, {}, {"datetime": 7}, {"datetime": "x" * 65}, DAY], (READ,)),
        ([{**DAY, "temperature": 1e30}, DAY], (READ,)),
        ([{**DAY, "precipitation_probability": -1}, DAY], (READ,)),
        ([{**DAY, "condition": "x" * 1000}, DAY], (READ,)),
        ([DAY] * 5000, (READ,) * MOST_DAYS),
    ],
)
def test_days_of_another_kind_are_left_out(
    join: Callable[..., Bench], there: HomeAssistant, told: Any, read: tuple[ForecastDay, ...]
) -> None:
    there.forecasts[WEATHER] = told
    assert days(join()) == read
