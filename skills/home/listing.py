"""Shopping lists and to-do lists: adding, checking off, removing, and saying what is on them."""

from __future__ import annotations

import difflib
import re
from typing import Annotated

from assistant.skill import (
    Confirm,
    Context,
    Dialog,
    ListItem,
    Reply,
    Request,
    Skill,
    Undo,
    count,
    domains,
    prompt,
)
from skills.home.targets import capital

SHOPPING = "shopping list"
_ALIKE = 0.85
"""Least similarity of a word to the item on the list that it names: "apple" for "apples"."""
_ABOUT = "list:"
"""Beginning of the id of a list that a reply is about; its name follows."""
_DETERMINERS = re.compile(
    r"^(?:(?:the|a|an|some|some more|more|another|any|that|those|these|my|our|and|also|also some)"
    r" )+(?=\S)"
)
"""Words before the name of a thing that are no part of it."""

Item = Annotated[str, prompt("What is it?")]
ListName = Annotated[str, domains("todo"), prompt("On which list?")]

skill = Skill("home")
skill.rule("put", "(put|add|stick|pop|get|write|chuck|throw|bung|note|jot down)")
skill.rule("shopping", "[the|my|our] [shopping|grocery|groceries|food] list")
skill.rule("listed", "[the|my|our] {name} [list]")
skill.rule("onto", "(on|to|onto|down on|in|back on|back onto)")
skill.rule("tick", "(tick|cross|check|strike|mark|scratch)")
skill.rule("out", "(finished|out|gone|empty|used up|all gone|running low|running out|low)")


def is_about_list(request: Request, context: Context) -> bool:
    """Whether a list was spoken of last."""
    return bool(_spoken_of(context))


def is_added(request: Request, context: Context) -> bool:
    """Whether what nothing else is understood by is for the list that was spoken of last."""
    return request.alone and is_about_list(request, context)


def is_listed(request: Request, context: Context) -> bool:
    """Whether a short form names something that is on a list."""
    item = request.slot("item")
    return item is not None and _holder(str(item.value), context) is not None


@skill.serve("HassShoppingListAddItem")
@skill.short(
    "HassShoppingListAddItem",
    "<put> {text:item} <onto> <shopping> [then|too|as well|again]",
    "<put> <onto> <shopping> {text:item}",
    "<put> down {text:item} <onto> <shopping>",
    "{text:item} <onto> <shopping> [then|too|as well]",
    "(can we have|we need|i need) {text:item} <onto> <shopping>",
    "{text:item} (is|are) <out> [so] <put> (some|it|them|more|another|some more) <onto> <shopping>",
    "{text:item}'s <out> [so] <put> (some|it|them|more|another|some more) <onto> <shopping>",
    "(we are|we have run|we ran|we are running|i am) (out of|low on) {text:item} [so] <put>"
    " (some|it|them|more|another|some more) <onto> <shopping>",
    "<put> (it|that|this|them|some|something|something else) <onto> <shopping>",
)
def add_to_shopping_list(item: Item, context: Context) -> Reply:
    """Put something on the shopping list."""
    return _add(SHOPPING, item, context)


@skill.serve("HassListAddItem")
@skill.short(
    "HassListAddItem",
    "<put> {text:item} <onto> <listed> [then|too|as well|again]",
    "<put> <onto> <listed> {text:item}",
    "{text:item} <onto> <listed> [then|too|as well]",
    "<put> (it|that|this|them|some|something|something else) <onto> <listed>",
)
def add_to_list(item: Item, name: ListName, context: Context) -> Reply:
    """Put something on a list."""
    return _add(name, item, context)


@skill.short(
    "AddToSameList",
    "(and|also|plus|oh and|and also|and some|and maybe) {text:item} [too|as well]",
    "{text:item} (too|as well|also)",
    "<put> {text:item} [on] [there|it|that] [too|as well|then]",
    "(we need|i need|we also need|i also need|we want|get|and get) {text:item} [too|as well]",
    holds=is_added,
)
def add_to_same_list(item: Item, context: Context) -> Reply:
    """Put something more on the list that was spoken of last."""
    return _add(_spoken_of(context) or SHOPPING, item, context)


@skill.serve("HassShoppingListCompleteItem")
@skill.short(
    "HassShoppingListCompleteItem",
    "<tick> {text:item} off <shopping>",
    "<tick> off {text:item} (on|from|off) <shopping>",
)
def complete_on_shopping_list(item: Item, context: Context) -> Reply:
    """Check something off the shopping list."""
    return _complete(SHOPPING, item, context)


@skill.serve("HassListCompleteItem")
@skill.short(
    "HassListCompleteItem",
    "<tick> {text:item} off <listed>",
    "<tick> off {text:item} (on|from|off) <listed>",
    "mark {text:item} [on <listed>] [as] (done|finished|complete|completed)",
)
def complete_on_list(item: Item, name: ListName, context: Context) -> Reply:
    """Check something off a list."""
    return _complete(name, item, context)


@skill.short(
    "CompleteItem",
    "<tick> {text:item} off",
    "<tick> off {text:item}",
    "(i|we) (have|have just|just) (done|finished|bought|got|picked up) {text:item} [already]",
    "{text:item} (is|are) (done|bought|sorted) [now]",
    holds=is_listed,
)
def complete_item(item: Item, context: Context) -> Reply:
    """Check something off the list that it is on."""
    return _complete(_holder(item, context) or SHOPPING, item, context)


@skill.serve("HassListRemoveItem")
@skill.short(
    "HassListRemoveItem",
    "(take|remove|delete|drop|get) {text:item} (off|from|off of|out of) <listed> [again]",
    "(take|remove|delete|drop) {text:item} off <listed>",
)
def remove_from_list(item: Item, context: Context, name: ListName) -> Reply:
    """Take something off a list."""
    return _remove(name, item, context)


@skill.short(
    "RemoveItem",
    "(take|remove|delete|drop|get) {text:item} (off|from|off of|out of) <shopping> [again]",
    "take off {text:item} (from|of|off) <shopping>",
)
@skill.short(
    "RemoveItem",
    "(take|get) {text:item} (off|back off|down) [again]",
    "take off {text:item} [again]",
    "(remove|delete|drop|scratch|forget) {text:item} [again]",
    "(we|i) do not need {text:item} [any more|anymore|after all|now]",
    "(we have|we have got|i have got|we got) {text:item} [already]",
    "no {text:item}",
    holds=is_listed,
)
def remove_item(item: Item, context: Context) -> Reply:
    """Take something off the shopping list, or off another list that it is on."""
    return _remove(_holder(item, context) or SHOPPING, item, context)


@skill.short(
    "ReadList",
    "what is [still|left|now] on <shopping> [now|at the moment|so far|today]",
    "what (have|do) (i|we) [still] (got|have|need) on <shopping> [now|so far]",
    "(read|read out|tell me|show|show me|list|check|give me) [me] [out] <shopping>",
    "read <shopping> (out|back|to me|out to me)",
    "(is there|are there|have we got|do we have) (anything|something|things) [left] on <shopping>",
    "how (many|much) [things|items|stuff] (is|are) [there] [left|still] on <shopping>",
    "what do (we|i) [still] need [to (get|buy)] (from|at|in) [the] (shop|shops|supermarket|store)",
    "what do (we|i) [still] need to (buy|get)",
    "what (groceries|shopping|food) do (we|i) [still] need [to (get|buy)]",
    "what is <shopping> [like|looking like]",
)
@skill.short(
    "ReadList",
    "what is [still|left|now] on <listed> [now|at the moment|so far|today]",
    "what (have|do) (i|we) [still] (got|have|need) on <listed> [now|so far]",
    "(read|read out|tell me|show|show me|list|check|give me) [me] [out] <listed>",
    "read <listed> (out|back|to me|out to me)",
    "(is there|are there|have we got) (anything|something|things) [left] on <listed>",
    "how (many|much) [things|items|stuff] (is|are) [there] [left|still] on <listed>",
)
@skill.short(
    "ReadList",
    "what (is|have (i|we) got|do (i|we) have|have (i|we)) [left|still|now] on (it|there|that)"
    " [now|so far]",
    "(read|tell me|show me) (it|that|them) [out|back|to me|again]",
    "what else is on (it|there|that)",
    "what do (we|i) [still] (need|have|want)",
    "what is (left|missing|on there)",
    holds=is_about_list,
)
def read_list(context: Context, name: ListName | None = None) -> Reply:
    """Say what is on a list: the shopping list, unless another was named or spoken of last."""
    return told_list(name or _spoken_of(context) or SHOPPING, context)


@skill.short(
    "FindOnList",
    "(is|are) {text:item} [already|still] on <shopping> [already]",
    "(have (we|i) got|did (we|i) put|have (we|i) put|do (we|i) have) {text:item} on <shopping>",
)
@skill.short("FindOnList", "(is|are) {text:item} [already|still] on <listed> [already]")
@skill.short("FindOnList", "(is|are) {text:item} on (there|it) [already]", holds=is_about_list)
def find_on_list(item: Item, context: Context, name: ListName | None = None) -> Reply:
    """Say whether something is on a list."""
    named = name or _spoken_of(context) or SHOPPING
    found = _find(named, item, context, done=False)
    verdict = f"Yes, {found.text} is" if found else f"No, {_thing(item)} is not"
    return Reply(f"{verdict} on {_called(named)}.", about=_about(named))


@skill.short(
    "MoveItem",
    "(move|put|shift) {text:item} (to|onto|on|over to) <listed> instead",
    "(move|shift) {text:item} (to|onto|on|over to) <listed>",
    "(move|shift) {text:item} [from <shopping>] (to|onto|on|over to) <listed>",
)
def move_item(item: Item, name: ListName, context: Context) -> Reply:
    """Move something from the list that it is on to another."""
    origin = _holder(item, context, besides=name)
    found = _find(origin, item, context, done=None) if origin else None
    if origin is None or found is None:
        return Reply(f"I don't find {_thing(item)} on another list.", done=False)
    context.lists.remove(found.id)
    moved = context.lists.add(_id(name, context), found.text)
    undo = (Undo("lists.remove", moved.id), Undo("lists.add", found.list_id, found.text))
    text = f"I moved {found.text} from {_called(origin)} to {_called(name)}."
    return Reply(text, undo=undo, about=_about(name))


@skill.short(
    "ClearList",
    "(clear|empty|wipe|reset) <shopping>",
    "(take|delete|remove|clear) (everything|all) (off|from|on) <shopping>",
)
@skill.short(
    "ClearList",
    "(clear|empty|wipe|reset) <listed>",
    "(take|delete|remove|clear) (everything|all) (off|from|on) <listed>",
)
def clear_list(context: Context, name: ListName | None = None) -> Dialog:
    """Take everything off a list, if the user is sure."""
    named = name or SHOPPING
    items = _items(named, context)
    if not items:
        return told_list(named, context)
    question = f"Shall I take {count(len(items), 'thing')} off {_called(named)}?"
    if not (yield Confirm(question)):
        return Reply("Okay, I left it as it is.")
    for item in items:
        context.lists.remove(item.id)
    undo = tuple(Undo("lists.add", item.list_id, item.text) for item in items if not item.done)
    return Reply(capital(f"{_called(named)} is empty now."), undo=undo, about=_about(named))


def told_list(name: str, context: Context) -> Reply:
    """Say what is still to be done or bought."""
    open_items = [item.text for item in _items(name, context) if not item.done]
    if not open_items:
        return Reply(capital(f"{_called(name)} is empty."), about=_about(name))
    return Reply(f"On {_called(name)}: {context.say(open_items)}.", about=_about(name))


def _add(name: str, item: str, context: Context) -> Reply:
    text = _thing(item)
    if not text:
        return Reply(f"You named nothing for {_called(name)}.", done=False)
    known = [i for i in _items(name, context) if i.text.casefold() == text.casefold()]
    about = _about(name)
    if known and not known[0].done:
        return Reply(capital(f"{text} is on {_called(name)} already."), about=about)
    if known:
        context.lists.set_done(known[0].id, False)
        undo = Undo("lists.set_done", known[0].id, True)
    else:
        undo = Undo("lists.remove", context.lists.add(_id(name, context), text).id)
    return Reply(f"I put {text} on {_called(name)}.", undo=undo, about=about)


def _complete(name: str, item: str, context: Context) -> Reply:
    found = _find(name, item, context, done=False)
    if found is None:
        return _absent(name, item)
    context.lists.set_done(found.id, True)
    undo = Undo("lists.set_done", found.id, False)
    return Reply(f"I checked {found.text} off {_called(name)}.", undo=undo, about=_about(name))


def _remove(name: str, item: str, context: Context) -> Reply:
    found = _find(name, item, context, done=None)
    if found is None:
        return _absent(name, item)
    context.lists.remove(found.id)
    undo = Undo("lists.add", found.list_id, found.text)
    return Reply(f"I took {found.text} off {_called(name)}.", undo=undo, about=_about(name))


def _find(name: str, item: str, context: Context, done: bool | None) -> ListItem | None:
    """The item on a list named `item`, in these words or similar ones; `done` None for either."""
    items = [i for i in _items(name, context) if done is None or i.done is done]
    by_text = {i.text.casefold(): i for i in reversed(items)}
    said = item.strip().casefold()
    for words in (said, _thing(said)):
        if near := difflib.get_close_matches(words, by_text, n=1, cutoff=_ALIKE):
            return by_text[near[0]]
    return None


def _holder(item: str, context: Context, besides: str = "") -> str | None:
    """The name of the list that something is on: the one spoken of, the shopping list, another."""
    others = (entity.name for entity in context.home.entities if entity.domain == "todo")
    wanted = dict.fromkeys((_spoken_of(context) or SHOPPING, SHOPPING, *others))
    here = _id(besides, context) if besides else ""
    names = (name for name in wanted if _id(name, context) != here)
    return next((n for n in names if _find(n, item, context, done=False)), None)


def _thing(item: str) -> str:
    """What to put on a list, without the words around its name: "some milk" → "milk"."""
    return _DETERMINERS.sub("", item.strip(), count=1).removesuffix("'s")


def _items(name: str, context: Context) -> tuple[ListItem, ...]:
    return context.lists.items(_id(name, context))


def _id(name: str, context: Context) -> str:
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


def _spoken_of(context: Context) -> str:
    """The name of the list that was spoken of last; "" for none."""
    about = (a for a in context.conversation.about if a.startswith(_ABOUT))
    return next((a.removeprefix(_ABOUT) for a in about), "")


def _about(name: str) -> tuple[str, ...]:
    return (f"{_ABOUT}{name}",)


def _absent(name: str, item: str) -> Reply:
    return Reply(f"I don't find {_thing(item)} on {_called(name)}.", done=False)


def _called(name: str) -> str:
    words = name.strip().casefold()
    return f"your {words}" if words.endswith("list") else f"your {words} list"
