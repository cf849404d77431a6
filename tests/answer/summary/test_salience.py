"""Passages in, the sentences that are said of them out."""

from __future__ import annotations

import pytest

from assistant.answer.knowledge.passages import Document, Passage, Section, cut
from assistant.answer.summary.chunks import MOST_CHUNKS
from assistant.answer.summary.salience import LOOKED_AT, SummaryBudget, central
from assistant.answer.summary.self_contained import leans, whole
from tests.support.fake_encoder import FakeEncoder

PUMP = (
    "The pump lifts clean water from wells of any depth. It hums while it lifts. "
    "The pump must never run dry, because the pump and its seals burn out at once. "
    "Green paint covers the lid of the box. See the drawing. "
    "The pump must never run dry, because then the pump and its seals burn out."
)


def passage(text: str, place: str = "") -> Passage:
    return Passage(text=text, title="The pump", place=place)


@pytest.mark.parametrize(
    "sentence",
    [
        "It hums while it lifts.",
        "However, the lid is green.",
        "This was accepted.",
        "If it is lower, open the valve.",
        "In that case call the electrician.",
        "Some of them are rotten.",
        "Wipe it with a dry cloth.",
        "The others stay where they are.",
        "Without these nothing works.",
    ],
)
def test_sentences_that_lean_on_others(sentence: str) -> None:
    assert leans(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "The pump lifts water.",
        "There are 61 people on the list.",
        "It was agreed to mend the leak now.",
        "This guide shows how to take a sample.",
        "Once called, the crew came.",
        "Items are listed below.",
        "When the fuse blows, switch off.",
    ],
)
def test_sentences_that_stand_alone(sentence: str) -> None:
    assert not leans(sentence)


def test_what_is_no_prose_states_nothing() -> None:
    assert whole("The lid of the box is green.")
    assert whole("Turn the valve by 90 degrees, wait 10 minutes and read the gauge.")
    assert whole("Warning: never open the lid while it runs.")
    for text in (
        "Cleaning and care",
        "Present: five members and a dog.",
        "Who would open such a box?",
        "“It is your wall,” said Mrs Sloan.",
        "See the drawing.",
        "2. Turn off the water at the main.",
        "Kettle K7: weight 1.2 kg, volume 1.7, colour red.",
        "Set pump.mode = auto in the file /etc/pump.conf.",
        "The rest is pump, valve, gauge, tank, hose, float.",
        "From 1.2 to 1.8 bar at 20 °C, 30 %.",
    ):
        assert not whole(text)


def test_what_is_central_is_said_once_and_in_order() -> None:
    said = central([passage(PUMP)], "The pump", FakeEncoder(), SummaryBudget(sentences=2))
    assert said == [
        "The pump lifts clean water from wells of any depth.",
        "The pump must never run dry, because the pump and its seals burn out at once.",
    ]


def test_a_sentence_that_leans_comes_only_behind_the_one_it_leans_on() -> None:
    text = "Paint is green. The mill stood by the river for years. It burnt down in a night of May."
    said = central([passage(text)], "The mill", FakeEncoder())
    assert said == text.split(". ", 1)[1].replace("years. ", "years.|").split("|")
    alone = central(
        [passage("He burnt it down in May. Green paint is on the lid.")], "", FakeEncoder()
    )
    assert alone == ["Green paint is on the lid."]


def test_the_budget_of_words_is_kept() -> None:
    said = central([passage(PUMP)], "The pump", FakeEncoder(), SummaryBudget(sentences=3, words=20))
    assert 0 < sum(len(text.split()) for text in said) <= 20


def test_where_nothing_is_a_sentence_the_lines_are_said() -> None:
    said = central([passage("two eggs\nmilk\nflour, 500 g\nyeast")], "Pancakes", FakeEncoder())
    assert len(said) == 3
    assert central([], "Nothing", FakeEncoder()) == []


def test_a_long_manual_gives_sentences_of_several_chapters_for_little_work() -> None:
    chapters = tuple(
        Section(
            place=f"Chapter {n}",
            text=" ".join(f"Valve {n} has part {i} of kind {n * i % 7} in it." for i in range(120)),
        )
        for n in range(100)
    )
    encoder = FakeEncoder()
    said = central(list(cut(Document(title="Valves", sections=chapters))), "Valves", encoder)
    assert len(said) == 3
    assert len({text.split()[1] for text in said}) == 3
    assert len(encoder.encoded) <= len(["the title"]) + LOOKED_AT * MOST_CHUNKS
