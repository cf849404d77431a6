"""What is said of reminders and alarms, through the sentences alone: no model is asked."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from assistant.core.messages import SpokenReply
from assistant.skill import Alarm
from tests.support.conversation import Conversation


def kept(say: Conversation) -> list[Alarm]:
    return list(say.talk.stage._rooms.of("").context.alarms.all())


@pytest.mark.parametrize(
    ("text", "name", "then"),
    [
        ("remind me to call mum at nine", "call mum", "at 9 pm"),
        ("remind me to call my mum at nine", "call your mum", "at 9 pm"),
        ("remind me about the splint in an hour", "the splint", "in one hour"),
        (
            "remind me to cook it for an hour at nine",
            "cook it for an hour",
            None,
        ),
        ("remind me every monday at eight to put the bins out", "put the bins out", None),
        ("in ten minutes remind me to turn the oven off", "turn the oven off", "in ten minutes"),
        ("remind me to book for two on friday at nine", "book for two", None),
    ],
)
def test_the_time_is_no_part_of_what_is_to_be_said(
    say: Conversation, text: str, name: str, then: str | None
) -> None:
    say(text)
    (alarm,) = kept(say)
    assert alarm.name == name
    assert then in (None, alarm.then)


def test_free_text_that_takes_no_time_keeps_it(say: Conversation) -> None:
    say("note that dinner is at nine")
    assert "dinner is at nine" in say("what did I ask you to note")


def test_what_is_missing_is_asked_for(say: Conversation) -> None:
    assert say("set a reminder") == "What shall I remind you of?"
    assert say("feed the cat") == "When shall I remind you?"
    assert say("remind me tomorrow to feed the cat") == "At what time?"
    assert kept(say) == []


def test_an_alarm_is_left_out_once(say: Conversation) -> None:
    say("wake me up every weekday at seven")
    assert say("no alarm on wednesday").startswith("I can only leave out the next time")
    assert "It will ring on Wednesday" in say("skip tomorrow's alarm") or kept(say)
    assert kept(say)[0].at == datetime(2026, 1, 7, 7, tzinfo=UTC)
    say("undo")
    assert kept(say)[0].at == datetime(2026, 1, 6, 7, tzinfo=UTC)


def test_what_rings_is_stopped_put_off_and_called_it(say: Conversation) -> None:
    say("set an alarm for nine")
    rings = say.talk.wait(2.5 * 3600)
    assert any(isinstance(m, SpokenReply) and "for 9 pm" in m.text for m in rings)
    assert say("five more minutes") == "Your alarm will come again in five minutes."
    say.talk.wait(301)
    assert say("stop") == "Okay."
    assert kept(say) == []
    assert say("snooze") == "Nothing is ringing."


@pytest.mark.parametrize(
    ("first", "then", "at"),
    [
        ("wake me at seven", "no, at eight", (6, 8)),
        ("wake me at seven", "make it half an hour later", (6, 7.5)),
        ("set an alarm for seven tomorrow", "move the alarm to eight", (6, 8)),
        ("remind me to call mum at nine", "no, at ten", (5, 22)),
        ("set an alarm for seven tomorrow", "move the alarm to eight on friday", (9, 8)),
        ("set an alarm for seven tomorrow", "make it eight in the evening", (6, 20)),
        ("remind me to call mum at nine", "make it ten minutes earlier", (5, 20 + 50 / 60)),
    ],
)
def test_it_is_put_right(say: Conversation, first: str, then: str, at: Any) -> None:
    say(first)
    say(then)
    (alarm,) = kept(say)
    day, hours = at
    assert alarm.at == datetime(2026, 1, day, tzinfo=UTC) + timedelta(hours=hours)


def test_of_several_one_is_asked_for(say: Conversation) -> None:
    say("remind me to call mum at nine")
    say("remind me to call dad at ten")
    assert say("cancel the reminder about mum").startswith("I will not remind you: call mum")
    say("remind me to call mum at nine")
    say("what are my reminders")
    assert say("cancel the reminder").startswith("Which reminder:")
    assert say("the second") == "I will not remind you: call dad at 10 pm."
    assert say("cancel all my reminders").endswith("Shall I cancel that?")
    assert say("no") == "Okay, I left it as it is."
    assert len(kept(say)) == 1
