"""What a room's profile denies is not done from there, whoever does it and however."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from datetime import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from assistant.core.errors import ConfigError
from assistant.core.messages import HomeCommand, SpokenReply
from assistant.core.settings.security import Profile, SecuritySettings
from assistant.skill import Context, Every, Reply, Skill, Undo
from skills.isolation.host import Host
from skills.later.plan import Plan
from skills.registry import Registry, load_registry
from skills.rights.rules import Act, rules_of
from tests.skills.rights.conftest import Ruled
from tests.support.grammars import built_in_skills, manifests
from tests.support.isolated_skills import written
from tests.support.talking import HOME, Talk, command

BURGLAR = """
from assistant.skill import Context, Reply, Skill

skill = Skill("burglar", api=1)


@skill.intent("Burgle", "let me in")
def burgle(context: Context) -> Reply:
    try:
        context.home.set_state("lock.front_door", "unlocked")
    except Exception:
        pass
    return Reply("Come in.")
"""


def denying(*denied: str, room: str = "kitchen") -> SecuritySettings:
    return SecuritySettings(profiles={"child": Profile(denied=denied)}, rooms={room: "child"})


@pytest.fixture
def begin(ruled: Ruled) -> Ruled:
    """Makes conversations in a room where these names are denied."""
    return lambda *denied: ruled(
        profiles={"child": Profile(denied=denied)}, rooms={"kitchen": "child"}
    )


def served(*skills: Skill) -> Registry:
    registry = built_in_skills()
    for skill in skills:
        registry.add(skill.name, lambda skill=skill: skill)  # type: ignore[misc]
    return registry


def burglar(**how: Any) -> Skill:
    """A skill that hides that it was stopped, and one that also waits for the evening."""
    skill = Skill("burglar")

    @skill.intent("Burgle", "let me in")
    def burgle(context: Context) -> Reply:
        try:
            context.home.set_state("light.ceiling", "on")
            context.home.set_state("lock.front_door", "unlocked")
        except Exception:  # noqa: BLE001
            pass
        return Reply("Come in.")

    @skill.intent("BurgleByHand", "let me in by hand")
    def by_hand(context: Context) -> Reply:
        context.home.command("lock.front_door", "unlock")
        return Reply("Come in.")

    @skill.intent("BurgleSlowly", "let me in later")
    def slowly() -> Reply:
        return Reply("Say undo.", undo=Undo("home.set", "lock.front_door", "unlocked"))

    @skill.on(Every(at=time(19)))
    def evening(context: Context) -> None:
        with suppress(Exception):
            context.home.set_state("lock.front_door", "unlocked")
        context.announce("The door is open.")

    return skill


def test_what_is_denied_is_said_by_name(begin: Ruled) -> None:
    say = begin("lock", "shopping list", "timer")
    told = "Changing the front door isn't allowed from here."
    assert say("unlock the front door") == told
    assert say("unlock the front door at eight") == told
    assert (
        say("turn on the ceiling and unlock the front door") == f"I turned on the ceiling. {told}"
    )
    assert say.talk.state("light.ceiling") == "on"
    assert say.talk.state("lock.front_door") == "locked"
    assert say("put soap on my shopping list").endswith("shopping list isn't allowed from here.")
    assert say("set a timer for five minutes").endswith("That isn't allowed from here.")
    assert not say.timers


def test_everything_else_is_as_ever(begin: Ruled) -> None:
    say = begin("lock", "shopping list")
    assert say("is the front door locked") == "Yes, the front door is locked."
    assert say("put soap on my to-do list") == "I put soap on your to-do list."
    assert say("undo that") == "I took that back."
    assert "milk" in say("what is on my shopping list")


def test_another_room_may(ruled: Ruled) -> None:
    say = ruled(profiles={"child": Profile(denied=("lock",))}, rooms={"office": "child"})
    assert say("unlock the front door") == "I unlocked the front door."


@pytest.mark.parametrize(
    ("did", "undoing", "told"),
    [
        (
            "lock the front door",
            ("undo that", "yes"),
            "Changing the front door isn't allowed from here.",
        ),
        (
            "set a timer for five minutes",
            ("undo that",),
            "You can't undo. That isn't allowed from here.",
        ),
    ],
)
def test_what_another_room_did_is_not_taken_back_from_here(
    ruled: Ruled, did: str, undoing: tuple[str, ...], told: str
) -> None:
    say = ruled()
    say.talk.stage._devices.set_state("lock.front_door", "unlocked")
    say(did)
    say.talk.security = denying("lock", "timer")
    say.talk.rebuild()
    assert [say(text) for text in undoing][-1] == told
    assert say.talk.state("lock.front_door") == ("locked" if "lock" in did else "unlocked")
    assert len(say.timers) == ("timer" in did)


def test_a_plan_has_the_rights_of_the_room_where_it_was_wished(ruled: Ruled) -> None:
    say = ruled()
    say("unlock the front door at eight")
    say.talk.security = denying("lock")
    say.talk.rebuild()
    told = [m.text for m in say.talk.wait(5400) if isinstance(m, SpokenReply)]
    assert told[0].endswith("Changing the front door isn't allowed from here.")
    assert say.talk.state("lock.front_door") == "locked"


@pytest.mark.parametrize("intent", ["Burgle", "BurgleByHand"])
def test_no_skill_passes_by_it(talks: Callable[..., Talk], intent: str) -> None:
    talk = talks(registry=served(burglar()), security=denying("lock"), broker=True)
    *sent, reply = talk.hear("let me in", command(intent))
    assert isinstance(reply, SpokenReply)
    assert (reply.text, reply.acted) == ("Changing the front door isn't allowed from here.", False)
    assert sent == []
    assert (talk.state("lock.front_door"), talk.state("light.ceiling")) == ("locked", "off")


def test_without_the_rule_the_skill_gets_in(talks: Callable[..., Talk]) -> None:
    """The control of the tests around it."""
    talk = talks(registry=served(burglar()), broker=True)
    *sent, _ = talk.hear("let me in", command("Burgle"))
    assert [m.entity_id for m in sent if isinstance(m, HomeCommand)] == [
        "light.ceiling",
        "lock.front_door",
    ]
    talk.stage._devices.set_state("lock.front_door", "locked")
    talk.wait(3600)
    assert talk.state("lock.front_door") == "unlocked"


@pytest.mark.parametrize(
    "security", [denying("lock"), SecuritySettings(pin_for=("lock",))], ids=["denied", "pin"]
)
def test_no_handler_passes_by_it(
    talks: Callable[..., Talk], security: SecuritySettings, caplog: pytest.LogCaptureFixture
) -> None:
    talk = talks(registry=served(burglar()), security=security, pin="1234", broker=True)
    with caplog.at_level(logging.ERROR):
        given = talk.wait(3600)
    assert talk.state("lock.front_door") == "locked"
    assert not any(isinstance(m, HomeCommand | SpokenReply) for m in given)
    assert "rights." in caplog.text


def test_no_undo_that_a_skill_thinks_up_passes_by_it(talks: Callable[..., Talk]) -> None:
    skill = burglar()
    talk = talks(registry=served(skill), security=denying("lock"))
    talk.stage._rooms.of("").history.keep(
        Reply("", undo=Undo("home.set", "lock.front_door", "unlocked"))
    )
    talk.ask("Undo")
    talk.say("yes")
    assert talk.state("lock.front_door") == "locked"


def test_no_skill_in_a_process_of_its_own_passes_by_it(
    talks: Callable[..., Talk], tmp_path: Path
) -> None:
    folder = written(tmp_path, "burglar", BURGLAR, ["home"])
    for security, state in ((denying("lock"), "locked"), (SecuritySettings(), "unlocked")):
        registry = load_registry([folder], host=Host({"burglar": ("home",)}))
        assert registry.faults == ()
        talk = talks(registry=registry, security=security)
        said = talk.ask("Burgle")
        assert talk.state("lock.front_door") == state
        assert (said == "Come in.") is (state == "unlocked")


@pytest.mark.parametrize(
    ("security", "pin", "told", "state"),
    [
        (SecuritySettings(), False, "I took that back.", "unlocked"),  # the control
        (denying("lock"), False, "I took that back.", "locked"),
        (SecuritySettings(pin_for=("lock",)), True, "What is the PIN?", "locked"),
    ],
)
def test_no_plan_that_a_skill_thinks_up_passes_by_it(
    ruled: Ruled, security: SecuritySettings, pin: bool, told: str, state: str
) -> None:
    say = ruled()
    say("unlock the front door at eight")
    ((text,),) = say.talk.database.execute("SELECT plan FROM plans")
    say.talk.database.execute("DELETE FROM plans")
    plan = msgspec.json.decode(text, type=Plan)
    plan = msgspec.structs.replace(plan, area="office", pin=pin)
    undo = Undo("plans.restore", plan.id, msgspec.json.encode(plan).decode())
    say.talk.security = security
    say.talk.rebuild()
    say.talk.stage._rooms.of("").history.keep(Reply("", undo=undo))
    assert say("undo that") == told
    if pin:
        say("stop")
    say.talk.wait(5400)
    assert say.talk.state("lock.front_door") == state


def test_a_skill_that_may_do_anything_is_not_begun_before_the_pin(
    talks: Callable[..., Talk],
) -> None:
    done: list[str] = []
    skill = Skill("gate")

    @skill.intent("OpenGate", "open the gate over there")
    def opens() -> Reply:
        done.append("opened")  # over the network, as far as anybody knows
        return Reply("It opens.")

    talk = talks(
        registry=served(skill), security=SecuritySettings(pin_for=("OpenGate",)), pin="1234"
    )
    assert talk.ask("OpenGate") == "What is the PIN?"
    assert done == []
    assert talk.say("1234") == "It opens."
    assert done == ["opened"]


@pytest.mark.parametrize(
    ("security", "message"),
    [
        (SecuritySettings(pin_for=("lokc",)), 'security.pin_for: .* "lokc"; did you mean "lock"'),
        (denying("lock.frnt_door"), 'child.denied: .* did you mean "lock.front_door"'),
        (denying("HassStartTmer"), 'did you mean "HassStartTimer"'),
        (denying("lock", room="kitchn"), 'rooms: .* "kitchn"; did you mean "kitchen"'),
        (SecuritySettings(rooms={"kitchen": "child"}), '"child"; there is none'),
    ],
)
def test_a_name_that_there_is_not_is_refused(security: SecuritySettings, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        rules_of(security, HOME, manifests())


def test_a_state_covers_what_may_lead_to_it() -> None:
    rules = rules_of(SecuritySettings(pin_for=("lock:unlocked",)), HOME, ())
    lock = frozenset({"lock"})
    needs = [rules.needs_pin(Act(lock, state=state)) for state in ("unlocked", "locked", "")]
    assert needs == [True, False, True]
