"""A spoken name in, the document and the place that it means out."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.answer.knowledge.sources import DocumentSource
from assistant.answer.summary.titles import TitleMatch, inside, named
from assistant.core.errors import AnswerError

DISHWASHER = "Merren D45 Dishwasher: User Manual"
PLACES = {
    DISHWASHER: ("", "Loading", "Cleaning", "Cleaning > The filter", "Faults"),
    "Osten Bread Machine: Manual": ("The basic loaf", "When bread fails"),
    "Minutes of the Bellfield Allotment Society, 12 February": ("Water", "Waiting list"),
    "Minutes of the Bellfield Allotment Society, 9 April": ("Water", "Hedges"),
    "Handbook": ("page 1", "page 12"),
    "Hedgehogs": (),
    "Pumps and Wells": ("Pumps",),
}


def source(title: str) -> DocumentSource:
    return DocumentSource(
        path=Path(f"/home/anna/texts/{title.split()[0].lower()}.md"),
        title=title,
        kind="document",
        sha256="",
        passages=1,
        unencoded=0,
    )


def find(name: str) -> TitleMatch:
    return named(name, [source(title) for title in PLACES], lambda d: PLACES[d.title])


@pytest.mark.parametrize(
    ("name", "title", "place"),
    [
        ("the dishwasher manual", DISHWASHER, ""),
        ("merren.md", DISHWASHER, ""),
        ("/home/anna/texts/merren.md", DISHWASHER, ""),
        # As speech recognition may write it: cut in two, and spelt as it sounds.
        ("the dish washer manual", DISHWASHER, ""),
        ("the disswasher manuel", DISHWASHER, ""),
        ("the cleaning chapter of the dishwasher manual", DISHWASHER, "Cleaning"),
        ("the chapter on cleaning in the dishwasher manual", DISHWASHER, "Cleaning"),
        (
            "the section about the filters of the dishwasher manual",
            DISHWASHER,
            "Cleaning > The filter",
        ),
        ("dishwasher manual, chapter faults", DISHWASHER, "Faults"),
        ("dishwasher cleaning", DISHWASHER, "Cleaning"),
        ("page twelve of the handbook", "Handbook", "page 12"),
        ("the handbook page 1", "Handbook", "page 1"),
        ("the third chapter of the dishwasher manual", DISHWASHER, "Faults"),
        ("the pump manual", "Pumps and Wells", ""),
        # Only one of the two has such a part.
        (
            "the hedges part of the allotment minutes",
            "Minutes of the Bellfield Allotment Society, 9 April",
            "Hedges",
        ),
        (
            "the allotment minutes of april",
            "Minutes of the Bellfield Allotment Society, 9 April",
            "",
        ),
        ("hedgehog", "Hedgehogs", ""),
    ],
)
def test_a_name_finds_what_it_means(name: str, title: str, place: str) -> None:
    found = find(name)
    assert (found.document.title, found.place) == (title, place)


@pytest.mark.parametrize(
    ("name", "code", "told"),
    [
        ("the tractor handbuch of grandfather", "documents.unknown", "Handbook"),
        ("bread", "", ""),
        ("my tax return", "documents.unknown", "the nearest are"),
        ("the manual", "documents.unclear", "Osten Bread Machine: Manual and Merren"),
        ("the allotment minutes", "documents.unclear", "say more of the title"),
        ("the recipes chapter of the dishwasher manual", "documents.no_part", "Cleaning"),
        ("the mating chapter of the hedgehogs", "documents.no_part", "has no parts"),
        ("", "documents.unknown", "the nearest are"),
    ],
)
def test_what_is_not_there_or_not_clear_is_told_in_one_line(
    name: str, code: str, told: str
) -> None:
    if not code:
        assert find(name).document.title.startswith("Osten")
        return
    with pytest.raises(AnswerError, match=told) as error:
        find(name)
    assert error.value.code == code
    assert "\n" not in error.value.message


def test_without_documents_it_says_how_to_add_some() -> None:
    with pytest.raises(AnswerError, match="documents add"):
        named("anything", [], lambda _: ())


def test_a_place_holds_the_places_below_it() -> None:
    assert inside("Cleaning > The filter", "Cleaning")
    assert inside("Cleaning", "")
    assert not inside("Cleaning up", "Cleaning")
