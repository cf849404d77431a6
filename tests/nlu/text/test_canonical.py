"""Text in, canonical words out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.english.numbers import spell
from nlu.text.canonical import canonical, canonical_chunk, without_politeness


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Turn ON the Light!", "turn on light"),
        ("what's the time", "what is time"),
        ("What’s the time?", "what is time"),
        ("whats the time", "what is time"),
        ("don't", "do not"),
        ("dont", "do not"),
        ("twenty five", "25"),
        ("twenty-five", "25"),
        ("one hundred and five", "105"),
        ("two thousand and twenty six", "2026"),
        ("a hundred", "100"),
        ("a light", "a light"),
        ("an hour", "a hour"),
        ("six thirty", "6 30"),
        ("6:30", "6 30"),
        ("six oh five", "6 05"),
        ("seven a m", "7 am"),
        ("seven a.m.", "7 am"),
        ("7am", "7 am"),
        ("the t v", "tv"),
        ("a t v", "a tv"),
        ("2.5 hours", "2 point 5 hours"),
        ("1,000 steps", "1000 steps"),
        ("50%", "50 percent"),
        ("fifty per cent", "50 percent"),
        ("21°", "21 degrees"),
        ("all of the lights", "all lights"),
        ("six o clock", "6 o'clock"),
        ("Café Müller", "café müller"),
        ("mum's timer", "mum's timer"),
        ("what day's the ninth", "what day is ninth"),
        ("which bin's it this week", "which bin is it this week"),
        ("what's mum's timer on", "what is mum's timer on"),
        ("wi-fi", "wi fi"),
        ("", ""),
        (" ?! ", ""),
        ("9" * 5000, "9" * 5000),
        ("one" + " million" * 50, "1000000" + " million" * 49),
    ],
)
def test_canonical_words(text: str, words: str) -> None:
    assert canonical(text).text == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("please turn on the light", "turn on light"),
        ("turn on the light please", "turn on light"),
        ("um turn uh on the light", "turn on light"),
        ("em turn the light off so", "turn light off"),
        ("hey could you turn on the light for me thanks", "turn on light"),
        ("I'd like you to stop", "stop"),
        ("would you mind closing the door", "close door"),
        ("okay so and then can you please stop", "stop"),
        ("go ahead and stop if you don't mind", "stop"),
        ("do me a favor and stop", "stop"),
        ("will you stop, will you", "stop"),
        ("i'd like a latte", "i would like a latte"),
        ("please", "please"),
        ("thank you", "thank you"),
    ],
)
def test_a_command_without_its_politeness(text: str, words: str) -> None:
    assert without_politeness(canonical(text)).text == words


def test_spoken_words_are_found_again() -> None:
    said = canonical("Please set it to Twenty-Five percent")
    start = said.text.index("25")
    assert said.spoken(start, start + 2) == "twenty five"
    assert said.spoken(0, len(said.text)) == "please set it to twenty five percent"


def test_chunks_of_templates_keep_their_outer_space() -> None:
    assert canonical_chunk(" the lights ") == " lights "
    assert canonical_chunk(" the ") == " "
    assert canonical_chunk("the") == ""


@given(st.integers(0, 999_999_999))
def test_every_spelled_number_is_one_word_in_digits(number: int) -> None:
    assert canonical(spell(number)).text == str(number)


@given(st.text())
def test_any_text_has_canonical_words_within_its_source(text: str) -> None:
    said = canonical(text)
    assert "the" not in said.text.split()
    ends = [0] + [token.end for token in said.tokens]
    assert ends == sorted(ends)
    assert ends[-1] <= len(said.source)
    assert without_politeness(said).source == said.source
