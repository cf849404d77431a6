"""Checking things off lists, taking them off, and moving them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from assistant.english.commands.list_words import SHOPPING
from assistant.skill import (
    Confirm,
    Context,
    Dialog,
    Reply,
    Report,
    Request,
    Skill,
    Traits,
    Undo,
    count,
    named_thing,
    naming,
)
from skills.home.lists.forms import Item, ListName, on_each_list
from skills.home.lists.items import (
    ItemOnList,
    deed,
    is_listed,
    is_named_listed,
    last_deed,
    open_items,
    tells_deed,
    the_item,
    thing_of,
    told_of,
)
from skills.home.lists.meant import (
    FoundList,
    default_list,
    find_list,
    is_list_meant,
    list_of_kind,
    list_or_made,
    lists_in_use,
    names_list,
    passed_on,
)
from skills.home.lists.reading import no_such_list, told_list

skill = Skill("home")
skill.rule("take", "(take|remove|delete|drop|get rid of|get|clear)")
skill.rule("from", "(off|from|off of|out of)")

Step = Callable[[ItemOnList, Context], Reply]


@skill.serve("HassShoppingListCompleteItem")
@skill.short(
    "HassShoppingListCompleteItem",
    "<tick> {text:item} off <shopping>",
    "<tick> off {text:item} (on|from|off) <shopping>",
)
def complete_on_shopping_list(request: Request, item: Item, context: Context) -> Dialog:
    """Check something off the shopping list."""
    return _with(_check, item, (list_of_kind(SHOPPING, context),), request, context)


@skill.serve("HassListCompleteItem")
@skill.short(
    "HassListCompleteItem",
    "<tick> {text:item} off <listed>",
    "<tick> off {text:item} (on|from|off) <listed>",
    "mark {text:item} [on <listed>] [as] (done|finished|complete|completed)",
    holds=is_list_meant,
)
def complete_on_list(request: Request, item: Item, name: ListName, context: Context) -> Dialog:
    """Check something off a list."""
    return _with_named(_check, item, name, request, context)


@skill.short(
    "CompleteItem",
    "<tick> {text:item} off <list>",
    "<tick> off {text:item} (on|from|off) <list>",
    "<tick> {text:item} off",
    "<tick> off {text:item}",
    "mark {text:item} [as] (done|finished|complete|completed)",
    "[and] (i|we) (have|have just|just) (done|finished|bought|got|picked up) {text:item} [already]",
    "[and] (i|we) (bought|picked up) {text:item} [already]",
    "[and] (got|bought|done|finished) {text:item} [already]",
    "[and] (i|we) did {text:item} [already|now]",
    "{text:item} (is|are) [all] (done|bought|sorted) [now]",
    "{text:item}'s [all] (done|bought|sorted) [now]",
    holds=is_listed,
)
def complete_item(request: Request, item: Item, context: Context) -> Dialog:
    """Check something off the list that it is on."""
    return _with(_check, item, (), request, context)


@skill.short(
    "TellDone",
    "[and] (i|we) [have] {text:deed}",
    "{text:deed} [so] [you can|can you] <tick> <named> [off] [<list>|off <list>|from <list>]",
    "{text:deed} [so] [you can|can you] (take|get) <named> off [<list>]",
    "{text:deed} [so] [you can|can you] (remove|delete) <named> [from <list>]",
    holds=tells_deed,
)
def tell_done(request: Request, deed: str, context: Context) -> Dialog:
    """Check off what was told to be done, asking first where the words differ."""
    told = told_of(deed, context)
    if told is None:
        return Reply("I don't find that on your lists.", done=False)
    (on, item), sure = told
    if not sure and not (yield Confirm(f"Shall I check {item.text} off {on.called}?")):
        return Reply("Okay, I left it as it is.")
    return _check(ItemOnList(on, item), context)


@skill.short(
    "CompleteNamed",
    "[you can|can you|now] <tick> <named> [off] [<list>|off <list>] [now|then]",
    "[so|and] (that is|it is|they are|those are) (done|sorted|bought)",
    holds=is_named_listed,
)
def complete_named(request: Request, context: Context) -> Dialog:
    """Check off what was named before."""
    return _with(_check, named_thing(context), (), request, context)


@skill.serve("HassListRemoveItem", traits=Traits(guarded=True))
@skill.short(
    "HassListRemoveItem",
    "<take> {text:item} <from> <listed> [again]",
    "take off {text:item} (from|of|off) <listed>",
    holds=names_list,
)
def remove_from_list(request: Request, item: Item, context: Context, name: ListName) -> Dialog:
    """Take something off a list."""
    return _with_named(_take, item, name, request, context)


@skill.short(
    "RemoveItem",
    "<take> {text:item} <from> <shopping> [again]",
    "take off {text:item} (from|of|off) <shopping>",
    fixed={"name": SHOPPING},
)
@skill.short(
    "RemoveItem",
    "<take> {text:item} <from> <list> [again]",
    "take off {text:item} (from|of|off) <list>",
)
@skill.short(
    "RemoveItem",
    "(take|get) {text:item} (off|back off|down) [again]",
    "[and] (take|clear) off {text:item} [again]",
    "(remove|delete|drop|scratch|scrub|scrap|strike|cross out|forget) {text:item} [again]",
    "(we|i) do not need {text:item} [any more|anymore|after all|now]",
    "(we have|we have got|i have got|we got) {text:item} [already]",
    "[no] not {text:item}",
    "no {text:item}",
    "(leave out|skip) {text:item}",
    holds=is_listed,
)
def remove_item(
    request: Request, item: Item, context: Context, name: ListName | None = None
) -> Dialog:
    """Take something off the list that was named, or off one that it is on."""
    on = find_list(name, context) if name else None
    return _with(_take, item, (on,) if on else (), request, context)


@skill.short(
    "RemoveNamed",
    "<take> <named> (off|back off|down) [again|then]",
    "<take> <named> <from> <list>",
    "[just] off [<list>] [then|with it]",
    holds=is_named_listed,
)
def remove_named(request: Request, context: Context) -> Dialog:
    """Take off what was named before."""
    return _with(_take, named_thing(context), (), request, context)


def _puts_several(request: Request, context: Context) -> bool:
    """Whether several things were just put on lists."""
    return len(_just_put(context)) > 1


def _just_put(context: Context) -> list[ItemOnList]:
    """What was just put on lists, in the order in which it was said."""
    steps = [step.id for step in context.conversation.undoing if step.operation == "lists.remove"]
    on = {
        i.id: ItemOnList(one, i) for one in lists_in_use(context) for i in open_items(one, context)
    }
    return [on[one] for one in steps if one in on] if last_deed(context) == "add" else []


@skill.short(
    "RemoveLast",
    "[no] (scratch|scrap|cancel|remove|delete|take off|forget|drop|not) the last"
    " (one|thing|item) [again]",
    "[no] take the last (one|thing|item) (off|back off) [again]",
    holds=_puts_several,
)
def remove_last(context: Context) -> Reply:
    """Take off again the last of several things that were just put on."""
    return _take(_just_put(context)[-1], context)


def _is_taken_too(request: Request, context: Context) -> bool:
    return last_deed(context) in ("check", "take") and is_listed(request, context)


@skill.short("TakeToo", "<and> {text:item} [<too>]", holds=_is_taken_too)
def take_too(request: Request, item: Item, context: Context) -> Dialog:
    """Take off, or check off, something more."""
    step = _check if last_deed(context) == "check" else _take
    return _with(step, item, (), request, context)


@skill.short(
    "MoveItem",
    "(move|put|shift) {text:item} (to|onto|on|over to) <listed> instead",
    "(move|shift) {text:item} (to|onto|on|over to) <listed>",
    "(move|shift) {text:item} from (<shopping>|<list>) (to|onto|on|over to) <listed>",
    holds=names_list,
)
def move_item(item: Item, name: ListName, context: Context) -> Dialog:
    """Move something from the list that it is on to another."""
    target = yield from list_or_made(name, context)
    others = tuple(one for one in lists_in_use(context) if one.id != target.id)
    place = yield from the_item(item, context, others)
    if place is None:
        return Reply(f"I don't find {thing_of(item)} on another list.", done=False)
    context.lists.remove(place.item.id)
    moved = context.lists.add(target.id, place.item.text)
    undo = (Undo("lists.remove", moved.id), Undo("lists.add", place.on.id, place.item.text))
    text = f"I moved {place.item.text} from {place.on.called} to {target.called}."
    text += passed_on(target, context)
    return Reply(text, undo=undo, about=target.about)


@on_each_list(
    skill,
    "ClearList",
    "(clear|empty|wipe|reset) <list>",
    "(take|delete|remove|clear) (everything|all) (off|from|on) <list>",
)
@skill.short(
    "ClearList",
    "(clear|empty|wipe|reset) <list>",
    "(clear|empty|wipe|reset) (it|that|them|it all|all of it|the lot|everything) [now|then|off]",
    "(take|delete|remove|clear) (everything|all|it all|all of it|the lot) (off|from it|off it)",
    "(clear|empty|wipe|delete|remove) [the] (rest|rest of (it|them)|others) [now|then|off]",
    "take [the] (rest|rest of (it|them)|others) (off|from it|off it)",
    holds=is_list_meant,
)
def clear_list(context: Context, name: ListName | None = None) -> Dialog:
    """Take everything off a list, if the user is sure."""
    found = find_list(name, context) if name else default_list(context)
    if found is None:
        return no_such_list(name or "", context)
    items = context.lists.items(found.id)
    if not items:
        return told_list(found, context)
    question = f"Shall I take {count(len(items), 'thing')} off {found.called}?"
    if not (yield Confirm(question)):
        return Reply("Okay, I left it as it is.")
    for item in items:
        context.lists.remove(item.id)
    undo = tuple(Undo("lists.add", item.list_id, item.text) for item in items if not item.done)
    text = f"{found.called} is empty now.{passed_on(found, context)}"
    return Reply(f"{text[:1].upper()}{text[1:]}", undo=undo, about=found.about)


def _with(
    step: Step, item: str, lists: Sequence[FoundList], request: Request, context: Context
) -> Dialog:
    """Do `step` with the item that words name, on one of `lists` or on any."""
    done = False if step is _check or not lists else None
    place = yield from the_item(item, context, lists, done)
    if place is None:
        on = lists[0] if lists else default_list(context)
        about = (*on.about, *naming(request, thing_of(item)))
        text = f"I don't find {thing_of(item)} on {on.called}."
        return Reply(text, about=about, done=False)
    return step(place, context)


def _with_named(step: Step, item: str, name: str, request: Request, context: Context) -> Dialog:
    """Do `step` with an item of the list called so."""
    found = find_list(name, context)
    if found is None:
        return no_such_list(name, context)
    return (yield from _with(step, item, (found,), request, context))


def _check(place: ItemOnList, context: Context) -> Reply:
    on, item = place
    context.lists.set_done(item.id, True)
    checked = f"I checked {{}} off {on.called}.{passed_on(on, context)}"
    return Reply(
        checked.format(item.text),
        undo=Undo("lists.set_done", item.id, False),
        about=(*on.about, *deed("check")),
        report=Report(item.text, checked),
    )


def _take(place: ItemOnList, context: Context) -> Reply:
    on, item = place
    context.lists.remove(item.id)
    took = f"I took {{}} off {on.called}.{passed_on(on, context)}"
    return Reply(
        took.format(item.text),
        undo=Undo("lists.add", item.list_id, item.text),
        about=(*on.about, *deed("take")),
        report=Report(item.text, took),
    )
