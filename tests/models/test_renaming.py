"""Other names and numbers in an example: the same ones everywhere in it, and of the same sort."""

from __future__ import annotations

import random
import re

import pytest

from models.training import grounded, renaming
from models.training.grounded import Asked

TEXTS = [
    "When did Ines Holm move to Lorsk?",
    "It was Ines Holm who came to Lorsk on 3 May 1911 with 12.5 kg of salt, for two years.",
    "She came to Lorsk on 3 May 1911.",
]
BLOCK = """# Kettle K7 manual | Chapter 2
The guarantee runs for two years. Dr. Holm wrote it in 1998. It weighs 1.2 kg.
Q: How heavy is it?
A: 1.2 kg
S: It weighs 1.2 kg.
Q: Who wrote it?
A: Dr. Holm
S: It was Dr. Holm.
N: What does the guarantee cost?"""


@pytest.mark.parametrize("seed", range(20))
def test_what_is_replaced_is_replaced_alike_everywhere(seed: int) -> None:
    others = renaming.in_text(TEXTS, random.Random(seed))
    question, text, said = renaming.replaced(TEXTS, others)
    for name in ("Lorsk", "1911"):
        other = others.get(name, name)
        assert other in text
        assert other in said
    assert others.get("Lorsk", "Lorsk") in question
    assert re.fullmatch(r"\d\d\.\d", others["12.5"])


@pytest.mark.parametrize(
    ("value", "form"),
    [
        ("7:45 pm", r"\d{1,2}(:\d\d)? [ap]m|\d\d:\d\d"),
        ("March 1st", r"[A-Z][a-z]+( \d+(st|nd|rd|th))?"),
        ("$237", r"\$\d+(\.50)?"),
        ("1998", r"1[5-9]\d\d|20\d\d"),
        ("3.5", r"[1-9]\.\d"),
        ("1", "1"),
        ("moderate", "cheap|dear"),
    ],
)
def test_a_value_becomes_another_of_its_sort(value: str, form: str) -> None:
    for seed in range(20):
        made = renaming.other_value(value, ["cheap", "dear"], random.Random(seed))
        assert re.fullmatch(form, made)


def test_longer_keys_go_first_and_parts_of_words_stay() -> None:
    others = {"Lake": "Bay", "Lake Demmer": "Kade", "1": "2"}
    texts = ["Lake Demmer and the Lake, 1 of 11 Lakes"]
    assert renaming.replaced(texts, others) == ["Kade and the Bay, 2 of 11 Lakes"]


def test_a_block_is_read_as_questions_with_the_sentence_that_answers() -> None:
    heavy, who, cost = list(grounded._block(BLOCK))
    assert heavy.sentences[heavy.best] == "It weighs 1.2 kg."
    assert (heavy.title, heavy.said, heavy.answer) == (
        "Kettle K7 manual",
        "It weighs 1.2 kg.",
        "1.2 kg",
    )
    assert who.sentences[who.best] == "Dr. Holm wrote it in 1998."
    assert (cost.question, cost.said) == ("What does the guarantee cost?", "")


@pytest.mark.parametrize("seed", range(20))
def test_an_example_s_facts_stand_in_its_prompt(seed: int) -> None:
    sentences = ("She left.", "The lake covers 310 square kilometres in May.", "It is old.")
    said = "In May the lake covers 310 square kilometres."
    asked = Asked("Vessmar Basin", sentences, 1, "how big is the lake", said, "310")
    prompt, reply = grounded.example(asked, random.Random(seed))
    shown = " ".join(text for _, text in prompt).lower()
    assert all(fact in shown for fact in grounded.facts(reply))


def test_a_tenth_of_the_documents_is_kept_for_dev() -> None:
    share = sum(grounded.held_out(f"Document {n}") for n in range(1000)) / 1000
    assert 0.07 < share < 0.13
