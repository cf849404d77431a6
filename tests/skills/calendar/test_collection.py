"""The calendar's collection, as people talk of it: through the skills, the bridge, and back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from assistant.bridge import kept
from assistant.bridge.caldav.link import CalDav
from assistant.core.clock import boottime_s
from assistant.core.messages import CalendarReport, DeviceChanged
from assistant.core.settings.calendar import CalendarSettings
from nlu.stage import NluStage
from tests.support.household import Household
from tests.support.radicale import USER, Radicale, event, password_file
from tests.support.talking import Talk

DENTIST = event("dentist", "Dentist", "20260109T150000")


@pytest.fixture
def radicale(tmp_path: Path) -> Iterator[Radicale]:
    with Radicale.running(tmp_path) as there:
        yield there


@pytest.fixture
def household(
    things: ExitStack,
    radicale: Radicale,
    talks: Callable[..., Talk],
    nlu: NluStage,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Household:
    monkeypatch.setattr(kept, "RECONNECT_S", (0.05, 0.2))
    file = str(password_file(tmp_path))
    settings = CalendarSettings(url=radicale.url, username=USER, password_file=file, interval_s=1.0)
    link = things.enter_context(closing(CalDav(settings)))
    household = Household(talks(collection=radicale.url, at_s=boottime_s()), nlu, link)
    household.until(lambda m: isinstance(m, DeviceChanged) and m.present)
    return household


def test_what_is_said_is_there_and_what_is_there_is_known(
    household: Household, radicale: Radicale
) -> None:
    assert "is in your calendar" in household.say("add dentist to the calendar on friday at three")
    household.until_so(lambda: "SUMMARY:Dentist" in radicale.whole())
    assert "on Thursday" in household.say("move the dentist to thursday")
    household.until_so(lambda: "20260108T150000" in radicale.whole())
    radicale.put("choir", event("choir", "Choir", "20260109T190000"))
    household.until_so(lambda: b"Choir" in _file(household).read_bytes())
    assert "on Thursday" in household.say("move the choir to thursday")
    household.until_so(lambda: "20260108T190000" in radicale.text("choir"))
    assert household.told == []


def test_what_is_undone_is_gone_there(household: Household, radicale: Radicale) -> None:
    household.say("add dentist to the calendar on friday at three")
    household.until_so(lambda: "SUMMARY:Dentist" in radicale.whole())
    assert household.say("undo") == "I took that back."
    household.until_so(lambda: "SUMMARY" not in radicale.whole())


def test_while_it_is_away_all_is_answered_and_nothing_lost(
    household: Household, radicale: Radicale
) -> None:
    radicale.put("dentist", DENTIST)
    household.until_so(lambda: _holds(household, b"Dentist"))
    radicale.stop()
    household.until(lambda m: isinstance(m, DeviceChanged) and not m.present)
    assert "on Thursday" in household.say("move the dentist to thursday")
    assert "is in your calendar" in household.say("add choir to the calendar tomorrow at seven pm")
    household.talk.restart()
    radicale.start()
    household.until_so(lambda: radicale.whole().count("SUMMARY") == 2)
    household.until_so(lambda: "20260108T150000" in radicale.whole())
    assert household.told == []


def test_a_conflict_is_told(household: Household, radicale: Radicale) -> None:
    radicale.put("dentist", DENTIST)
    household.until_so(lambda: _holds(household, b"Dentist"))
    radicale.stop()
    household.until(lambda m: isinstance(m, DeviceChanged) and not m.present)
    household.say("move the dentist to thursday")
    radicale.start()
    radicale.put("dentist", event("dentist", "Dentist", "20260109T170000"))
    household.until(lambda m: isinstance(m, CalendarReport) and m.events)
    household.until_told(
        "Dentist was changed elsewhere as well, and I keep that: on Friday, January 9 at 5 pm."
    )
    household.until_so(lambda: b"T170000" in _file(household).read_bytes())


def _file(household: Household) -> Path:
    file = household.talk.calendar
    assert file is not None
    return file


def _holds(household: Household, text: bytes) -> bool:
    file = _file(household)
    return file.exists() and text in file.read_bytes()
