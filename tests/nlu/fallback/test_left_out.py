"""A guess on a text of several clauses is of one of them, and may leave the others out."""

from __future__ import annotations

import pytest

from assistant.core.messages import Command, Slot
from nlu.discourse.reading import ReadPart
from nlu.fallback.left_out import leaves_out, leaves_out_clause, leaves_out_kind
from nlu.grammar.templates import Templates
from nlu.text.canonical import canonical
from tests.nlu.parts.test_composer import COMPOSE


@pytest.mark.parametrize(
    ("text", "intent", "name", "left"),
    [
        ("spots on, radio thirty, carol feels lonely", "HassTurnOn", "Spots", True),
        ("blind halfway, the sun is on the piano", "HassTurnOn", "Lounge Blind", True),
        ("blind up, the sun is on the piano", "HassTurnOn", "Lounge Blind", False),
        ("the spots on", "HassTurnOff", "Spots", False),
        ("it is like a cave, spots on", "HassTurnOn", "Spots", False),
    ],
)
def test_a_guess_leaves_no_clause_out(text: str, intent: str, name: str, left: bool) -> None:
    slots = (Slot(name="name", value=name, raw=name.casefold()),)
    guessed = ReadPart(canonical(text), Command(intent=intent, slots=slots))
    assert leaves_out_clause(guessed, COMPOSE) is left


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("curtains, kitchen radio, the spots at thirty", True),
        ("the tv is on, so make the spots a bit less", True),
        ("the spots and the reading lamp at thirty", False),
        ("the lights in the lounge at thirty", False),
    ],
)
def test_a_guess_leaves_no_other_kind_of_devices_out(text: str, left: bool) -> None:
    slots = (Slot(name="name", value="Spots", raw="spots"),)
    guessed = ReadPart(canonical(text), Command(intent="HassLightSet", slots=slots))
    assert leaves_out_kind(guessed, COMPOSE) is left
    asking = ReadPart(canonical(text), Command(intent="HassGetState", slots=slots))
    assert not leaves_out_kind(asking, COMPOSE)


def test_a_guess_turns_off_no_whole_room_for_one_thing_that_nobody_knows(
    templates: Templates,
) -> None:
    for text, left in (("enough turn it off", True), ("ok turn it all off", False)):
        guessed = ReadPart(canonical(text), Command(intent="HassTurnOff", slots=()))
        assert leaves_out(guessed, templates) is left
