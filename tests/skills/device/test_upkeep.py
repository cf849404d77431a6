"""The assistant's own voice, its memory of what was said, backups, and a restart after a yes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from assistant.control.metrics import STAGES
from assistant.core.errors import SkillError
from assistant.core.messages import PlaybackEnded, SpokenReply
from assistant.skill.device import LOUDEST, QUIETEST, USUAL, Recalled, SlowStage
from assistant.skill.device.memory import MemoryDevice
from assistant.skill.testing import converse, memory_context
from nlu.stage import NluStage
from skills.capabilities.device import RESTARTS_AFTER_S, RESTARTS_WITHIN_S, DeviceParts
from skills.device import skill
from skills.device.answering import PARTS
from tests.support.conversation import FAR_APART, HOUSE, Conversation
from tests.support.talking import Talk, command

SLOW = Recalled(
    heard="is badminton on tonight",
    understood=("know what is planned",),
    took_s=3.2,
    slow=(
        SlowStage(name="asr", took_s=0.5, limit_s=0.3),
        SlowStage(name="answer", took_s=2.0, limit_s=1.0),
    ),
)


@pytest.fixture
def spoken_at() -> list[int]:
    """The percentages of which the voice was told."""
    return []


@pytest.fixture
def talk(talks: Callable[..., Talk], spoken_at: list[int]) -> Talk:
    return talks(home=HOUSE, device=DeviceParts(speak_at=spoken_at.append))


def recalling(recalled: Recalled | None, intent: str) -> str:
    context = memory_context()
    assert isinstance(context.device, MemoryDevice)
    context.device.recalled = recalled
    (told,) = converse(skill, intent, context)
    return told


def test_the_reply_itself_is_as_loud_as_was_asked(talk: Talk, spoken_at: list[int]) -> None:
    before_reply = []
    for message in talk.hear("speak louder", command("SpeakLouder")):
        if isinstance(message, SpokenReply):
            before_reply = list(spoken_at)
            assert (message.text, message.acted) == ("I speak at 70 percent now.", True)
    assert before_reply == [USUAL, 70]


def test_it_is_kept_over_a_restart_and_taken_back(talk: Talk, spoken_at: list[int]) -> None:
    talk.ask("SetSpeakingVolume", percent=80)
    talk.restart()
    assert talk.ask("SpeakingVolume") == "I speak at 80 percent."
    assert spoken_at == [USUAL, 80, 80]
    assert talk.ask("Undo") == "I took that back."
    assert spoken_at[-1] == USUAL
    assert talk.ask("SpeakingVolume") == f"I speak at {USUAL} percent."


def test_it_ends_at_its_limits_without_an_act(talk: Talk, spoken_at: list[int]) -> None:
    for intent, limit in (("SpeakLouder", LOUDEST), ("SpeakQuieter", QUIETEST)):
        replies = [talk.ask(intent) for _ in range(8)]
        assert spoken_at[-1] == limit
        assert replies[-1].startswith("I already speak as ")
    told = spoken_at.copy()
    assert "from 10 to 100" in talk.ask("SetSpeakingVolume", percent=LOUDEST + 1)
    assert spoken_at == told


def test_what_a_skill_may_not_set_is_refused(talk: Talk) -> None:
    device = talk.stage._rooms.of("").context.device
    with pytest.raises(SkillError, match="from 10 to 100"):
        device.set_volume(QUIETEST - 1)
    device.set_volume(QUIETEST)  # the control
    assert device.volume == QUIETEST


@pytest.mark.parametrize("muted", [True, False])
@pytest.mark.parametrize("recorded", [True, False])
def test_it_tells_the_truth_about_listening(
    talks: Callable[..., Talk], muted: bool, recorded: bool
) -> None:
    parts = DeviceParts(muted=lambda: muted)
    told = talks(device=parts, recording=lambda: recorded).ask("IsListening")
    assert ("my microphone is closed" in told) is muted
    assert ("my microphone is open" in told) is not muted
    assert ("no recordings" in told) is not (muted or recorded)


def test_why_that_was_slow_names_the_part_that_was_latest() -> None:
    told = recalling(SLOW, "WhyWasThatSlow")
    assert told == "I answered after 3.2 seconds. Looking it up took 2 seconds."
    quick = Recalled(heard="stop", took_s=1.0)
    told = recalling(quick, "WhyWasThatSlow")
    assert told == "I answered after 1 second. No part of me was late."
    assert recalling(Recalled(heard="stop"), "WhyWasThatSlow").startswith("I don't remember")


def test_what_was_understood_is_told_with_the_words() -> None:
    told = recalling(SLOW, "WhatWasUnderstood")
    assert told == (
        "I heard: is badminton on tonight. I understood that you want to know what is planned."
    )
    assert recalling(Recalled(heard=""), "WhatWasUnderstood") == "I heard no words."
    told = recalling(Recalled(heard="mumble"), "WhatWasUnderstood")
    assert told == "I heard: mumble. I took it for no command."
    assert recalling(None, "WhatWasUnderstood").startswith("I don't remember")


def test_every_part_has_words() -> None:
    assert {*PARTS} == {*STAGES} - {"total"}


def test_a_backup_is_told_by_its_place_and_a_fault_by_what_helps() -> None:
    (told,) = converse(skill, "MakeBackup", memory_context())
    assert told == "I made a backup. It is the newest in my folder backups."


@pytest.mark.parametrize(
    ("code", "told"), [("backup.large", "too much to keep"), ("device.backup", "that failed")]
)
def test_where_no_backup_can_be_made_nothing_is_promised(
    talks: Callable[..., Talk], code: str, told: str
) -> None:
    def refuse() -> str:
        raise SkillError(code, "no room")

    (reply,) = talks(device=DeviceParts(back_up=refuse)).hear("backup", command("MakeBackup"))
    assert isinstance(reply, SpokenReply)
    assert told in reply.text
    assert (reply.done, reply.acted) == (False, False)


@pytest.fixture
def restarts() -> list[datetime]:
    return []


@pytest.fixture
def service(talks: Callable[..., Talk], nlu: NluStage, restarts: list[datetime]) -> Conversation:
    """A conversation with what runs as a service."""
    parts = DeviceParts(restart=lambda: restarts.append(datetime.now(UTC)))
    return Conversation(talks(home=HOUSE, device=parts), nlu, float(next(FAR_APART)))


def test_it_restarts_after_a_yes_once_the_reply_was_heard(
    service: Conversation, restarts: list[datetime]
) -> None:
    assert service("restart yourself").startswith("Shall I restart?")
    service.talk.feed(PlaybackEnded(utterance_id="the question"))
    assert service("yes") == "I restart now."
    assert not restarts
    service.talk.feed(PlaybackEnded(utterance_id="the reply"))
    assert not restarts
    service.talk.wait(RESTARTS_AFTER_S)
    assert len(restarts) == 1
    service.talk.wait(RESTARTS_WITHIN_S)
    assert len(restarts) == 1


def test_it_restarts_also_where_the_news_is_lost(
    service: Conversation, restarts: list[datetime]
) -> None:
    service("restart yourself")
    service("yes")
    service.talk.wait(RESTARTS_WITHIN_S)
    assert len(restarts) == 1


def test_without_a_yes_it_goes_on(service: Conversation, restarts: list[datetime]) -> None:
    service("reboot yourself")
    assert service("no") == "Okay, I go on."
    service.talk.feed(PlaybackEnded(utterance_id="the reply"))
    assert not restarts


def test_what_is_no_service_says_so(talk: Talk) -> None:
    assert talk.ask("RestartAssistant").startswith("I can't restart: nothing would start me")
