"""What a sentence adds to a command is divided from it, and nothing else is."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from assistant.core.messages import Slot, SunEvent
from nlu.discourse.modifiers import UNKNOWN, divisions, timed, timed_before
from nlu.text.canonical import canonical

NOW = datetime(2026, 11, 23, 12, 0, tzinfo=ZoneInfo("Europe/Berlin"))
PLACES = {"bedroom": "Bedroom", "hall": "Hall", "kitchen": "Kitchen"}


def named(text: str) -> Slot | None:
    if text == "floor lamp":
        return Slot(name="name", value="Floor Lamp", raw=text)
    return Slot(name="area", value=PLACES[text], raw=text) if text in PLACES else None


@pytest.mark.parametrize(
    ("text", "core", "excluded"),
    [
        (
            "turn off all the lights except the bedroom",
            "turn off all lights",
            [("area", "Bedroom")],
        ),
        (
            "turn all the lights but the one in the hall off",
            "turn all lights off",
            [("area", "Hall")],
        ),
        ("everything but the floor lamp off", "everything off", [("name", "Floor Lamp")]),
        ("lights off, leave the hall alone", "lights off", [("area", "Hall")]),
        (
            "everything off but leave the floor lamp on",
            "everything off",
            [("name", "Floor Lamp")],
        ),
        ("floor lamp off, leave the others", "floor lamp off", []),
        ("floor lamp off, leave his", "floor lamp off", []),
        ("lights off, leave his", "lights off", [(UNKNOWN, "his")]),
        (
            "all lights off apart from the hall and the kitchen",
            "all lights off",
            [("area", "Hall"), ("area", "Kitchen")],
        ),
        (
            "except for the kitchen turn off all lights",
            "turn off all lights",
            [("area", "Kitchen")],
        ),
        ("everything off except the heating", "everything off", [("domain", "climate")]),
        ("all lights off except in here", "all lights off", [("area", "")]),
        ("all lights on except the attic", "all lights on", [(UNKNOWN, "attic")]),
    ],
)
def test_an_exception(text: str, core: str, excluded: list[tuple[str, str]]) -> None:
    found = {
        plain.text: [(s.name, s.value) for s in modifiers.excluded]
        for plain, modifiers in reversed(list(divisions(canonical(text), named, NOW)))
    }
    assert found[core] == excluded


@pytest.mark.parametrize(
    ("text", "core", "kind", "value"),
    [
        ("close the blinds at sunset", "close blinds", "at", None),
        ("close the blinds after dinner", "close blinds", "event", None),
        ("lock the door after we're gone", "lock door", "event", None),
        ("dim the lamp before we eat", "dim lamp", "event", None),
        ("lock the door after the kids are in bed", "lock door", "event", None),
        ("turn off the tv in half an hour", "turn off tv", "in", 1800),
        ("turn on the fan for ten minutes", "turn on fan", "for", 600),
        ("turn on the lamp at eight", "turn on lamp", "at", "2026-11-23T20:00:00+01:00"),
        ("turn on the lamp tonight at nine", "turn on lamp", "at", "2026-11-23T21:00:00+01:00"),
        ("leave it on until ten", "leave it on", "until", "2026-11-23T22:00:00+01:00"),
        ("turn on the lamp later", "turn on lamp", "later", None),
        ("turn off the tv when the film is over", "turn off tv", "event", None),
        ("is it warm tomorrow", "is it warm", "at", "2026-11-24"),
        ("shutters up very slowly", "shutters up", "over", None),
        ("shut the drapes nice and slow", "shut drapes", "over", None),
        ("dim the spots over five minutes", "dim spots", "over", 300),
    ],
)
def test_a_time_at_the_end(text: str, core: str, kind: str, value: object) -> None:
    plain, when = next(timed(canonical(text), NOW))
    assert (plain.text, when.kind, when.value) == (core, kind, value)
    assert text.endswith(when.said)


@pytest.mark.parametrize(
    ("text", "core", "said"),
    [
        ("when I get home turn on the heating", "turn on heating", "when i get home"),
        ("at sunset put the porch light on", "put porch light on", "at sunset"),
        ("tomorrow open the blinds", "open blinds", "tomorrow"),
        ("gradually raise the shutters", "raise shutters", "gradually"),
    ],
)
def test_a_time_at_the_beginning(text: str, core: str, said: str) -> None:
    plain, when = next(timed_before(canonical(text), NOW))
    assert (plain.text, when.said) == (core, said)


@pytest.mark.parametrize("text", ["when should the blinds be up", "when's the heating on"])
def test_a_question_begins_with_no_condition(text: str) -> None:
    assert not list(timed_before(canonical(text), NOW))


@pytest.mark.parametrize(
    ("text", "kind", "event", "offset_s"),
    [
        ("at sunset", "at", "sunset", 0),
        ("half an hour after sunset", "at", "sunset", 1800),
        ("ten minutes before sunrise", "at", "sunrise", -600),
        ("until dusk", "until", "dusk", 0),
        ("when the sun sets", "at", "sunset", 0),
        ("until it gets dark", "until", "dusk", 0),
        ("tomorrow at dawn", "at", "dawn", 0),
        ("every day at sunset", "every", "sunset", 0),
        ("at sunset every day", "every", "sunset", 0),
        ("every sunset", "every", "sunset", 0),
        ("every weekday an hour before sundown", "every", "sunset", -3600),
    ],
)
def test_a_time_that_the_sun_tells(text: str, kind: str, event: str, offset_s: float) -> None:
    plain, when = next(timed(canonical(f"close the blinds {text}"), NOW))
    assert (plain.text, when.kind, when.said) == ("close blinds", kind, text)
    assert when.sun == SunEvent(event=event, offset_s=offset_s)  # type: ignore[arg-type]
    assert ("FREQ=" in str(when.value)) is (kind == "every")


def test_a_part_of_today_that_is_to_come_is_a_time() -> None:
    said = canonical("turn on the lamp this evening")
    _, when = next(timed(said, NOW.replace(hour=9)))
    assert str(when.value).startswith("2026-11-23T17:00")
    assert not list(timed(said, NOW.replace(hour=20)))


def test_every_morning_is_no_single_time() -> None:
    _, when = next(timed(canonical("open the blinds every morning"), NOW))
    assert when.kind == "every"
    assert "FREQ=DAILY" in str(when.value)


@pytest.mark.parametrize(
    "text",
    [
        "turn on the lamp",
        "turn on the lamp now",
        "turn the lamp down a little bit",
        "turn on the lamp over there",
        "set the lamp to fifty",
        "turn on the lights today",
        "say that once more",
        "turn on the light if you can",
        "turn on the light in the kitchen",
        "not the kitchen",
        "turn the heating on at nineteen",
        "tell me did I leave the floor lamp on",
        "leave the blind thirty percent open",
        "make it warmer by two",
    ],
)
def test_what_adds_nothing(text: str) -> None:
    assert not list(divisions(canonical(text), named, NOW))


def test_a_time_is_read_at_its_moment() -> None:
    _, when = next(timed(canonical("turn on the lamp in two hours"), NOW))
    assert timedelta(seconds=float(str(when.value))) == timedelta(hours=2)
