"""Cutting: what a sentence is, and how sentences become passages."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.answer.knowledge.passages import (
    LONGEST_SENTENCE,
    LONGEST_WORDS,
    SHORTEST_WORDS,
    Document,
    Section,
    cut,
    sentences,
)


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


def test_a_page_without_a_line_break_takes_no_longer() -> None:
    text = "The pump stops. " * 50_000 + "and on " * 50_000
    began_s = time.process_time()
    assert sum(len(passage.text) for passage in cut(_document(text))) > 1_000_000
    assert time.process_time() - began_s < 5


def test_a_passage_never_spans_two_sections() -> None:
    document = Document(
        title="Dishwasher",
        sections=(
            Section(text="Lift the filter out. Rinse it.", place="Cleaning > The filter"),
            Section(text="Meet at nine.", starts="2026-03-03T09:00", people=("Ada Byron",)),
        ),
    )
    first, second = cut(document)
    assert (first.title, first.place) == ("Dishwasher", "Cleaning > The filter")
    assert first.text == "Lift the filter out. Rinse it."
    assert (second.starts, second.people) == ("2026-03-03T09:00", ("Ada Byron",))


def test_a_very_long_sentence_stands_alone() -> None:
    long = "So " + "on " * (LONGEST_WORDS + 10) + "on."
    texts = [p.text for p in cut(_document(f"Before it. {long} After it."))]
    assert texts == ["Before it.", long, "After it."]


@given(st.lists(st.integers(1, 60), min_size=1, max_size=60), st.data())
def test_every_sentence_is_kept_whole_and_in_order(lengths: list[int], data: st.DataObject) -> None:
    said = [f"Word{' more' * (n - 1)}." for n in lengths]
    gaps = [data.draw(st.sampled_from(" \n")) for _ in said]
    passages = list(cut(_document("".join(s + g for s, g in zip(said, gaps, strict=True)))))
    assert [s for p in passages for s in sentences(p.text)] == said
    assert all(len(p.text.split()) <= LONGEST_WORDS for p in passages)


@given(st.lists(st.integers(1, 30), min_size=10, max_size=80))
def test_usual_prose_gives_no_scraps(lengths: list[int]) -> None:
    said = " ".join(f"Word{' more' * (n - 1)}." for n in lengths)
    words = [len(p.text.split()) for p in cut(_document(said))]
    assert len(words) == 1 or min(words) >= SHORTEST_WORDS


def _document(text: str) -> Document:
    return Document(title="A", sections=(Section(text=text),))
