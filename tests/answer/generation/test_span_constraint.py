"""Stretches of a text: words in their order, whole clauses, and always the answer."""

from __future__ import annotations

import numpy as np
import pytest

from assistant.answer.generation.constraint import Tokens
from assistant.answer.generation.prompt import Mark, Notation, about_text
from assistant.answer.generation.span_constraint import SpanConstraint
from tests.support.tiny_decoder import tokenizer

TEXT = "Please burn no driftwood, as the salt eats the flue, and keep the $5 (Dr Ho's) grate."
DATES = "It is shut from Monday, March 1, 2027 to Friday, 2 May, as in 2026."


@pytest.fixture(scope="module")
def tokens() -> Tokens:
    return Tokens(Notation(tokenizer([TEXT, DATES] * 3)))


def every(tokens: Tokens, answer: str, text: str = TEXT) -> set[str]:
    """All replies that are allowed."""
    found, open_ = set(), [[]]
    prompt = about_text("why", text, answer=answer)
    while open_:
        said = open_.pop()
        clause = SpanConstraint(tokens, prompt)
        for token in said:
            clause.take(token)
        for token in map(int, np.flatnonzero(clause.allowed())):
            if token == tokens.notation.marks[Mark.END]:
                found.add(tokens.notation.text(said))
            else:
                open_.append([*said, token])
    return found


def test_replies_are_clauses_that_hold_the_answer(tokens: Tokens) -> None:
    assert every(tokens, "the salt") == {
        "Please burn no driftwood, as the salt eats the flue.",
        "As the salt eats the flue.",
        "Please burn no driftwood, as the salt eats the flue, and keep the $5.",
        "As the salt eats the flue, and keep the $5.",
        "Please burn no driftwood, as the salt eats the flue, and keep the $5 (Dr Ho's) grate.",
        "As the salt eats the flue, and keep the $5 (Dr Ho's) grate.",
    }


def test_no_date_is_cut(tokens: Tokens) -> None:
    whole = "It is shut from Monday, March 1, 2027 to Friday, 2 May"
    assert every(tokens, "2 May", DATES) == {f"{whole}.", f"{whole}, as in 2026."}


def test_without_an_answer_they_begin_where_the_text_does(tokens: Tokens) -> None:
    said = every(tokens, "")
    assert "Please burn no driftwood." in said
    assert all(text.startswith("Please burn no driftwood") for text in said)


def test_words_stand_in_their_order_without_a_gap(tokens: Tokens) -> None:
    for text in every(tokens, "grate"):
        assert text.lower().rstrip(".") in TEXT.lower()


def test_a_prompt_without_a_text_is_refused(tokens: Tokens) -> None:
    with pytest.raises(ValueError, match="no text"):
        SpanConstraint(tokens, ((Mark.ASK, "why"),))
