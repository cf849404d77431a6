"""Which parser takes a file."""

from __future__ import annotations

import pytest

from assistant.answer.ingest.formats import select
from assistant.answer.ingest.formats.suffixes import SUFFIXES
from assistant.core.errors import AnswerError

CARD = b"BEGIN:VCARD\nVERSION:3.0\nFN:Ada\nEND:VCARD\n"


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("/home/ada/a.txt", b"Hello there.", "document"),
        ("/home/ada/README", b"Hello there.", "document"),
        ("/home/ada/Notes/a.txt", b"Hello there.", "note"),
        ("/home/ada/notes/work/a.MD", b"# Hello", "note"),
        ("/home/ada/notes/a.html", b"<p>Hello", "document"),
        ("/home/ada/people.txt", CARD, "contact"),
        ("/home/ada/notes/home.ics", b"BEGIN:VCALENDAR\nEND:VCALENDAR\n", "event"),
    ],
)
def test_kind(name: str, content: bytes, kind: str) -> None:
    assert select.parse(name, content).kind == kind


def test_a_file_can_be_given_as_a_note() -> None:
    assert select.parse("/tmp/a.txt", b"Buy milk.", note=True).kind == "note"


def test_content_counts_for_more_than_the_name() -> None:
    assert select.parse("saved.txt", b"<!DOCTYPE html><p>Hi</p>").sections[0].text == "Hi"


def test_every_suffix_has_its_parser() -> None:
    assert select.PARSERS.keys() == SUFFIXES


@pytest.mark.parametrize("name", ["a.docx", "a.png", "a.exe", "a.py"])
def test_what_is_not_known_is_refused_by_name(name: str) -> None:
    with pytest.raises(AnswerError) as raised:
        select.parse(f"/home/ada/{name}", b"PK\x03\x04anything")
    assert raised.value.code == "answer.unreadable"
    assert raised.value.message == (
        f"{name} is none of what can be read: text, Markdown, HTML, PDF, EPUB, ICS or vCard"
    )


@pytest.mark.parametrize(
    ("name", "content", "days"),
    [
        ("/n/2026-11-14 boiler.md", "Low again.", ["2026-11-14"]),
        ("/n/20261114.txt", "Low again.", ["2026-11-14"]),
        ("/n/boiler.md", "---\ndate: 2026-11-14T09:00\n---\nLow again.", ["2026-11-14"]),
        ("/n/2025-01-01.md", "---\ncreated: 2026-11-14\n---\nLow again.", ["2026-11-14"]),
        (
            "/n/diary.md",
            "# Diary\n\n## 2026-11-14\n\nLow.\n\n## 2026-11-15\n\nHigh.",
            ["2026-11-14", "2026-11-15"],
        ),
        ("/n/boiler.md", "# 2026-11-14\n\nLow again.", ["2026-11-14"]),
        ("/n/2026-13-45.md", "Low again.", [""]),
        ("/n/call 0800 5551 204.md", "Low again on 2026-11-14.", [""]),
        ("/n/2026-11-14.html", "<p>Low again.", [""]),
    ],
)
def test_a_note_is_of_the_day_that_it_names(name: str, content: str, days: list[str]) -> None:
    assert [section.starts for section in select.parse(name, content.encode()).sections] == days
