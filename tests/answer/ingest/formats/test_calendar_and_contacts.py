"""Events and people in; sentences that answer when, where, who and how out."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from assistant.answer.ingest.formats import calendar, contacts
from assistant.answer.knowledge.passages import Section
from assistant.core.errors import AnswerError
from tests.support.effort import cpu_s


@pytest.fixture(autouse=True)
def berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def _event(lines: str) -> Section:
    text = f"BEGIN:VCALENDAR\nBEGIN:VEVENT\n{lines}\nEND:VEVENT\nEND:VCALENDAR\n"
    (section,) = calendar.parse("home.ics", text.encode()).sections
    return section


def test_an_event_is_told_with_time_place_and_people() -> None:
    section = _event(
        "SUMMARY:Dentist\nDTSTART;TZID=Europe/Berlin:20260303T093000\n"
        "DTEND;TZID=Europe/Berlin:20260303T101500\nLOCATION:12 High Street\\, Bath\n"
        "ATTENDEE;CN=Ada Byron:mailto:ada@example.org\nATTENDEE:mailto:bob@example.org\n"
        "ORGANIZER;CN=Dr. Wu:mailto:wu@example.org\nDESCRIPTION:Bring the <b>card</b>."
    )
    assert section.text.splitlines() == [
        "Dentist is on Tuesday, March 3, 2026 at 09:30 for 45 minutes at 12 High Street, Bath.",
        "Ada Byron and bob@example.org take part.",
        "Dr. Wu organises it.",
        "Bring the",
        "card",
        ".",
    ]
    assert (section.starts, section.ends) == (
        "2026-03-03T09:30:00+01:00",
        "2026-03-03T10:15:00+01:00",
    )
    assert (section.place, section.people) == ("Dentist", ("Ada Byron", "bob@example.org"))


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (
            "DTSTART:20260303T080000Z\nDURATION:PT2H",
            "on Tuesday, March 3, 2026 at 09:00 for two hours",
        ),
        ("DTSTART;VALUE=DATE:20260303", "on Tuesday, March 3, 2026, all day"),
        (
            "DTSTART;VALUE=DATE:20260302\nDTEND;VALUE=DATE:20260307",
            "from Monday, March 2, 2026 to Friday, March 6, 2026",
        ),
        (
            "DTSTART:20260106T100000\nDTEND:20260106T110000\nRRULE:FREQ=WEEKLY;BYDAY=TU",
            "every Tuesday at 10:00 for one hour, from January 6, 2026 on",
        ),
        (
            "DTSTART:20260106T100000\nRRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,TH;UNTIL=20260630",
            "every two weeks on Tuesday and Thursday at 10:00,"
            " from January 6, 2026 until June 30, 2026",
        ),
        (
            "DTSTART:20260106T100000\nRRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;COUNT=10",
            "every weekday at 10:00, ten times from January 6, 2026",
        ),
        (
            "DTSTART;VALUE=DATE:20260115\nRRULE:FREQ=MONTHLY",
            "every month on the 15th, from January 15, 2026 on",
        ),
        (
            "DTSTART:20260113T190000\nRRULE:FREQ=MONTHLY;BYDAY=2TU",
            "every month on the second Tuesday at 19:00, from January 13, 2026 on",
        ),
        (
            "DTSTART;VALUE=DATE:18151210\nRRULE:FREQ=YEARLY",
            "every year on December 10, from December 10, 1815 on",
        ),
        (
            "DTSTART;VALUE=DATE:20260329\nRRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3",
            "every year on the last Sunday in March, from March 29, 2026 on",
        ),
    ],
)
def test_when_in_words(lines: str, said: str) -> None:
    assert _event(f"SUMMARY:It\n{lines}").text == f"It is {said}."


def test_a_series_ends_with_its_last_day() -> None:
    start = "DTSTART:20260106T100000\nRRULE:FREQ=WEEKLY"
    assert _event(f"{start};COUNT=3").ends == "2026-01-20"
    assert _event(f"{start};UNTIL=20260601T000000Z").ends == "2026-06-01"
    assert _event(start).ends == calendar.NEVER


def test_exceptions_of_a_series_are_told() -> None:
    section = _event(
        "SUMMARY:Choir\nDTSTART:20260106T190000\nRRULE:FREQ=WEEKLY\nEXDATE:20260217T190000"
    )
    assert section.text.splitlines()[1] == "It does not take place on Tuesday, February 17, 2026."
    moved = _event("SUMMARY:Choir\nDTSTART:20260304T190000\nRECURRENCE-ID:20260303T190000")
    assert moved.text.startswith(
        "Choir, moved from Tuesday, March 3, 2026, is on Wednesday, March 4"
    )


def test_a_cancelled_event_is_said_to_be() -> None:
    section = _event("SUMMARY:Choir\nDTSTART;VALUE=DATE:20260303\nSTATUS:CANCELLED")
    assert section.text == "Choir on Tuesday, March 3, 2026, all day is cancelled."


def test_a_broken_property_costs_the_property() -> None:
    broken = "SUMMARY:Choir\nDTSTART:20260303T190000\nRRULE:FREQ=NOW\nEXDATE:never"
    assert _event(broken).text.startswith("Choir is on Tuesday, March 3, 2026 at 19:00")


def test_the_calendar_is_named() -> None:
    named = b"BEGIN:VCALENDAR\nX-WR-CALNAME:Family\nEND:VCALENDAR\n"
    assert calendar.parse("a.ics", named).title == "Family"
    with pytest.raises(AnswerError, match=r"^a\.ics is no calendar"):
        calendar.parse("a.ics", b"Dear diary")


CARDS = b"""BEGIN:VCARD
VERSION:3.0
FN:Ada Byron
N:Byron;Ada;;;
TEL;TYPE=CELL:+44 20 7946 0123
TEL;TYPE=WORK,VOICE:+44 20 7946 0999
EMAIL;TYPE=HOME:ada@example.org
ADR;TYPE=HOME:;;12 St James's Square;London;;SW1Y 4LB;United Kingdom
BDAY:1815-12-10
ORG:Analytical Engines;Research
TITLE:Mathematician
NOTE:Prefers tea.
END:VCARD
BEGIN:VCARD
VERSION:2.1
N:Jones;Bob
TEL;CELL:555 0100
END:VCARD
BEGIN:VCARD
VERSION:4.0
FN:Carla
TEL;VALUE=uri;TYPE="voice,home":tel:+1-555-555-5555
BDAY:--0412
END:VCARD
"""


def test_contacts_are_told_in_sentences() -> None:
    document = contacts.parse("contacts.vcf", CARDS)
    ada, bob, carla = document.sections
    assert document.kind == "contact"
    assert ada.people == ("Ada Byron",)
    assert ada.text.splitlines() == [
        "Ada Byron's mobile phone number is +44 20 7946 0123.",
        "Ada Byron's work phone number is +44 20 7946 0999.",
        "Ada Byron's home e-mail address is ada@example.org.",
        "Ada Byron's home address is 12 St James's Square, SW1Y 4LB, London, United Kingdom.",
        "Ada Byron's birthday is December 10, 1815.",
        "Ada Byron works for Analytical Engines, Research.",
        "Ada Byron's position is Mathematician.",
        "Prefers tea.",
    ]
    assert bob.text == "Bob Jones' mobile phone number is 555 0100."
    assert carla.text.splitlines() == [
        "Carla's home phone number is +1-555-555-5555.",
        "Carla's birthday is April 12.",
    ]


def test_what_is_no_card_is_named() -> None:
    with pytest.raises(AnswerError, match=r"^a\.vcf holds no contacts"):
        contacts.parse("a.vcf", b"BEGIN:VCARD\nFN:Ada\n")


def test_a_charset_that_is_named_twice_makes_no_card() -> None:
    card = b"BEGIN:VCARD\nVERSION:2.1\nFN;CHARSET=a,b;ENCODING=QUOTED-PRINTABLE:x=3D\nEND:VCARD\n"
    with pytest.raises(AnswerError, match="holds no contacts"):
        contacts.parse("a.vcf", card)


def test_a_line_is_read_in_one_way() -> None:
    """The package's own pattern tries 2 to the power of its number of "=" ways."""
    card = CARDS + b"BEGIN:VCARD\nFN;A=" + b"=," * 30 + b"\nEND:VCARD\n"
    assert cpu_s(lambda: contacts.parse("a.vcf", card)) < 5


def test_an_event_that_is_none_costs_itself_alone() -> None:
    odd = "DTSTART:20260101T090000\nRRULE:FREQ=MONTHLY;UNTIL=20270101T000000Z/P1D"
    lines = {"Odd": odd, "Plain": "DTSTART;VALUE=DATE:20260101"}
    events = "".join(f"BEGIN:VEVENT\nSUMMARY:{n}\n{t}\nEND:VEVENT\n" for n, t in lines.items())
    document = calendar.parse("a.ics", f"BEGIN:VCALENDAR\n{events}END:VCALENDAR\n".encode())
    assert [section.place for section in document.sections] == ["Plain"]


@pytest.mark.parametrize("zone", ["x" * 300, "=/" * 2000 + "="])
def test_a_zone_that_no_file_can_have_makes_no_calendar(zone: str) -> None:
    event = f"BEGIN:VEVENT\nDTSTART;TZID=Europe/{zone}:20260101T090000\nEND:VEVENT\n"
    with pytest.raises(AnswerError, match="no calendar that can be read"):
        calendar.parse("a.ics", f"BEGIN:VCALENDAR\n{event}END:VCALENDAR\n".encode())


def test_cards_in_one_another_are_no_contacts() -> None:
    nested = b"BEGIN:VCARD\n" * 3_000 + b"FN:X\n" + b"END:VCARD\n" * 3_000
    with pytest.raises(AnswerError, match="no contacts that can be read"):
        contacts.parse("a.vcf", nested)
