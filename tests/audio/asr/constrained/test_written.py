"""Speech is written in more than one form, and what was written is brought back to words."""

from __future__ import annotations

import pytest

from audio.asr.constrained.written import as_heard, written


@pytest.mark.parametrize(
    ("phrase", "form"),
    [
        ("turn", " Turn"),
        ("twenty five", " 25"),
        ("thirty", ":30"),
        ("oh five", ":05"),
        ("twenty percent", " 20%"),
        ("percent", "%"),
        ("eco bee", " EcoBee"),
        ("the third", " the 3rd"),
        ("twenty first", " 21st"),
        ("seven thirty", " 7:30"),
        ("one hundred and five", " 105"),
        ("i am", " I am"),
        ("i'm", " I'm"),
        ("a.m.", "am"),
    ],
)
def test_a_phrase_has_the_form(phrase: str, form: str) -> None:
    forms = list(written(phrase))
    assert f" {phrase}" in forms
    assert form in forms


def test_a_word_that_is_no_number_has_no_figures() -> None:
    assert not any(character.isdigit() for form in written("light") for character in form)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (" Set the brightness to 25%.", "set the brightness to 25%"),
        (" Wake me at 7:30am.", "wake me at 7:30 am"),
        (" It's £3.50, isn't it?", "it's 3.50 pounds isn't it"),
        (" 5.5 miles.", "5.5 miles"),
        (" My to-do list!", "my to do list"),
        (" At 7 p.m. (or so)", "at 7 p.m. or so"),
        (" ♪", ""),
    ],
)
def test_a_text_is_brought_back_to_words(text: str, words: str) -> None:
    assert as_heard(text) == words
