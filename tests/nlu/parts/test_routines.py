"""Scenes and scripts are asked for by a part of their names, and only where that is clear."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from assistant.skill.home import Entity, Home
from nlu.interpreter import Interpreter
from nlu.parts.composer import Composer
from nlu.parts.names import Names
from nlu.parts.routines import Routines
from nlu.text.canonical import canonical
from tests.support.grammars import templates_of

ROUTINES = Routines(
    Names(
        Home(
            entities=tuple(
                Entity(id=entity_id, name=name)
                for entity_id, name in (
                    ("scene.feast", "Sunday Feast"),
                    ("scene.reading", "Reading Hour"),
                    ("script.quiet_one", "Quiet Morning Yoga"),
                    ("script.quiet_two", "Quiet Evening Yoga"),
                    ("script.cellar", "Unlock Cellar"),
                    ("light.reading", "Reading Lamp"),
                    ("scene.night", "Market Night"),
                )
            )
        )
    )
)


def meant(text: str) -> tuple[str, ...]:
    """The names that a text may mean; () for none."""
    command = ROUTINES(canonical(text))
    return tuple(str(v) for s in command.slots for v in (s.value, *s.others)) if command else ()


@pytest.mark.parametrize(
    "text", ["do feast", "do the feast", "feast please", "let's have the feast", "time for feast"]
)
def test_a_part_of_a_name(text: str) -> None:
    assert meant(text) == ("Sunday Feast",)


def test_of_several_the_user_is_asked_which() -> None:
    assert meant("do yoga") == ("Quiet Morning Yoga", "Quiet Evening Yoga")


@pytest.mark.parametrize(
    "text",
    [
        *("feast", "it is feast", "the feast was nice", "no feast please"),
        *("reading please", "do reading"),  # may be the lamp
        *("cellar please", "do the cellar"),  # unlocking needs its own word
        *("night please", "hour please", "do it", "do the lights", "lunch please"),
    ],
)
def test_what_is_not_clear_is_not_done(text: str) -> None:
    assert meant(text) == ()


def test_a_direction_that_is_said_is_enough() -> None:
    assert meant("unlock cellar please") == ("Unlock Cellar",)


def test_small_talk_yields_to_a_scene_of_that_name() -> None:
    home = Home(entities=(Entity(id="scene.cubs", name="Cubs Bedtime"),))
    interpreter = Interpreter(templates_of(home), compose=Composer(home))
    now = datetime(2026, 11, 23, 19, tzinfo=UTC)
    intents = [
        [one.intent for one in interpreter(canonical(text), now).commands]
        for text in ("bedtime please", "bedtime", "do bedtime")
    ]
    assert intents == [["HassTurnOn"], ["TalkNight"], ["HassTurnOn"]]
