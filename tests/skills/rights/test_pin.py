"""What needs the PIN is done after the right one alone, whoever asks for it and however."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest

from assistant.core.errors import InputError
from assistant.core.messages import Asked, Commit, Interpretation, SpokenReply
from assistant.core.settings.security import SecuritySettings
from skills.rights.pin_file import PinFile
from tests.skills.rights.conftest import Ruled
from tests.support.talking import Talk, command, directed

ASKED = "What is the PIN?"
WRONG = f"That PIN is wrong. {ASKED}"
LOCKED = "That PIN is wrong, too. I take none for the next five minutes."
UNLOCK = directed(command("HassTurnOff", name="Front Door"), "unlock")


@pytest.fixture
def begin(ruled: Ruled) -> Ruled:
    """Makes conversations in which these names need the PIN."""
    return lambda *pin_for, pin="1234": ruled(pin, pin_for=pin_for)


def test_a_right_pin_carries_out_what_was_asked_for(begin: Ruled) -> None:
    say = begin("lock")
    assert say("unlock the front door") == ASKED
    assert say.talk.state("lock.front_door") == "locked"
    assert say("twelve thirty four") == "I unlocked the front door."
    assert say.talk.state("lock.front_door") == "unlocked"


def test_without_the_rule_nothing_is_asked(begin: Ruled) -> None:
    """The control: it is the rule that stops it."""
    assert begin()("unlock the front door") == "I unlocked the front door."


def test_one_pin_is_enough_for_all_that_is_said_at_once(
    begin: Ruled,
) -> None:
    say = begin("lock", "light")
    assert say("turn on the ceiling and unlock the front door") == ASKED
    assert say.talk.state("light.ceiling") == "off"
    assert say("one two three four") == "I turned on the ceiling. I unlocked the front door."


def test_it_is_asked_for_anew_with_the_next_utterance(begin: Ruled) -> None:
    say = begin("lock")
    say("unlock the front door")
    say("1234")
    assert say("lock the front door") == ASKED


def test_a_state_alone_may_need_it(begin: Ruled) -> None:
    say = begin("lock:locked")
    assert say("unlock the front door") == "I unlocked the front door."
    assert say("lock the front door") == ASKED


@pytest.mark.parametrize("name", ["todo", "shopping list", "todo.shopping_list"])
def test_a_list_may_need_it(begin: Ruled, name: str) -> None:
    say = begin(name)
    assert say("put soap on my shopping list") == ASKED
    assert say("1234") == "I put soap on your shopping list."
    assert say("undo that") == ASKED
    assert say("1234") == "I took that back."


@pytest.mark.parametrize("name", ["HassStartTimer", "timer"])
def test_an_intent_or_a_skill_may_need_it(begin: Ruled, name: str) -> None:
    say = begin(name)
    assert say("set a timer for five minutes") == ASKED
    assert not say.timers
    assert say("nine nine nine nine") == WRONG
    assert not say.timers
    say("1234")
    assert len(say.timers) == 1


def test_its_own_questions_come_first(begin: Ruled) -> None:
    say = begin("planned")
    say("turn on the ceiling at eight")
    assert say("cancel all your plans").endswith("Shall I cancel that?")
    assert say("yes") == ASKED
    assert say("1234") == "I will not turn on the ceiling."


def test_what_is_wished_for_later_is_asked_for_now(begin: Ruled) -> None:
    say = begin("lock")
    assert say("unlock the front door at eight") == ASKED
    assert say("1234") == "I will unlock the front door at 8 pm."
    told = [m.text for m in say.talk.wait(5400) if isinstance(m, SpokenReply)]
    assert told[0] == "I unlocked the front door, as planned."
    assert say.talk.state("lock.front_door") == "unlocked"


def test_a_plan_without_the_pin_is_not_carried_out(begin: Ruled) -> None:
    """Such as one that is older than the rule."""
    say = begin()
    say("unlock the front door at eight")
    say.talk.security = SecuritySettings(pin_for=("lock",))
    say.talk.rebuild()
    told = [m.text for m in say.talk.wait(5400) if isinstance(m, SpokenReply)]
    assert told[0] == "I could not unlock the front door, as planned."
    assert say.talk.state("lock.front_door") == "locked"


def test_what_is_taken_back_later_is_asked_for_now(begin: Ruled) -> None:
    say = begin("lock:unlocked")
    say.talk.stage._devices.set_state("lock.front_door", "unlocked")
    say("lock the front door for ten minutes")
    assert say("yes") == ASKED
    assert "ten minutes" in say("1234")
    say.talk.wait(700)
    assert say.talk.state("lock.front_door") == "unlocked"


def test_a_correction_does_not_undo_without_it(begin: Ruled) -> None:
    say = begin("todo")
    say("put soap on my shopping list")
    say("1234")
    lamp = msgspec.structs.replace(command("HassTurnOn", name="Ceiling"), instead=True)
    *_, reply = say.talk.hear("no, turn on the ceiling", lamp)
    assert isinstance(reply, SpokenReply)
    assert reply.text == ASKED
    assert say("what is on my shopping list").endswith("milk, butter and soap.")


def test_without_a_pin_nothing_that_needs_one_is_done(begin: Ruled) -> None:
    say = begin("lock", pin="")
    assert "none is set" in say("unlock the front door")
    assert say.talk.state("lock.front_door") == "locked"


def test_other_words_are_no_pin(begin: Ruled) -> None:
    say = begin("lock")
    say("unlock the front door")
    assert say("one two") == f"Sorry, I didn't get that. {ASKED}"
    assert say("bananas") == "Okay, never mind."
    say("unlock the front door")
    assert say("turn on the ceiling") == "I turned on the ceiling."
    assert say.talk.state("lock.front_door") == "locked"


def test_three_wrong_ones_lock_it(begin: Ruled) -> None:
    say = begin("lock")
    say("unlock the front door")
    assert [say("nine nine nine nine") for _ in range(3)] == [WRONG, WRONG, LOCKED]
    assert say("unlock the front door") == "I take no PIN for another five minutes."
    say.talk.wait(301)
    assert say("unlock the front door") == ASKED
    assert say("1234") == "I unlocked the front door."


def test_wrong_ones_are_counted_over_dialogs_and_restarts(
    begin: Ruled,
) -> None:
    say = begin("lock")
    for _ in range(2):
        say("unlock the front door")
        assert say("9999") == WRONG
        say("stop")
        say.talk.restart()
    say("unlock the front door")
    assert say("9999") == LOCKED
    say.talk.restart()
    assert say("unlock the front door") == "I take no PIN for another five minutes."


def test_a_right_one_forgives_the_wrong_ones(begin: Ruled) -> None:
    say = begin("lock")
    for _ in range(3):
        say("unlock the front door")
        assert [say("9999"), say("9999")] == [WRONG, WRONG]
        say("1234")
        say("lock the front door")
        say("1234")


@pytest.mark.parametrize("off_s", [0, 3600])
def test_no_clock_and_no_reboot_shortens_the_lock(begin: Ruled, off_s: float) -> None:
    say = begin("lock")
    say("unlock the front door")
    for _ in range(3):
        say("9999")
    say.talk.wait(100)
    say.talk.now += timedelta(days=1)  # somebody sets the clock
    assert say("unlock the front door") == "I take no PIN for another four minutes."
    say.talk.reboot(off_s)
    assert say("unlock the front door") == "I take no PIN for another five minutes."
    say.talk.wait(300)
    assert say("unlock the front door") == ASKED


def test_a_lock_that_is_over_does_not_come_back_with_a_reboot(
    begin: Ruled,
) -> None:
    say = begin("lock")
    say("unlock the front door")
    for _ in range(3):
        say("9999")
    say.talk.wait(400)
    say.talk.reboot(10)
    assert say("unlock the front door") == ASKED


def test_the_question_is_told_to_the_ear_and_to_the_voice(talks: Callable[..., Talk]) -> None:
    talk = talks(security=SecuritySettings(pin_for=("lock",)), pin="1234")
    asked, reply = talk.hear("unlock the front door", UNLOCK)
    assert isinstance(asked, Asked)
    assert asked.in_a_row
    assert "seven" in asked.answers
    assert isinstance(reply, SpokenReply)
    assert (reply.secret, reply.listen) == (True, True)


def test_a_pin_that_nobody_asked_for_goes_to_no_documents(talk: Talk) -> None:
    talk.feed(Interpretation(utterance_id="late", revision=0, text="1234", secret=True))
    (reply,) = talk.feed(Commit(utterance_id="late", revision=0))
    assert isinstance(reply, SpokenReply)
    assert reply.text == "I no longer need the PIN."


def test_the_file_is_only_its_users_and_holds_no_digits(tmp_path: Path) -> None:
    file = PinFile(tmp_path / "pin")
    file.set("480715")
    assert stat.S_IMODE(os.stat(tmp_path / "pin").st_mode) == 0o600
    assert b"480715" not in (tmp_path / "pin").read_bytes()
    assert file.fits("480715")
    assert not file.fits("480716")


@pytest.mark.parametrize("digits", ["123", "", "12a4", "1234567890123", "١٢٣٤", "12 34"])
def test_what_is_no_pin_is_refused(tmp_path: Path, digits: str) -> None:
    file = PinFile(tmp_path / "pin")
    with pytest.raises(InputError, match="4 to 12 digits"):
        file.set(digits)
    assert not file.is_set


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff\xfe", b'{"n":3,"r":8,"p":1}'])
def test_a_damaged_file_fits_nothing(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "pin").write_bytes(content)
    assert not PinFile(tmp_path / "pin").fits("1234")
