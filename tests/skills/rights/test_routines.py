"""A routine is run with the rights of the room where that is said, and with the PIN."""

from __future__ import annotations

from assistant.core.settings.security import Profile
from tests.skills.rights.conftest import Ruled

ASKED = "What is the PIN?"
MAKE = "when I say movie time, turn on the ceiling and unlock the front door"
SAVED = "Movie time is saved: it turns on the ceiling and unlocks the front door."


def test_a_pin_is_asked_for_when_it_is_made_and_when_it_is_run(ruled: Ruled) -> None:
    say = ruled(pin_for=("lock",))
    assert say(MAKE) == ASKED
    assert say("1234") == SAVED
    assert say("movie time") == ASKED
    assert say.talk.state("lock.front_door") == "locked"
    assert say("1234") == "I turned on the ceiling. I unlocked the front door."
    assert say.talk.state("lock.front_door") == "unlocked"


def test_one_pin_is_enough_for_all_that_a_run_does(ruled: Ruled) -> None:
    say = ruled(pin_for=("lock", "light"))
    say(MAKE)
    assert say("1234") == SAVED
    assert say("movie time") == ASKED
    assert say("1234") == "I turned on the ceiling. I unlocked the front door."


def test_who_does_not_know_the_pin_keeps_no_such_command(ruled: Ruled) -> None:
    say = ruled(pin_for=("lock",))
    say(MAKE)
    say("0000")
    say("0000")
    assert "That PIN is wrong, too." in say("0000")
    assert say.talk.state("lock.front_door") == "locked"
    assert say("what does movie time do") == "Movie time turns on the ceiling."


def test_a_wrong_pin_opens_nothing_at_a_run(ruled: Ruled) -> None:
    say = ruled(pin_for=("lock",))
    say(MAKE)
    say("1234")
    say("movie time")
    for _ in range(3):
        say("0000")
    assert say.talk.state("lock.front_door") == "locked"


def test_without_a_rule_nothing_is_asked(ruled: Ruled) -> None:
    """Control."""
    say = ruled()
    assert say(MAKE) == SAVED
    assert say("movie time") == "I turned on the ceiling. I unlocked the front door."


def test_the_rights_are_those_of_the_room_where_it_is_run(ruled: Ruled) -> None:
    say = ruled(profiles={"child": Profile(denied=("lock",))}, rooms={"office": "child"})
    assert say(MAKE) == SAVED
    assert say("movie time", area="office") == (
        "I turned on the ceiling. Changing the front door isn't allowed from here."
    )
    assert say.talk.state("lock.front_door") == "locked"
    assert say("movie time") == "I turned on the ceiling. I unlocked the front door."


def test_what_is_denied_in_a_room_is_not_kept_from_there(ruled: Ruled) -> None:
    say = ruled(profiles={"child": Profile(denied=("lock",))}, rooms={"office": "child"})
    assert say(MAKE, area="office") == (
        "Changing the front door isn't allowed from here."
        " Movie time is saved: it turns on the ceiling."
    )


def test_the_skill_itself_may_be_denied_or_need_the_pin(ruled: Ruled) -> None:
    say = ruled(
        profiles={"child": Profile(denied=("routines",))},
        rooms={"office": "child"},
        pin_for=("MakeRoutine",),
    )
    assert say(MAKE, area="office").endswith("That isn't allowed from here.")
    assert say("make a routine called supper") == "What shall it do?"
    assert say("turn on the kettle") == "Anything else?"
    assert say("turn off the desk lamp") == "Anything else?"
    assert say("no") == ASKED
    assert say("1234") == "Supper is saved: it turns on the kettle and turns off the desk lamp."
    assert say("supper") == "I turned on the kettle. I turned off the desk lamp."


def test_the_devices_are_those_of_the_room_where_it_was_made(ruled: Ruled) -> None:
    say = ruled()
    assert say("when I say supper, turn on the lights") == (
        "Supper is saved: it turns on the lights."
    )
    say("turn off the desk lamp")
    say("supper", area="office")
    states = [say.talk.state(f"light.{name}") for name in ("ceiling", "counter", "desk")]
    assert states == ["on", "on", "off"]


def test_what_waits_has_the_rights_of_the_room_where_it_is_run(ruled: Ruled) -> None:
    say = ruled(profiles={"child": Profile(denied=("lock",))}, rooms={"office": "child"})
    assert say("when I say bye, unlock the front door in ten minutes").startswith("Bye is saved")
    assert say("bye", area="office") == "Changing the front door isn't allowed from here."
    say.talk.wait(700)
    assert say.talk.state("lock.front_door") == "locked"
    say("bye")
    say.talk.wait(700)
    assert say.talk.state("lock.front_door") == "unlocked"
