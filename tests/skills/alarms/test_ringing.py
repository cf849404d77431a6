"""What rings at its time: after kills and power cuts, by a clock that is set, once, until heard."""

from __future__ import annotations

from collections.abc import Callable
from datetime import time, timedelta

import msgspec
import pytest

from assistant.core.errors import SkillError
from assistant.core.messages import Message, PlaybackEnded, SpokenReply, When
from assistant.skill.plans import LONGEST_WORDS, MOST_ALARMS, WAITS
from skills.later.alarms import EVERY_S, MOST_RINGS
from skills.later.evidence import Evidence
from skills.later.later import DOUBT
from tests.support.talking import EVENING, Talk, command

SEVEN = "2026-01-06T07:00:00+00:00"
TO_SEVEN_S = 12.5 * 3600
DAILY = When(
    kind="every", said="every day at seven", value="DTSTART:20260106T070000Z\nRRULE:FREQ=DAILY"
)
DAY_S = 86400.0


def alarm(talk: Talk) -> str:
    return talk.ask("SetAlarm", moment=SEVEN)


def reminder(talk: Talk, moment: str = SEVEN) -> str:
    return talk.ask("SetReminder", what="call mum", link="to", moment=moment)


def daily(talk: Talk) -> str:
    return talk.say("wake me", msgspec.structs.replace(command("SetAlarm"), when=DAILY))


def rings(messages: list[Message]) -> list[SpokenReply]:
    return [m for m in messages if isinstance(m, SpokenReply)]


def told(talk: Talk, seconds: float, interrupted: bool = False) -> list[str]:
    """What is said in a while, each once, and heard."""
    end_s, said = talk.at_s + seconds, []
    while talk.at_s < end_s:
        due_s = talk.stage.deadline_s()
        step_s = max(0.0, min(end_s, due_s if due_s is not None else end_s) - talk.at_s)
        for ring in rings(talk.wait(step_s)):
            said.append(ring.text)
            talk.feed(PlaybackEnded(utterance_id=ring.utterance_id, interrupted=interrupted))
        if due_s is None or due_s > end_s:
            break
    return said


def set_alarms(talk: Talk) -> list[str]:
    return [one.then for one in talk.stage._rooms.of("").context.alarms.all()]


def test_a_reminder_is_said_once_at_its_time(talk: Talk) -> None:
    assert reminder(talk) == "I will remind you to call mum tomorrow at 7 am."
    assert told(talk, TO_SEVEN_S - 1) == []
    assert told(talk, 10) == ["A reminder: call mum."]
    assert told(talk, 5000) == []
    assert set_alarms(talk) == []


def test_an_alarm_rings_again_and_again_until_somebody_is_awake(talk: Talk) -> None:
    assert alarm(talk) == "Your alarm will ring tomorrow at 7 am."
    first = told(talk, TO_SEVEN_S + 1)
    assert first == ["This is your alarm for 7 am."]
    assert told(talk, EVERY_S + 1) == first
    assert talk.ask("HassNevermind") == "Okay."
    assert told(talk, 3600) == []
    assert set_alarms(talk) == []


def test_an_alarm_that_nobody_hears_ends(talk: Talk) -> None:
    alarm(talk)
    assert len(told(talk, TO_SEVEN_S + 3600)) == MOST_RINGS
    assert set_alarms(talk) == []


def test_an_alarm_that_is_interrupted_is_over(talk: Talk) -> None:
    alarm(talk)
    assert len(told(talk, TO_SEVEN_S + 3600, interrupted=True)) == 1


def test_a_ring_that_was_lost_comes_again_under_its_name(talk: Talk) -> None:
    reminder(talk)
    first, *again = rings(talk.wait(TO_SEVEN_S + 120))
    assert again
    assert {ring.utterance_id for ring in again} == {first.utterance_id}
    assert first.once


def test_a_ring_that_was_not_heard_comes_again_after_a_kill(talk: Talk) -> None:
    reminder(talk)
    (ring,) = rings(talk.wait(TO_SEVEN_S))
    talk.restart()
    (again,) = rings(talk.wait(1))
    assert again.utterance_id == ring.utterance_id
    talk.play(again)
    talk.restart()
    assert rings(talk.wait(600)) == []


def test_a_ring_that_was_heard_does_not_come_again_after_a_kill(talk: Talk) -> None:
    alarm(talk)
    assert len(told(talk, TO_SEVEN_S + 1)) == 1
    talk.restart()
    (ring,) = rings(talk.wait(1))
    assert ring.utterance_id.endswith("-1")


def test_one_that_fell_due_without_power_is_said_to_be_late(talk: Talk) -> None:
    reminder(talk)
    talk.reboot(TO_SEVEN_S + 7200)
    assert told(talk, 100) == ["A reminder: call mum. It was due at 7 am, two hours ago."]


def test_a_late_alarm_rings_once(talk: Talk) -> None:
    alarm(talk)
    talk.reboot(TO_SEVEN_S + 7200)
    late = "This is your alarm for 7 am. It was due at 7 am, two hours ago."
    assert told(talk, 1000) == [late]


def test_what_recurs_rings_each_day_and_once_where_it_was_missed(talk: Talk) -> None:
    assert daily(talk) == "Your alarm will ring every day at 7 am."
    assert told(talk, TO_SEVEN_S + 1, interrupted=True) == ["This is your alarm for 7 am."]
    assert told(talk, DAY_S, interrupted=True) == ["This is your alarm for 7 am."]
    talk.reboot(3 * DAY_S + 7200)
    assert len(told(talk, 1000)) == 1
    assert set_alarms(talk) == ["every day at 7 am"]


def test_daylight_saving_leaves_seven_at_seven(talk: Talk) -> None:
    daily(talk)
    talk.now += timedelta(hours=1)  # the clock is put forward
    assert told(talk, TO_SEVEN_S - 3600 + 61, interrupted=True) == ["This is your alarm for 7 am."]


def test_by_a_clock_that_is_not_known_it_waits(talks: Callable[..., Talk]) -> None:
    board = talks(evidence=Evidence.AWAITED)
    assert reminder(board).endswith(WAITS)
    assert told(board, TO_SEVEN_S + 700) == [DOUBT]
    board.evidence = Evidence.NETWORK
    (late,) = told(board, 60)
    assert late.startswith("A reminder: call mum. It was due at 7 am")


def test_it_is_heard_in_quiet_hours(talks: Callable[..., Talk]) -> None:
    talk = talks(quiet=(time(22), time(9)))
    reminder(talk)
    assert told(talk, TO_SEVEN_S + 1) == ["A reminder: call mum."]


def test_what_has_rung_is_put_off(talk: Talk) -> None:
    daily(talk)
    talk.wait(TO_SEVEN_S)
    assert talk.ask("SnoozeAlarm", duration=300) == "Your alarm will come again in five minutes."
    assert set_alarms(talk) == ["in five minutes", "every day at 7 am"]
    assert told(talk, 301, interrupted=True) == ["This is your alarm for 7:05 am."]
    assert set_alarms(talk) == ["every day at 7 am"]


def test_a_reminder_that_was_heard_is_put_off(talk: Talk) -> None:
    reminder(talk)
    told(talk, TO_SEVEN_S + 1)
    assert talk.ask("SnoozeAlarm") == "Your reminder will come again in nine minutes."
    assert told(talk, 600) == ["A reminder: call mum."]
    told(talk, 600)
    assert talk.ask("SnoozeAlarm") == "Nothing is ringing."


def test_each_act_is_taken_back(talk: Talk) -> None:
    alarm(talk)
    assert set_alarms(talk) == ["tomorrow at 7 am"]
    talk.ask("Undo")
    assert set_alarms(talk) == []
    daily(talk)
    for act in ("CancelAlarm", "SkipAlarm"):
        talk.ask(act)
        talk.restart()
        talk.ask("Undo")
        assert talk.stage._rooms.of("").context.alarms.all()[0].at.isoformat() == SEVEN
    talk.ask("ChangeAlarm", duration=1800, direction="later")
    assert set_alarms(talk) == ["every day at 7:30 am"]
    talk.ask("Undo")
    assert set_alarms(talk) == ["every day at 7 am"]
    talk.wait(TO_SEVEN_S)
    talk.ask("SnoozeAlarm")
    talk.ask("Undo")
    assert set_alarms(talk) == ["every day at 7 am"]


def test_a_damaged_alarm_is_passed_over(talk: Talk) -> None:
    alarm(talk)
    talk.database.execute("INSERT INTO alarms VALUES ('x', 'no JSON')")
    assert set_alarms(talk) == ["tomorrow at 7 am"]


def test_there_are_limits(talk: Talk) -> None:
    alarms = talk.stage._rooms.of("").context.alarms
    soon = When(kind="in", said="", value=60)
    with pytest.raises(SkillError, match="letters"):
        alarms.set(soon, "x" * (LONGEST_WORDS + 1))
    with pytest.raises(SkillError, match="over"):
        alarms.set(When(kind="at", said="", value=EVENING.isoformat()), "x")
    for _ in range(MOST_ALARMS):
        alarms.set(soon, "x")
    with pytest.raises(SkillError, match="already"):
        alarms.set(soon, "x")


@pytest.mark.parametrize("operation", ["skip", "cancel"])
def test_what_is_no_more_cannot_be_changed(talk: Talk, operation: str) -> None:
    with pytest.raises(SkillError, match="no more"):
        getattr(talk.stage._rooms.of("").context.alarms, operation)("gone")
