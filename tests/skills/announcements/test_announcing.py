"""What a skill says unasked: once, when nobody speaks, and not while nobody is to be disturbed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, time, timedelta
from typing import Any

import msgspec
import pytest

from assistant.core.errors import SkillError
from assistant.core.messages import (
    Commit,
    Message,
    NothingHeard,
    PlaybackEnded,
    PlaybackStarted,
    SpokenReply,
    When,
    Woke,
)
from assistant.skill import Ask, Context, Dialog, Reply, Skill, Undo
from assistant.skill.testing import NOW, MemoryAnnouncements, memory_context
from skills.announcements.waiting import NAME, PAUSES_S
from skills.registry import Registry
from tests.support.grammars import built_in_skills
from tests.support.talking import EVENING, Talk, command

TIDE = "The tide is high."
LAMP = command("HassTurnOn", name="Ceiling")


def announcer(name: str = "tides", **how: Any) -> Skill:
    """A skill that announces as `how` says when it is asked to."""
    skill = Skill(name)

    @skill.intent(f"{name}Tell", f"tell {name}")
    def tell(context: Context) -> Reply:
        context.announce(TIDE, **how)
        return Reply("Okay.")

    @skill.intent(f"{name}Fail", f"fail {name}")
    def fail(context: Context) -> Reply:
        context.announce(TIDE, **how)
        raise ZeroDivisionError

    @skill.intent(f"{name}Ask", f"ask {name}")
    def ask(context: Context) -> Dialog:
        context.announce(TIDE, **how)
        yield Ask("Really?", bool)
        return Reply("Okay.")

    @skill.intent(f"{name}Steal", f"steal {name}")
    def steal(context: Context) -> Reply:
        told = [one.text for one in context.announcements.waiting()]
        return Reply(" ".join(told), undo=Undo("announcements.cancel", "x", name="tides"))

    return skill


def served(*skills: Skill) -> Registry:
    registry = built_in_skills()
    for skill in skills:
        registry.add(skill.name, lambda skill=skill: skill)  # type: ignore[misc]
    return registry


@pytest.fixture
def begin(talks: Callable[..., Talk]) -> Callable[..., Talk]:
    def talk(now: datetime = EVENING, quiet: tuple[time, time] | None = None, **how: Any) -> Talk:
        return talks(registry=served(announcer(**how)), now=now, quiet=quiet)

    return talk


def announced(messages: list[Message]) -> list[str]:
    return [m.text for m in messages if isinstance(m, SpokenReply) and NAME in m.utterance_id]


def asked(talk: Talk, intent: str = "tidesTell") -> list[str]:
    """What is announced at once when the skill is asked, and its reply has been played."""
    messages = talk.hear(intent, command(intent))
    reply = next(m for m in messages if isinstance(m, SpokenReply) and NAME not in m.utterance_id)
    return announced([*messages, *talk.play(reply)])


def rows(talk: Talk) -> int:
    return len(talk.database.execute("SELECT * FROM announcements"))


def test_it_waits_until_the_reply_was_played_and_for_a_moment_more(
    begin: Callable[..., Talk],
) -> None:
    talk = begin()
    assert asked(talk) == []
    assert announced(talk.wait(PAUSES_S["normal"] - 0.5)) == []
    (told,) = talk.wait(1)
    assert isinstance(told, SpokenReply)
    assert (told.text, told.once) == (TIDE, True)


def test_what_is_urgent_is_said_at_once(begin: Callable[..., Talk]) -> None:
    assert asked(begin(priority="urgent")) == [TIDE]


def test_what_is_low_waits_for_a_minute_of_silence(begin: Callable[..., Talk]) -> None:
    talk = begin(priority="low")
    asked(talk)
    assert announced(talk.wait(50)) == []
    (reply,) = talk.hear("turn on the ceiling", LAMP)
    talk.play(reply)
    assert announced(talk.wait(50)) == []
    assert announced(talk.wait(11)) == [TIDE]


def test_it_is_given_again_until_it_was_heard_and_then_never(begin: Callable[..., Talk]) -> None:
    talk = begin()
    asked(talk)
    (first,) = talk.wait(5)
    assert announced(talk.wait(120))[:1] == [TIDE]
    talk.restart()
    (again, *_) = [m for m in talk.wait(60) if isinstance(m, SpokenReply)]
    assert again.utterance_id == first.utterance_id  # type: ignore[attr-defined]
    talk.play(again)
    assert rows(talk) == 0
    assert announced(talk.wait(3600)) == []


@pytest.mark.parametrize(
    ("news", "then"),
    [
        (Woke(utterance_id="u", wake_word="computer"), NothingHeard(utterance_id="u")),
        (PlaybackStarted(utterance_id="r"), PlaybackEnded(utterance_id="r")),
        (Commit(utterance_id="u", revision=1), PlaybackEnded(utterance_id="u")),
    ],
)
@pytest.mark.parametrize("lost", [False, True])
def test_it_waits_while_somebody_speaks_or_is_spoken_to(
    begin: Callable[..., Talk], news: Message, then: Message, lost: bool
) -> None:
    talk = begin(after=timedelta(seconds=30))
    asked(talk)
    talk.wait(29)
    talk.feed(news)
    assert announced(talk.wait(10)) == []
    if lost:  # the end never comes: the turn lapses
        assert announced(talk.wait(130)) != []
        return
    talk.feed(then)
    assert announced(talk.wait(3)) == []
    assert announced(talk.wait(2)) == [TIDE]


def test_it_waits_while_a_question_is_open(begin: Callable[..., Talk]) -> None:
    talk = begin()
    assert asked(talk, "tidesAsk") == []
    assert announced(talk.wait(59)) == []
    assert announced(talk.wait(10)) == [TIDE]


def test_one_is_said_after_the_other_the_urgent_first(talks: Callable[..., Talk]) -> None:
    talk = talks(registry=served(announcer("tides"), announcer("fire", priority="urgent")))
    asked(talk)
    asked(talk)
    (reply, urgent) = talk.hear("fire", command("fireTell"))
    assert announced([reply, urgent]) == [TIDE]
    talk.play(reply)
    assert announced(talk.wait(8)) == []  # while the urgent one is played
    talk.play(urgent)
    (first,) = talk.wait(5)
    assert announced(talk.wait(5)) == []
    talk.play(first)
    (second,) = talk.wait(5)
    talk.play(second)
    assert rows(talk) == 0
    assert announced(talk.wait(3600)) == []


def test_a_turn_that_fails_announces_nothing(begin: Callable[..., Talk]) -> None:
    talk = begin(priority="urgent")
    with pytest.raises(SkillError):
        talk.ask("tidesFail")
    assert announced(talk.wait(60)) == []


def test_undo_takes_it_back(begin: Callable[..., Talk]) -> None:
    talk = begin(after=timedelta(minutes=4))
    asked(talk)
    assert talk.ask("Undo") == "I took that back."
    assert announced(talk.wait(600)) == []


@pytest.mark.parametrize(
    "how",
    [
        {"after": timedelta(minutes=10)},
        {"at": EVENING + timedelta(minutes=10)},
        {"at": EVENING.astimezone(tz=None) + timedelta(minutes=10)},
    ],
)
@pytest.mark.parametrize("off", [False, True])
def test_it_is_said_at_its_time_also_after_the_power_was_off(
    begin: Callable[..., Talk], how: dict[str, Any], off: bool
) -> None:
    talk = begin(**how)
    asked(talk)
    assert announced(talk.wait(500)) == []
    if off:
        talk.reboot(60)
    assert announced(talk.wait(120))[:1] == [TIDE]


def test_what_expires_is_not_said_late(begin: Callable[..., Talk]) -> None:
    talk = begin(after=timedelta(minutes=10), expires=timedelta(minutes=5))
    asked(talk)
    talk.reboot(20 * 60)
    assert announced(talk.wait(600)) == []
    assert rows(talk) == 0


def test_what_expires_is_said_in_time(begin: Callable[..., Talk]) -> None:
    """Control."""
    talk = begin(after=timedelta(minutes=10), expires=timedelta(minutes=5))
    asked(talk)
    talk.reboot(12 * 60)
    assert announced(talk.wait(60))[:1] == [TIDE]


NIGHT = datetime(2026, 1, 5, 23, 0, tzinfo=UTC)
HOURS = (time(22), time(7))


def test_in_quiet_hours_it_waits_until_they_end_also_over_a_reboot(
    begin: Callable[..., Talk],
) -> None:
    talk = begin(NIGHT, HOURS)
    asked(talk)
    assert announced(talk.wait(7 * 3600)) == []
    talk.reboot(1800)
    assert announced(talk.wait(1700)) == []
    assert announced(talk.wait(200))[:1] == [TIDE]


def test_what_is_urgent_disturbs_the_quiet_hours(begin: Callable[..., Talk]) -> None:
    assert asked(begin(NIGHT, HOURS, priority="urgent")) == [TIDE]


def test_a_timer_rings_in_quiet_hours_and_a_plan_is_told_after_them(
    begin: Callable[..., Talk],
) -> None:
    talk = begin(NIGHT, HOURS)
    talk.ask("HassStartTimer", duration=60)
    soon = When(kind="in", said="in two minutes", value=120.0)
    talk.say("later", msgspec.structs.replace(LAMP, when=soon))
    rung = talk.wait(300)
    assert {m.text for m in rung if isinstance(m, SpokenReply)} == {
        "Your timer for one minute is done."
    }
    assert talk.state("light.ceiling") == "on"
    told = [m.text for m in talk.wait(8 * 3600) if isinstance(m, SpokenReply)]
    assert "I turned on the ceiling, as planned." in told


def test_do_not_disturb_holds_over_a_reboot_and_ends_in_time(begin: Callable[..., Talk]) -> None:
    talk = begin()
    told = talk.ask("DoNotDisturb", duration=7200)
    assert told == "Okay, I will only disturb you until 8:30 pm if it is urgent."
    asked(talk)
    talk.reboot(600)
    assert announced(talk.wait(6000)) == []
    assert announced(talk.wait(700))[:1] == [TIDE]


def test_do_not_disturb_is_ended_and_taken_back(begin: Callable[..., Talk]) -> None:
    talk = begin()
    assert talk.ask("EndDoNotDisturb") == "Do not disturb is off."
    talk.ask("DoNotDisturb")
    assert talk.ask("IsDoNotDisturb") == "Do not disturb is on."
    asked(talk)
    assert announced(talk.wait(86_400)) == []
    assert talk.ask("EndDoNotDisturb") == "Okay, I will speak up again."
    assert talk.ask("Undo") == "I took that back."
    assert talk.ask("IsDoNotDisturb") == "Do not disturb is on."
    (reply,) = talk.hear("again", command("EndDoNotDisturb"))
    talk.play(reply)
    assert announced(talk.wait(20))[:1] == [TIDE]  # nobody has played the other replies


def test_until_a_time_and_not_until_one_that_is_over(begin: Callable[..., Talk]) -> None:
    talk = begin()
    late = (EVENING - timedelta(hours=1)).isoformat()
    assert talk.ask("DoNotDisturb", until=late) == "That time is over."
    until = (EVENING + timedelta(hours=20)).isoformat()
    told = "Okay, I will only disturb you until tomorrow at 2:30 pm if it is urgent."
    assert talk.ask("DoNotDisturb", until=until) == told
    assert talk.ask("IsDoNotDisturb") == "Do not disturb is on until tomorrow at 2:30 pm."


def test_a_skill_sees_and_cancels_its_own_alone(talks: Callable[..., Talk]) -> None:
    hour = timedelta(hours=1)
    talk = talks(registry=served(announcer("tides", after=hour), announcer("thief")))
    asked(talk)
    ((kept,),) = talk.database.execute("SELECT id FROM announcements")

    def steal(context: Context) -> Reply:
        context.announcements.cancel(kept)
        context.storage.set("robbed", True)
        return Reply("Stolen.", undo=Undo("announcements.cancel", kept, name="tides"))

    robber = Skill("robber")
    robber.intent("Rob", "rob")(steal)
    talk.registry = served(announcer("tides", after=hour), robber)
    talk.rebuild()
    assert talk.ask("Rob") == "Stolen."
    assert talk.ask("Undo") == "I took that back."
    assert rows(talk) == 1


@pytest.mark.parametrize(
    ("text", "how", "why"),
    [
        ("", {}, "1 to 1000 characters"),
        ("x" * 2000, {}, "1 to 1000 characters"),
        (TIDE, {"priority": "shouted"}, "urgent, normal, low"),
        (TIDE, {"at": datetime(2026, 1, 6)}, "a time has no zone"),
        (TIDE, {"at": datetime(2030, 1, 6, tzinfo=UTC)}, "more than a year"),
        (TIDE, {"after": timedelta(days=400)}, "more than a year"),
    ],
)
def test_what_cannot_be_announced_is_told_with_its_line(
    text: str, how: dict[str, Any], why: str
) -> None:
    skill = Skill("tides")
    skill.intent("Tell", "tell")(lambda context: Reply(context.announce(text, **how)))
    talk = Talk(registry=served(skill))
    with pytest.raises(SkillError) as refused:
        talk.ask("Tell")
    assert (refused.value.code, refused.value.part) == ("skill.announcement", "tides")
    assert why in refused.value.message
    assert f"({__file__}, line " in refused.value.message
    talk.database.close()


def test_twenty_of_one_skill_wait_and_no_more(begin: Callable[..., Talk]) -> None:
    talk = begin(after=timedelta(hours=1))
    for _ in range(20):
        talk.ask("tidesTell")
    with pytest.raises(SkillError, match="20 announcements wait already"):
        talk.ask("tidesTell")
    assert rows(talk) == 20


def test_a_skill_is_tested_with_announcements_in_memory() -> None:
    context = memory_context()
    context.announce(TIDE, priority="low", at=NOW)
    assert isinstance(context.announcements, MemoryAnnouncements)
    ((made, at),) = context.announcements.made
    assert (made.text, made.priority, at) == (TIDE, "low", NOW)
