"""Finds lists and what is on them, by their names or as what was spoken of last."""

from __future__ import annotations

import difflib
import re

from assistant.skill import Context, ListItem

SHOPPING = "shopping list"
"""Name of the list that is meant where none is named."""
_ALIKE = 0.85
"""Least similarity of a word to the item on the list that it names: "apple" for "apples"."""
_ABOUT = "list:"
"""Beginning of the id of a list that a reply is about; its name follows."""
_DETERMINERS = re.compile(
    r"^(?:(?:the|a|an|some|some more|more|another|any|that|those|these|my|our|and|also|also some)"
    r" )+(?=\S)"
)
"""Words before the name of a thing that are no part of it."""


def find_item(name: str, item: str, context: Context, done: bool | None) -> ListItem | None:
    """The item on a list named `item`, in these words or similar ones; `done` None for either."""
    items = [i for i in items_of(name, context) if done is None or i.done is done]
    by_text = {i.text.casefold(): i for i in reversed(items)}
    said = item.strip().casefold()
    for words in (said, thing_of(said)):
        if near := difflib.get_close_matches(words, by_text, n=1, cutoff=_ALIKE):
            return by_text[near[0]]
    return None


def holder(item: str, context: Context, besides: str = "") -> str | None:
    """The name of the list that something is on: the one spoken of, the shopping list, another."""
    others = (entity.name for entity in context.home.entities if entity.domain == "todo")
    wanted = dict.fromkeys((spoken_of(context) or SHOPPING, SHOPPING, *others))
    here = list_id(besides, context) if besides else ""
    names = (name for name in wanted if list_id(name, context) != here)
    return next((n for n in names if find_item(n, item, context, done=False)), None)


def thing_of(item: str) -> str:
    """What to put on a list, without the words around its name: "some milk" → "milk"."""
    return _DETERMINERS.sub("", item.strip(), count=1).removesuffix("'s")


def items_of(name: str, context: Context) -> tuple[ListItem, ...]:
    """What is on a list, with what was checked off."""
    return context.lists.items(list_id(name, context))


def list_id(name: str, context: Context) -> str:
    """The list's entity id, or its name where the home has no such list."""
    wanted = _plain(name)
    for entity in context.home.entities:
        names = (entity.id, entity.name, *entity.aliases)
        if entity.domain == "todo" and wanted in [_plain(n) for n in names]:
            return entity.id
    return name.strip().casefold()


def _plain(name: str) -> str:
    """A list's name for comparing: "Shopping" and "Shopping List" are one."""
    return name.strip().casefold().replace("-", " ").removesuffix(" list")


def spoken_of(context: Context) -> str:
    """The name of the list that was spoken of last; "" for none."""
    about = (a for a in context.conversation.about if a.startswith(_ABOUT))
    return next((a.removeprefix(_ABOUT) for a in about), "")


def about_list(name: str) -> tuple[str, ...]:
    """What a reply about a list is about."""
    return (f"{_ABOUT}{name}",)


def called(name: str) -> str:
    """A list as replies call it: "your shopping list"."""
    words = name.strip().casefold()
    return f"your {words}" if words.endswith("list") else f"your {words} list"
