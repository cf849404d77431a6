"""What is on lists: found by its name, by a part of it, or by what is told of it."""

from __future__ import annotations

import difflib
import re
from collections.abc import Generator, Iterable
from typing import NamedTuple

from assistant.english.commands.kinds import KINDS
from assistant.english.commands.list_words import (
    COUNTED_AFTER,
    NO_NAMED_THING,
    is_past,
    key_words,
)
from assistant.english.commands.short_forms import NO_THING
from assistant.english.lists import word_set
from assistant.english.numbers import FIGURES, TIMED_BY, counted
from assistant.english.stems import singular
from assistant.english.words import words as words_of
from assistant.skill import Choose, Context, ListItem, Request, named_thing
from assistant.skill.home import FEED
from skills.home.lists.meant import FoundList, is_about_list, lists_in_use

_ALIKE = 0.85
"""Least similarity of a word to the item on the list that it names: "apple" for "apples"."""
_NOT = re.compile(r"(?:no|not|leave out|skip)\b")
"""Beginning of a text that takes off again what was just put on."""
_DETERMINERS = re.compile(
    r"^(?:(?:the|a|an|some|some more|more|another|any|that|those|these|my|our|and|also|also some"
    r"|still|already) )+(?=\S)"
)
"""Words before the name of a thing that are no part of it."""
_PLACING = word_set(
    "to in on into onto from for at by off up down out over when what who than then"
)
"""Words that stand in no name of a thing which is added without naming a list."""
_POINTING = word_set("it that this them those these")
_LONGEST_THING = 5
_DEED = "deed:"
"""Beginning of what a reply says was done on a list: "and the eggs" is done the same."""


class ItemOnList(NamedTuple):
    """An item and the list that it is on."""

    on: FoundList
    item: ListItem


def deed(name: str) -> tuple[str, ...]:
    """What was done on a list, for the `about` of a reply."""
    return (f"{_DEED}{name}",)


def last_deed(context: Context) -> str:
    """What was done on a list last; "" for nothing."""
    about = (a for a in context.conversation.about if a.startswith(_DEED))
    return next((a.removeprefix(_DEED) for a in about), "")


def thing_of(item: str) -> str:
    """What to put on a list, without the words around its name: "some milk" → "milk"."""
    thing = counted(_DETERMINERS.sub("", item.strip(), count=1).removesuffix("'s"))
    behind = COUNTED_AFTER.fullmatch(thing)
    return f"{behind['count']} of {behind['thing']}" if behind else thing


def verb_for(things: str) -> str:
    """ "is" or "are", as it fits the name of a thing."""
    last = things.split()[-1] if things else ""
    return "are" if last.endswith("s") and not last.endswith("ss") else "is"


def open_items(found: FoundList, context: Context) -> tuple[ListItem, ...]:
    """What is still to be done or bought."""
    return tuple(item for item in context.lists.items(found.id) if not item.done)


def find_items(
    found: FoundList, said: str, context: Context, done: bool | None = False
) -> tuple[ListItem, ...]:
    """The items that words name: the one called so, or all with these words in their names.

    `done` is None for those that were checked off and others.
    """
    items = [i for i in context.lists.items(found.id) if done is None or i.done is done]
    by_text = {i.text.casefold(): i for i in reversed(items)}
    plain = said.strip().casefold()
    for words in (plain, thing_of(plain)):
        if near := difflib.get_close_matches(words, by_text, n=1, cutoff=_ALIKE):
            return (by_text[near[0]],)
    wanted = key_words(said)
    return tuple(item for item in items if wanted and wanted <= key_words(item.text))


def where_is(
    said: str, context: Context, lists: Iterable[FoundList] = (), done: bool | None = False
) -> tuple[ItemOnList, ...]:
    """The items that words name, on the first list that has any: of `lists`, or of all."""
    for found in tuple(lists) or lists_in_use(context):
        if items := find_items(found, said, context, done):
            return tuple(ItemOnList(found, item) for item in items)
    return ()


def the_item(
    said: str, context: Context, lists: Iterable[FoundList] = (), done: bool | None = False
) -> Generator[Choose, str, ItemOnList | None]:
    """The one item that words name; the user is asked where they name several."""
    places = where_is(said, context, lists, done)
    by_text = {place.item.text: place for place in places}
    if len(by_text) < 2:
        return places[0] if places else None
    options = tuple(by_text)
    asked = f"{', '.join(options[:-1])} or {options[-1]}"
    return by_text[(yield Choose(f"Which one: {asked}?", options))]


def told_of(said: str, context: Context) -> tuple[ItemOnList, bool] | None:
    """The item that a deed does: "I rang the plumber", and whether it does so surely.

    Surely where all words agree; where only the verb is another, it may be meant.
    """
    words, verb = key_words(said), _verb(said)
    likely: ItemOnList | None = None
    for found in lists_in_use(context):
        for item in open_items(found, context):
            named = key_words(item.text)
            if named == words and len(named) > 1:
                return ItemOnList(found, item), True
            objects = named - key_words(item.text.split()[0])
            if objects and objects == words - verb and likely is None:
                likely = ItemOnList(found, item)
    return (likely, False) if likely else None


def tells_deed(request: Request, context: Context) -> bool:
    """Whether a text tells that something on a list has been done."""
    slot = request.slot("deed")
    if slot is None or not any(is_past(word) for word in slot.raw.casefold().split()):
        return False
    return told_of(slot.raw, context) is not None


def is_listed(request: Request, context: Context) -> bool:
    """Whether a short form names something that is on a list.

    "Not the peas" means one that was spoken of last.
    """
    item = request.slot("item")
    if item is None or (
        _NOT.match(request.text.casefold()) and not is_about_list(request, context)
    ):
        return False
    return bool(where_is(str(item.value), context))


def is_named_listed(request: Request, context: Context) -> bool:
    """Whether "it" is a thing that was named and is on a list."""
    return bool(named_thing(context)) and bool(where_is(named_thing(context), context))


def is_sought(request: Request, context: Context) -> bool:
    """Whether "did I put the jam on" is about a list: nothing in the home is called so."""
    item = request.slot("item")
    thing = thing_of(str(item.value)) if item is not None else ""
    if not thing or _is_device(thing, context):
        return False
    known = is_about_list(request, context) or bool(where_is(thing, context))
    return known or request.alone


def is_left_out(request: Request) -> bool:
    """Whether the words in the place of an item only point at one: "put it"."""
    item = request.slot("item")
    return item is not None and item.raw.casefold().split()[-1] in _POINTING


def names_nothing(item: str) -> bool:
    """Whether words only announce what is to be named: "a few things"."""
    return not thing_of(item) or item.strip().casefold() in NO_NAMED_THING


def is_thing(request: Request) -> bool:
    """Whether an item has no word by which it would be another command, or a story."""
    item = request.slot("item")
    words = words_of(item.raw) if item is not None else ["thing"]
    return NO_THING.isdisjoint(words) and not all(w.isdecimal() or w in FIGURES for w in words)


def is_plain_thing(request: Request, context: Context) -> bool:
    """Whether an item is plainly a thing, and none of the home's, so that it needs no list."""
    item = request.slot("item")
    words = item.raw.casefold().split() if item is not None else []
    if item is None or not (request.alone and is_thing(request)):
        return False
    kinds = any((word,) in KINDS for word in words)
    timed = not TIMED_BY.isdisjoint(words)
    more = words[0] in ("more", "another", "less", "bit") or words[:2] == ["a", "bit"]
    short = len(words) <= _LONGEST_THING and _PLACING.isdisjoint(words)
    more = more or names_nothing(item.raw)
    other = kinds or timed or more or _is_device(item.raw, context)
    return short and not other


def _is_device(thing: str, context: Context) -> bool:
    words = [singular(word) for word in thing_of(thing.casefold()).split()]
    entities = (e for e in context.home.entities if e.domain not in ("todo", FEED))
    names = [e.name.casefold().split() for e in entities]
    names += [area.name.casefold().split() for area in context.home.areas]
    held = any(set(words) <= {singular(word) for word in name} for name in names)
    return held or tuple(thing_of(thing.casefold()).split()) in KINDS


def _verb(said: str) -> frozenset[str]:
    """The root of the first past form in a text, as a set."""
    past = (word for word in said.casefold().split() if is_past(word))
    return key_words(next(past, ""))
