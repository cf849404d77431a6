"""A question and the people whom the documents know; whom it is about."""

from __future__ import annotations

import pytest

from assistant.answer.passages import Passage
from assistant.answer.persons import named, of_another

PEOPLE = ("agnes tolliver", "alice berg", "alice stone", "hale and sons", "will may")
AGNES = Passage(
    text="Agnes Tolliver's phone number is 960014.\nAgnes Tolliver works for Bakery.",
    title="people",
    place="Agnes Tolliver",
    kind="contact",
)


@pytest.mark.parametrize(
    ("question", "people"),
    [
        ("what is Agnes's phone number", ("agnes tolliver",)),
        ("what is mrs tolliver's phone number", ("agnes tolliver",)),
        ("where does alice live", ("alice berg", "alice stone")),
        ("where does Alice Stone live", ("alice stone",)),
        ("how long is the guarantee", ()),
        ("what is al's number", ()),
    ],
)
def test_who_is_named(question: str, people: tuple[str, ...]) -> None:
    assert named(question, PEOPLE) == people


@pytest.mark.parametrize(
    ("question", "another"),
    [
        ("what is alice's phone number", True),
        ("what is Alice’s phone number", True),
        ("what's the phone number of alice", True),
        ("what's the number for the dentist", True),
        ("what is agnes's phone number", False),
        ("what's the baker's phone number", True),
        ("what's the bakery's phone number", False),
        ("whose phone number is 960014", False),
        ("what's the phone number", False),
    ],
)
def test_the_number_of_another_is_none(question: str, another: bool) -> None:
    assert of_another(question, AGNES) is another
