"""Plain text in; unwrapped lines under their headings out."""

from __future__ import annotations

import pytest

from assistant.answer.ingest.formats import text
from assistant.answer.ingest.formats.wording import clean
from assistant.core.errors import AnswerError

MANUAL = """\
THE BOILER
==========

Close the valve before you open the boiler, since hot water comes out of
it otherwise. Wait for ten minutes; the hot-
water light has to be off.

  - gloves
  - a ten-millimetre
    spanner

SAFETY FIRST

Nobody but a plumber may mend it.

2.1 Pressure

It should stand at 1.5 bar.
"""


def test_headings_are_found_by_their_look() -> None:
    places = [section.place for section in text.parse("boiler.txt", MANUAL.encode()).sections]
    assert places == ["", "SAFETY FIRST", "SAFETY FIRST > Pressure"]
    assert text.parse("boiler.txt", MANUAL.encode()).title == "THE BOILER"


def test_wrapped_lines_are_joined_and_items_are_lines() -> None:
    first = text.parse("boiler.txt", MANUAL.encode()).sections[0].text.splitlines()
    assert first == [
        "Close the valve before you open the boiler, since hot water comes out of it otherwise."
        " Wait for ten minutes; the hotwater light has to be off.",
        "gloves",
        "a ten-millimetre spanner",
    ]


def test_a_hyphen_that_the_text_knows_is_kept() -> None:
    lines = "The hot-water tap drips and nobody knows why it has dripped, but the hot-\nwater pipe"
    assert "the hot-water pipe" in text.parse("a.txt", lines.encode()).sections[0].text


def test_short_lines_stay_lines() -> None:
    (section,) = text.parse("shopping.txt", b"milk\neggs\nTwo loaves of bread\n").sections
    assert section.text == "milk\neggs\nTwo loaves of bread"


def test_a_list_with_gaps_is_no_row_of_headings() -> None:
    (section,) = text.parse("a.txt", b"1. Buy milk\n\n2. Feed the cat\n\n3. Sleep\n").sections
    assert section.text.splitlines() == ["1. Buy milk", "2. Feed the cat", "3. Sleep"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_encodings_are_told_apart(encoding: str) -> None:
    said = "Der Schlüssel liegt für 5 € bereit – „heute“."
    assert text.parse("a.txt", said.encode(encoding)).sections[0].text == said


@pytest.mark.parametrize("content", [b"\x7fELF\x02\x01\0\0", b"text\0text", bytes(range(32)) * 9])
def test_what_is_no_text_is_refused(content: bytes) -> None:
    with pytest.raises(AnswerError, match=r"^a\.txt holds no text$"):
        text.parse("a.txt", content)


def test_an_empty_file_is_an_empty_document() -> None:
    assert text.parse("my_notes.txt", b"").sections == ()
    assert text.parse("my_notes.txt", b"").title == "my notes"


def test_nothing_unspeakable_is_left() -> None:
    assert clean("soft\u00adware \ufb01ts\u200b \ud800 a\x07b\u202e") == "software fits ? a b"


def test_each_entry_of_a_diary_is_a_line() -> None:
    diary = b"2 May Leeks in, forty plants, all of them by the wall behind\nthe shed.\n9 May Slugs."
    (section,) = text.parse("log.txt", diary).sections
    assert section.text.splitlines()[1:] == ["9 May Slugs."]


OPENED = """\
Laundry room
In the basement of house B. Open from 7 am to 9 pm.
Washing: 3 tokens

Rubbish
- paper in the green skip

Mr D. Bose
7 Quarry Bank
Haverbeck

23 November 2026

Once
upon a time there was a king.
"""


def test_a_short_line_above_sentences_or_items_is_their_heading() -> None:
    places = [section.place for section in text.parse("a.txt", OPENED.encode()).sections]
    assert places == ["Laundry room", "Rubbish"]
    lines = text.parse("a.txt", OPENED.encode()).sections[-1].text.splitlines()
    assert lines[1:5] == ["Mr D. Bose", "7 Quarry Bank", "Haverbeck", "23 November 2026"]


def test_a_labelled_line_is_no_rest_of_the_sentence_above_it() -> None:
    lines = (
        "Payment: by direct debit. If you do nothing at all, the policy renews by itself.\nPaid: £9"
    )
    assert text.parse("a.txt", lines.encode()).sections[0].text.splitlines()[1] == "Paid: £9"
