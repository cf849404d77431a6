"""What a broken or hostile server of a calendar may answer: it is told, and nothing is lost."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, closing
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from assistant.bridge.caldav import link as link_module
from assistant.bridge.caldav import session as session_module
from assistant.bridge.caldav.multistatus import MOST_ELEMENTS, Multistatus
from assistant.core.calendar.messages import EventChange
from tests.support.caldav_server import FINE, CalDavServer, multistatus, response
from tests.support.on_calendar import Bench
from tests.support.processes import until
from tests.support.radicale import event

DENTIST = event("dentist", "Dentist", "20260109T150000")


@pytest.fixture
def server(things: ExitStack) -> CalDavServer:
    return things.enter_context(closing(CalDavServer()))


@pytest.fixture
def hostile(join: Callable[..., Bench], server: CalDavServer) -> Bench:
    """A bench that was connected, and has taken down one event."""
    server.events = {"1.ics": DENTIST}
    bench = join(server.url)
    assert [one.text for one in bench.shares().events] == [DENTIST.replace("\r\n", "\n")]
    assert list(bench.known) == ["/anna/home/1.ics"]
    bench.begins()
    return bench


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ((207, "<D:multistatus"), "answers what is no CalDAV: it is no XML"),
        ((207, '<?xml version="1.0" encoding="utf2"?><x/>'), "it is no XML"),
        ((207, "<a/>"), "answers what is no CalDAV: it is no multistatus"),
        ((207, ""), "answers what is no CalDAV: it is no XML"),
        (
            (207, '<!DOCTYPE x [<!ENTITY a "aaaa">]><x>&a;</x>'),
            "it has a document type, which no answer of WebDAV has",
        ),
        ((200, "hello"), "does not speak CalDAV at /anna/home/: status 200"),
        ((404, ""), "has nothing at /anna/home/; see calendar.url"),
        ((403, ""), "does not let /anna/home/ be read; see calendar.username"),
        ((401, ""), "refuses the user name or the password; see calendar.username"),
        ((301, ""), "sends to another address (301); see calendar.url"),
        ((503, ""), "is not ready: status 503"),
        ((207, b"<D:response></D:response>"), "answers more than 100000 bytes"),
        ((207, b"x" * 1000), "answers more than 100000 bytes"),
    ],
)
@pytest.mark.parametrize("method", ["PROPFIND", "REPORT"])
def test_such_an_answer_is_told_and_removes_nothing(
    hostile: Bench,
    server: CalDavServer,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    method: str,
    answer: Any,
    told: str,
) -> None:
    monkeypatch.setattr(session_module, "LARGEST_ANSWER_BYTES", 100_000)
    server.spoil = lambda asked, body: answer if asked == method else (207, body)
    server.events["2.ics"] = DENTIST  # so that it is asked for all
    assert told in hostile.is_away()
    server.spoil = lambda _, body: (207, body)
    (tmp_path / "password").touch()  # so that one that was refused is tried again
    hostile.is_there()
    assert (report := hostile.reports()).gone == ()
    assert [one.href for one in report.events] == ["/anna/home/2.ics"]


@pytest.mark.parametrize("method", ["PROPFIND", "REPORT"])
def test_one_that_is_silent_is_away(
    join: Callable[..., Bench], server: CalDavServer, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    monkeypatch.setattr(session_module, "ANSWER_S", 0.5)
    server.spoil = lambda asked, body: (207, None if asked == method else body)
    bench = join(server.url)
    bench.begins()
    assert "does not answer in time" in bench.is_away()


def test_a_list_that_leaves_some_out_is_not_believed(hostile: Bench, server: CalDavServer) -> None:
    status = "<D:status>HTTP/1.1 507 Insufficient Storage</D:status>"
    rest = f"<D:response><D:href>/anna/home/</D:href>{status}</D:response></D:multistatus>"
    server.spoil = lambda _, body: (207, body.replace("</D:multistatus>", rest))
    server.events = {"2.ics": DENTIST, "3.ics": DENTIST}
    assert "does not tell all its events" in hostile.is_away()


@pytest.mark.parametrize(
    "spoiled",
    [
        lambda _: multistatus(),
        lambda body: body.replace("/anna/home/1.ics", "/anna/home/9.ics"),
        lambda body: body.replace("<D:getetag>", "<D:old>").replace("</D:getetag>", "</D:old>"),
        lambda body: body.replace("/anna/home/1.ics", "").replace("2.ics", "3.ics"),
    ],
    ids=["nothing", "another name", "no version", "nothing known"],
)
def test_a_list_without_what_is_there_removes_nothing(
    hostile: Bench,
    server: CalDavServer,
    caplog: pytest.LogCaptureFixture,
    spoiled: Callable[[str], str],
) -> None:
    server.spoil = lambda method, body: (
        207,
        spoiled(body) if method == "REPORT" and "calendar-data" not in body else body,
    )
    server.events["2.ics"] = DENTIST  # so that it is asked for all
    until(lambda: "bridge.list" in caplog.text)
    server.spoil = lambda _, body: (207, body)
    server.events["3.ics"] = DENTIST
    report = hostile.reports()
    assert (report.gone, report.events != ()) == ((), True)
    assert caplog.text.count("bridge.list") == 1


def test_a_list_of_what_is_elsewhere_removes_nothing(hostile: Bench, server: CalDavServer) -> None:
    server.spoil = lambda method, body: (
        207,
        body.replace("/anna/home/", "/dav/anna/home/") if method == "REPORT" else body,
    )
    server.events["2.ics"] = DENTIST
    assert "lists nothing in /anna/home/, but elsewhere; see calendar.url" in hostile.is_away()


def test_the_last_event_is_removed_once_the_server_says_so(
    hostile: Bench, server: CalDavServer
) -> None:
    server.events.clear()
    assert hostile.reports().gone == ("/anna/home/1.ics",)


def test_what_is_elsewhere_is_not_taken_for_an_event(hostile: Bench, server: CalDavServer) -> None:
    others = ("/bert/home/1.ics", "/anna/home/", "http://[x", "/anna/home/a b", "/anna/home/%0a")
    server.events |= dict.fromkeys(others, DENTIST)
    there = "http://127.0.0.1:1/anna/home/2.ics"  # a whole address counts as its path
    server.events[there] = DENTIST
    report = hostile.reports()
    assert {one.href for one in report.events} == {"/anna/home/2.ics"}
    assert report.gone == ()


def test_an_event_that_is_too_large_is_left_out(
    hostile: Bench, server: CalDavServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_module, "LARGEST_EVENT_BYTES", 1000)
    monkeypatch.setattr(session_module, "LARGEST_ANSWER_BYTES", 20_000)
    large = {"2.ics": "x" * 2000, "3.ics": "x" * 30_000}
    server.events |= {**large, "4.ics": DENTIST}
    told = {one.href: len(one.text) for one in hostile.reports().events}
    assert told == {
        **dict.fromkeys(("/anna/home/2.ics", "/anna/home/3.ics"), 0),
        "/anna/home/4.ics": len(DENTIST.replace("\r\n", "\n")),
    }


def test_an_event_whose_rule_gives_no_days_is_left_out_and_named(
    hostile: Bench, server: CalDavServer, caplog: pytest.LogCaptureFixture
) -> None:
    rules = ("FREQ=DAILY;BYSETPOS=366;BYDAY=MO", "FREQ=WEEKLY")
    server.events |= {
        f"{number}.ics": event(str(number), "Choir", "20260109T190000", f"RRULE:{rule}")
        for number, rule in enumerate(rules, start=2)
    }
    told = {one.href: bool(one.text) for one in hostile.reports().events}
    assert told == {"/anna/home/2.ics": False, "/anna/home/3.ics": True}
    assert "the event at /anna/home/2.ics is left out: its rule gives no days" in caplog.text


def test_a_change_that_is_never_taken_is_told_as_refused(
    hostile: Bench, server: CalDavServer
) -> None:
    server.spoil = lambda method, body: (412 if method == "PUT" else 207, body)
    report = hostile.shares(EventChange("new", "", "", DENTIST))
    assert (report.done, report.refused) == ((), ("new",))


def test_one_that_is_listed_and_not_given_ends_nothing(
    hostile: Bench, server: CalDavServer
) -> None:
    server.spoil = lambda method, body: (
        (412, "")
        if method == "PUT"
        else (207, body.replace("/2.ics</D:href>", "/x</D:href>"))
        if "calendar-data" in body
        else (207, body)
    )
    server.events |= {"2.ics": DENTIST}
    report = hostile.shares(EventChange("2", "", "", DENTIST))
    assert (report.events, report.refused) == ((), ("2",))


def test_versions_are_those_of_the_list(hostile: Bench, server: CalDavServer) -> None:
    server.events |= {"2.ics": DENTIST}
    server.spoil = lambda _, body: (
        207,
        body.replace("<D:getetag>", "<D:getetag>W/") if "calendar-data" in body else body,
    )
    assert {event.etag for event in hostile.reports().events} == {f'"{len(DENTIST)}"'}


def test_a_report_is_bounded(
    hostile: Bench, server: CalDavServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link_module, "LARGEST_REPORT_BYTES", 600)
    server.events |= {f"{number}.ics": DENTIST for number in range(2, 7)}
    first = hostile.reports()
    assert 0 < len(first.events) < 5
    hostile.begins()
    assert hostile.reports().events


def test_properties_that_are_not_there_are_none() -> None:
    reader = Multistatus()
    missing = "<D:status>HTTP/1.1 404 Not Found</D:status>"
    told = response("/1", "<D:getetag>1</D:getetag>", missing)
    reader.feed(multistatus(told, response("/2", "<D:getetag>2</D:getetag>", FINE)).encode())
    found = {one.href: one.properties for one in reader.resources()}
    assert found == {"/1": {}, "/2": {"DAV: getetag": "2"}}


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("<a>" * 500_000, "nested more than 32 deep"),
        (multistatus("<a/>" * 500_000), "more than 200000 elements"),
        ("<a " + " ".join(f'a{n}=""' for n in range(500_000)), "a tag of more than 65536 bytes"),
        (f'<a xmlns="{"x" * 5_000}">' + "<a/>" * 1000, "a namespace of more than 250 characters"),
    ],
)
def test_an_answer_beyond_bounds_is_refused_at_its_beginning(answer: str, told: str) -> None:
    reader, pieces = Multistatus(), [answer[n : n + 65_536] for n in range(0, len(answer), 65_536)]
    fed = (reader.feed(piece.encode()) for piece in pieces)
    with pytest.raises(ValueError, match=told):
        list(islice(fed, 4 * MOST_ELEMENTS // 65_536 + 1))


def test_a_list_of_twenty_thousand_events_is_read() -> None:
    listed = (response(f"/anna/home/{n}.ics", "<D:getetag>1</D:getetag>") for n in range(20_000))
    reader = Multistatus()
    reader.feed(multistatus(*listed).encode())
    assert len(reader.resources()) == 20_000
