"""Lists of Home Assistant, as people talk of them: through the skills, the bridge, and back."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from assistant.bridge import kept
from assistant.bridge.home_assistant import lists as lists_module
from assistant.bridge.home_assistant.link import HomeAssistant as Link
from assistant.core.clock import boottime_s
from assistant.core.messages import DeviceChanged, HomeLists, HomeReceipt
from assistant.core.settings.home_assistant import HomeAssistantSettings
from assistant.skill.home import Entity, Home
from nlu.interpreter import Interpreter
from nlu.stage import NluStage
from tests.support.conversation import Conversation
from tests.support.grammars import templates_of
from tests.support.home_assistant import TOKEN, HomeAssistant, item
from tests.support.household import Household
from tests.support.talking import EVENING, Talk

GROCERIES, TASKS = "todo.groceries", "todo.tasks"
HOME = Home(
    entities=(
        Entity(name="Groceries", id=GROCERIES),
        Entity(name="Tasks", id=TASKS),
        Entity(name="Lamp", id="light.lamp"),
    )
)
READ = "what's on the groceries list"


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "RECONNECT_S", (0.05, 0.2))
    monkeypatch.setattr(lists_module, "ANSWER_S", 60.0)  # a busy machine answers late


@pytest.fixture
def there(things: ExitStack) -> HomeAssistant:
    there = things.enter_context(closing(HomeAssistant()))
    there.has_list(GROCERIES, "Groceries", "Eggs", "milk")
    there.has_list(TASKS, "Tasks")
    there.start()
    return there


@pytest.fixture(scope="module")
def understanding() -> NluStage:
    templates = templates_of(HOME)
    return NluStage(templates, Interpreter(templates), lambda: EVENING)


Begin = Callable[..., Household]


@pytest.fixture
def begin(
    things: ExitStack,
    there: HomeAssistant,
    talks: Callable[..., Talk],
    understanding: NluStage,
    tmp_path: Path,
) -> Begin:
    """Begins a household, once what was said `before` Home Assistant was there."""

    def begun(*before: str) -> Household:
        token = tmp_path / "token"
        token.write_text(TOKEN, "utf-8")
        token.chmod(0o600)
        talk = talks(home=HOME, area="", broker=True, shares_lists=True, at_s=boottime_s())
        settings = HomeAssistantSettings(url=there.url, token_file=str(token))
        named = [entity.id for entity in HOME.entities]
        link = things.enter_context(closing(Link(settings, named)))
        household = Household(talk, understanding, link)
        for text in before:
            household.say(text)
        household.until(lambda m: isinstance(m, HomeLists) and {GROCERIES, TASKS} <= m.lists.keys())
        household.until(lambda m: isinstance(m, DeviceChanged) and m.present)
        return household

    return begun


@pytest.fixture
def household(begin: Begin) -> Household:
    return begin()


def is_sent(message: object) -> bool:
    return isinstance(message, HomeReceipt) and bool(message.sent)


def does(household: Household, text: str) -> str:
    """The reply, once Home Assistant has what it reports."""
    reply = household.say(text)
    household.until(is_sent)
    return reply


def goes_away(household: Household, there: HomeAssistant) -> None:
    there.stop()
    household.until(lambda m: isinstance(m, DeviceChanged) and not m.present)


def comes_back(household: Household, there: HomeAssistant) -> None:
    there.start()
    household.until(lambda m: isinstance(m, DeviceChanged) and m.present)


# ── works ───────────────────────────────────────────────────────────────────────────────────


def test_what_is_on_it_is_read_from_home_assistant(household: Household) -> None:
    assert household.say(READ) == "On your groceries list: Eggs and milk."
    assert household.say("what's on the shopping list") == "On your groceries list: Eggs and milk."
    assert household.say("is there milk on the groceries list") == (
        "Yes, milk is on your groceries list."
    )
    assert household.say("how many things are on the groceries list") == (
        "There are two things on your groceries list: Eggs and milk."
    )


def test_things_are_put_on_it_checked_off_and_taken_off(
    household: Household, there: HomeAssistant
) -> None:
    assert does(household, "put bread on the groceries list") == (
        "I put bread on your groceries list."
    )
    assert there.on_list(GROCERIES)["bread"] == "needs_action"
    assert does(household, "check off eggs") == "I checked Eggs off your groceries list."
    assert there.on_list(GROCERIES)["Eggs"] == "completed"
    assert does(household, "take milk off the groceries list") == (
        "I took milk off your groceries list."
    )
    assert there.on_list(GROCERIES) == {"Eggs": "completed", "bread": "needs_action"}
    assert household.say(READ) == "On your groceries list: bread."
    assert household.told == []


@pytest.mark.parametrize(
    ("text", "undo"),
    [
        ("put bread on the groceries list", "cancel that"),
        ("check off milk", "undo"),
        ("take milk off the groceries list", "undo that"),
    ],
)
def test_what_was_done_is_taken_back_there(
    household: Household, there: HomeAssistant, text: str, undo: str
) -> None:
    before = there.on_list(GROCERIES)
    does(household, text)
    assert there.on_list(GROCERIES) != before
    does(household, undo)
    assert there.on_list(GROCERIES) == before


def test_it_is_cleared_after_a_yes(household: Household, there: HomeAssistant) -> None:
    assert household.say("clear the groceries list") == (
        "Shall I take two things off your groceries list?"
    )
    assert there.on_list(GROCERIES)
    assert does(household, "yes") == "Your groceries list is empty now."
    assert there.on_list(GROCERIES) == {}
    does(household, "undo")
    assert there.on_list(GROCERIES).keys() == {"Eggs", "milk"}


def test_a_thing_that_was_checked_off_is_put_back_and_not_twice(
    household: Household, there: HomeAssistant
) -> None:
    does(household, "check off milk")
    does(household, "put milk on the groceries list")
    assert there.on_list(GROCERIES) == {"Eggs": "needs_action", "milk": "needs_action"}
    assert len(there.lists[GROCERIES]) == 2


def test_what_somebody_else_changes_is_known(household: Household, there: HomeAssistant) -> None:
    there.put_items(GROCERIES, [item("1", "honey"), item("2", "jam", "completed")])
    household.until(lambda m: isinstance(m, HomeLists))
    assert household.say(READ) == "On your groceries list: honey."


def test_what_was_on_the_list_here_comes_to_the_one_there(
    begin: Begin, there: HomeAssistant
) -> None:
    household = begin("put milk on the shopping list", "put tea on the shopping list")
    household.until_so(lambda: there.on_list(GROCERIES).keys() == {"Eggs", "milk", "tea"})
    assert household.say(READ) == "On your groceries list: Eggs, milk and tea."


# ── away ────────────────────────────────────────────────────────────────────────────────────


def test_a_list_that_was_not_told_of_is_not_empty(
    talks: Callable[..., Talk], understanding: NluStage
) -> None:
    talk = talks(home=HOME, area="", broker=True, shares_lists=True, at_s=boottime_s())
    say = Conversation(talk, understanding, boottime_s())
    assert say(READ) == "I can't reach your groceries list now, so I don't know what is on it."
    talk.feed(DeviceChanged(device="broker", present=True))
    talk.feed(HomeLists(lists={GROCERIES: ()}))
    assert say(READ) == "Your groceries list is empty."


def test_while_it_is_away_lists_are_as_they_were_and_changes_wait(
    household: Household, there: HomeAssistant
) -> None:
    goes_away(household, there)
    assert household.say("put bread on the groceries list") == (
        "I put bread on your groceries list. I pass that on once I can reach it."
    )
    assert household.say("take milk off the list") == (
        "I took milk off your groceries list. I pass that on once I can reach it."
    )
    assert household.say(READ) == (
        "On your groceries list: Eggs and bread. I can't reach it now, so that may have changed."
    )
    there.lists[GROCERIES].append(item("7", "honey"))
    comes_back(household, there)
    household.until(is_sent)
    assert there.on_list(GROCERIES).keys() == {"Eggs", "honey", "bread"}
    assert household.say(READ) == "On your groceries list: Eggs, honey and bread."


def test_what_waits_outlasts_a_restart(household: Household, there: HomeAssistant) -> None:
    goes_away(household, there)
    household.say("put bread on the groceries list")
    household.talk.restart()
    comes_back(household, there)
    household.until(is_sent)
    assert "bread" in there.on_list(GROCERIES)


def test_what_was_done_before_the_connection_was_lost_is_not_done_twice(
    household: Household, there: HomeAssistant
) -> None:
    there.silent.add("todo.add_item")
    household.say("put bread on the groceries list")
    there.calls.get(timeout=10)  # what is there
    there.calls.get(timeout=10)  # the bread is taken on, and the answer lost
    there.lists[GROCERIES].append(item("9", "bread"))
    goes_away(household, there)
    there.silent.clear()
    comes_back(household, there)
    household.until(is_sent)
    assert [one["summary"] for one in there.lists[GROCERIES]] == ["Eggs", "milk", "bread"]
    assert household.say(READ) == "On your groceries list: Eggs, milk and bread."


def test_without_home_assistant_the_lists_are_this_devices_own_again(
    household: Household, there: HomeAssistant
) -> None:
    goes_away(household, there)
    household.say("take milk off the groceries list")
    household.talk.shares_lists = household.talk.broker = False
    household.talk.restart()
    assert household.say("put bread on the groceries list") == (
        "I put bread on your groceries list."
    )
    assert household.say(READ) == "On your groceries list: Eggs and bread."


# ── refuses, is slow, or says otherwise ─────────────────────────────────────────────────────


def test_what_it_refuses_is_told_and_not_on_the_list(
    household: Household, there: HomeAssistant
) -> None:
    there.failing["add_item"] = "this list is read-only"
    assert household.say("put bread on the groceries list") == (
        "I put bread on your groceries list."
    )
    household.until_told("Your groceries list could not be changed.")
    assert household.say(READ) == "On your groceries list: Eggs and milk."


def test_what_it_confirms_and_does_not_do_is_told(
    household: Household, there: HomeAssistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lists_module, "ANSWER_S", 0.5)
    there.deaf.add(GROCERIES)
    household.say("take milk off the groceries list")
    household.until_told("Your groceries list could not be changed.")
    assert household.say(READ) == "On your groceries list: Eggs and milk."


def test_a_slow_one_is_told_and_the_list_is_as_it_says(
    household: Household, there: HomeAssistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lists_module, "ANSWER_S", 0.5)  # it is over for nothing else
    there.silent.add("todo.remove_item")
    household.say("take milk off the groceries list")
    household.until_told("I don't know whether your groceries list was changed.")
    assert household.say(READ) == "On your groceries list: Eggs and milk."


@pytest.mark.parametrize("told", [None, 7, {"response": {}}, {"response": {GROCERIES: [1]}}])
def test_an_answer_that_is_none_is_told(
    household: Household, there: HomeAssistant, told: object
) -> None:
    there.instead["call_service"] = lambda line, asked: there.result(line, asked["id"], told)
    household.say("check off milk")
    household.until_told("Your groceries list could not be changed.")


def test_a_long_list_is_read_in_part(household: Household, there: HomeAssistant) -> None:
    there.put_items(GROCERIES, [item(str(n), f"thing {n}") for n in range(100)])
    household.until(lambda m: isinstance(m, HomeLists))
    assert household.say(READ).endswith("thing 18, thing 19 and 80 more.")
