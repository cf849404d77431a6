"""A question and the people whom the documents know; whom it is about."""

from __future__ import annotations

import pytest

from assistant.answer.knowledge.passages import Passage
from assistant.answer.knowledge.people import named, of_another

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


DINNER = Passage(
    text="Dinner with Alice Berg is on Friday, March 5, 2027 at 19:30.",
    title="week",
    place="Dinner with Alice Berg",
    kind="event",
)
LEAR = Passage(
    text="He was born in Holloway, and drew parrots for Zoë O’Hara.",
    title="Edward Lear",
    place="Life",
)


@pytest.mark.parametrize(
    ("question", "passage", "persons", "another"),
    [
        ("when is dinner with alice", DINNER, ("alice",), False),
        ("when is dinner with alice berg", DINNER, ("mrs alice berg",), False),
        ("when is dinner with alise", DINNER, ("alise",), False),
        ("when is dinner with alice stone", DINNER, ("alice stone",), True),
        ("when is dinner with bob", DINNER, ("bob",), True),
        ("when is alice's birthday", DINNER, ("alice",), True),
        ("what is alice's number", DINNER, ("alice",), True),
        ("what is the e-mail of alice", DINNER, ("alice",), True),
        ("what number of guests has alice", DINNER, ("alice",), False),
        ("where was edward lear born", LEAR, ("edward lear",), False),
        ("where was lear born", LEAR, ("lear",), False),
        ("where was bob born", LEAR, ("bob",), True),
        ("who drew parrots for zoe o'hara", LEAR, ("zoe o'hara",), False),
        ("what did the doctor draw", LEAR, ("doctor",), False),
        ("what is agnes's phone number", AGNES, ("agnes",), False),
        ("when is agnes's birthday", AGNES, ("agnes",), True),
    ],
)
def test_what_does_not_name_the_person_or_tell_what_is_asked_is_of_another(
    question: str, passage: Passage, persons: tuple[str, ...], another: bool
) -> None:
    assert of_another(question, passage, persons) is another


@pytest.mark.parametrize(
    ("question", "another"),
    [
        ("what number has the plumber", True),
        ("what's the plumber's phone number", True),
        ("what number has the dog walker", False),
        ("what's the number of the walkers", False),
        ("what number has the house", False),
    ],
)
def test_a_number_is_that_of_whose_it_is(question: str, another: bool) -> None:
    passage = Passage(text="Our dog walker lives at number 14.", title="House", place="Number")
    assert of_another(question, passage) is another
