"""What a skill keeps: its own, within the turn, bounded, and taken back with the reply."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.core.errors import SkillError
from assistant.skill import Context, Dialog, Reply, Skill, Traits, Undo
from assistant.skill.reply import Ask
from assistant.skill.testing import converse, memory_context
from skills.capabilities.kept import forget, kept_bytes
from skills.registry import Registry
from tests.support.grammars import built_in_skills
from tests.support.talking import Talk, command


class Spot(msgspec.Struct, frozen=True):
    level: int
    since: datetime


SPOT = Spot(3, datetime(2026, 1, 5, tzinfo=UTC))


def car(name: str = "car") -> Skill:
    """A skill that keeps where the car stands; its intents begin with its name."""
    skill = Skill(name)

    @skill.intent(f"{name}Park", f"{name} is on level {{level}}")
    def park(level: int, context: Context) -> Reply:
        context.storage.set("spot", level)
        return Reply(f"Level {level}.")

    @skill.intent(f"{name}Find", f"where is the {name}", traits=Traits(asks=True))
    def find(context: Context) -> Reply:
        asked = context.storage.get("asked", int, 0) + 1
        context.storage.set("asked", asked)
        return Reply(f"Level {context.storage.get('spot', int, 0)}, asked {asked} times.")

    @skill.intent(f"{name}Break", f"break the {name}")
    def break_down(context: Context) -> Reply:
        context.storage.set("spot", 99)
        raise ZeroDivisionError

    @skill.intent(f"{name}Ask", f"ask about the {name}")
    def ask(context: Context) -> Dialog:
        context.storage.set("spot", 7)
        level = yield Ask("Which level?", int)
        context.storage.set("spot", level)
        context.storage.delete("asked")
        return Reply("Okay.")

    @skill.intent(f"{name}Forge", f"forge the {name}")
    def forge() -> Reply:
        return Reply("Forged.", undo=Undo("storage.restore", "spot", None, "car"))

    return skill


def served(*skills: Skill) -> Registry:
    registry = built_in_skills()
    for skill in skills:
        registry.add(skill.name, lambda skill=skill: skill)  # type: ignore[misc]
    assert registry.faults == ()
    return registry


@pytest.fixture
def talk(talks: Callable[..., Talk]) -> Talk:
    return talks(registry=served(car(), car("van")))


def test_it_is_kept_over_a_restart_and_apart_from_other_skills(talk: Talk) -> None:
    assert talk.ask("carPark", level=3) == "Level 3."
    talk.restart()
    assert talk.ask("carFind") == "Level 3, asked 1 times."
    assert talk.ask("vanFind") == "Level 0, asked 1 times."


def test_a_turn_that_fails_leaves_nothing(talk: Talk) -> None:
    talk.ask("carPark", level=3)
    with pytest.raises(SkillError, match="ZeroDivisionError"):
        talk.ask("carBreak")
    assert talk.ask("carFind") == "Level 3, asked 1 times."


def test_undo_restores_what_was_there(talk: Talk) -> None:
    talk.ask("carPark", level=3)
    talk.ask("carPark", level=4)
    assert talk.ask("Undo") == "I took that back."
    assert talk.ask("carFind") == "Level 3, asked 1 times."


def test_undo_restores_what_was_there_before_all_commands_of_an_utterance(talk: Talk) -> None:
    talk.ask("carPark", level=3)
    talk.say("both", command("carPark", level=4), command("carPark", level=5))
    talk.ask("Undo")
    assert talk.ask("carFind") == "Level 3, asked 1 times."


def test_undo_restores_what_was_there_before_a_dialog(talk: Talk) -> None:
    talk.ask("carPark", level=3)
    talk.ask("carFind")
    assert talk.ask("carAsk") == "Which level?"
    assert talk.say("forty") == "Okay."
    assert talk.ask("carFind") == "Level 40, asked 1 times."
    talk.ask("carAsk")
    talk.say("forty")
    talk.ask("Undo")
    assert talk.ask("carFind") == "Level 40, asked 2 times."


def test_what_an_intent_that_asks_keeps_is_no_act(talk: Talk) -> None:
    talk.ask("carPark", level=3)
    talk.ask("carFind")
    assert talk.ask("Undo") == "I took that back."
    assert talk.ask("carFind") == "Level 0, asked 2 times."


def test_no_undo_reaches_what_another_skill_keeps(talk: Talk) -> None:
    talk.ask("carPark", level=3)
    talk.ask("vanPark", level=1)
    talk.ask("vanForge")
    talk.ask("Undo")
    assert talk.ask("carFind") == "Level 3, asked 1 times."


@given(st.text(min_size=1, max_size=40), st.text(min_size=1, max_size=40))
def test_no_key_reaches_what_another_skill_keeps(key: str, prefix: str) -> None:
    reads: list[object] = []
    skill = Skill("spy")

    @skill.intent("Spy", "spy")
    def spy(context: Context) -> Reply:
        reads.append(context.storage.get(key, int, 0) if _encodes(key) else 0)
        reads.append(context.storage.keys() if _encodes(prefix) else ())
        context.storage.delete(key if _encodes(key) else "x")
        return Reply("Nothing.")

    talk = Talk(registry=served(car(), skill))
    talk.ask("carPark", level=3)
    talk.ask("Spy")
    assert reads == [0, ()]
    assert talk.ask("carFind") == "Level 3, asked 1 times."
    talk.database.close()


def _encodes(key: str) -> bool:
    return key.isprintable()


def keeping(act: Callable[[Context], object]) -> Talk:
    """A talk whose skill "box" does this when asked to "Keep"."""
    skill = Skill("box")

    @skill.intent("Keep", "keep")
    def keep(context: Context) -> Reply:
        return Reply(str(act(context)))

    return Talk(registry=served(skill))


@pytest.mark.parametrize(
    ("act", "told"),
    [
        (lambda c: c.storage.set("k", b"x" * 70_000), "a value has 70005 bytes, more than"),
        (lambda c: c.storage.set("k" * 300, 1), "a key has 1 to 256 bytes, not 300"),
        (lambda c: c.storage.set("", 1), "a key has 1 to 256 bytes, not 0"),
        (lambda c: c.storage.set("k", object()), "a value of type object cannot be kept"),
        (lambda c: [c.storage.set(f"{n}", b"x" * 60_000) for n in range(18)], "storage is full"),
        (lambda c: (c.storage.set("k", "x"), c.storage.get("k", int, 0)), "what was kept is no"),
    ],
)
def test_what_cannot_be_kept_is_told_with_its_line(
    act: Callable[[Context], object], told: str
) -> None:
    talk = keeping(act)
    with pytest.raises(SkillError) as refused:
        talk.ask("Keep")
    assert told in refused.value.message
    assert f"({__file__}, line " in refused.value.message
    code = "storage.quota" if told == "storage is full" else "skill.storage"
    assert (refused.value.code, refused.value.part) == (code, "box")
    assert kept_bytes(talk.database) == {}
    talk.database.close()


def test_what_is_within_the_bounds_is_kept() -> None:
    """Control."""
    talk = keeping(lambda c: [c.storage.set(f"{n}", b"x" * 60_000) for n in range(17)])
    talk.ask("Keep")
    assert kept_bytes(talk.database)["box"] > 1_000_000
    talk.database.close()


def test_values_are_of_any_type_and_keys_are_listed_by_prefix() -> None:
    storage = memory_context().storage
    storage.set("spot.car", SPOT)
    storage.set("spot.van", {"a": [1, 2.5, None]})
    storage.set("other", None)
    assert storage.get("spot.car", Spot, Spot(0, SPOT.since)) == SPOT
    assert storage.get("spot.van", dict, {}) == {"a": [1, 2.5, None]}
    assert storage.get("other", type(None), None) is None
    assert storage.get("nothing", int, 5) == 5
    assert storage.keys("spot.") == ("spot.car", "spot.van")
    storage.delete("spot.car")
    assert storage.keys() == ("other", "spot.van")


def test_a_skill_that_is_gone_leaves_its_storage_until_it_is_deleted(
    talks: Callable[..., Talk], tmp_path: Path
) -> None:
    talk = talks(registry=served(car(), car("van")))
    talk.ask("carPark", level=3)
    talk.ask("vanPark", level=2)
    talk.registry = served(car("van"))
    talk.restart()
    talk.registry = served(car(), car("van"))
    talk.rebuild()
    assert talk.ask("carFind") == "Level 3, asked 1 times."
    forget(talk.database, "car")
    assert talk.ask("carFind") == "Level 0, asked 1 times."
    assert talk.ask("vanFind") == "Level 2, asked 1 times."


def test_a_skill_is_tested_with_storage_in_memory() -> None:
    context = memory_context()
    assert converse(car(), "carPark", context, level=3) == ["Level 3."]
    assert converse(car(), "carFind", context) == ["Level 3, asked 1 times."]
