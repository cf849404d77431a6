"""Shopping lists and to-do lists: adding, checking off, removing, and saying what is on them."""

from __future__ import annotations

import difflib
from typing import Annotated

from assistant.skill import Context, ListItem, Reply, Request, Skill, Undo, domains, prompt
from skills.home.targets import capital

SHOPPING = "shopping list"
_ALIKE = 0.85
"""Least similarity of a word to the item on the list that it names: "apple" for "apples"."""

Item = Annotated[str, prompt("What is it?")]
ListName = Annotated[str, domains("todo"), prompt("On which list?")]

skill = Skill("home")


@skill.serve("HassShoppingListAddItem")
def add_to_shopping_list(item: Item, context: Context) -> Reply:
    """Put something on the shopping list."""
    return _add(SHOPPING, item, context)


@skill.serve("HassListAddItem")
def add_to_list(item: Item, name: ListName, context: Context) -> Reply:
    """Put something on a list."""
    return _add(name, item, context)


@skill.serve("HassShoppingListCompleteItem")
def complete_on_shopping_list(item: Item, context: Context) -> Reply:
    """Check something off the shopping list."""
    return _complete(SHOPPING, item, context)


@skill.serve("HassListCompleteItem")
def complete_on_list(item: Item, name: ListName, context: Context) -> Reply:
    """Check something off a list."""
    return _complete(name, item, context)


@skill.serve("HassListRemoveItem")
def remove_from_list(request: Request, item: Item, context: Context, name: ListName) -> Reply:
    """Take something off a list."""
    found = _find(name, item, context, done=None)
    if found is None:
        return _absent(name, item)
    context.lists.remove(found.id)
    undo = Undo("lists.add", found.list_id, found.text)
    return Reply(f"I took {found.text} off {_called(name)}.", undo=undo)


def told_list(name: str, context: Context) -> Reply:
    """Say what is still to be done or bought."""
    open_items = [item.text for item in _items(name, context) if not item.done]
    if not open_items:
        return Reply(capital(f"{_called(name)} is empty."))
    return Reply(f"On {_called(name)}: {context.say(open_items)}.")


def _add(name: str, item: str, context: Context) -> Reply:
    text = item.strip()
    if not text:
        return Reply(f"You named nothing for {_called(name)}.", done=False)
    known = [i for i in _items(name, context) if i.text.casefold() == text.casefold()]
    if known and not known[0].done:
        return Reply(capital(f"{text} is on {_called(name)} already."))
    if known:
        context.lists.set_done(known[0].id, False)
        undo = Undo("lists.set_done", known[0].id, True)
    else:
        undo = Undo("lists.remove", context.lists.add(_id(name, context), text).id)
    return Reply(f"I put {text} on {_called(name)}.", undo=undo)


def _complete(name: str, item: str, context: Context) -> Reply:
    found = _find(name, item, context, done=False)
    if found is None:
        return _absent(name, item)
    context.lists.set_done(found.id, True)
    undo = Undo("lists.set_done", found.id, False)
    return Reply(f"I checked {found.text} off {_called(name)}.", undo=undo)


def _find(name: str, item: str, context: Context, done: bool | None) -> ListItem | None:
    """The item on a list named `item`, in these words or similar ones; `done` None for either."""
    items = [i for i in _items(name, context) if done is None or i.done is done]
    by_text = {i.text.casefold(): i for i in reversed(items)}
    near = difflib.get_close_matches(item.strip().casefold(), by_text, n=1, cutoff=_ALIKE)
    return by_text[near[0]] if near else None


def _items(name: str, context: Context) -> tuple[ListItem, ...]:
    return context.lists.items(_id(name, context))


def _id(name: str, context: Context) -> str:
    """The list's entity id, or its name where the home has no such list."""
    wanted = name.strip().casefold()
    for entity in context.home.entities:
        names = (entity.id, entity.name, *entity.aliases)
        if entity.domain == "todo" and wanted in [n.casefold() for n in names]:
            return entity.id
    return wanted


def _absent(name: str, item: str) -> Reply:
    return Reply(f"I don't find {item.strip()} on {_called(name)}.", done=False)


def _called(name: str) -> str:
    words = name.strip().casefold()
    return f"your {words}" if words.endswith("list") else f"your {words} list"
