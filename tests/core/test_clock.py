"""The system's zone has the rules of its clock changes, wherever it is named."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from assistant.core import clock
from assistant.core.errors import ConfigError

JANUARY, JULY = datetime(2026, 1, 28), datetime(2026, 7, 28)


@pytest.fixture(autouse=True)
def restored(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    yield
    monkeypatch.undo()
    time.tzset()


def offsets(zone: str | None, monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Hours in January and in July."""
    monkeypatch.delenv("TZ", raising=False)
    if zone is not None:
        monkeypatch.setenv("TZ", zone)
    time.tzset()
    found = clock.system_zone()
    return [(found.utcoffset(day) or timedelta()) / timedelta(hours=1) for day in (JANUARY, JULY)]


@pytest.mark.parametrize("zone", ["Europe/Zurich", ":Europe/Zurich", "{file}", ":{file}", None])
def test_a_zone_comes_with_its_rules(
    zone: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "localtime"
    file.symlink_to("/usr/share/zoneinfo/Europe/Zurich")
    monkeypatch.setattr(clock, "LOCALTIME", str(file))
    named = zone.format(file=file) if zone is not None else None
    assert offsets(named, monkeypatch) == [1, 2]


@pytest.mark.parametrize(("zone", "hours"), [("", 0), ("/nowhere", 0), ("XYZ-3", 3)])
def test_what_is_no_zone_here_has_the_offset_of_now(
    zone: str, hours: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert offsets(zone, monkeypatch) == [hours, hours]


def test_a_zone_has_its_iana_name_and_none_is_the_systems(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Europe/Zurich")
    assert clock.time_zone("Asia/Kolkata").utcoffset(JULY) == timedelta(hours=5, minutes=30)
    assert clock.time_zone("").utcoffset(JULY) == timedelta(hours=2)


@pytest.mark.parametrize(
    "name", ["Europe/Nowhere", "../etc/passwd", "/etc/passwd", "a\0b", "Europe"]
)
def test_what_is_no_zone_is_told_with_an_example(name: str) -> None:
    with pytest.raises(ConfigError, match="is no zone; write one such as") as fault:
        clock.time_zone(name)
    assert fault.value.code == "config.time_zone"


def test_the_system_names_its_zone_in_etc() -> None:
    assert clock.LOCALTIME == "/etc/localtime"


def test_things_are_timed_by_the_clock_since_the_boot() -> None:
    before = time.clock_gettime(time.CLOCK_BOOTTIME)
    assert before <= clock.boottime_s() <= time.clock_gettime(time.CLOCK_BOOTTIME)
