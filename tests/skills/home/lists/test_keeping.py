"""Lists: put on, checked off, taken off, told, and kept."""

from __future__ import annotations

from tests.support.house import replied
from tests.support.talking import Talk, command


def on_list(talk: Talk) -> str:
    return talk.say("what's on it", command("HassGetState", name="Shopping List"))


def test_things_are_put_on_and_kept(house: Talk) -> None:
    milk = command("HassShoppingListAddItem", item="milk")
    eggs = command("HassListAddItem", item="eggs", name="shopping list")
    reply = replied(house.hear("milk and eggs", milk, eggs))
    assert reply.text == "I put milk and eggs on your shopping list."
    assert (reply.done, reply.acted) == (True, True)
    house.restart()
    assert on_list(house) == "On your shopping list: milk and eggs."


def test_twice_is_once(house: Talk) -> None:
    house.ask("HassShoppingListAddItem", item="milk")
    assert house.ask("HassShoppingListAddItem", item="Milk") == (
        "Milk is on your shopping list already."
    )
    assert on_list(house) == "On your shopping list: milk."


def test_checked_off_and_put_on_again(house: Talk) -> None:
    house.ask("HassShoppingListAddItem", item="apples")
    told = house.ask("HassShoppingListCompleteItem", item="apple")
    assert told == "I checked apples off your shopping list."
    assert on_list(house) == "Your shopping list is empty."
    house.ask("HassShoppingListAddItem", item="apples")
    assert on_list(house) == "On your shopping list: apples."


def test_another_list_is_another(house: Talk) -> None:
    assert house.ask("HassListAddItem", item="mow the lawn", name="Chores") == (
        "I put mow the lawn on your chores list."
    )
    assert on_list(house) == "Your shopping list is empty."
    told = house.ask("HassListRemoveItem", item="mow the lawn", name="chores")
    assert told == "I took mow the lawn off your chores list."


def test_what_is_not_on_it_is_told(house: Talk) -> None:
    reply = replied(house.hear("words", command("HassShoppingListCompleteItem", item="milk")))
    assert (reply.text, reply.done) == ("I don't find milk on your shopping list.", False)


def test_each_is_taken_back(house: Talk) -> None:
    house.ask("HassShoppingListAddItem", item="milk")
    house.ask("Undo")
    assert on_list(house) == "Your shopping list is empty."
    house.ask("HassShoppingListAddItem", item="milk")
    house.ask("HassShoppingListCompleteItem", item="milk")
    house.ask("Undo")
    assert on_list(house) == "On your shopping list: milk."
    house.ask("HassListRemoveItem", item="milk", name="shopping list")
    house.ask("Undo")
    assert on_list(house) == "On your shopping list: milk."


def test_a_missing_list_is_asked_for(house: Talk) -> None:
    assert house.ask("HassListAddItem", item="milk") == "On which list?"
