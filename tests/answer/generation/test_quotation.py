"""A wording, its source and the answer's words in; the quotation or nothing out."""

from __future__ import annotations

import pytest

from assistant.answer.generation.quotation import quoted

FILTER = "Clean the filter once a month, and the seal twice."
BIN = "The brown bin is emptied every Thursday before seven in the morning, so put it out early."
BOILER = "The boiler is a Norrvik 24 of 2019 and is serviced each October by Hale and Sons."


@pytest.mark.parametrize(
    ("said", "source", "answer", "quotation"),
    [
        ("once a month.", FILTER, "once a month", "Once a month."),
        ("Clean the filter once a month", FILTER, "once a month", "Clean the filter once a month."),
        (FILTER, FILTER, "twice", FILTER),
        (
            "the brown bin is emptied every Thursday before seven in the morning.",
            BIN,
            "every Thursday",
            "The brown bin is emptied every Thursday before seven in the morning.",
        ),
        ("the boiler is a Norrvik 24 of 2019", BOILER, "2019", f"{BOILER[:34]}."),
    ],
)
def test_the_sources_own_words_in_a_row_are_a_quotation(
    said: str, source: str, answer: str, quotation: str
) -> None:
    assert quoted(said, source, answer) == quotation


@pytest.mark.parametrize(
    ("said", "source", "answer"),
    [
        ("Hale and Sons is a Hale and Sons.", BOILER, "Hale and Sons"),  # recombined
        ("The boiler is serviced by Hale and Sons.", BOILER, "Hale and Sons"),  # with a gap
        ("It is on Friday", "It is on Friday, March 5, 2027.", "Friday"),  # a date is cut
        ("It lasts one hour", "It lasts one hour and 30 minutes.", "one hour"),
        ("Simmer for an hour", "Simmer for an hour and a half, then stir.", "an hour"),
        ("Rest it two", "Rest it two and a half hours.", "two"),
        ("Clean the filter once", FILTER, "once a month"),  # the answer is cut off
        ("The brown bin is emptied every Thursday before seven", BIN, "every Thursday"),
        ("seven in the morning", BIN, "seven in the morning"),  # "before" is cut off
        ("October by Hale and Sons.", BOILER, "Hale and Sons"),  # "each" is cut off
        ("Open the tap.", "Open the tap if the needle is low.", "Open the tap"),  # a condition
        ("Put it out.", "Put it out, unless it snows.", "Put it out"),
        ("", FILTER, "once a month"),
        ("once a month.", FILTER, "twice"),
    ],
)
def test_anything_else_is_none(said: str, source: str, answer: str) -> None:
    assert quoted(said, source, answer) == ""
