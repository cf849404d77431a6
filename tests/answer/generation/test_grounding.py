"""Sentences and sources in, what no source states out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.answer.generation.grounding import ungrounded

SOURCE = (
    "Agnes Tolliver, a surveyor from Marl, bought the mill on 3 May 1911 for 3,200 crowns. "
    "The wheel is 12 metres wide and weighs 4 tonnes. "
    "Her brother John Smith ran it with Mary Brown."
)


@pytest.mark.parametrize(
    "sentence",
    [
        "Agnes Tolliver bought the mill on 3 May 1911.",
        "She paid 3200 crowns for it.",
        "The wheel is twelve meters wide.",
        "It weighs 4 t.",
        "Tolliver's brother was John Smith.",
        "Her brother ran it with Mary Brown.",
    ],
)
def test_what_the_source_says_is_grounded(sentence: str) -> None:
    assert ungrounded(sentence, [SOURCE]) == []


@pytest.mark.parametrize(
    ("sentence", "missing"),
    [
        ("Agnes Oliver bought the mill.", ["Agnes Oliver"]),
        ("The mill was bought on 4 May 1911.", ["4 May 1911"]),
        ("It cost 2,300 crowns.", ["2,300 crowns"]),
        ("It cost 3,200 dollars.", ["3,200 dollars"]),
        ("The wheel weighs 12 tonnes.", ["12 tonnes"]),
        ("The wheel is 4 metres wide.", ["4 metres"]),
        ("John Brown ran it.", ["John Brown"]),
        ("Paris is where the mill stands.", ["Paris"]),
        ("Agnes Tolliver did not buy the mill.", ["not"]),
    ],
)
def test_what_it_does_not_say_is_named(sentence: str, missing: list[str]) -> None:
    assert ungrounded(sentence, [SOURCE]) == missing


def test_a_negation_must_not_be_lost() -> None:
    source = "The glass bowl must not go into the dishwasher."
    assert ungrounded("The glass bowl must go into the dishwasher.", [source]) == ["not"]
    assert ungrounded("It mustn't go into the dishwasher.", [source]) == []


def test_the_title_is_a_source_too() -> None:
    source = "It was opened in 1882."
    assert ungrounded("The Orrin Gap lift was opened in 1882.", [source]) == ["Orrin Gap"]
    assert ungrounded("The Orrin Gap lift was opened in 1882.", [source, "Orrin Gap lift"]) == []


@given(st.text())
def test_a_text_is_grounded_in_itself(text: str) -> None:
    assert ungrounded(text, [text]) == []
