"""Shopping lists and to-do lists: adding, checking off, removing, and saying what is on them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, TypeVar

from assistant.skill import (
    Confirm,
    Context,
    Dialog,
    Reply,
    Report,
    Request,
    Skill,
    Undo,
    count,
    domains,
    named_thing,
    naming,
    prompt,
)
from skills.home.listed import (
    SHOPPING,
    about_list,
    called,
    find_item,
    holder,
    is_about_list,
    is_added,
    is_listed,
    is_named,
    is_sought,
    items_of,
    list_id,
    spoken_of,
    thing_of,
)
from skills.home.targets import capital

Read = TypeVar("Read", bound=Callable[..., Reply | Dialog])
Item = Annotated[str, prompt("What is it?")]
ListName = Annotated[str, domains("todo"), prompt("On which list?")]

skill = Skill("home")
skill.rule("put", "(put|add|stick|pop|get|write|chuck|throw|bung|note down|jot down)")
skill.rule("shopping", "[the|my|our] (shopping [list]|groceries|(grocery|groceries|food) list)")
skill.rule("list", "[the|my|our|that|this] list")
skill.rule("either", "(<shopping>|<list>)")
skill.rule("listed", "[the|my|our] {name} [list]")
skill.rule("onto", "(on|to|onto|down on|in|back on|back onto)")
skill.rule("named", "(it|that|this|them|those|these)")
skill.rule("stuff", "(stuff|things|bits|ingredients|supplies)")
skill.rule("tick", "(tick|cross|check|strike|mark|scratch)")
skill.rule("out", "(finished|out|gone|empty|used up|all gone|running low|running out|low)")


def _on_each_list(intent: str, *forms: str) -> Callable[[Read], Read]:
    """Claim short forms for a list by its name, for the shopping list, and for just "the list"."""

    def register(function: Read) -> Read:
        named = [form.replace("<list>", "<listed>") for form in forms]
        shopping = [form.replace("<list>", "<shopping>") for form in forms]
        skill.short(intent, *forms)(function)
        skill.short(intent, *named)(function)
        skill.short(intent, *shopping, fixed={"name": SHOPPING})(function)
        return function

    return register


@skill.serve("HassShoppingListAddItem")
@skill.short(
    "HassShoppingListAddItem",
    "<put> {text:item} <onto> <either> [then|too|as well|again]",
    "<put> <onto> <either> {text:item}",
    "[<put>] {text:purpose} <stuff> <onto> <either> {text:item}",
    "[<put>] <stuff> for {text:purpose} <onto> <either> {text:item}",
    "<put> down {text:item} <onto> <either>",
    "{text:item} <onto> <either> [then|too|as well]",
    "(can we have|we need|i need) {text:item} <onto> <either>",
    "{text:item} (is|are) <out> [so] <put> (some|it|them|more|another|some more) <onto> <either>",
    "{text:item}'s <out> [so] <put> (some|it|them|more|another|some more) <onto> <either>",
    "(we are|we have run|we ran|we are running|i am) (out of|low on) {text:item} [so] <put>"
    " (some|it|them|more|another|some more) <onto> <either>",
    "<put> (it|that|this|them|some|something|something else) <onto> <either>",
)
def add_to_shopping_list(item: Item, context: Context, purpose: str = "") -> Reply:
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
    "AddNamedThing",
    "<put> <named> <onto> <either> [then|too|as well|instead]",
    "<put> <named> [back] (on|down|on there|down there|back on) [then|too|as well]",
    holds=is_named,
)
@skill.short(
    "AddNamedThing",
    "<put> <named> <onto> <listed> [then|too|as well|instead]",
    holds=is_named,
)
def add_named_thing(context: Context, name: ListName | None = None) -> Reply:
    """Put what was named before on a list: a thing to do that nobody can be reminded of."""
    return _add(name or spoken_of(context) or SHOPPING, named_thing(context), context)


@skill.short(
    "AddToSameList",
    "<put> <named> (on|down|on there|down there) [too|as well|then]",
    "(and|also|plus|oh and|and also|and some|and maybe) {text:item} [too|as well]",
    "{text:item} (too|as well|also)",
    "<put> {text:item} [on|(on|to) (there|it|that)|there|it|that] [too|as well|then]",
    "(we need|i need|we also need|i also need|we want|get|and get) {text:item} [too|as well]",
    holds=is_added,
)
def add_to_same_list(item: Item, context: Context) -> Reply:
    """Put something more on the list that was spoken of last."""
    return _add(spoken_of(context) or SHOPPING, item, context)


@skill.short(
    "AddToThatList", "<put> {text:item} <onto> <list> [too|as well|then]", holds=is_about_list
)
def add_to_that_list(item: Item, context: Context) -> Reply:
    """Put something on "the list": the one that was spoken of last."""
    return add_to_same_list(item, context)


@skill.serve("HassShoppingListCompleteItem")
@skill.short(
    "HassShoppingListCompleteItem",
    "<tick> {text:item} off <either>",
    "<tick> off {text:item} (on|from|off) <either>",
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
    "<tick> {text:item} off <list>",
    "<tick> off {text:item} (on|from|off) <list>",
    "<tick> {text:item} off",
    "<tick> off {text:item}",
    "(i|we) (have|have just|just) (done|finished|bought|got|picked up) {text:item} [already]",
    "{text:item} (is|are) (done|bought|sorted) [now]",
    holds=is_listed,
)
def complete_item(item: Item, context: Context) -> Reply:
    """Check something off the list that it is on."""
    return _complete(holder(item, context) or SHOPPING, item, context)


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
    fixed={"name": SHOPPING},
)
@skill.short(
    "RemoveItem",
    "(take|remove|delete|drop|get) {text:item} (off|from|off of|out of) <list> [again]",
    "take off {text:item} (from|of|off) <list>",
)
@skill.short(
    "RemoveItem",
    "(take|get) {text:item} (off|back off|down) [again]",
    "take off {text:item} [again]",
    "(remove|delete|drop|scratch|scrub|strike|cross out|forget) {text:item} [again]",
    "(we|i) do not need {text:item} [any more|anymore|after all|now]",
    "(we have|we have got|i have got|we got) {text:item} [already]",
    "[no] not {text:item}",
    "no {text:item}",
    "(leave out|skip) {text:item}",
    holds=is_listed,
)
def remove_item(item: Item, context: Context, name: ListName | None = None) -> Reply:
    """Take something off the list that was named, or off one that it is on."""
    return _remove(name or holder(item, context) or SHOPPING, item, context)


@_on_each_list(
    "ReadList",
    "what [else] is [still|left|now] on <list> [now|at the moment|so far|today]",
    "what [else] (have|do) (i|we) [still] (got|have|need) on <list> [now|so far]",
    "(read|read out|tell me|show|show me|list|check|give me) [me] [out] <list>",
    "read <list> (out|back|to me|out to me)",
    "(is there|are there|have we got|do we have) (anything|something|things) [else] [left] on"
    " <list>",
    "how (many|much) [things|items|stuff] (is|are) [there] [left|still] on <list>",
    "what is <list> [like|looking like]",
)
@skill.short(
    "ReadList",
    "what do (we|i) [still] need [to (get|buy)] (from|at|in) [the] (shop|shops|supermarket|store)",
    "what do (we|i) [still] need to (buy|get)",
    "what (groceries|shopping|food) do (we|i) [still] need [to (get|buy)]",
    fixed={"name": SHOPPING},
)
@skill.short(
    "ReadList",
    "what [else] (is|have (i|we) got|do (i|we) have|have (i|we)) [left|still|now] on"
    " (it|there|that) [now|so far]",
    "(read|tell me|show me) (it|that|them) [out|back|to me|again]",
    "what [else] do (we|i) [still] (need|have|want)",
    "what [else] is (left|missing|on there)",
    holds=is_about_list,
)
def read_list(context: Context, name: ListName | None = None) -> Reply:
    """Say what is on a list: the shopping list, unless another was named or spoken of last."""
    return told_list(name or spoken_of(context) or SHOPPING, context)


@_on_each_list(
    "FindOnList",
    "(is|are) [there] [still] [any] {text:item} [already|still] on <list> [already|yet]",
    "(have|did|do) (we|i) [already] (got|get|put|have|add|added) [any] {text:item} [already]"
    " [down] (on|to) <list> [already|yet]",
)
@skill.short(
    "FindOnList",
    "(is|are) [there] [still] [any] {text:item} [already|still] on (there|it) [already|yet]",
    holds=is_about_list,
)
def find_on_list(
    request: Request, item: Item, context: Context, name: ListName | None = None
) -> Reply:
    """Say whether something is on a list."""
    named = name or spoken_of(context) or SHOPPING
    found = find_item(named, item, context, done=False)
    verdict = f"Yes, {found.text} is" if found else f"No, {thing_of(item)} is not"
    about = (*about_list(named), *naming(request, "" if found else thing_of(item)))
    return Reply(f"{verdict} on {called(named)}.", about=about)


@skill.short(
    "WasPutOnList",
    "(have|did) (we|i) [already] (put|add|added|write|written|got) [any] {text:item} [already]"
    " (on|down|on there|down there) [already|yet]",
    "(is|are) [there] {text:item} [already] on (any|one) [of (my|our|the)] (list|lists)",
    "(which|what) list (is|are) {text:item} on",
    holds=is_sought,
)
def was_put_on_list(request: Request, item: Item, context: Context) -> Reply:
    """Say whether something was put on a list, whichever it is on."""
    found = holder(item, context)
    if found or sum(entity.domain == "todo" for entity in context.home.entities) < 2:
        return find_on_list(request, item, context, found)
    text = f"No, {thing_of(item)} is on none of your lists."
    spoken = spoken_of(context)
    about = about_list(spoken) if spoken else ()
    return Reply(text, about=(*about, *naming(request, thing_of(item))))


@skill.short(
    "MoveItem",
    "(move|put|shift) {text:item} (to|onto|on|over to) <listed> instead",
    "(move|shift) {text:item} (to|onto|on|over to) <listed>",
    "(move|shift) {text:item} [from <shopping>] (to|onto|on|over to) <listed>",
)
def move_item(item: Item, name: ListName, context: Context) -> Reply:
    """Move something from the list that it is on to another."""
    origin = holder(item, context, besides=name)
    found = find_item(origin, item, context, done=None) if origin else None
    if origin is None or found is None:
        return Reply(f"I don't find {thing_of(item)} on another list.", done=False)
    context.lists.remove(found.id)
    moved = context.lists.add(list_id(name, context), found.text)
    undo = (Undo("lists.remove", moved.id), Undo("lists.add", found.list_id, found.text))
    text = f"I moved {found.text} from {called(origin)} to {called(name)}."
    return Reply(text, undo=undo, about=about_list(name))


@_on_each_list(
    "ClearList",
    "(clear|empty|wipe|reset) <list>",
    "(take|delete|remove|clear) (everything|all) (off|from|on) <list>",
)
@skill.short(
    "ClearList",
    "(clear|empty|wipe|reset) <list>",
    "(clear|empty|wipe|reset) (it|that|them|it all|all of it|the lot|everything) [now|then|off]",
    "(take|delete|remove|clear) (everything|all|it all|all of it|the lot) (off|from it|off it)",
    holds=is_about_list,
)
def clear_list(context: Context, name: ListName | None = None) -> Dialog:
    """Take everything off a list, if the user is sure."""
    named = name or spoken_of(context) or SHOPPING
    items = items_of(named, context)
    if not items:
        return told_list(named, context)
    question = f"Shall I take {count(len(items), 'thing')} off {called(named)}?"
    if not (yield Confirm(question)):
        return Reply("Okay, I left it as it is.")
    for item in items:
        context.lists.remove(item.id)
    undo = tuple(Undo("lists.add", item.list_id, item.text) for item in items if not item.done)
    return Reply(capital(f"{called(named)} is empty now."), undo=undo, about=about_list(named))


def told_list(name: str, context: Context) -> Reply:
    """Say what is still to be done or bought."""
    open_items = [item.text for item in items_of(name, context) if not item.done]
    if not open_items:
        return Reply(capital(f"{called(name)} is empty."), about=about_list(name))
    return Reply(f"On {called(name)}: {context.say(open_items)}.", about=about_list(name))


def _add(name: str, item: str, context: Context) -> Reply:
    text = thing_of(item)
    if not text:
        return Reply(f"You named nothing for {called(name)}.", done=False)
    known = [i for i in items_of(name, context) if i.text.casefold() == text.casefold()]
    about = about_list(name)
    if known and not known[0].done:
        there = f"{{}} is on {called(name)} already."
        report = Report(text, there, there.replace(" is ", " are ", 1))
        return Reply(capital(there.format(text)), about=about, report=report)
    if known:
        context.lists.set_done(known[0].id, False)
        undo = Undo("lists.set_done", known[0].id, True)
    else:
        undo = Undo("lists.remove", context.lists.add(list_id(name, context), text).id)
    put = f"I put {{}} on {called(name)}."
    return Reply(put.format(text), undo=undo, about=about, report=Report(text, put))


def _complete(name: str, item: str, context: Context) -> Reply:
    found = find_item(name, item, context, done=False)
    if found is None:
        return _absent(name, item)
    context.lists.set_done(found.id, True)
    undo = Undo("lists.set_done", found.id, False)
    checked = f"I checked {{}} off {called(name)}."
    text, report = checked.format(found.text), Report(found.text, checked)
    return Reply(text, undo=undo, about=about_list(name), report=report)


def _remove(name: str, item: str, context: Context) -> Reply:
    found = find_item(name, item, context, done=None)
    if found is None:
        return _absent(name, item)
    context.lists.remove(found.id)
    undo = Undo("lists.add", found.list_id, found.text)
    took = f"I took {{}} off {called(name)}."
    text, report = took.format(found.text), Report(found.text, took)
    return Reply(text, undo=undo, about=about_list(name), report=report)


def _absent(name: str, item: str) -> Reply:
    return Reply(f"I don't find {thing_of(item)} on {called(name)}.", done=False)
