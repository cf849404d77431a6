"""Lists of Home Assistant: what is told of them, and what is called for a change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from assistant.bridge.home_assistant import lists as lists_module
from assistant.bridge.home_assistant import responses as responses_module
from assistant.bridge.home_assistant.lists import LARGEST_LIST_BYTES, LONGEST_ITEM, calls
from assistant.core.home.lists import ListChange, ListedItem
from assistant.core.messages import HomeLists, HomeStates
from tests.bridge.home_assistant.conftest import Bench
from tests.support.home_assistant import HomeAssistant, item

SHOPPING, CHORES = "todo.shopping", "todo.chores"
EGGS = ListedItem("u1", "Eggs")
MILK = ListedItem("u2", "milk", done=True)
OPEN, DONE = {"status": "needs_action"}, {"status": "completed"}


@pytest.fixture
def there(there: HomeAssistant) -> HomeAssistant:
    there.has_list(SHOPPING, "Shopping", "Eggs")
    return there


def on_list(bench: Bench, *texts: str) -> tuple[ListedItem, ...]:
    """The items of the list, once it is told that these are on it."""

    def fits(message: HomeLists) -> bool:
        return tuple(one.text for one in message.lists.get(SHOPPING, ())) == texts

    return bench.hears(HomeLists, fits).lists[SHOPPING]


@pytest.mark.parametrize(
    ("change", "called"),
    [
        (ListChange("", "bread", "open"), [("add_item", {"item": "bread"})]),
        (ListChange("", "eggs", "open"), []),
        (ListChange("", "Milk", "open"), [("update_item", {"item": "u2", **OPEN})]),
        (ListChange("u1", "Eggs", "done"), [("update_item", {"item": "u1", **DONE})]),
        (ListChange("u2", "milk", "done"), []),
        (ListChange("u1", "Eggs", "gone"), [("remove_item", {"item": ["u1"]})]),
        (ListChange("u7", "jam", "gone"), []),
        (ListChange("u7", "jam", "done"), []),
        (ListChange("u7", "jam", "open"), [("add_item", {"item": "jam"})]),
    ],
)
def test_only_what_is_not_yet_so_is_called_for(
    change: ListChange, called: list[tuple[str, dict[str, Any]]]
) -> None:
    made = calls(SHOPPING, [change], [EGGS, MILK])
    assert [(call.service, call.data) for call in made] == called


def test_what_is_taken_off_and_put_on_again_is_another_item() -> None:
    changes = [ListChange("u1", "Eggs", "gone"), ListChange("", "eggs", "open")]
    made = calls(SHOPPING, changes, [EGGS])
    assert [call.service for call in made] == ["remove_item", "add_item"]


def test_a_list_is_told_at_the_start_and_as_it_changes(bench: Bench, there: HomeAssistant) -> None:
    on_list(bench, "Eggs")
    there.put_items(SHOPPING, [item("1", "Eggs", "completed"), item("2", "milk")])
    told = on_list(bench, "Eggs", "milk")
    assert told == (ListedItem("1", "Eggs", True), ListedItem("2", "milk"))


def test_a_change_is_called_for_and_then_told(bench: Bench, there: HomeAssistant) -> None:
    number = bench.command(SHOPPING, items=(ListChange("", "milk", "open"),))
    assert bench.becomes(number) == "sent"
    on_list(bench, "Eggs", "milk")
    services = [there.called()[0] for _ in range(3)]
    assert services == ["todo.get_items", "todo.add_item", "todo.get_items"]


def test_a_list_that_is_new_is_told(bench: Bench, there: HomeAssistant) -> None:
    there.has_list(CHORES, "Chores", "hoover")
    there.happens("entity_registry_updated", {"action": "create"})
    bench.hears(HomeLists, lambda m: CHORES in m.lists)


def test_after_a_reload_the_lists_are_told_again(bench: Bench) -> None:
    on_list(bench, "Eggs")
    bench.stage.follow([])
    on_list(bench, "Eggs")


# ── what is wrong ───────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("fault", ["silent", "refused"])
def test_a_list_that_is_not_told_hinders_no_lamp(
    join: Callable[..., Bench],
    there: HomeAssistant,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    fault: str,
) -> None:
    monkeypatch.setattr(lists_module, "ANSWER_S", 0.1)
    monkeypatch.setattr(responses_module, "ANSWER_S", 0.1)
    if fault == "silent":
        there.silent.add("todo/item/subscribe")
    else:
        there.instead["todo/item/subscribe"] = there.refuse
    bench = join()
    bench.is_there()
    assert bench.hears(HomeStates).states["light.kitchen"] == "off"
    assert "todo.shopping: tells no items" in caplog.text


def test_nonsense_about_a_list_changes_nothing(bench: Bench, there: HomeAssistant) -> None:
    on_list(bench, "Eggs")
    for nonsense in (None, 7, [], {"items": 7}, {"items": None}, {"items": {"a": 1}}):
        there.tell(SHOPPING, nonsense)
    odd = [None, 7, {}, item("3", ""), item("4", "a\x00b"), item("5", "x" * (LONGEST_ITEM + 1))]
    odd += [item("6" * 1000, "long id"), {"summary": 5}, {"summary": "no id", "uid": None}]
    there.put_items(SHOPPING, [*odd, item("7", "two\nlines"), item("7", "the same id")])
    on_list(bench, "no id", "two lines")


def test_of_a_list_that_is_huge_the_beginning_is_told(
    bench: Bench, there: HomeAssistant, caplog: pytest.LogCaptureFixture
) -> None:
    on_list(bench, "Eggs")
    huge = [item(str(n), f"{n} {'x' * 200}") for n in range(20_000)]
    there.put_items(SHOPPING, huge)
    told = bench.hears(HomeLists, lambda m: len(m.lists[SHOPPING]) > 1).lists[SHOPPING]
    assert 0 < sum(len(one.text) for one in told) < LARGEST_LIST_BYTES
    assert told[0].text == huge[0]["summary"]
    assert "items are left out" in caplog.text
    number = bench.command(SHOPPING, items=(ListChange("19999", "the last", "gone"),))
    assert bench.becomes(number) == "sent"
    assert len(there.lists[SHOPPING]) == 19_999


def test_an_error_is_logged_without_what_is_on_the_list(
    bench: Bench, there: HomeAssistant, caplog: pytest.LogCaptureFixture
) -> None:
    there.failing["add_item"] = "cannot add secret cake"
    number = bench.command(SHOPPING, items=(ListChange("", "secret cake", "open"),))
    assert bench.becomes(number) == "failed"
    on_list(bench, "Eggs")
    assert "todo.shopping: a call fails: home_assistant_error" in caplog.text
    assert "cake" not in caplog.text


def test_a_slow_change_is_in_doubt(
    bench: Bench, there: HomeAssistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lists_module, "ANSWER_S", 0.1)
    monkeypatch.setattr(responses_module, "ANSWER_S", 0.1)
    there.silent.add("todo.add_item")
    number = bench.command(SHOPPING, items=(ListChange("", "milk", "open"),))
    assert bench.becomes(number) == "unsure"
