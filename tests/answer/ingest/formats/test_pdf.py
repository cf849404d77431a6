"""PDF in; pages, chapters and honest refusals out."""

from __future__ import annotations

import pytest

from assistant.answer.ingest.formats import pdf
from assistant.answer.knowledge.passages import Document
from assistant.core.errors import AnswerError
from tests.support.handmade_pdf import pdf as made

FILTER = [
    "The filter has to be cleaned once a month with warm water. Never use",
    "a brush of steel, since it would scratch the sieve and let the dish-",
    "washer leak.",
]
RINSE = [
    "Rinse aid is filled into the flap beside the soap. One filling lasts",
    "for about eighty washes, after which the yellow lamp is lit.",
]


def _parsed(*pages: list[str], name: str = "dish-washer.pdf", **more: object) -> Document:
    return pdf.parse(name, made(pages, **more))  # type: ignore[arg-type]


def test_lines_are_joined_and_broken_words_mended() -> None:
    (section,) = _parsed(FILTER).sections
    assert section.text == (
        "The filter has to be cleaned once a month with warm water. Never use a brush of steel,"
        " since it would scratch the sieve and let the dishwasher leak."
    )
    assert section.place == "page 1"


def test_bookmarks_name_the_place_and_split_a_page() -> None:
    lines = [["1. Cleaning", *FILTER, "2. Rinsing", *RINSE], RINSE]
    document = _parsed(*lines, bookmarks={"1. Cleaning": 0, "2. Rinsing": 0})
    assert [section.place for section in document.sections] == [
        "1. Cleaning, page 1",
        "2. Rinsing, page 1",
        "2. Rinsing, page 2",
    ]
    assert document.sections[1].text.startswith("Rinse aid is filled")
    assert "Rinsing" not in document.sections[0].text


def test_heads_feet_and_page_numbers_are_dropped() -> None:
    pages = [
        ["Acme Dishwasher", f"Water runs through pipe {word}.", f"Page {n} of 4"]
        for n, word in enumerate(("one", "two", "three", "four"), 1)
    ]
    texts = [section.text for section in _parsed(*pages).sections]
    assert texts == [f"Water runs through pipe {w}." for w in ("one", "two", "three", "four")]


def test_a_line_that_repeats_in_the_middle_stays() -> None:
    page = ["A first line.", "Second.", "Third.", "Close the tap.", "Fifth.", "Sixth.", "Last."]
    pages = [[f"{line} {n}" if "tap" not in line else line for line in page] for n in range(4)]
    assert all("Close the tap." in section.text for section in _parsed(*pages).sections)


def test_a_sentence_over_the_end_of_a_page_is_told_whole() -> None:
    first, second = _parsed(
        ["The pump starts when the door has been shut and"],
        ["the water has come in. After that the heating starts and runs for a while."],
    ).sections
    assert first.text.endswith("shut and the water has come in.")
    assert second.text == "After that the heating starts and runs for a while."


def test_a_table_of_contents_is_no_text() -> None:
    document = _parsed(["Cleaning . . . . . . . . . 12", "Rinsing ........ 14", *FILTER])
    assert document.sections[0].text.startswith("The filter")


def test_the_title_is_the_documents_or_the_files() -> None:
    assert _parsed(FILTER, title="Dishwasher D 42").title == "Dishwasher D 42"
    assert _parsed(FILTER, title="Microsoft Word - d42.doc").title == "dish washer"


def test_broken_bookmarks_cost_the_bookmarks_alone() -> None:
    content = made([FILTER], bookmarks={"Cleaning": 0})
    assert pdf.parse("a.pdf", content).sections[0].place == "Cleaning, page 1"
    broken = content.replace(b"/First", b"/Fir**")
    assert pdf.parse("a.pdf", broken).sections[0].place == "page 1"
    assert broken != content


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (made([FILTER], password="secret"), "encrypted"),
        (made([[], []]), "pictures"),
        (b"%PDF-1.7\nnothing follows", "broken"),
    ],
)
def test_what_cannot_be_read_is_named(content: bytes, said: str) -> None:
    with pytest.raises(AnswerError, match=f"^a.pdf .*{said}") as raised:
        pdf.parse("a.pdf", content)
    assert raised.value.code == "answer.unreadable"
