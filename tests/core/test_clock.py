"""The system's zone has the rules of its clock changes, wherever it is named."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from assistant.core import clock

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
