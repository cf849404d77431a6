"""What a sentence is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.english.sentences import LONGEST_SENTENCE, sentences, so_far


@pytest.mark.parametrize(
    "text",
    [
        "Dr. Miller and Mrs. Jones came at 9 a.m. on Monday.",
        "The U.S. Army bought 3.5 tons, approx. two a month.",
        "J. K. Rowling wrote it, cf. p. 12 and Fig. 3 of No. 5.",
        "1. Open the lid.",
        "Use soap, oil, etc. for this.",
        "Use a mild cleaner, e.g. Vinegar, on it.",
        '"Ready?" she asked.',
        "Yahoo! was founded in Jan. 1994.",
        "See https://example.org/a.b?c=d for more",
        "Fit seal no. 7 first.",
        "She lives near St. Mary Church on Mt. Etna.",
        "Rooke v. Vantry was decided under Tashir II (r. 1320 to 1344).",
    ],
)
def test_one_sentence_stays_whole(text: str) -> None:
    assert sentences(text) == [text]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("It is on. Is it? Yes!", ["It is on.", "Is it?", "Yes!"]),
        ("He moved to the U.S. The rest stayed.", ["He moved to the U.S.", "The rest stayed."]),
        ("Ring at 9 p.m. Then wait.", ["Ring at 9 p.m.", "Then wait."]),
        ("It leaves at 5 a.m. Also at 6.", ["It leaves at 5 a.m.", "Also at 6."]),
        ("It is 5 ft. This is it.", ["It is 5 ft.", "This is it."]),
        ("No. That is wrong.", ["No.", "That is wrong."]),
        ("It takes vitamin C. It is sour.", ["It takes vitamin C.", "It is sour."]),
        ('He said "stop." Nobody did.', ['He said "stop."', "Nobody did."]),
        ("Founded in 1911.[3] It grew.", ["Founded in 1911.[3]", "It grew."]),
        (
            "Cleaning\nlift the filter\n---\n• rinse it",
            ["Cleaning", "lift the filter", "• rinse it"],
        ),
        ("開ける。閉める。", ["開ける。", "閉める。"]),
        ("", []),
    ],
)
def test_sentences_are_told_apart(text: str, parts: list[str]) -> None:
    assert sentences(text) == parts


def test_what_never_ends_is_cut_between_words() -> None:
    parts = sentences("word " * 2000)
    assert max(map(len, parts)) <= LONGEST_SENTENCE
    assert " ".join(parts).split() == ["word"] * 2000


@pytest.mark.parametrize(
    ("text", "whole", "rest"),
    [
        ("It is on. Is it", ["It is on."], "Is it"),
        ("It is on. Is", [], "It is on. Is"),
        ("It is on.", [], "It is on."),
        ("Fit seal no. 7 ", [], "Fit seal no. 7 "),
        ("One. One. One. On", ["One.", "One."], "One. On"),
        ("Milk\nBread\n ", ["Milk"], "Bread\n "),
        (" ", [], " "),
    ],
)
def test_a_sentence_is_whole_once_a_word_follows(text: str, whole: list[str], rest: str) -> None:
    assert so_far(text) == (whole, rest)


PARTS = st.sampled_from(
    ("It is on. ", "no", ". ", "7", " ", "\n", "a.m. ", "The", "etc", "?", '"', "J. ", "…", "[3]")
)


@given(st.lists(PARTS, max_size=30))
def test_a_text_that_comes_bit_by_bit_has_the_sentences_of_the_whole(parts: list[str]) -> None:
    found: list[str] = []
    rest = ""
    for part in parts:
        whole, rest = so_far(rest + part)
        found += whole
    assert [*found, *sentences(rest)] == sentences("".join(parts))
