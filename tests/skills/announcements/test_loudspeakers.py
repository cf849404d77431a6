"""The loudspeakers of other rooms, by the news of their satellites, and what each room is told."""

from __future__ import annotations

from datetime import timedelta

import pytest
from msgspec.structs import replace

from assistant.core.messages import RoomTimers, SatelliteChanged
from assistant.skill.context import Timer
from skills.announcements.loudspeakers import LAPSES_S, Loudspeakers

EGGS = Timer(
    id="t1",
    name="eggs",
    duration=timedelta(minutes=5),
    remaining=timedelta(minutes=4),
    paused=False,
    ringing=False,
    elapsed=timedelta(minutes=1),
    place=1,
    area="kitchen",
)


@pytest.fixture
def kitchen() -> Loudspeakers:
    made = Loudspeakers("office")
    made.observe(SatelliteChanged(satellite="stove", area="kitchen", present=True), 100.0)
    return made


def told(there: Loudspeakers, *timers: Timer) -> list[RoomTimers]:
    return list(there.timers(lambda: timers))


def test_a_satellite_speaks_in_its_area_while_it_is_told_of(kitchen: Loudspeakers) -> None:
    assert (kitchen.peer("kitchen"), kitchen.peer("hall"), kitchen.peer("")) == ("stove", "", "")
    assert kitchen.others("") == ("kitchen",)
    assert kitchen.others("kitchen") == ("office",)
    kitchen.observe(SatelliteChanged(satellite="x", area="hall", present=False), 100.0 + LAPSES_S)
    assert kitchen.peer("kitchen") == ""


def test_what_is_for_a_room_without_one_is_heard_at_the_device(kitchen: Loudspeakers) -> None:
    assert [kitchen.heard_in(area) for area in ("kitchen", "hall", "")] == [
        *("kitchen", "office", "office")
    ]
    assert Loudspeakers().heard_in("kitchen") == ""


def test_one_that_goes_speaks_no_more(kitchen: Loudspeakers) -> None:
    kitchen.observe(SatelliteChanged(satellite="stove", area="kitchen", present=False), 101.0)
    assert kitchen.peer("kitchen") == ""


def test_a_room_is_told_of_its_timers_once_and_of_each_change(kitchen: Loudspeakers) -> None:
    (first,) = told(kitchen, EGGS)
    assert (first.area, [one.left_s for one in first.timers]) == ("kitchen", [240.0])
    assert told(kitchen, EGGS) == []
    (paused,) = told(kitchen, replace(EGGS, paused=True))
    assert paused.timers[0].paused
    (none,) = told(kitchen)
    assert none.timers == ()


def test_one_that_comes_back_is_told_again(kitchen: Loudspeakers) -> None:
    told(kitchen, EGGS)
    kitchen.observe(SatelliteChanged(satellite="stove", area="kitchen", present=True), 101.0)
    assert len(told(kitchen, EGGS)) == 1


def test_timers_of_rooms_without_a_satellite_are_not_read(kitchen: Loudspeakers) -> None:
    nobody = Loudspeakers()
    assert list(nobody.timers(lambda: pytest.fail("read"))) == []
    (told_of,) = told(kitchen, replace(EGGS, area="hall"))
    assert told_of.timers == ()
