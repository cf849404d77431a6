"""What devices are to be told: kept until the broker has it, and said where nobody knows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.core.database import Database
from assistant.core.messages import (
    DeviceChanged,
    HomeCommand,
    HomeReceipt,
    HomeStates,
    Message,
    SpokenReply,
)
from assistant.skill.home import Entity, Home
from skills.devices.ends import SILENT_S
from skills.devices.outbox import RECEIPT_S, create_outbox
from skills.devices.wording import unsent_words, unsure_words
from skills.state import MIGRATIONS
from tests.support.house import sent
from tests.support.talking import Talk, command

RADIO = Entity(name="Radio", id="media_player.radio", state="playing")
LAMP = Entity(name="Lamp", id="light.lamp", state="off")
SKIP = command("HassMediaNext", name="Radio")
THERE = DeviceChanged(device="broker", present=True)
IN_DOUBT = "I don't know whether the next track was asked for."
LATE = "The next track was not asked for in time."


@pytest.fixture
def talk(talks: Callable[..., Talk]) -> Talk:
    talk = talks(broker=True, area="", home=Home(entities=(RADIO, LAMP)))
    talk.feed(THERE)
    return talk


def said(messages: list[Message]) -> list[str]:
    return [message.text for message in messages if isinstance(message, SpokenReply)]


def skipped(talk: Talk) -> HomeCommand:
    """The next track is asked for, and the reply to that is played."""
    *_, skip, reply = talk.hear("next", SKIP)
    talk.play(reply)
    assert isinstance(skip, HomeCommand)
    return skip


def waiting(talk: Talk) -> list[tuple[str, str, str]]:
    query = "SELECT entity_id, name, command FROM outbox ORDER BY id"
    return [(entity, name, command) for entity, name, command in talk.database.execute(query)]


def test_a_change_waits_with_its_turn_and_the_latest_takes_the_place(talk: Talk) -> None:
    (first,) = sent(talk.hear("on", command("HassTurnOn", name="Lamp")))
    (second,) = sent(talk.hear("off", command("HassTurnOff", name="Lamp")))
    assert waiting(talk) == [("light.lamp", "", "")]
    talk.feed(HomeReceipt(sent=first.ids))
    assert waiting(talk) == [("light.lamp", "", "")]
    assert (second.state, set(first.ids) & set(second.ids)) == ("off", set())
    talk.feed(HomeReceipt(sent=second.ids))
    assert waiting(talk) == []


def test_what_a_killed_process_has_not_sent_the_next_one_sends_at_its_first_message(
    talk: Talk,
) -> None:
    talk.ask("HassTurnOn", name="Lamp")
    talk.ask("HassMediaNext", name="Radio")
    talk.restart()
    (again,) = sent(talk.feed(HomeStates(states={})))
    assert (again.entity_id, again.state, again.command) == ("light.lamp", "on", "")
    assert sent(talk.feed(HomeStates(states={}))) == []


def test_a_command_is_sent_once_and_not_when_the_broker_comes_back(talk: Talk) -> None:
    skip = skipped(talk)
    assert (skip.command, skip.given_at_s, len(skip.ids)) == ("next", talk.at_s, 1)
    assert sent(talk.feed(THERE)) == []
    talk.feed(HomeReceipt(sent=skip.ids))
    assert waiting(talk) == []
    assert said(talk.wait(3600)) == []


@pytest.mark.parametrize(("how", "told"), [("unsure", IN_DOUBT), ("unsent", LATE)])
def test_what_became_of_a_command_is_said_once(talk: Talk, how: str, told: str) -> None:
    skip = skipped(talk)
    receipt = HomeReceipt(**{how: skip.ids})
    talk.feed(receipt)
    talk.feed(receipt)
    (notice,) = (m for m in talk.wait(9) if isinstance(m, SpokenReply))
    assert notice.text == told
    talk.play(notice)
    talk.restart()
    assert said(talk.wait(3600)) == []


def test_a_command_of_which_nothing_is_heard_is_in_doubt_after_some_seconds(talk: Talk) -> None:
    skipped(talk)
    assert said(talk.wait(RECEIPT_S - 1)) == []
    assert waiting(talk) == [("media_player.radio", "", "next")]
    assert said(talk.wait(6)) == [IN_DOUBT]
    assert waiting(talk) == []


def test_also_when_the_process_was_killed_meanwhile(talk: Talk) -> None:
    talk.hear("next", SKIP)
    talk.restart()
    assert talk.stage.deadline_s() == 0.0
    assert said(talk.wait(RECEIPT_S + 6)) == [IN_DOUBT]


def test_words_that_waited_long_for_this_process_are_no_reason_to_give_up(talk: Talk) -> None:
    talk.restart()
    talk.hear("next", SKIP)  # at the time at which they were said
    talk.at_s += 60
    assert said(talk.feed(THERE)) == []
    assert waiting(talk) == [("media_player.radio", "", "next")]


@pytest.mark.parametrize("gone", [True, False])
def test_while_the_broker_or_the_bridge_is_gone_a_command_is_declined_at_once(
    talk: Talk, gone: bool
) -> None:
    if gone:
        talk.feed(DeviceChanged(device="broker", present=False))
    else:
        talk.wait(SILENT_S + 1)
    assert talk.say("next", SKIP) == "I can't reach the radio now."
    assert waiting(talk) == []
    assert sent(talk.hear("on", command("HassTurnOn", name="Lamp"))) == []
    (missed,) = sent(talk.feed(THERE))
    assert missed.state == "on"


def test_what_can_never_be_sent_is_forgotten(talk: Talk) -> None:
    (lit,) = sent(talk.hear("on", command("HassTurnOn", name="Lamp")))
    talk.feed(HomeReceipt(unsent=lit.ids))
    assert (waiting(talk), said(talk.wait(60))) == ([], [])


@pytest.mark.parametrize(
    ("entity", "told", "words"),
    [
        (RADIO, "next", "the next track was{} asked for"),
        (RADIO, "volume_up", "the radio was{} turned up"),
        (Entity(name="Bedtime", id="scene.bedtime"), "on", "bedtime was{} activated"),
        (Entity(name="Blind", id="cover.blind"), "stop", "the blind was{} stopped"),
        (RADIO, "karaoke", "the command for the radio was{} sent"),
    ],
)
def test_the_words_name_what_was_commanded(entity: Entity, told: str, words: str) -> None:
    doubt = unsure_words(entity, told)
    assert doubt.casefold().endswith(f"{words.replace('{}', '')}.")
    assert doubt.startswith("I don't know whether ")
    late = unsent_words(entity, told)
    assert late.casefold().endswith(f"{words.replace('{}', ' not')} in time.")


def test_what_an_older_version_kept_for_the_broker_is_sent(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    before = Database(path, [step for step in MIGRATIONS if step is not create_outbox])
    before.execute("INSERT INTO devices VALUES ('light.lamp', 'on', 1)")
    before.execute("INSERT INTO device_attributes VALUES ('light.lamp', 'color', '\"red\"', 1)")
    before.execute("INSERT INTO device_attributes VALUES ('light.lamp', 'effect', '1', 0)")
    before.close()
    talk = Talk(path=path, broker=True, home=Home(entities=(LAMP,)))
    (missed,) = sent(talk.feed(THERE))
    talk.database.close()
    assert (missed.state, missed.attributes) == ("on", {"color": "red"})
