"""Cutting: how sentences become passages."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assistant.answer.knowledge.passages import (
    LONGEST_WORDS,
    SHORTEST_WORDS,
    Document,
    Passage,
    Section,
    cut,
)
from assistant.english.sentences import sentences
from tests.support.effort import cpu_s


def test_a_page_without_a_line_break_takes_no_longer() -> None:
    text = "The pump stops. " * 50_000 + "and on " * 50_000
    found: list[Passage] = []
    assert cpu_s(lambda: found.extend(cut(_document(text)))) < 5
    assert sum(len(passage.text) for passage in found) > 1_000_000


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
