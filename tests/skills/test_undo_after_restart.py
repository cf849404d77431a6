"""What was done last is taken back, or put right, also after the process was started again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from assistant.core.errors import SkillError, StorageError
from assistant.core.messages import When
from assistant.skill import Context, Reply, Skill, Undo
from nlu.stage import NluStage
from tests.support.conversation import FAR_APART, HOUSE, Conversation
from tests.support.grammars import built_in_skills
from tests.support.talking import Talk, command

PASTA = {"duration": 600, "name": "pasta"}


@pytest.mark.parametrize("times", [1, 3])
def test_an_undo_is_kept(talk: Talk, times: int) -> None:
    talk.ask("HassTurnOn", name="Ceiling")
    for _ in range(times):
        talk.restart()
    assert talk.ask("Undo") == "I took that back."
    assert talk.state("light.ceiling") == "off"
    talk.restart()
    assert talk.ask("Undo") == "There is nothing that I can take back."


def test_several_steps_and_a_reboot(talk: Talk) -> None:
    talk.say("both", command("HassTurnOn", name="Ceiling"), command("HassStartTimer", **PASTA))
    talk.reboot(60)
    talk.ask("Undo")
    assert (talk.state("light.ceiling"), talk.timers()) == ("off", 0)


def test_what_only_asked_leaves_it(talk: Talk) -> None:
    talk.ask("HassStartTimer", **PASTA)
    talk.restart()
    talk.ask("HassGetCurrentTime")
    talk.restart()
    talk.ask("Undo")
    assert talk.timers() == 0


def test_what_was_planned_and_done_is_taken_back(talk: Talk) -> None:
    later = When(kind="in", said="in ten minutes", value=600.0)
    talk.say("later", msgspec.structs.replace(command("HassTurnOn", name="Ceiling"), when=later))
    (told, *_) = talk.wait(700)
    talk.play(told)
    assert talk.state("light.ceiling") == "on"
    talk.restart()
    talk.ask("Undo")
    assert talk.state("light.ceiling") == "off"


def test_an_undo_that_fails_can_be_tried_again(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    talk.ask("HassTurnOn", name="Ceiling")

    def broken(*_: object) -> None:
        raise StorageError("storage.full", "the disk is full")

    with monkeypatch.context() as full:
        full.setattr(talk.stage._devices, "set_state", broken)
        with pytest.raises(StorageError):
            talk.ask("Undo")
    assert talk.ask("Undo") == "I took that back."
    assert talk.state("light.ceiling") == "off"


def test_a_turn_that_fails_leaves_the_undo_before_it(talks: Callable[..., Talk]) -> None:
    skill = Skill("mill")

    @skill.intent("Grind", "grind")
    def grind(context: Context) -> Reply:
        context.lists.add("shopping", "flour")
        raise ZeroDivisionError

    registry = built_in_skills()
    registry.add("mill", lambda: skill)
    talk = talks(registry=registry)
    talk.ask("HassTurnOn", name="Ceiling")
    with pytest.raises(SkillError):
        talk.ask("Grind")
    talk.restart()
    talk.ask("Undo")
    assert talk.state("light.ceiling") == "off"


def test_an_undo_that_cannot_be_kept_is_a_fault_of_its_skill(talks: Callable[..., Talk]) -> None:
    skill = Skill("mill")

    @skill.intent("Grind", "grind")
    def grind(context: Context) -> Reply:
        context.lists.add("shopping", "flour")
        return Reply("Ground.", undo=Undo("lists.remove", object()))  # type: ignore[arg-type]

    registry = built_in_skills()
    registry.add("mill", lambda: skill)
    talk = talks(registry=registry)
    with pytest.raises(SkillError, match='skill "mill": an undo is no plain data') as fault:
        talk.ask("Grind")
    assert (fault.value.code, fault.value.part) == ("skill.undo", "mill")
    assert talk.ask("Undo") == "There is nothing that I can take back."


def test_a_damaged_row_is_no_undo(talk: Talk) -> None:
    talk.ask("HassTurnOn", name="Ceiling")
    talk.database.execute("UPDATE last_acts SET act = '{\"undo\": 3}'")
    assert talk.ask("Undo") == "There is nothing that I can take back."


@pytest.fixture
def say(talks: Callable[..., Talk], nlu: NluStage) -> Conversation:
    return Conversation(talks(home=HOUSE), nlu, float(next(FAR_APART)))


@pytest.mark.parametrize("restarted", [False, True])
def test_a_correction_takes_back_what_it_corrects(say: Conversation, restarted: bool) -> None:
    say("turn on the kettle at nine")
    if restarted:
        say.talk.restart()
    assert say("no, at ten") == "I will turn on the kettle at 10 pm."
    assert say("what is planned") == "I will turn on the kettle at 10 pm."


def test_without_its_row_a_restart_would_lose_it(say: Conversation) -> None:
    """Control."""
    say("turn on the kettle at nine")
    say.talk.database.execute("DELETE FROM last_acts")
    say.talk.restart()
    say("no, at ten")
    assert "at 9 pm and" in say("what is planned")


def test_the_file_tells_of_one_act_alone(talk: Talk) -> None:
    for _ in range(5):
        talk.ask("HassTurnOn", name="Ceiling")
    assert len(talk.database.execute("SELECT * FROM last_acts")) == 1
    assert isinstance(talk.path, Path)
