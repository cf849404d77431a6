"""A bare answer in, the value of the slot that was asked for out."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import pytest

from assistant.core.messages import Slot, SlotValue
from assistant.skill.manifest import SlotSchema
from nlu.build import answer_reader
from nlu.grammar.templates import Templates
from nlu.text.canonical import canonical
from tests.support.stand_ins import AREA, DURATION, HOME, entity

Read = Callable[[str, SlotSchema], Slot | None]

LIGHT = entity("light")
YES_NO = SlotSchema(name="answer", kind="boolean")
SIZE = SlotSchema(name="size", kind="choice", choices=("Small", "Large", "Extra Large"))
COUNT = SlotSchema(name="count", kind="integer")
TEXT = SlotSchema(name="text", kind="text")
TIME = SlotSchema(name="time", kind="time")
DATE = SlotSchema(name="date", kind="date")


@pytest.fixture
def read(now: datetime) -> Read:
    """Reads answers in the home of the stand-ins."""
    return answer_reader(HOME, lambda: now)


@pytest.mark.parametrize(
    ("text", "schema", "value"),
    [
        ("ten minutes", DURATION, 600),
        ("for ten minutes please", DURATION, 600),
        ("um make it half an hour", DURATION, 1800),
        ("I'd say about an hour and a half", DURATION, 5400),
        ("what time is it", DURATION, None),
        ("set a timer for ten minutes", DURATION, None),
        ("ten", DURATION, None),
        ("the kitchen", AREA, "Kitchen"),
        ("in the lounge, thanks", AREA, "Living Room"),
        ("the moon", AREA, None),
        ("the porch light", LIGHT, "Porch Light"),
        ("my book light", LIGHT, "Reading Lamp"),
        ("the coffee machine", LIGHT, None),
        ("yes", YES_NO, True),
        ("yeah", YES_NO, True),
        ("yes please", YES_NO, True),
        ("please do", YES_NO, True),
        ("no", YES_NO, False),
        ("no thanks", YES_NO, False),
        ("please don't", YES_NO, False),
        ("maybe later", YES_NO, None),
        ("large", SIZE, "Large"),
        ("the large one", SIZE, "Large"),
        ("extra large please", SIZE, "Extra Large"),
        ("huge", SIZE, None),
        ("twenty five", COUNT, 25),
        ("I want two", COUNT, 2),
        ("at half past eight", TIME, "20:30:00+01:00"),
        ("tomorrow", DATE, "2026-11-21"),
        ("Call my mum.", TEXT, "call my mum"),
        ("", TEXT, None),
        ("", DURATION, None),
    ],
)
def test_answers(read: Read, text: str, schema: SlotSchema, value: SlotValue) -> None:
    slot = read(text, schema)
    assert (slot.value if slot else None) == value
    assert slot is None or slot.name == schema.name


def test_words_around_the_answer_make_it_less_sure(read: Read) -> None:
    bare, framed = (read(text, DURATION) for text in ("ten minutes", "about ten minutes"))
    assert bare is not None
    assert framed is not None
    assert (bare.confidence, framed.confidence) == (1.0, 0.9)
    assert bare.raw == framed.raw == "ten minutes"


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("ten minutes", True),
        ("yes please", True),
        ("the kitchen", True),
        ("my reading lamp", False),
        ("the reading lamp", True),
        ("ten", False),
        ("what", False),
        ("", False),
    ],
)
def test_answers_to_which_nothing_is_to_come(templates: Templates, text: str, whole: bool) -> None:
    assert templates.is_answer(canonical(text)) is whole


WHICH = SlotSchema(
    name="time",
    kind="time",
    choices=("06:00:00+01:00", "18:00:00+01:00"),
    unambiguous=True,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("six pm", "18:00:00+01:00"),
        ("in the evening please", "18:00:00+01:00"),
        ("the evening", "18:00:00+01:00"),
        ("pm", "18:00:00+01:00"),
        ("a.m.", "06:00:00+01:00"),
        ("in the morning", "06:00:00+01:00"),
        ("the first one", "06:00:00+01:00"),
        ("the second", "18:00:00+01:00"),
        ("the later one", "18:00:00+01:00"),
        ("eighteen hundred", "18:00:00+01:00"),
        ("six", None),
        ("seven pm", None),
        ("yes", None),
    ],
)
def test_which_of_two_times_was_meant(read: Read, text: str, value: SlotValue) -> None:
    slot = read(text, WHICH)
    assert (slot.value if slot else None) == value
