"""Robots are sent round, out of the way and to places, in words that are for them alone."""

from __future__ import annotations

from typing import Any

import pytest

from assistant.skill.home import Area, Entity, Home
from nlu.parts.composer import Composer
from nlu.text.canonical import canonical


def entity(entity_id: str, name: str, area: str | None = None) -> Entity:
    return Entity(id=entity_id, name=name, area=area, state="on")


HOME = Home(
    areas=(Area(name="Scullery", id="scullery"), Area(name="Sunroom", id="sunroom")),
    entities=(
        entity("vacuum.olaf", "Olaf", "scullery"),
        entity("lawn_mower.bess", "Bess"),
        entity("media_player.wireless", "Wireless", "scullery"),
        entity("light.globe", "Globe", "scullery"),
    ),
)
COMPOSE = Composer(HOME, "scullery")
START, GO, DOCK = "HassVacuumStart", "HassVacuumCleanArea", "HassVacuumReturnToBase"
OLAF = {"name": "Olaf"}


def meant(text: str, strangers: bool = False) -> list[tuple[str, dict[str, Any]]] | None:
    composed = COMPOSE(canonical(text), strangers="any" if strangers else "")
    if composed is None:
        return None
    return [(one.command.intent, {s.name: s.value for s in one.command.slots}) for one in composed]


@pytest.mark.parametrize(
    "text",
    ["send olaf round", "olaf round please", "let olaf loose", "set olaf off", "send olaf off"],
)
def test_sent_round(text: str) -> None:
    assert meant(text) == [(START, OLAF)]


def test_a_mower_is_sent_round_as_well() -> None:
    assert meant("send bess round") == [("HassLawnMowerStartMowing", {"name": "Bess"})]


@pytest.mark.parametrize(
    "text",
    [
        "get olaf out of the way",
        "olaf out of the road",
        "get olaf out from under my feet",
        "put olaf away",
        "turn olaf off",
    ],
)
def test_out_of_the_way(text: str) -> None:
    assert meant(text) in ([(DOCK, OLAF)], [("HassTurnOff", OLAF)])


@pytest.mark.parametrize(
    "text",
    ["olaf round the sunroom", "pop olaf round the sunroom", "olaf sunroom", "olaf in the sunroom"],
)
def test_sent_to_a_place(text: str) -> None:
    assert meant(text) == [(GO, {**OLAF, "area": "Sunroom"})]


@pytest.mark.parametrize("text", ["hoover the attic", "send olaf round the attic"])
def test_sent_to_a_place_that_the_home_does_not_have(text: str) -> None:
    assert meant(text) is None
    found = meant(text, strangers=True) or []
    assert [(intent, slots["area"]) for intent, slots in found] == [(GO, "attic")]


@pytest.mark.parametrize(
    "text",
    [
        *(
            "wireless round",
            "send the wireless round",
            "globe out of the way",
            "put the globe away",
        ),
        *("olaf is away", "olaf is round the sunroom", "the globe in the sunroom"),
    ],
)
def test_nothing_else_is_sent(text: str) -> None:
    assert meant(text) is None
