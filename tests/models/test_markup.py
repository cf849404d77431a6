"""Our own marked-up sentences: read, mapped to the model's labels, given other names."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from models.training import labels, names, swaps
from models.training.config import SENTENCES
from models.training.markup import Sentence, Span, parse, read


def said(sentence: Sentence) -> list[tuple[str, str]]:
    return [(sentence.text[s.start : s.end], s.label) for s in sentence.spans]


def test_slots_are_cut_out_of_the_text() -> None:
    sentence = parse("turn off the [bedroom lamp](name) in [ten minutes](duration)")
    assert sentence.text == "turn off the bedroom lamp in ten minutes"
    assert said(sentence) == [("bedroom lamp", "name"), ("ten minutes", "duration")]


@pytest.mark.parametrize(
    "line", ["the [lamp", "the lamp](name)", "the [lamp] (name)", "[[a](b)](c)"]
)
def test_what_is_no_mark_up_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match="mark-up is not"):
        parse(line)


def test_headers_name_the_intent_and_other_comments_are_passed_over(tmp_path: Path) -> None:
    file = tmp_path / "few.txt"
    file.write_text(
        "# intent: HassTurnOn\n# fixed: domain=light\n\nlight on\n# intent: none\nno\n", "utf-8"
    )
    assert [(s.intent, s.text, s.origin) for s in read(file)] == [
        ("HassTurnOn", "light on", "few"),
        ("none", "no", "few"),
    ]


def test_a_fault_is_reported_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "few.txt"
    file.write_text("# intent: X\nthe [lamp\n", "utf-8")
    with pytest.raises(ValueError, match=r"few\.txt:2: "):
        list(read(file))


def test_all_sentences_that_ship_can_be_read_and_mapped() -> None:
    sentences = [s for file in SENTENCES.glob("*.txt") for s in read(file)]
    assert len(sentences) > 1000
    assert {s.label for sentence in sentences for s in labels.mapped(sentence).spans} <= set(
        labels.LABELS
    )


def test_every_label_of_the_tables_is_one_of_ours() -> None:
    for table in labels.MAPPING.values():
        assert set(table.values()) <= set(labels.LABELS)


@pytest.mark.parametrize(
    ("origin", "line", "expected"),
    [
        ("hwu64", "wake me at [five am](time)", [("five am", "time")]),
        ("hwu64", "wake me in [forty minutes](time)", [("forty minutes", "duration")]),
        ("hwu64", "dim [to fifty percent](change_amount)", [("fifty percent", "percent")]),
        ("hwu64", "dim [a bit](change_amount)", []),
        ("hwu64", "play [podcasts](media_type)", []),
        ("snips", "rain [in one hour](timerange)", []),
        ("own", "dim it to [forty](brightness) percent", [("forty percent", "percent")]),
        ("own", "set it to [forty](volume_level)", [("forty", "number")]),
        ("own", "turn it [up](volume_step)", []),
        ("own", "make it [twenty](temperature) degrees", [("twenty degrees", "temperature")]),
        ("own", "[half](position) open", [("half", "percent")]),
    ],
)
def test_labels_are_mapped(origin: str, line: str, expected: list[tuple[str, str]]) -> None:
    assert said(labels.mapped(parse(line, origin=origin))) == expected


@pytest.mark.parametrize(("words", "label"), [("in one hour", "time"), ("next week", "date")])
def test_a_time_range_is_a_time_or_a_date_by_its_words(words: str, label: str) -> None:
    sentence = Sentence(words, (Span(0, len(words), "timeRange"),), "", "snips")
    assert said(labels.mapped(sentence)) == [(words, label)]


def test_other_names_come_in_the_same_places() -> None:
    sentence = parse("put [milk](item) on the [camping](list) list, [state](state) it")
    drawn = [names.renamed(sentence, random.Random(seed), share=1) for seed in range(20)]
    assert len({s.text for s in drawn}) > 10
    for other in drawn:
        (item, _), (of_list, _), (state, _) = said(other)
        assert other.text == f"put {item} on the {of_list} list, {state} it"
        assert item in names.ITEMS
        assert of_list in names.LISTS
        assert state == "state"


def test_values_are_swapped_for_others_of_their_label() -> None:
    known = [
        parse("weather in [oslo](place) [today](date)", origin="x"),
        parse("is it hot in [new york](place)", origin="x"),
    ]
    others = swaps.values(known)
    assert others == {("x", "place"): ["oslo", "new york"], ("x", "date"): ["today"]}
    drawn = {
        swaps.swapped(known[0], others, random.Random(seed), share=1).text for seed in range(9)
    }
    assert drawn == {"weather in oslo today", "weather in new york today"}
    assert swaps.swapped(known[0], others, random.Random(0), share=0) == known[0]
