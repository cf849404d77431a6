"""Making lists, and deleting those that were made."""

from __future__ import annotations

from typing import Annotated

from assistant.english.commands.list_words import NO_LIST_NAME
from assistant.skill import Confirm, Context, Dialog, Reply, Request, Skill, Undo, count, prompt
from skills.home.lists.meant import (
    find_list,
    is_list_meant,
    label,
    list_name,
    list_or_made,
    make_list,
    plain_name,
)
from skills.home.lists.reading import no_such_list, told_list
from skills.home.lists.taking import clear_list

NewName = Annotated[str, prompt("What shall I call it?")]
_LONGEST_NAME = 5

skill = Skill("home")
skill.rule("make", "(make|create|start|begin|set up|open|add|i need|i want|we need|i would like)")


def _is_new(request: Request, context: Context) -> bool:
    """Whether the words may be the name of a new list, or none are there yet."""
    slot = request.slot("new_name")
    words = plain_name(slot.raw).split() if slot is not None else []
    return slot is None or (
        0 < len(words) <= _LONGEST_NAME and NO_LIST_NAME.isdisjoint({words[0], words[-1]})
    )


@skill.short(
    "MakeList",
    "<make> [me|us] (a|another|the) [new] list (called|named|for|by the name of)"
    " [the|my|our] {text:new_name}",
    "<make> [me|us] (a|an|another) [new] {text:new_name} list",
    "new list [called|named|for] {text:new_name}",
    "<make> [me|us] (a|an|another) [new] {text:new_name} list for {text:purpose}",
    "<make> [me|us] (a|another) [new] list",
    holds=_is_new,
)
def make(new_name: NewName, context: Context, purpose: str = "") -> Reply:
    """Make a list, unless there is one of that name."""
    if found := find_list(new_name, context):
        return Reply(f"Your {label(found.name)} is there already.", about=found.about)
    name = list_name(new_name)
    made = make_list(name, context)
    return Reply(f"I made a {label(name)}.", undo=Undo("lists.drop", name), about=made.about)


def _is_asked_for(request: Request, context: Context) -> bool:
    return "list" in request.text.casefold() and is_list_meant(request, context)


@skill.short(
    "HasList",
    "(do (i|we|you) have|have (i|we|you) got|is there) (a|an|any|the|my|our) {text:name} list",
    holds=_is_asked_for,
)
def has_list(name: str, context: Context) -> Dialog:
    """Say what is on a list that is asked for, or make it if the user wants it."""
    found = find_list(name, context)
    if found:
        return told_list(found, context)
    made = yield from list_or_made(name, context)
    return Reply(f"I made a {label(made.name)}.", undo=Undo("lists.drop", made.name))


@skill.short(
    "DeleteList",
    "(delete|remove|drop|get rid of|throw away|bin|scrap) <listed>",
    holds=is_list_meant,
)
def delete_list(name: str, context: Context) -> Dialog:
    """Delete a list that was made, if the user is sure; any other is only emptied."""
    found = find_list(name, context)
    if found is None:
        return no_such_list(name, context)
    if not found.made:
        return (yield from clear_list(context, name))
    items = context.lists.items(found.id)
    held = f" with {count(len(items), 'thing')} on it" if items else ""
    if not (yield Confirm(f"Shall I delete {found.called}{held}?")):
        return Reply("Okay, I left it as it is.")
    context.lists.drop(found.name)
    kept = (Undo("lists.add", found.id, item.text) for item in items if not item.done)
    return Reply(f"I deleted {found.called}.", undo=(Undo("lists.make", found.name), *kept))
