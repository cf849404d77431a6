"""Devices are named as people call them: by owner, by kind, by the light of the room."""

from __future__ import annotations

from typing import Any

import pytest

from assistant.core.messages import Command
from assistant.skill.home import Area, Entity, Home
from nlu.parts.composer import Composer
from nlu.text.canonical import canonical


def entity(entity_id: str, name: str, area: str | None = None, **attributes: Any) -> Entity:
    return Entity(id=entity_id, name=name, area=area, state="off", attributes=attributes)


HOME = Home(
    areas=(
        Area(name="Den", id="den"),
        Area(name="Loft", id="loft"),
        Area(name="Hall", id="hall"),
        Area(name="Cellar", id="cellar"),
    ),
    entities=(
        entity("light.den", "Den Light", "den"),
        entity("light.ida", "Ida's Bedside Light", "den"),
        entity("light.otto", "Otto's Bedside Light", "den"),
        entity("light.strip", "Strip Light", "loft"),
        entity("light.hall_ceiling", "Hall Ceiling Light", "hall"),
        entity("light.hall_wall", "Picture Light", "hall"),
        entity("light.left", "Left Sconce", "cellar"),
        entity("light.right", "Right Sconce", "cellar"),
        entity("switch.rod", "Rod Heater", "hall"),
        entity("lock.front", "Front Door", "hall"),
        entity("lock.porch", "Porch Door", "hall"),
        entity("lock.shed", "Shed Door"),
        entity("media_player.radio", "Radio", "hall"),
    ),
)
Names = list[tuple[str, tuple[Any, ...]]]


def named(text: str, area: str, strangers: Any = "") -> Names | None:
    """Each command's intent, and the devices that it names."""
    composed = Composer(HOME, area)(canonical(text), (), strangers)
    return None if composed is None else [(c.intent, _names(c)) for c in _commands(composed)]


def _commands(composed: Any) -> list[Command]:
    return [one.command for one in composed]


def _names(command: Command) -> tuple[Any, ...]:
    slot = next((s for s in command.slots if s.name == "name"), None)
    return () if slot is None else (slot.value, *slot.others)


ON, OFF, SET = "HassTurnOn", "HassTurnOff", "HassLightSet"
IDA, OTTO = "Ida's Bedside Light", "Otto's Bedside Light"


@pytest.mark.parametrize(
    ("text", "area", "wanted"),
    [
        ("ida's light on", "loft", [(ON, (IDA,))]),
        ("ida's off now", "den", [(OFF, (IDA,))]),
        ("my bedside light on low", "den", [(SET, (IDA, OTTO))]),
        ("both our lights off", "den", [(OFF, (IDA,)), (OFF, (OTTO,))]),
        ("bedside lights off", "den", [(OFF, (IDA,)), (OFF, (OTTO,))]),
        ("both lights to half", "cellar", [(SET, ("Left Sconce",)), (SET, ("Right Sconce",))]),
        ("big light on", "loft", [(ON, ("Strip Light",))]),
        ("the main light off in here", "hall", [(OFF, ("Hall Ceiling Light",))]),
        ("big light on", "den", [(ON, ("Den Light",))]),
        ("big light on", "cellar", [(ON, ("Left Sconce", "Right Sconce"))]),
        ("turn the big light off in the hall", "den", [(OFF, ("Hall Ceiling Light",))]),
        ("ceiling light on", "", [(ON, ("Hall Ceiling Light",))]),
        ("ceiling light on", "loft", [(ON, ("Strip Light",))]),
    ],
)
def test_a_light_is_named_by_its_owner_or_as_the_light_of_the_room(
    text: str, area: str, wanted: Names
) -> None:
    assert named(text, area) == wanted


@pytest.mark.parametrize(
    ("text", "area"),
    [
        ("big light on", ""),
        ("big light on in the attic", "den"),
        ("ada's light on", "den"),
        ("otto's heater on", "den"),
    ],
)
def test_no_other_light_is_taken_for_one_that_is_not_there(text: str, area: str) -> None:
    assert named(text, area) is None


@pytest.mark.parametrize(
    ("text", "strangers", "wanted"),
    [
        (
            "lock the front and the back",
            "kinds",
            [(ON, ("Front Door",)), (ON, ("Porch Door", "Shed Door"))],
        ),
        ("unlock the front and the porch", "", [(OFF, ("Front Door",)), (OFF, ("Porch Door",))]),
    ],
)
def test_a_second_door_is_never_dropped(text: str, strangers: str, wanted: Names) -> None:
    assert named(text, "hall", strangers) == wanted


@pytest.mark.parametrize(
    ("text", "area", "name"),
    [
        ("rod heater", "den", "Rod Heater"),
        ("rod", "den", "Rod Heater"),
        ("radio please", "hall", "Radio"),
        ("front door", "den", "Front Door"),
    ],
)
def test_a_name_alone_is_asked_about(text: str, area: str, name: str) -> None:
    command = Composer(HOME, area).alone(canonical(text))
    assert command is not None
    assert (command.intent, _names(command)) == ("NameDevice", (name,))


@pytest.mark.parametrize("text", ["hall", "lights", "morning", "the rod is hot", "yes", "on"])
def test_what_is_no_single_name_is_not(text: str) -> None:
    assert Composer(HOME, "den").alone(canonical(text)) is None


def test_the_lights_of_a_room_are_all_of_its_lights() -> None:
    (light,) = _commands(Composer(HOME, "loft")(canonical("den light on")))
    assert _names(light) == ("Den Light",)
    (lights,) = _commands(Composer(HOME, "loft")(canonical("den lights on")))
    assert {slot.name: slot.value for slot in lights.slots} == {"domain": "light", "area": "Den"}
