"""A word for a kind of devices names none of another room where the room itself has one."""

from __future__ import annotations

from datetime import datetime

import pytest

from assistant.skill.home import Area, Entity, Home
from nlu.grammar.templates import Templates
from nlu.interpreter import Interpreter
from nlu.parts.composer import Composer
from nlu.text.canonical import canonical
from nlu.text.kinds import names_of_others
from tests.support.grammars import templates_of

HOME = Home(
    areas=(
        Area(name="Den", id="den"),
        Area(name="Attic", id="attic"),
        Area(name="Pantry", id="pantry"),
    ),
    entities=(
        Entity(
            id="media_player.den", name="Den Screen", aliases=("telly",), area="den", state="on"
        ),
        Entity(id="light.den", name="Den Globe", aliases=("big light",), area="den", state="on"),
        Entity(id="light.hatch", name="Ceiling Light", area="den", state="on"),
        Entity(
            id="media_player.attic",
            name="Attic Screen",
            area="attic",
            state="on",
            attributes={"device_class": "tv"},
        ),
        Entity(id="light.attic", name="Attic Globe", area="attic", state="on"),
    ),
)


@pytest.mark.parametrize(
    ("area", "names"),
    [
        ("attic", {"telly", "big light"}),
        ("Attic", {"telly", "big light"}),
        ("pantry", set()),
        ("den", set()),
        ("", set()),
    ],
)
def test_names_of_others(area: str, names: set[str]) -> None:
    assert names_of_others(HOME, area) == names


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("turn off the telly in the attic", "Attic Screen"),
        ("telly off in the attic", "Attic Screen"),
        ("telly off in the den", "Den Screen"),
        ("telly off", "Den Screen"),
    ],
)
def test_whose_it_is_in_a_place(templates: Templates, now: datetime, text: str, named: str) -> None:
    interpreter = Interpreter(templates.in_area("pantry"), compose=Composer(HOME, "pantry"))
    (command,) = interpreter(canonical(text), now).commands
    assert named in {slot.value for slot in command.slots}


@pytest.fixture(scope="module")
def templates() -> Templates:
    return templates_of(HOME)


@pytest.mark.parametrize("text", ["turn off the big light", "big light off", "kill the big light"])
@pytest.mark.parametrize(("here", "named"), [("attic", False), ("pantry", True), ("den", True)])
def test_whom_it_names(
    templates: Templates, now: datetime, here: str, named: bool, text: str
) -> None:
    interpreter = Interpreter(templates.in_area(here), compose=Composer(HOME, here))
    commands = interpreter(canonical(text), now).commands
    values = {str(slot.value) for command in commands for slot in command.slots}
    assert ("Den Globe" in values) == named
