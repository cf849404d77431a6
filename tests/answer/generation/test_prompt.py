"""Prompts as ids and back; the vocabulary's digits stand alone."""

from __future__ import annotations

import pytest

from assistant.answer.generation.prompt import Act, Mark, Notation, about_facts, about_text
from models.training import vocabulary

TEXT = "The lake covers 310 square kilometres; in 1911 it was 1.5 times as large."


@pytest.fixture(scope="module")
def notation() -> Notation:
    return Notation(vocabulary.build([TEXT] * 5, 400))


def test_the_marks_are_the_first_tokens_in_their_order(notation: Notation) -> None:
    assert [notation.tokenizer.token_to_id(mark) for mark in Mark] == list(notation.marks.values())


def test_a_text_s_prompt_is_its_fields_in_order(notation: Notation) -> None:
    prompt = about_text("How big?", TEXT)
    assert prompt == ((Mark.ASK, "How big?"), (Mark.TEXT, TEXT), (Mark.SAY, ""))
    ids = notation.ids(prompt)
    assert (ids[0], ids[-1]) == (notation.marks[Mark.ASK], notation.marks[Mark.SAY])
    assert notation.text(ids) == f"How big? {TEXT}"


def test_facts_are_marks_names_and_values(notation: Notation) -> None:
    acts = [Act(Mark.INFORM, "lake_size", "310"), Act(Mark.MORE)]
    assert about_facts(acts, "GetLake") == (
        (Mark.KIND, "get lake"),
        (Mark.INFORM, "lake size"),
        (Mark.IS, "310"),
        (Mark.MORE, ""),
        (Mark.SAY, ""),
    )


@pytest.mark.parametrize("text", [TEXT, "Zürich – 5:30 pm, $237.50 (“naïve”)", "<|end|> 42"])
def test_any_text_comes_back_as_it_was(notation: Notation, text: str) -> None:
    assert notation.text(notation.text_ids(text)) == text


def test_each_digit_is_a_token_of_its_own(notation: Notation) -> None:
    pieces = [notation.tokenizer.id_to_token(i) for i in notation.text_ids("1911 and 1.5")]
    assert [p for p in pieces if any(c.isdigit() for c in p)] == ["Ġ1", "9", "1", "1", "Ġ1", "5"]


def test_a_word_has_the_same_tokens_wherever_it_stands(notation: Notation) -> None:
    lake = notation.text_ids("lake")
    assert notation.text_ids("lake covers")[: len(lake)] == lake
    assert notation.text_ids("the lake")[-len(lake) :] == lake
