"""Finds lists and what is on them, by their names or as what was spoken of last."""

from __future__ import annotations

import difflib
import re

from assistant.english.commands.kinds import KINDS
from assistant.english.commands.short_forms import NO_THING
from assistant.english.numbers import counted
from assistant.skill import Context, ListItem, Request, named_thing

SHOPPING = "shopping list"
"""Name of the list that is meant where none is named."""
_ALIKE = 0.85
"""Least similarity of a word to the item on the list that it names: "apple" for "apples"."""
_ABOUT = "list:"
"""Beginning of the id of a list that a reply is about; its name follows."""
_NOT = re.compile(r"(?:no|not|leave out|skip)\b")
"""Beginning of a text that takes off again what was just put on."""
_DETERMINERS = re.compile(
    r"^(?:(?:the|a|an|some|some more|more|another|any|that|those|these|my|our|and|also|also some)"
    r" )+(?=\S)"
)
"""Words before the name of a thing that are no part of it."""


def is_about_list(request: Request, context: Context) -> bool:
    """Whether a list was spoken of last."""
    return bool(spoken_of(context))


def is_added(request: Request, context: Context) -> bool:
    """Whether what nothing else is understood by is for the list that was spoken of last."""
    item = request.slot("item")
    thing = item is None or NO_THING.isdisjoint(item.raw.split())
    return request.alone and thing and is_about_list(request, context)


def is_named(request: Request, context: Context) -> bool:
    """Whether "it" is a thing that was named, and is put on a list."""
    on_list = request.alone or "list" in request.text.casefold()
    return on_list and bool(named_thing(context))


def is_listed(request: Request, context: Context) -> bool:
    """Whether a short form names something that is on a list.

    "Not the peas" means one that was spoken of last.
    """
    item = request.slot("item")
    if item is None or (
        _NOT.match(request.text.casefold()) and not is_about_list(request, context)
    ):
        return False
    return holder(str(item.value), context) is not None


def is_sought(request: Request, context: Context) -> bool:
    """Whether "did I put the jam on" is about a list: nothing in the home is called so."""
    item = request.slot("item")
    thing = thing_of(str(item.value)).casefold() if item is not None else ""
    words = thing.split()
    names = (entity.name.casefold().split() for entity in context.home.entities)
    device = tuple(words) in KINDS or any(set(words).issubset(name) for name in names)
    known = is_about_list(request, context) or holder(thing, context) is not None
    return bool(words) and not device and (known or request.alone)


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
    return counted(_DETERMINERS.sub("", item.strip(), count=1).removesuffix("'s"))


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
