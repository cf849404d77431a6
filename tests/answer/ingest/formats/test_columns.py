"""Tables drawn with spaces in; spoken rows and plain lines out."""

from __future__ import annotations

import pytest

from assistant.answer.ingest.formats import text


def lines(content: str) -> list[str]:
    sections = text.parse("a.txt", content.encode()).sections
    return [line for section in sections for line in section.text.splitlines()]


def test_a_row_is_told_under_the_names_of_its_columns() -> None:
    table = (
        "Jar        Weight   Keeps until\n"
        "Honey      450 g    always\n"
        "Plum jam   340 g    March 2028\n"
    )
    assert lines(table) == [
        "Honey: weight: 450 g; keeps until: always.",
        "Plum jam: weight: 340 g; keeps until: March 2028.",
    ]


def test_a_cell_stands_in_its_column_also_where_one_before_it_is_empty() -> None:
    table = (
        "Day        Morning       Evening\n"
        "Monday     yoga at 8     choir at 7\n"
        "Tuesday                  band at 6\n"
    )
    assert lines(table)[1] == "Tuesday: evening: band at 6."


def test_a_rule_below_the_head_is_no_underline_of_a_heading() -> None:
    table = "Code   Meaning\n--------------\nE1     no water\nE2     door open\n"
    assert lines(table) == ["E1: meaning: no water.", "E2: meaning: door open."]


def test_two_columns_of_words_have_no_head() -> None:
    assert lines("Paper   green skip\nGlass   bell\nAsh     grey bin\n")[0] == "Paper: green skip."


def test_labels_side_by_side_are_lines() -> None:
    assert lines("Model: K7     Serial number: 55 102\n") == ["Model: K7", "Serial number: 55 102"]


@pytest.mark.parametrize(
    "prose",
    [
        "He rang.  Nobody came.\nThe dog barked at it.  We left.\nThen it rained.  The end.",
        "1.  Milk\n2.  Eggs\n3.  Two loaves\n",
    ],
)
def test_wide_gaps_alone_make_no_table(prose: str) -> None:
    assert len(lines(prose)) == 3
    assert not any(": " in line for line in lines(prose))
