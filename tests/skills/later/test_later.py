"""Commands for later, on a disk that outlives processes: wished, kept, carried out once, told."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import msgspec
import pytest

from assistant.core.errors import StorageError
from assistant.core.messages import (
    Command,
    DeviceChanged,
    HomeCommand,
    Message,
    SlotValue,
    SpokenReply,
    When,
)
from assistant.skill import Confirm, Context, Dialog, Reply, Skill
from skills.registry import Registry
from tests.support.grammars import built_in_skills
from tests.support.talking import Talk, command, directed, unsure

ZURICH = ZoneInfo("Europe/Zurich")
EVENING = datetime(2026, 1, 5, 18, 30, tzinfo=ZURICH)
TEN = When(kind="at", said="at ten", value="2026-01-05T22:00:00+01:00")
SOON = When(kind="in", said="in ten minutes", value=600)
DAILY = When(
    kind="every",
    said="every day at seven",
    value="DTSTART;TZID=Europe/Zurich:20260105T190000\nRRULE:FREQ=DAILY",
)
HALF_AN_HOUR = When(kind="for", said="for half an hour", value=1800)


def later(when: When, intent: str, **slots: SlotValue) -> Command:
    return msgspec.structs.replace(command(intent, **slots), when=when)


def replies(messages: list[Message]) -> list[str]:
    """The words of each reply, which comes again until it is heard."""
    told = {m.utterance_id: m.text for m in messages if isinstance(m, SpokenReply)}
    return list(told.values())


@pytest.fixture
def board(talks: Callable[..., Talk]) -> Talk:
    return talks(now=EVENING)


def kettle_on(talk: Talk, when: When) -> str:
    return talk.say(f"turn on the kettle {when.said}", later(when, "HassTurnOn", name="Kettle"))


def test_a_command_is_carried_out_at_its_time_and_told_until_heard(board: Talk) -> None:
    assert kettle_on(board, SOON) == "I will turn on the kettle in ten minutes."
    assert replies(board.wait(599)) == []
    assert board.state("switch.kettle") == "off"
    (told,) = board.wait(1)
    assert isinstance(told, SpokenReply)
    assert (told.text, told.once) == ("I turned on the kettle, as planned.", True)
    assert board.state("switch.kettle") == "on"
    board.restart()
    again = board.wait(30)
    assert [msgspec.structs.replace(m, at_s=0.0) for m in again[:1]] == [told]
    board.play(told)
    assert board.wait(3600) == []
    assert board.stage.deadline_s() is None


def test_nothing_of_a_rehearsal_stays_or_is_sent(talks: Callable[..., Talk]) -> None:
    talk = talks(now=EVENING, broker=True)
    talk.feed(DeviceChanged(device="broker", present=True))
    both = (command("HassTurnOn", name="Ceiling"), later(TEN, "HassTurnOn", name="Kettle"))
    sent = [m.entity_id for m in talk.hear("both", *both) if isinstance(m, HomeCommand)]
    assert sent == ["light.ceiling"]
    assert talk.state("switch.kettle") == "off"
    talk.wait(3.5 * 3600 - 1)
    talk.feed(DeviceChanged(device="broker", present=True))
    sent = [m.entity_id for m in talk.wait(60) if isinstance(m, HomeCommand)]
    assert sent == ["switch.kettle"]


def test_several_commands_are_promised_in_one_sentence(board: Talk) -> None:
    names = ("Ceiling", "Counter", "Kettle")
    told = board.say("all on at ten", *(later(TEN, "HassTurnOn", name=name) for name in names))
    assert (
        told == "I will turn on the ceiling, turn on the counter and turn on the kettle at 10 pm."
    )


@pytest.mark.parametrize("when", [SOON, TEN])
def test_a_plan_survives_a_restart_and_a_reboot(board: Talk, when: When) -> None:
    kettle_on(board, when)
    board.wait(60)
    board.restart()
    board.wait(60)
    board.reboot(off_s=60)
    assert board.state("switch.kettle") == "off"
    board.wait(3.5 * 3600)
    assert board.state("switch.kettle") == "on"


def test_a_wall_clock_that_is_set_moves_what_is_planned_by_it(board: Talk) -> None:
    kettle_on(board, TEN)
    board.now += timedelta(hours=3)
    assert replies(board.wait(1800 + 59)) == ["I turned on the kettle, as planned."]


def test_a_late_plan_is_carried_out_and_told_to_be_late(board: Talk) -> None:
    kettle_on(board, TEN)
    board.reboot(off_s=4 * 3600)
    assert replies(board.wait(1)) == ["I was off at 10 pm; I turned on the kettle now."]
    assert board.state("switch.kettle") == "on"


def test_a_plan_that_is_too_late_is_missed(board: Talk) -> None:
    kettle_on(board, TEN)
    board.reboot(off_s=9 * 3600)
    assert replies(board.wait(1)) == [
        "I was off yesterday at 10 pm, so I did not turn on the kettle."
    ]
    assert board.state("switch.kettle") == "off"
    assert board.ask("PlannedList") == "I have nothing planned."


def test_a_clock_that_is_behind_after_a_reboot_makes_a_plan_late_and_not_early(board: Talk) -> None:
    kettle_on(board, TEN)
    board.reboot(off_s=-3600)
    assert board.wait(4 * 3600) == []
    board.now += timedelta(hours=1)  # the time was set
    assert replies(board.wait(120)) == ["I am late: I turned on the kettle now."]


def test_what_recurs_goes_on_and_is_missed_once(board: Talk) -> None:
    assert kettle_on(board, DAILY) == "I will turn on the kettle every day at 7 pm."
    (first,) = board.wait(1800)
    board.play(first)
    board.ask("HassTurnOff", name="Kettle")
    board.reboot(off_s=3 * 86_400)
    (missed,) = replies(board.wait(1))
    assert missed.startswith("I was off")
    assert board.state("switch.kettle") == "off"
    assert board.ask("PlannedList") == "I will turn on the kettle every day at 7 pm."
    board.wait(86_400)
    assert board.state("switch.kettle") == "on"


class Killed(BaseException):
    pass


def test_the_effect_and_its_record_are_one(board: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    kettle_on(board, SOON)

    def killed(*_: object) -> None:
        raise Killed

    monkeypatch.setattr(board.stage._later._reports, "add", killed)
    with pytest.raises(Killed):
        board.wait(600)
    board.restart()
    assert board.state("switch.kettle") == "off"
    told = board.wait(630)
    assert replies(told) == ["I turned on the kettle, as planned."]
    board.restart()
    board.play(told[0])
    board.ask("HassTurnOff", name="Kettle")
    board.wait(1200)
    assert board.state("switch.kettle") == "off"


def test_a_full_disk_is_tried_again(board: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    kettle_on(board, SOON)

    def full(*_: object) -> None:
        raise StorageError("storage.full", "the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(board.stage._later.plans, "remove", full)
        with pytest.raises(StorageError):
            board.wait(600)
    deadline_s = board.stage.deadline_s()
    assert deadline_s is not None
    assert deadline_s > board.at_s
    assert replies(board.wait(601)) == ["I am late: I turned on the kettle now."]


def test_for_a_while_it_is_done_now_and_then_as_before(board: Talk) -> None:
    assert kettle_on(board, HALF_AN_HOUR) == "I turned on the kettle for 30 minutes."
    assert board.state("switch.kettle") == "on"
    board.restart()
    told = replies(board.wait(1800))
    assert told == ["I put the kettle back to how it was, as planned."]
    assert board.state("switch.kettle") == "off"


def test_a_while_that_is_made_longer_ends_in_the_same(board: Talk) -> None:
    kettle_on(board, HALF_AN_HOUR)
    until = msgspec.structs.replace(TEN, kind="until", said="until ten")
    assert kettle_on(board, until) == "I turned on the kettle until 10 pm."
    board.wait(1801)
    assert board.state("switch.kettle") == "on"
    board.wait(3 * 3600)
    assert board.state("switch.kettle") == "off"


def test_a_while_that_was_made_longer_by_mistake_ends_as_it_would_have(board: Talk) -> None:
    kettle_on(board, HALF_AN_HOUR)
    kettle_on(board, msgspec.structs.replace(TEN, kind="until", said="until ten"))
    assert board.ask("Undo") == "I took that back."
    assert board.state("switch.kettle") == "on"
    board.wait(1800)
    assert board.state("switch.kettle") == "off"


def test_where_somebody_ended_the_while_nothing_is_said(board: Talk) -> None:
    kettle_on(board, HALF_AN_HOUR)
    board.ask("HassTurnOff", name="Kettle")
    assert board.wait(3600) == []


def test_what_was_so_before_stays_so(board: Talk) -> None:
    board.ask("HassTurnOn", name="Kettle")
    told = "I turned on the kettle. It was so before, so it stays so."
    assert kettle_on(board, HALF_AN_HOUR) == told
    assert board.ask("PlannedList") == "I have nothing planned."


def test_what_would_open_again_by_itself_is_asked_about(board: Talk) -> None:
    board.say("unlock it", directed(command("HassTurnOff", name="Front Door"), "unlock"))
    lock = later(HALF_AN_HOUR, "HassTurnOn", name="Front Door")
    assert board.say("lock it for half an hour", lock) == (
        "Shall I unlock the front door again after 30 minutes?"
    )
    assert board.state("lock.front_door") == "unlocked"
    assert board.say("yes") == "I locked the front door for 30 minutes."
    board.wait(1800)
    assert board.state("lock.front_door") == "unlocked"


def lasting(begin: When, last: When) -> When:
    return msgspec.structs.replace(begin, lasting=last)


def test_for_a_while_from_then_on_it_is_done_and_taken_back_in_time(board: Talk) -> None:
    when = lasting(SOON, HALF_AN_HOUR)
    told = board.say(
        "turn on the kettle in ten minutes for half an hour",
        later(when, "HassTurnOn", name="Kettle"),
    )
    assert told == "I will turn on the kettle for 30 minutes in ten minutes."
    assert replies(board.wait(599)) == []
    board.restart()
    assert replies(board.wait(2)) == ["I turned on the kettle for 30 minutes, as planned."]
    assert board.state("switch.kettle") == "on"
    assert board.ask("PlannedList") == ("I will put the kettle back to how it was in 30 minutes.")
    assert replies(board.wait(1800))[-1] == "I put the kettle back to how it was, as planned."
    assert board.state("switch.kettle") == "off"


def test_every_day_for_a_while_is_taken_back_each_day(board: Talk) -> None:
    until = When(kind="until", said="until eight", value="2026-01-05T20:00:00+01:00")
    daily = lasting(DAILY, until)
    assert kettle_on(board, daily) == "I will turn on the kettle for one hour every day at 7 pm."
    for _ in range(2):
        board.wait(1801)
        assert board.state("switch.kettle") == "on"
        board.wait(3600)
        assert board.state("switch.kettle") == "off"
        board.wait(24 * 3600 - 5401)


def test_an_end_before_the_beginning_is_the_next_one(board: Talk) -> None:
    until = When(kind="until", said="until nine", value="2026-01-05T21:00:00+01:00")
    told = kettle_on(board, lasting(TEN, until))
    assert told == "I will turn on the kettle for 23 hours at 10 pm."


def test_what_would_open_again_later_is_asked_about_when_it_is_wished(board: Talk) -> None:
    board.say("unlock it", directed(command("HassTurnOff", name="Front Door"), "unlock"))
    lock = later(lasting(SOON, HALF_AN_HOUR), "HassTurnOn", name="Front Door")
    asked = board.say("lock it in ten minutes for half an hour", lock)
    assert asked == "Shall I unlock the front door again after 30 minutes?"
    board.say("yes")
    board.wait(601)
    assert board.state("lock.front_door") == "locked"
    board.wait(1800)
    assert board.state("lock.front_door") == "unlocked"


def test_what_can_not_be_taken_back_is_not_planned_for_a_while(board: Talk) -> None:
    when = lasting(SOON, HALF_AN_HOUR)
    told = board.say("add milk", later(when, "HassShoppingListAddItem", item="milk"))
    assert told == "I can't do that for half an hour yet, only at once."
    assert board.ask("PlannedList") == "I have nothing planned."


@pytest.mark.parametrize(("answer", "left"), [("yes", "unlocked"), ("no", "locked")])
def test_what_needs_a_yes_asks_when_it_is_wished(board: Talk, answer: str, left: str) -> None:
    unlock = unsure(0.5, later(SOON, "HassTurnOff", name="Front Door"))
    assert board.say("front door in ten minutes", unlock) == "Shall I unlock the front door?"
    told = (
        "I will unlock the front door in ten minutes."
        if answer == "yes"
        else "Okay, I left it as it is."
    )
    assert board.say(answer) == told
    board.restart()
    board.wait(600)
    assert board.state("lock.front_door") == left


def test_what_a_skill_declines_is_declined_when_it_is_wished(board: Talk) -> None:
    told = board.say("turn on the toaster at ten", later(TEN, "HassTurnOn", name="Toaster"))
    assert told == "I don't know of any device called toaster."
    assert board.ask("PlannedList") == "I have nothing planned."


@pytest.mark.parametrize(
    ("intent", "when", "told"),
    [
        (
            "HassTurnOn",
            When(kind="event", said="when i get home"),
            "I can't do that when you get home",
        ),
        ("HassTurnOn", When(kind="later", said="later"), "I can't do that later"),
        ("HassGetCurrentTime", When(kind="every", said="every day"), "I only know"),
        ("HassCancelTimer", TEN, "I can't do that at ten"),
    ],
)
def test_what_cannot_be_planned_is_declined_by_name(
    board: Talk, intent: str, when: When, told: str
) -> None:
    named = {"name": "Kettle"} if intent == "HassTurnOn" else {}
    assert board.say("x", later(when, intent, **named)).startswith(told)


def test_why_several_cannot_be_planned_is_told_once(board: Talk) -> None:
    home = When(kind="event", said="when {i} get home")
    both = (later(home, "HassTurnOn", name=name) for name in ("Kettle", "Ceiling"))
    assert board.say("x", *both) == "I can't do that when {you} get home yet; I need a time."


def test_a_wish_is_taken_back(board: Talk) -> None:
    kettle_on(board, SOON)
    assert board.ask("Undo") == "I took that back."
    assert board.wait(3600) == []
    kettle_on(board, SOON)
    instead = msgspec.structs.replace(later(TEN, "HassTurnOn", name="Kettle"), instead=True)
    assert board.say("no, at ten", instead) == "I will turn on the kettle at 10 pm."
    assert board.ask("PlannedList") == "I will turn on the kettle at 10 pm."


def test_what_was_carried_out_as_planned_is_taken_back(board: Talk) -> None:
    kettle_on(board, SOON)
    board.wait(600)
    assert board.ask("Undo") == "I took that back."
    assert board.state("switch.kettle") == "off"


def test_plans_are_cancelled_by_what_they_are_about(board: Talk) -> None:
    assert board.ask("CancelPlanned", what="the kettle") == "I have nothing planned for the kettle."
    kettle_on(board, TEN)
    board.say("x", later(TEN, "HassTurnOn", name="Ceiling"))
    assert board.ask("CancelPlanned", what="kettle") == "I will not turn on the kettle."
    assert board.ask("PlannedList") == "I will turn on the ceiling at 10 pm."
    assert board.ask("Undo") == "I took that back."
    asked = "I will turn on the kettle at 10 pm and turn on the ceiling at 10 pm."
    assert board.ask("CancelAllPlanned") in (
        f"{asked} Shall I cancel that?",
        "I will turn on the ceiling at 10 pm and turn on the kettle at 10 pm. Shall I cancel that?",
    )
    assert board.say("yes") == "I cancelled that."
    assert board.wait(4 * 3600) == []


def test_one_of_several_plans_is_picked(board: Talk) -> None:
    kettle_on(board, TEN)
    kettle_on(board, SOON)
    assert board.ask("CancelPlanned", what="kettle").startswith("Which plan: turn on the kettle in")
    assert board.say("turn on the kettle at 10 pm") == "I will not turn on the kettle."
    assert board.ask("PlannedList") == "I will turn on the kettle in ten minutes."


def test_them_are_those_that_were_spoken_of_when_it_was_wished(board: Talk) -> None:
    board.ask("HassTurnOn", name="Kettle")
    them = msgspec.structs.replace(later(SOON, "HassTurnOff", name="all"), referring=True)
    board.say("turn them off in ten minutes", them)
    board.ask("HassTurnOn", name="Ceiling")
    board.wait(600)
    assert (board.state("switch.kettle"), board.state("light.ceiling")) == ("off", "on")


@pytest.mark.parametrize("brews", ["done", "asks", "fails"])
def test_a_foreign_skill_is_not_rehearsed(talks: Callable[..., Talk], brews: str) -> None:
    brewed: list[str] = []
    coffee = Skill("coffee")

    @coffee.intent("Brew", "brew coffee")
    def brew(context: Context) -> Dialog:
        """Brew coffee."""
        if brews == "asks":
            yield Confirm("Sure?")
        if brews == "fails":
            raise ValueError
        brewed.append("coffee")
        return Reply("Coffee is coming.")

    registry: Registry = built_in_skills()
    registry.add("coffee", lambda: coffee)
    talk = talks(now=EVENING, registry=registry)
    assert talk.say("brew coffee at ten", later(TEN, "Brew")) == 'I will do "brew coffee" at 10 pm.'
    assert brewed == []
    (told,) = replies(talk.wait(3.5 * 3600 + 1))
    assert told == (
        "As planned: Coffee is coming."
        if brews == "done"
        else 'I could not do "brew coffee", as planned.'
    )
    assert brewed == ["coffee"] * (brews == "done")
    assert talk.ask("PlannedList") == "I have nothing planned."


def test_a_device_that_is_gone_when_it_is_due_is_told(board: Talk) -> None:
    kettle_on(board, TEN)
    entities = tuple(e for e in board.home.entities if e.name != "Kettle")
    board.home = msgspec.structs.replace(board.home, entities=entities)
    board.restart()
    told = replies(board.wait(3.5 * 3600 + 1))
    assert told == [
        "I was to turn on the kettle at 10 pm. I don't know of any device called kettle."
    ]


def test_a_damaged_plan_is_passed_over(board: Talk, caplog: pytest.LogCaptureFixture) -> None:
    kettle_on(board, TEN)
    board.database.execute("INSERT INTO plans VALUES ('x', '{}')")
    assert board.ask("PlannedList") == "I will turn on the kettle at 10 pm."
    assert "later.damaged" in caplog.text
