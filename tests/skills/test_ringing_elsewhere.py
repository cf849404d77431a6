"""Timers and alarms that ring in another room than the one where they were set.

The device stands in the kitchen, a satellite in the office and another in the bedroom; no
loudspeaker is in the attic.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import msgspec
import pytest

from assistant.core.errors import SkillError
from assistant.core.messages import (
    Message,
    PlaybackEnded,
    RoomTimers,
    SatelliteChanged,
    SpokenReply,
    Tick,
    When,
)
from assistant.core.settings.wyoming import PEER
from assistant.skill.home import Area
from nlu.interpreter import Interpreter
from nlu.stage import NluStage
from skills.later.alarms import EVERY_S
from tests.support.conversation import FAR_APART, HOUSE, Conversation
from tests.support.grammars import templates_of
from tests.support.talking import EVENING, Talk

LARGER = msgspec.structs.replace(
    HOUSE,
    areas=(*HOUSE.areas, Area(name="Bedroom", id="bedroom"), Area(name="Attic", id="attic")),
)
SATELLITES = {"office": "desk", "bedroom": "bed"}
DAY_S = 86400.0
TOLD_S = 5.0


@pytest.fixture(scope="module")
def nlu() -> NluStage:
    templates = templates_of(LARGER)
    return NluStage(templates, Interpreter(templates), lambda: EVENING)


@pytest.fixture
def say(talks: Callable[..., Talk], nlu: NluStage) -> Conversation:
    made = Conversation(talks(home=LARGER), nlu, float(next(FAR_APART)))
    come(made.talk)
    return made


def come(talk: Talk, present: bool = True) -> list[Message]:
    """The satellites come, or go."""
    return [
        out
        for area, name in SATELLITES.items()
        for out in talk.feed(SatelliteChanged(satellite=name, area=area, present=present))
    ]


def rings(messages: list[Message]) -> list[tuple[str, str]]:
    """What rings, each with the satellite that plays it; "" for the device."""
    return [(one.text, one.peer) for one in messages if isinstance(one, SpokenReply)]


def wait(talk: Talk, seconds: float) -> list[Message]:
    """Time goes on, towards whose end the satellites are there."""
    talk._to(talk.at_s + seconds - TOLD_S)
    given = come(talk)
    talk._to(talk.at_s + TOLD_S)
    return given + talk.feed(Tick())


def heard(talk: Talk, messages: list[Message], interrupted: bool = False) -> None:
    for one in messages:
        if isinstance(one, SpokenReply):
            talk.feed(PlaybackEnded(utterance_id=one.utterance_id, interrupted=interrupted))


# ── timers ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("move that to the office", "Your timer will ring in the office."),
        ("move it to the office", "Your timer will ring in the office."),
        ("move the timer to the office", "Your timer will ring in the office."),
        ("ring it in the office", "Your timer will ring in the office."),
        ("ring in the office", "Your timer will ring in the office."),
        ("let the timer ring in the office", "Your timer will ring in the office."),
        ("move the ten minute timer to the office", "Your timer will ring in the office."),
        ("ring it here", "Your timer will ring here."),
        ("move it to the kitchen", "Your timer will ring here."),
    ],
)
def test_a_timer_is_moved(say: Conversation, text: str, told: str) -> None:
    say("set a timer for ten minutes")
    assert say(text) == told
    given = wait(say.talk, 600)
    peer = "desk" if "office" in told else ""
    assert rings(given) == [("Your timer for ten minutes is done.", peer)]


@pytest.mark.parametrize(
    "text",
    [
        "set a ten minute timer and ring in the office",
        "set a timer for ten minutes and ring it in the office",
        "set a ten minute timer that rings in the office",
    ],
)
def test_a_timer_is_set_so_that_it_rings_elsewhere(say: Conversation, text: str) -> None:
    assert say(text) == "Timer for ten minutes in the office, starting now."
    assert rings(wait(say.talk, 600)) == [("Your timer for ten minutes is done.", "desk")]


def test_a_named_timer_is_moved_and_no_other(say: Conversation) -> None:
    say("set a timer for ten minutes for the fish")
    say("set a tea timer for five minutes")
    assert say("ring the fish timer in the office") == "Your fish timer will ring in the office."
    assert say("where will the tea timer ring") == "Your tea timer for five minutes will ring here."
    told = "Your fish timer for ten minutes will ring in the office."
    assert say("where does the fish timer go off") == told
    assert (
        say("move the office timer to the bedroom") == "Your fish timer will ring in the bedroom."
    )


def test_of_several_it_is_asked_which(say: Conversation) -> None:
    say("set a tea timer for five minutes")
    say("set a fish timer for ten minutes", "office")
    say("set a timer for an hour", "office")
    assert say("move the timer to the bedroom", "office") == "Which timer: fish or one hour?"
    assert say("fish", "office") == "Your fish timer will ring in the bedroom."


def test_it_is_taken_back_with_the_time_that_is_left(say: Conversation) -> None:
    say("set a timer for ten minutes")
    say("move that to the office")
    wait(say.talk, 120)
    say("undo that")
    assert say.timers == {"": timedelta(minutes=8)}
    assert rings(wait(say.talk, 480)) == [("Your timer for ten minutes is done.", "")]


def test_in_a_room_without_a_loudspeaker_it_does_not_ring(say: Conversation) -> None:
    nobody = "There is no loudspeaker in the attic; it rings here."
    assert say("set a ten minute timer and ring in the attic").endswith(nobody)
    assert say("move that to the attic") == nobody
    say("move it to the office")
    elsewhere = "There is no loudspeaker in the attic; it rings in the office."
    assert say("ring it in the attic") == elsewhere
    come(say.talk, present=False)
    away = "There is no loudspeaker in the bedroom; it rings here."
    assert say("move it to the bedroom") == away
    assert say("where will it ring") == "Your timer for ten minutes will ring here."


def test_a_timer_of_a_room_without_a_loudspeaker_stays_one_of_that_room(say: Conversation) -> None:
    assert say("set a timer for ten minutes in the attic").endswith("in the attic, starting now.")
    assert rings(wait(say.talk, 600)) == [("Your timer for ten minutes in the attic is done.", "")]


def test_both_rooms_are_told_of_the_move(say: Conversation) -> None:
    say("set a timer for ten minutes", "office")
    told = [m for m in come(say.talk) if isinstance(m, RoomTimers) and m.timers]
    assert [one.area for one in told] == ["office"]
    say("move that to the bedroom", "office")
    with_reply = {m.area: len(m.timers) for m in say.given if isinstance(m, RoomTimers)}
    assert with_reply == {"bedroom": 1, "office": 0}


def test_a_move_outlives_the_process(say: Conversation) -> None:
    say("set a timer for ten minutes")
    say("move that to the office")
    say.talk.restart()
    assert rings(wait(say.talk, 600)) == [("Your timer for ten minutes is done.", "desk")]


@pytest.mark.parametrize("interrupted", [False, True])
def test_one_that_rings_is_moved_at_once(say: Conversation, interrupted: bool) -> None:
    say("set a tea timer for ten minutes")
    first = wait(say.talk, 601)
    if interrupted:  # by the wake word
        heard(say.talk, first, interrupted)
    say.talk._to(say.talk.at_s + 2)
    assert say("move that to the office").startswith("Your tea timer rings in the office now.")
    again = [m for m in say.given if isinstance(m, SpokenReply) and m.once]
    assert rings(list(again)) == [("Your tea timer is done.", "desk")]
    heard(say.talk, first)
    assert say.talk.timers() == 1  # what was heard is another ring
    heard(say.talk, list(again))
    assert say.talk.timers() == 0


def test_one_that_has_rung_and_was_moved_rings_no_more_when_that_is_taken_back(
    say: Conversation,
) -> None:
    say("set a tea timer for ten minutes")
    heard(say.talk, wait(say.talk, 600))
    say("move that to the office")
    say("undo that")
    assert say.talk.timers() == 0


@pytest.mark.parametrize(
    "before",
    [
        "add milk to the shopping list",
        "turn on the kettle",
        "add dentist to the calendar for tomorrow at nine",
    ],
)
def test_what_was_spoken_of_since_is_no_timer(say: Conversation, before: str) -> None:
    say("set a timer for ten minutes")
    say(before)
    for text in ("move that to the office", "move it to the office", "ring it in the office"):
        assert "will ring" not in say(text)
    assert rings(wait(say.talk, 600)) == [("Your timer for ten minutes is done.", "")]


def test_without_any_there_is_none(say: Conversation) -> None:
    assert say("move the timer to the office") == "There is no timer."
    assert say("where will the timer ring") == "There is no timer."
    assert "ring" not in say("move that to the office")


def test_what_was_set_elsewhere_is_meant_where_nothing_was_spoken_of(say: Conversation) -> None:
    say("set a timer for ten minutes")
    assert say("move that to the bedroom", "office") == "Your timer will ring in the bedroom."
    say("wake me at seven in the morning")
    assert "will ring" not in say("move that to the office", "bedroom")  # which of both?


def test_over_the_network_nothing_is_here(say: Conversation) -> None:
    said = "There is no loudspeaker in the attic; it rings in the kitchen."
    assert say("set a ten minute timer and ring in the attic", PEER).endswith(said)


def test_a_device_in_no_room_is_the_base(talks: Callable[..., Talk], nlu: NluStage) -> None:
    say = Conversation(talks(home=LARGER, area=""), nlu, float(next(FAR_APART)))
    come(say.talk)
    say("set a timer for ten minutes")
    assert say("where will the timer ring").endswith("will ring here.")
    assert say("where will the timer ring", "office").endswith("will ring at the base.")


def test_what_is_no_more_cannot_ring_elsewhere(talk: Talk) -> None:
    context = talk.stage._rooms.of("").context
    with pytest.raises(SkillError, match="no more"):
        context.timers.ring_in("gone", "office")
    with pytest.raises(SkillError, match="no more"):
        context.alarms.ring_in("gone", "office")


# ── alarms ──────────────────────────────────────────────────────────────────────────────────


def test_an_alarm_rings_where_it_was_set(say: Conversation) -> None:
    assert say("wake me in ten minutes", "bedroom") == "Your alarm will ring in ten minutes."
    assert [peer for _, peer in rings(wait(say.talk, 600))] == ["bed"]


def test_it_rings_at_the_device_while_the_satellite_is_away(say: Conversation) -> None:
    say("wake me in ten minutes", "bedroom")
    come(say.talk, present=False)
    say.talk._to(say.talk.at_s + 600)
    assert [peer for _, peer in rings(say.talk.feed(Tick()))] == [""]


@pytest.mark.parametrize(
    "text",
    [
        "wake me at seven in the bedroom",
        "wake me in the bedroom at seven",
        "set an alarm for seven a.m. in the bedroom",
        "set an alarm in the bedroom for seven a.m.",
    ],
)
def test_an_alarm_is_set_for_another_room(say: Conversation, text: str) -> None:
    assert say(text) == "Your alarm will ring tomorrow at 7 am in the bedroom."
    assert [peer for _, peer in rings(wait(say.talk, 12.5 * 3600))] == ["bed"]


@pytest.mark.parametrize(
    "text",
    [
        "move that to the bedroom",
        "move my alarm to the bedroom",
        "move the seven o'clock alarm to the bedroom",
        "ring it in the bedroom",
        "let it ring in the bedroom",
        "wake me in the bedroom",
    ],
)
def test_an_alarm_is_moved(say: Conversation, text: str) -> None:
    say("wake me at seven")
    assert say(text) == "Your alarm will ring in the bedroom."
    assert say("where does my alarm ring") == "Your alarm will ring in the bedroom."
    say.talk.restart()
    assert [peer for _, peer in rings(wait(say.talk, 12.5 * 3600))] == ["bed"]


def test_that_is_taken_back_also_of_one_that_has_rung_since(say: Conversation) -> None:
    say("wake me every day at seven")
    say("move that to the bedroom")
    heard(say.talk, wait(say.talk, 12.5 * 3600), interrupted=True)
    say("undo that")
    assert [peer for _, peer in rings(wait(say.talk, TOLD_S))] == []
    assert [peer for _, peer in rings(wait(say.talk, DAY_S))] == [""]


def test_an_alarm_stays_where_a_room_has_no_loudspeaker(say: Conversation) -> None:
    nobody = "There is no loudspeaker in the attic; it rings here."
    told = say("wake me at seven in the attic")
    assert told == f"Your alarm will ring tomorrow at 7 am. {nobody}"
    assert say("move my alarm to the attic") == nobody
    assert say("where will it ring") == "Your alarm will ring here."


def test_an_alarm_that_rings_is_moved_at_once_and_insists_there(say: Conversation) -> None:
    say("wake me at seven")
    first = wait(say.talk, 12.5 * 3600)
    assert say("move that to the bedroom").startswith("Your alarm rings in the bedroom now.")
    again = [m for m in say.given if isinstance(m, SpokenReply) and m.once]
    assert [m.peer for m in again] == ["bed"]
    heard(say.talk, first, interrupted=True)  # elsewhere
    heard(say.talk, list(again))
    assert [peer for _, peer in rings(wait(say.talk, EVERY_S + 1))] == ["bed"]


def test_an_alarm_that_was_interrupted_rings_there_now(say: Conversation) -> None:
    say("wake me every day at seven")
    heard(say.talk, wait(say.talk, 12.5 * 3600), interrupted=True)
    assert say("move that to the bedroom").startswith("Your alarm rings in the bedroom now.")
    (again,) = (m for m in say.given if isinstance(m, SpokenReply) and m.once)
    heard(say.talk, [again], interrupted=True)
    assert say("where will my alarm ring") == "Your alarm will ring here."


def test_of_several_alarms_it_is_asked_which(say: Conversation) -> None:
    say("wake me at seven")
    say("wake me at eight")
    asked = say("move the alarm to the bedroom", "office")
    assert asked == "Which alarm: tomorrow at 7 am or tomorrow at 8 am?"
    told = (
        "Your alarms will ring tomorrow at 7 am in the kitchen and tomorrow at 8 am in the kitchen."
    )
    assert say("where will my alarm ring", "bedroom") == told


def test_without_any_alarm_there_is_none(say: Conversation) -> None:
    assert say("move my alarm to the bedroom") == "No alarm is set."
    assert say("where does my alarm ring") == "No alarm is set."


def test_an_alarm_of_an_older_version_rings_at_the_device(talk: Talk) -> None:
    alarms = talk.stage._rooms.of("").context.alarms
    alarms.set(When(kind="in", said="", value=60), "up")
    ((row,),) = talk.database.execute("SELECT alarm FROM alarms")
    older = {k: v for k, v in msgspec.json.decode(row).items() if k != "area"}
    talk.database.execute("UPDATE alarms SET alarm = ?", msgspec.json.encode(older).decode())
    assert [peer for _, peer in rings(wait(talk, 61))] == [""]
