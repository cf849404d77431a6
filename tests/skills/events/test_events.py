"""What skills wait for: times and changes of the home, each told once, whatever happens."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
import pytest

from assistant.core.errors import SkillError
from assistant.core.messages import HomeCommand, HomeStates, SpokenReply, SunEvent, Tick, When
from assistant.skill import (
    Context,
    Every,
    Reply,
    Skill,
    StateChange,
    StateChanged,
    TimeReached,
)
from assistant.skill.events import Trigger
from assistant.skill.testing import NOW, memory_context
from skills import deadline
from skills.events import events
from skills.events.store import MOST_WAITING
from skills.later.sun import Position, sun_time
from skills.registry import Registry
from tests.support.grammars import built_in_skills
from tests.support.talking import EVENING, Talk, command

ZURICH = ZoneInfo("Europe/Zurich")
ZURICH_AT = Position(47.4, 8.5)
Told = list[TimeReached | StateChanged]


def served(*skills: Skill) -> Registry:
    registry = built_in_skills()
    for skill in skills:
        registry.add(skill.name, lambda skill=skill: skill)  # type: ignore[misc]
    assert registry.faults == ()
    return registry


def listening(*triggers: Trigger, name: str = "tides") -> tuple[Skill, Told]:
    """A skill that waits for these, and what it has been told."""
    skill, told = Skill(name), Told()
    for trigger in triggers:

        @skill.on(trigger)
        def handle(event: Any, context: Context) -> None:
            told.append(event)
            context.storage.set("count", context.storage.get("count", int, 0) + 1)

    return skill, told


def reported(talk: Talk, **states: str) -> None:
    """The broker reports these states, and all that waits is handled."""
    talk.feed(HomeStates(states={name.replace("__", "."): s for name, s in states.items()}))
    talk.wait(1)


def times(told: Told) -> list[str]:
    return [f"{event.at:%d %H:%M}" for event in told if isinstance(event, TimeReached)]


@pytest.fixture
def seldom(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock is compared every ten minutes alone, so that days go by sooner."""
    monkeypatch.setattr(events, "RECHECK_S", 600.0)


@pytest.mark.usefixtures("seldom")
@pytest.mark.parametrize(
    ("every", "expected"),
    [
        (Every(at=time(19)), ["05 19:00", "06 19:00", "07 19:00"]),
        (Every(at=time(7, 30)), ["06 07:30", "07 07:30", "08 07:30"]),
        (Every(rule="FREQ=WEEKLY;BYDAY=MO,WE", at=time(19)), ["05 19:00", "07 19:00"]),
        (Every(rule="FREQ=DAILY;INTERVAL=2", at=time(19)), ["05 19:00", "07 19:00"]),
        (Every(rule="FREQ=HOURLY;INTERVAL=12"), ["06 00:00", "06 12:00", "07 00:00"]),
    ],
)
def test_a_time_comes_again(talks: Callable[..., Talk], every: Every, expected: list[str]) -> None:
    skill, told = listening(every)
    talk = talks(registry=served(skill))
    talk.wait(3 * 86_400)
    assert times(told)[: len(expected)] == expected
    assert all(isinstance(e, TimeReached) and e.late < timedelta(minutes=2) for e in told)


@pytest.mark.usefixtures("seldom")
def test_a_time_follows_the_sun(talks: Callable[..., Talk]) -> None:
    skill, told = listening(Every(sun="sunset", offset=timedelta(minutes=-10)))
    talk = talks(registry=served(skill), now=EVENING.astimezone(ZURICH), where=ZURICH_AT)
    talk.wait(3 * 86_400)
    before = SunEvent(event="sunset", offset_s=-600)
    days = [date(2026, 1, day) for day in (6, 7, 8)]
    expected = [sun_time(before, day, ZURICH_AT, ZURICH) for day in days]
    assert [event.at for event in told if isinstance(event, TimeReached)] == expected


def test_what_was_missed_without_power_comes_once_and_late(talks: Callable[..., Talk]) -> None:
    skill, told = listening(Every(at=time(19)))
    talk = talks(registry=served(skill))
    talk.reboot(2 * 86_400)
    talk.wait(60)
    assert times(told) == ["05 19:00"]
    assert isinstance(told[0], TimeReached)
    assert timedelta(hours=47) < told[0].late < timedelta(hours=48)
    talk.wait(86_400)
    assert times(told) == ["05 19:00", "07 19:00"]


def test_a_restart_moves_no_time_and_repeats_none(talks: Callable[..., Talk]) -> None:
    skill, told = listening(Every(at=time(19)))
    talk = talks(registry=served(skill))
    talk.wait(1700)
    talk.restart()
    talk.wait(200)
    talk.restart()
    talk.wait(3600)
    assert times(told) == ["05 19:00"]


def test_a_clock_that_is_changed_for_summer_leaves_the_hour(talks: Callable[..., Talk]) -> None:
    skill, told = listening(Every(at=time(7)))
    talk = talks(registry=served(skill), now=datetime(2026, 3, 28, 12, tzinfo=ZURICH))
    talk.wait(2 * 86_400)
    assert times(told)[0] == "29 07:00"


def test_without_the_homes_place_the_sun_is_told_of_and_the_rest_goes_on(
    talks: Callable[..., Talk], caplog: pytest.LogCaptureFixture
) -> None:
    skill, told = listening(Every(sun="sunset"), Every(at=time(19)))
    talk = talks(registry=served(skill))
    assert "skill tides: I don't know where your home is" in caplog.text
    talk.wait(86_400)
    assert times(told) == ["05 19:00"]


def test_a_time_that_is_not_waited_for_any_more_is_forgotten(talks: Callable[..., Talk]) -> None:
    skill, told = listening(Every(at=time(19)))
    talk = talks(registry=served(skill))
    talk.registry = served(listening(Every(at=time(20)))[0])
    talk.restart()
    assert len(talk.database.execute("SELECT * FROM event_times")) == 1
    talk.wait(86_400)
    assert told == []


@pytest.mark.parametrize(
    ("trigger", "expected"),
    [
        (StateChange(), ["light.desk on off", "lock.front_door locked unlocked"]),
        (StateChange(domain="lock"), ["lock.front_door locked unlocked"]),
        (StateChange(entity="light.desk"), ["light.desk on off"]),
        (StateChange(to="unlocked"), ["lock.front_door locked unlocked"]),
        (StateChange(to="on"), []),
    ],
)
def test_a_change_that_the_broker_reports_is_told(
    talks: Callable[..., Talk], trigger: StateChange, expected: list[str]
) -> None:
    skill, told = listening(trigger)
    talk = talks(registry=served(skill), broker=True)
    reported(talk, light__desk="on")  # as it was
    reported(talk, light__desk="off", lock__front_door="unlocked", light__stranger="on")
    assert [
        f"{e.entity.id} {e.before} {e.entity.state}" for e in told if isinstance(e, StateChanged)
    ] == expected


def test_a_change_by_voice_is_told_once_and_its_echo_is_not(talks: Callable[..., Talk]) -> None:
    skill, told = listening(StateChange(domain="light"))
    talk = talks(registry=served(skill), broker=True)
    talk.ask("HassTurnOn", name="Ceiling")
    reported(talk, light__ceiling="on")
    assert [e.entity.state for e in told if isinstance(e, StateChanged)] == ["on"]


def test_a_rehearsed_change_is_none(talks: Callable[..., Talk]) -> None:
    skill, told = listening(StateChange(domain="light"))
    talk = talks(registry=served(skill))
    later = When(kind="in", said="in ten minutes", value=600.0)
    talk.say("later", msgspec.structs.replace(command("HassTurnOn", name="Ceiling"), when=later))
    talk.wait(1)
    assert told == []
    talk.wait(700)
    assert len(told) == 1


def test_a_handler_may_act_announce_and_keep(talks: Callable[..., Talk]) -> None:
    skill = Skill("porch")

    @skill.on(StateChange(entity="lock.front_door", to="unlocked"))
    def welcome(event: StateChanged, context: Context) -> None:
        context.home.set_state("light.ceiling", "on")
        context.announce(f"The {event.entity.name.casefold()} is open.", priority="urgent")

    talk = talks(registry=served(skill), broker=True)
    given = talk.feed(HomeStates(states={"lock.front_door": "unlocked"}))
    given += talk.wait(1)
    commands = [m for m in given if isinstance(m, HomeCommand)]
    assert [(c.entity_id, c.state) for c in commands] == [("light.ceiling", "on")]
    assert [m.text for m in given if isinstance(m, SpokenReply)] == ["The front door is open."]


def test_what_handlers_change_sets_off_no_handler(talks: Callable[..., Talk]) -> None:
    skill, told = listening(StateChange())

    @skill.on(StateChange(entity="light.desk"))
    def flip(context: Context) -> None:
        context.home.set_state("light.ceiling", "on")
        context.home.set_state("light.desk", "on")

    talk = talks(registry=served(skill), broker=True)
    reported(talk, light__desk="off")
    assert len(told) == 1
    assert (talk.state("light.ceiling"), talk.state("light.desk")) == ("on", "on")


def test_a_handler_that_fails_is_named_with_its_line_and_stops_nobody(
    talks: Callable[..., Talk], caplog: pytest.LogCaptureFixture
) -> None:
    bad = Skill("bad")

    @bad.on(StateChange())
    def handle(context: Context) -> None:
        context.home.set_state("light.ceiling", "on")
        raise ZeroDivisionError

    good, told = listening(StateChange(), name="good")
    talk = talks(registry=served(bad, good), broker=True)
    with caplog.at_level(logging.ERROR):
        reported(talk, light__desk="off")
    assert f'skill "bad", handler handle: ZeroDivisionError ({__file__}, line ' in caplog.text
    assert len(told) == 1
    assert talk.state("light.ceiling") == "off"
    talk.wait(600)
    assert len(told) == 1


def test_a_handler_that_does_not_end_is_ended(
    talks: Callable[..., Talk],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bad = Skill("bad")

    @bad.on(StateChange())
    def handle() -> None:
        while True:
            pass

    talk = talks(registry=served(bad), broker=True)
    monkeypatch.setattr("skills.deadline.LAST_RESORT_S", 60.0)  # it would end pytest
    monkeypatch.setattr(deadline, "MOVE_S", 0.2)
    reported(talk, light__desk="off")
    assert 'skill "bad", handler handle: does not come to an end' in caplog.text
    assert talk.ask("HassGetCurrentTime") == "It's 6:30 pm."


def test_an_event_is_told_once_though_the_process_is_killed_before_it_is(
    talks: Callable[..., Talk],
) -> None:
    skill, told = listening(StateChange())
    talk = talks(registry=served(skill), broker=True)
    feeding = talk.stage.feed(HomeStates(states={"light.desk": "off"}, at_s=talk.at_s))
    talk.stage._devices.told(HomeStates(states={"light.desk": "off"}))
    feeding.close()
    assert told == []
    talk.restart()
    talk.feed(Tick())
    talk.wait(60)
    assert len(told) == 1


def test_a_flood_is_bounded_and_said(
    talks: Callable[..., Talk], caplog: pytest.LogCaptureFixture
) -> None:
    skill, told = listening(StateChange())
    talk = talks(registry=served(skill), broker=True)
    for number in range(MOST_WAITING + 20):
        talk.stage._devices.told(HomeStates(states={"light.desk": f"{number}"}))
    assert "event.dropped" in caplog.text
    for _ in range(MOST_WAITING + 20):
        talk.feed(Tick())
    assert len(told) == MOST_WAITING


@pytest.mark.parametrize(
    ("trigger", "why"),
    [
        (Every(rule="FREQ=NEVER"), '"FREQ=NEVER" is no RFC 5545 rule'),
        (Every(rule="every day"), "is no RFC 5545 rule"),
        (Every(rule="FREQ=SECONDLY"), "too often"),
        ("at seven", "waits for a str"),
    ],
)
def test_what_cannot_be_waited_for_is_a_fault_of_the_skill(trigger: Any, why: str) -> None:
    skill = Skill("tides")
    skill.on(trigger)(lambda: None)
    with pytest.raises(SkillError, match='skill "tides": handler <lambda>: ') as fault:
        skill.manifest()
    assert why in fault.value.message


def test_a_parameter_that_nobody_gives_is_a_fault_of_the_skill() -> None:
    skill = Skill("tides")
    skill.on(Every())(lambda place: None)
    with pytest.raises(SkillError, match='parameter "place" is none of event, context'):
        skill.manifest()


def test_a_handler_gives_nothing(
    talks: Callable[..., Talk], caplog: pytest.LogCaptureFixture
) -> None:
    skill = Skill("tides")
    skill.on(StateChange())(lambda: Reply("Heard by nobody."))
    talk = talks(registry=served(skill), broker=True)
    reported(talk, light__desk="off")
    assert "a handler gives nothing, but <lambda> gave Reply" in caplog.text


def test_events_are_handled_directly_in_a_test() -> None:
    skill, told = listening(Every(at=time(7)))
    ((one),) = skill.manifest().subscriptions
    context = memory_context()
    skill.handle(one.key, TimeReached(at=NOW), context)
    assert told == [TimeReached(at=datetime(2026, 1, 5, 18, 30, tzinfo=UTC))]
    assert context.storage.get("count", int, 0) == 1
