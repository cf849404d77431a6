"""The connection to a calendar's collection, against the real Radicale."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from assistant.bridge import kept
from assistant.bridge.caldav import link as link_module
from assistant.bridge.caldav.link import CalDav
from assistant.core.calendar.messages import EventChange
from assistant.core.errors import ConfigError
from assistant.core.messages import CalendarReport
from assistant.core.settings.calendar import CalendarSettings
from tests.support.on_calendar import Bench
from tests.support.radicale import PASSWORD, USER, Radicale, event

DENTIST = event("dentist", "Dentist", "20260109T150000")
LATER = event("dentist", "Dentist", "20260109T160000")
CHOIR = event("choir@example.org", "Choir", "20260110T190000", "RRULE:FREQ=WEEKLY")


def titles(report: CalendarReport) -> set[str]:
    lines = (line for one in report.events for line in one.text.split("\n"))
    return {line.strip() for line in lines if line.startswith("SUMMARY")}


# ── what is there ───────────────────────────────────────────────────────────────────────────────


def test_it_asks_what_is_known(bench: Bench) -> None:
    assert bench.hears(CalendarReport) == CalendarReport(command_id="")


def test_what_is_there_is_told_once_and_then_what_changes(bench: Bench, radicale: Radicale) -> None:
    radicale.put("1", DENTIST)
    radicale.put("2", CHOIR)
    assert titles(bench.shares()) == {"SUMMARY:Dentist", "SUMMARY:Choir"}
    bench.begins()
    radicale.put("1", LATER)
    (changed,) = bench.reports().events
    assert "DTSTART:20260109T160000" in changed.text
    bench.begins()
    radicale.remove("2")
    report = bench.reports()
    assert (report.gone, report.events) == ((f"/{USER}/home/2.ics",), ())


def test_what_was_not_taken_down_is_told_again(bench: Bench, radicale: Radicale) -> None:
    radicale.put("1", DENTIST)
    assert len(bench.shares().events) == 1
    bench.known.clear()  # as after the skills were killed before they had written it
    assert len(bench.shares().events) == 1


def test_many_are_told_in_parts(
    bench: Bench, radicale: Radicale, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link_module, "BATCH", 2)
    for number in range(5):
        radicale.put(str(number), event(str(number), f"Event {number}", "20260109T150000"))
    assert [len(bench.shares().events) for _ in range(3)] == [2, 2, 1]
    assert len(bench.known) == 5


def test_of_too_many_the_rest_is_left_out(
    bench: Bench,
    radicale: Radicale,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(link_module, "MOST_EVENTS", 2)
    for number in range(4):
        radicale.put(str(number), event(str(number), f"Event {number}", "20260109T150000"))
    assert len(bench.shares().events) == 2
    assert "bridge.full" in caplog.text


def test_tasks_are_none_of_its_concern(bench: Bench, radicale: Radicale) -> None:
    radicale.put("task", DENTIST.replace("VEVENT", "VTODO").replace("DTEND", "DUE"))
    radicale.put("1", CHOIR)
    assert titles(bench.shares()) == {"SUMMARY:Choir"}


# ── what is changed here ────────────────────────────────────────────────────────────────────────


def test_an_event_is_put_there_moved_and_removed(bench: Bench, radicale: Radicale) -> None:
    added = bench.shares(EventChange("dentist", "", "", DENTIST))
    assert (added.done, added.refused, titles(added)) == (("dentist",), (), {"SUMMARY:Dentist"})
    assert "DTSTART:20260109T150000" in radicale.text("dentist")
    moved = bench.shares(bench.of("dentist", "dentist", LATER))
    assert moved.done == ("dentist",)
    assert "DTSTART:20260109T160000" in radicale.text("dentist")
    removed = bench.shares(bench.of("dentist", "dentist", ""))
    assert (removed.done, removed.gone) == (("dentist",), (f"/{USER}/home/dentist.ics",))
    assert radicale.text("dentist") == ""


def test_what_was_changed_there_meanwhile_is_left_alone(bench: Bench, radicale: Radicale) -> None:
    radicale.put("1", DENTIST)
    bench.shares()
    radicale.put("1", LATER)
    met = bench.shares(bench.of("1", "dentist", CHOIR))
    assert (met.done, met.refused, len(met.events)) == ((), (), 1)
    assert "DTSTART:20260109T160000" in radicale.text("1")


def test_a_name_that_is_taken_there_is_not_overwritten(bench: Bench, radicale: Radicale) -> None:
    radicale.put("dentist", LATER)
    met = bench.shares(EventChange("dentist", "", "", DENTIST))
    assert (met.done, len(met.events)) == ((), 1)
    assert "DTSTART:20260109T160000" in radicale.text("dentist")


def test_what_was_removed_on_both_sides_is_gone(bench: Bench, radicale: Radicale) -> None:
    radicale.put("1", DENTIST)
    bench.shares()
    change = bench.of("1", "dentist", "")
    radicale.remove("1")
    report = bench.shares(change)
    assert (report.gone, report.refused) == ((change.href,), ())


def test_any_uid_makes_a_name(bench: Bench, radicale: Radicale) -> None:
    odd = "../x/%2f ö"
    change = EventChange(odd, "", "", event(odd, "Odd", "20260109T150000"))
    assert bench.shares(change).done == (odd,)
    assert "SUMMARY:Odd" in radicale.whole()


def test_what_the_server_refuses_is_told(
    bench: Bench, radicale: Radicale, caplog: pytest.LogCaptureFixture
) -> None:
    bench.shares(EventChange("choir", "", "", CHOIR.replace("choir@example.org", "choir")))
    radicale.stop()
    radicale.may("Rr")
    radicale.start()
    report = bench.shares(EventChange("dentist", "", "", DENTIST))
    assert (report.done, report.refused) == ((), ("dentist",))
    assert "bridge.refused" in caplog.text


# ── when it is not there ────────────────────────────────────────────────────────────────────────


def test_what_was_commanded_while_it_was_away_is_done_when_it_is_back(
    bench: Bench, radicale: Radicale
) -> None:
    radicale.stop()
    assert bench.is_away() == f"http://127.0.0.1:{radicale.port}: nothing answers there"
    bench.begins(EventChange("dentist", "", "", DENTIST))
    radicale.start()
    bench.is_there()
    assert bench.reports().done == ("dentist",)


def test_a_wrong_password_is_told_once_until_there_is_another(
    join: Callable[..., Bench],
    radicale: Radicale,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    (tmp_path / "password").write_text("not it")
    bench = join(radicale.url)
    assert "refuses the user name or the password; see calendar.username" in bench.is_away()
    assert caplog.text.count("bridge.away") == 1
    assert "not it" not in caplog.text
    (tmp_path / "password").write_text(PASSWORD)
    bench.is_there()


@pytest.mark.parametrize(
    ("path", "told"),
    [
        (f"/{USER}/", "is no calendar; see calendar.url"),
        (f"/{USER}/nothing/", "has nothing at /anna/nothing/; see calendar.url"),
    ],
)
def test_what_is_no_calendar_is_told(
    join: Callable[..., Bench], radicale: Radicale, path: str, told: str
) -> None:
    assert told in join(f"http://127.0.0.1:{radicale.port}{path}").is_away()


def test_without_a_password_it_says_that_one_is_asked_for(
    join: Callable[..., Bench], radicale: Radicale
) -> None:
    assert "asks for a password" in join(radicale.url, password_file="").is_away()


def test_a_password_that_others_may_read_is_not_used(
    join: Callable[..., Bench], radicale: Radicale, tmp_path: Path
) -> None:
    (tmp_path / "password").chmod(0o644)
    assert "others may read this secret" in join(radicale.url).is_away()


@pytest.mark.parametrize(
    "url", ["radicale", "http://127.0.0.1", "http://127.0.0.1/?x", "ftp://a/b"]
)
def test_an_address_that_names_no_calendar_is_refused(url: str) -> None:
    with pytest.raises(ConfigError, match=r"calendar\.url"):
        CalDav(CalendarSettings(url=url))


def test_one_on_the_internet_is_not_asked(
    join: Callable[..., Bench], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    assert "is not on the local network" in join("http://192.0.2.1/anna/home/").is_away()


def test_it_ends_at_once(radicale: Radicale, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "GOODBYE_S", 60.0)
    with closing(CalDav(CalendarSettings(url=radicale.url))) as link:
        thread = link._thread
    assert not thread.is_alive()
