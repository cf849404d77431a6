"""Values arrive typed, what is missing is asked for, and dialogs end as their skill says."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.core.errors import SkillError
from assistant.core.messages import Slot
from assistant.skill import (
    Area,
    Ask,
    Cancelled,
    Choose,
    Colour,
    Confirm,
    Context,
    Dialog,
    Entity,
    Floor,
    Percent,
    Period,
    Recurrence,
    Reply,
    Request,
    Skill,
    Temperature,
    domains,
    prompt,
    unless,
)
from assistant.skill.home import Home
from assistant.skill.signature import convert
from assistant.skill.testing import CANCEL, converse, memory_context

BERLIN = ZoneInfo("Europe/Berlin")
KITCHEN = Area(name="Kitchen", id="kitchen", aliases=("galley",))
LIGHT = Entity(name="Lamp", id="light.lamp", area="kitchen", state="off")
SWITCH = Entity(name="Lamp", id="switch.lamp", aliases=("plug",))


class Size(Enum):
    SMALL = "small"
    LARGE = "large"


@dataclass(frozen=True)
class Cup:
    size: Annotated[Size, prompt("How large?")]
    area: Area | None = None


@pytest.mark.parametrize(
    ("value", "annotation", "typed"),
    [
        (90, timedelta, timedelta(seconds=90)),
        (90.5, timedelta | None, timedelta(seconds=90.5)),
        ("2026-01-05T18:30:00+00:00", datetime, datetime(2026, 1, 5, 18, 30, tzinfo=UTC)),
        ("2026-01-05", date, date(2026, 1, 5)),
        ("18:30:00", time, time(18, 30)),
        (3, int, 3),
        (0.1, Decimal, Decimal("0.1")),
        (2, float, 2.0),
        (True, bool, True),
        (33, Percent, 33),
        ("21.5 °C", Temperature, Temperature(21.5, "C")),
        ("-5 °", Temperature | None, Temperature(-5.0)),
        ("294 K", Temperature, Temperature(294.0, "K")),
        ("lightblue", Colour, Colour("lightblue", (173, 216, 230))),
        ("#ff8800", Colour, Colour(rgb=(255, 136, 0))),
        ("2700 K", Colour, Colour(kelvin=2700)),
        (
            "DTSTART;TZID=Europe/Berlin:20261123T070000\nRRULE:FREQ=WEEKLY;BYDAY=MO,TU",
            Recurrence,
            Recurrence(datetime(2026, 11, 23, 7, tzinfo=BERLIN), "FREQ=WEEKLY;BYDAY=MO,TU"),
        ),
        (
            "DTSTART:20261123T070000Z\nRRULE:FREQ=DAILY",
            Recurrence,
            Recurrence(datetime(2026, 11, 23, 7, tzinfo=ZoneInfo("UTC")), "FREQ=DAILY"),
        ),
        (
            "DTSTART;VALUE=DATE:20261123\nRRULE:FREQ=DAILY",
            Recurrence,
            Recurrence(date(2026, 11, 23), "FREQ=DAILY"),
        ),
        (
            "2026-11-23T00:00:00+01:00/2026-11-24T00:00:00+01:00",
            Period,
            Period(
                since=datetime(2026, 11, 23, tzinfo=BERLIN),
                until=datetime(2026, 11, 24, tzinfo=BERLIN),
            ),
        ),
        ("milk", str, "milk"),
        ("Large", Size, Size.LARGE),
        ("kitchen", Area, KITCHEN),
        ("Galley", Area, KITCHEN),
        ("light.lamp", Entity, LIGHT),
        ("lamp", Annotated[Entity, domains("switch")], SWITCH),
        ("PLUG", Entity, SWITCH),
    ],
)
def test_a_value_arrives_as_its_type(value: Any, annotation: Any, typed: Any) -> None:
    assert convert(value, annotation, (KITCHEN,), (LIGHT, SWITCH)) == typed


@pytest.mark.parametrize(
    ("value", "annotation"),
    [
        ("soon", timedelta),
        ("tomorrow", date),
        ("many", int),
        ("huge", Size),
        ("warm", Temperature),
        ("sky", Colour),
        ("#12", Colour),
        ("every day", Recurrence),
        ("2026-11-23T00:00:00+01:00", Period),
        ("2026-11-23/2026-11-24", Period),
        ("DTSTART;TZID=Nowhere/Near:20261123T070000\nRRULE:FREQ=DAILY", Recurrence),
        ("half", Percent),
        ("attic", Area),
        ("lamp", Annotated[Entity, domains("cover")]),
        (float("inf"), timedelta),
    ],
)
def test_a_value_of_another_type_is_a_fault(value: Any, annotation: Any) -> None:
    with pytest.raises(SkillError):
        convert(value, annotation, (KITCHEN,), (LIGHT, SWITCH))


def test_degrees_are_turned_into_celsius_by_the_scale_said_or_the_home_s() -> None:
    assert Temperature(68, "F").celsius() == pytest.approx(20)
    assert Temperature(68).celsius("F") == pytest.approx(20)
    assert Temperature(293.15, "K").celsius("F") == pytest.approx(20)
    assert Temperature(20).celsius() == 20


@given(st.timedeltas(min_value=timedelta(0), max_value=timedelta(days=400)))
def test_any_duration_comes_back_from_the_bus(length: timedelta) -> None:
    back = convert(length.total_seconds(), timedelta, (), ())
    assert abs(back - length) < timedelta(milliseconds=1)


skill = Skill("tea")


@skill.intent("Brew", "brew {tea} for {time}", "brew {tea}")
def brew(
    request: Request, tea: str, time: Annotated[timedelta, prompt("How long?")], context: Context
) -> Reply:
    return Reply(f"{tea}, {context.say(time)}, {request.intent}")


@skill.intent("Pour", "pour")
def pour(context: Context) -> Dialog:
    cup = yield Choose("Which cup?", ("small", "large"))
    if not (yield Confirm(f"The {cup} one?")):
        return Reply("No tea then.", done=False)
    try:
        sugar = yield Ask("How much sugar?", int)
    except Cancelled:
        sugar = 0
    return Reply(f"{cup}, {sugar} sugar")


@skill.intent("Spill", "spill")
def spill() -> str:
    return "no reply"


@skill.intent("Place", "put it in {area} [{name}]")
def place(area: Area, name: Entity | None = None) -> Reply:
    return Reply(f"{area.id} {name.state if name else ''}".strip())


def test_slots_are_passed_by_name() -> None:
    assert converse(skill, "Brew", tea="green", time=180) == ["green, three minutes, Brew"]


def test_a_missing_required_slot_is_asked_for() -> None:
    told = converse(skill, "Brew", tea="green", answers=[timedelta(minutes=2)])
    assert told == ["How long?", "green, two minutes, Brew"]


def test_devices_and_areas_arrive_with_what_is_known_of_them() -> None:
    context = memory_context(Home(areas=(KITCHEN,), entities=(LIGHT,)))
    context.home.set_state("light.lamp", "on")
    assert converse(skill, "Place", context, area="Kitchen", name="Lamp") == ["kitchen on"]


def test_a_value_that_does_not_fit_names_skill_intent_and_slot_but_not_the_words() -> None:
    with pytest.raises(SkillError, match='skill "tea", intent Place, slot area') as fault:
        converse(skill, "Place", area="secret room")
    assert "secret" not in fault.value.message


def test_a_dialog_goes_through_its_questions() -> None:
    told = converse(skill, "Pour", answers=["large", True, 2])
    assert told == ["Which cup?", "The large one?", "How much sugar?", "large, 2 sugar"]


def test_a_dialog_may_end_early() -> None:
    assert converse(skill, "Pour", answers=["large", False])[-1] == "No tea then."


def test_a_skill_may_deal_with_cancellation() -> None:
    assert converse(skill, "Pour", answers=["small", True, CANCEL])[-1] == "small, 0 sugar"


def test_or_leave_it_to_the_framework() -> None:
    with pytest.raises(Cancelled):
        converse(skill, "Pour", answers=[CANCEL])


def test_what_is_no_reply_is_a_fault() -> None:
    with pytest.raises(SkillError, match="gave no Reply but str"):
        converse(skill, "Spill")


lamp = Skill("lamp")


@lamp.intent("Set", "set it to {brightness} [in {color}]")
def set_lamp(
    brightness: Annotated[int | None, prompt("How bright?"), unless("color")],
    color: str | None = None,
    floor: Floor | None = None,
) -> Reply:
    return Reply(f"{brightness} {color} {floor.id if floor else ''}".strip())


def test_a_slot_is_not_asked_for_where_another_does() -> None:
    assert converse(lamp, "Set", answers=[40]) == ["How bright?", "40 None"]
    assert converse(lamp, "Set", color="red") == ["None red"]


def test_a_floor_arrives_as_one() -> None:
    context = memory_context(Home(floors=(Floor(name="Upstairs", id="up", aliases=("top",)),)))
    assert converse(lamp, "Set", context, color="red", floor="Top") == ["None red up"]


def test_slots_that_a_function_does_not_take_are_told() -> None:
    slots = tuple(Slot(name=n, value=1, raw="") for n in ("brightness", "area", "floor"))
    request = Request(utterance_id="u", text="", intent="Set", slots=slots)
    assert lamp.untaken(request) == ("area",)


def test_a_dataclass_is_put_together_of_its_slots() -> None:
    skill = Skill("drinks")
    poured: list[Cup] = []

    @skill.serve("Pour")
    def pour(request: Request, cup: Cup, drink: str = "tea") -> Reply:
        poured.append(cup)
        return Reply(f"{request.intent} {drink}")

    context = memory_context(Home(areas=(KITCHEN,)))
    assert converse(skill, "Pour", context, size="small", area="kitchen") == ["Pour tea"]
    told = converse(skill, "Pour", context, answers=[Size.LARGE], drink="milk")
    assert told == ["How large?", "Pour milk"]
    assert poured == [Cup(Size.SMALL, KITCHEN), Cup(Size.LARGE)]
