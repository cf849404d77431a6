"""Putting things on lists."""

from __future__ import annotations

from typing import Annotated

from assistant.english.commands.list_words import CONTAINERS, COUNTED_AFTER, SHOPPING
from assistant.english.questions import asks
from assistant.skill import (
    Ask,
    Confirm,
    Context,
    Dialog,
    Reply,
    Report,
    Request,
    Skill,
    Undo,
    choices,
    named_thing,
    naming,
)
from skills.home.lists.forms import Item, ListName
from skills.home.lists.items import (
    deed,
    is_left_out,
    is_listed,
    is_plain_thing,
    is_thing,
    last_deed,
    names_nothing,
    thing_of,
    verb_for,
)
from skills.home.lists.meant import (
    FoundList,
    default_list,
    is_about_list,
    list_of_kind,
    list_or_made,
    names_list,
    passed_on,
)

Container = Annotated[str, choices(*CONTAINERS)]

skill = Skill("home")


skill.rule("more", "(some|it|that|them|more|another|some more|something|something else)")
skill.rule("please_put", "[so|and] [can you|could you|you can|please] <put>")

_FORMS = (
    "<put> {text:item} <onto> <list> [<too>]",
    "<put> <onto> <list> {text:item}",
    "<put> {text:purpose} <stuff> <onto> <list> {text:item}",
    "<put> <stuff> for {text:purpose} <onto> <list> {text:item}",
    "<put> (down|on) {text:item} <onto> <list>",
    "(can we have|we need|i need|we want|i want|i would like|we would like) {text:item}"
    " <onto> <list>",
    "{text:item} (needs|need|has|have|ought|wants|want) to (go|be) <onto> <list>",
    "{text:item} (should|must|can) (go|be) <onto> <list>",
    "{text:item} [is|are] <used_up> <please_put> <more> <onto> <list>",
    "{text:item}'s <used_up> <please_put> <more> <onto> <list>",
    "(we are|we have run|we ran|we are running|we have|i am) (out of|low on|no|no more) {text:item}"
    " <please_put> <more> <onto> <list>",
    "(we need|i need|i have to|i must|we must|i need to|we need to) {text:item} <please_put> <more>"
    " <onto> <list>",
    "{text:item} <please_put> (it|that|this|them) <onto> <list>",
    "<put> <more> <onto> <list>",
)

_BARE_FORMS = (
    "{text:item} <onto> <list> [<too>]",
    "{text:purpose} <stuff> <onto> <list> {text:item}",
    "<stuff> for {text:purpose} <onto> <list> {text:item}",
)
"""Forms without any verb, which other forms go before: "what is on the list"."""


def _forms(way: str, forms: tuple[str, ...] = _FORMS) -> tuple[str, ...]:
    """The forms with one way to name the list."""
    return tuple(form.replace("<list>", way) for form in forms)


def _is_put_there(request: Request, context: Context) -> bool:
    return is_thing(request)


@skill.serve("HassShoppingListAddItem")
@skill.short("HassShoppingListAddItem", *_forms("<shopping>", _BARE_FORMS))
@skill.short(
    "HassShoppingListAddItem",
    *("<shopping> <put> {text:item}", *_forms("<shopping>")),
    holds=_is_put_there,
)
def add_to_shopping_list(
    request: Request, item: Item, context: Context, purpose: str = ""
) -> Dialog:
    """Put something on the shopping list."""
    return put(list_of_kind(SHOPPING, context), item, request, context)


@skill.short("AddToThatList", *_BARE_FORMS)
@skill.short("AddToThatList", *_FORMS, holds=_is_put_there)
def add_to_that_list(request: Request, item: Item, context: Context, purpose: str = "") -> Dialog:
    """Put something on "the list": the one that was spoken of last, or the shopping list."""
    return put(default_list(context), item, request, context)


def _is_put(request: Request, context: Context) -> bool:
    return not (asks(request.text) or is_left_out(request)) and names_list(request, context)


def _is_there(request: Request, context: Context) -> bool:
    return is_thing(request) and names_list(request, context)


@skill.serve("HassListAddItem")
@skill.short("HassListAddItem", *_forms("<listed>"), holds=_is_put)
@skill.short("AddNamedOnList", *_forms("<listed>", _BARE_FORMS), holds=_is_there)
def add_to_list(
    request: Request, item: Item, name: ListName, context: Context, purpose: str = ""
) -> Dialog:
    """Put something on a list, which is made if the user wants it."""
    found = yield from list_or_made(name, context)
    return (yield from put(found, item, request, context))


def _is_named(request: Request, context: Context) -> bool:
    """Whether "it" is a thing that was named, and is put on a list."""
    on_list = request.alone or "list" in request.text.casefold()
    if request.slot("name") is None:  # what was just put on is not put on again
        return on_list and last_deed(context) != "add" and bool(named_thing(context))
    return on_list and names_list(request, context) and bool(named_thing(context))


@skill.short(
    "AddNamedThing",
    "<put> <named> <onto> <list> [<too>]",
    "<put> <named> [back] (on|down|on there|down there|back on) [<too>]",
    "add <named> [<too>]",
    holds=_is_named,
)
@skill.short(
    *("AddNamedThing", "<put> <named> <onto> <shopping> [<too>]"),
    fixed={"name": SHOPPING},
    holds=_is_named,
)
@skill.short("AddNamedThing", "<put> <named> <onto> <listed> [<too>]", holds=_is_named)
def add_named_thing(request: Request, context: Context, name: ListName | None = None) -> Dialog:
    """Put what was named before on a list: a thing to do that nobody can be reminded of."""
    found = yield from list_or_made(name, context)
    return (yield from put(found, named_thing(context), request, context))


def _is_added(request: Request, context: Context) -> bool:
    """Whether what nothing else is understood by is for the list that was spoken of last."""
    done = last_deed(context)
    other = _also(request) and (
        context.conversation.answered  # "and cinnamon", after what a document says of chili
        or done == "find"
        or (done in ("check", "take") and is_listed(request, context))
    )
    return request.alone and is_thing(request) and not other and is_about_list(request, context)


def _also(request: Request) -> bool:
    """Whether a text only adds to what was done: "and the eggs"."""
    return request.text.casefold().split()[:1] in (["and"], ["also"], ["plus"], ["oh"])


@skill.short(
    "AddToSameList",
    "<put> <named> (on|down|on there|down there) [<too>]",
    "<and> {text:item} [<too>]",
    "<put> on {text:item} [<too>]",
    "{text:item} (too|as well|also)",
    "<put> {text:item} [on|(on|to) (there|it|that)|there|it|that] [<too>]",
    "(we need|i need|we also need|i also need|we want|get|and get) {text:item} [<too>]",
    holds=_is_added,
)
def add_to_same_list(request: Request, item: Item, context: Context) -> Dialog:
    """Put something more on the list that was spoken of last."""
    return put(default_list(context), item, request, context)


def _is_counted(request: Request, context: Context) -> bool:
    slot = request.slot("item")
    counted = slot is not None and COUNTED_AFTER.fullmatch(request.text.rstrip(".!, "))
    return counted is not None and _is_added(request, context)


@skill.short("AddCounted", "[and|also] {text:item} {container}", holds=_is_counted)
def add_counted(request: Request, item: Item, container: Container, context: Context) -> Dialog:
    """Put something on the list with its number behind it: "flour two bags"."""
    return put(default_list(context), f"{item} {container}", request, context)


@skill.short("AddThing", "[ok|and|also|now] add {text:item} [<too>]", holds=is_plain_thing)
def add_thing(request: Request, item: Item, context: Context) -> Dialog:
    """Put a thing on the list that was spoken of last, or on the shopping list."""
    return put(default_list(context), item, request, context)


@skill.short(
    "OfferToAdd",
    "(we are|we have run|we ran|we are running|we are nearly|we are almost|i am) [nearly|all|clean]"
    " (out of|low on) {text:item}",
    "there is no {text:item} left",
    holds=is_plain_thing,
)
def offer_to_add(request: Request, item: Item, context: Context) -> Dialog:
    """Ask whether to put on the shopping list what has run out."""
    found = list_of_kind(SHOPPING, context)
    if not (yield Confirm(f"Shall I put {thing_of(item)} on {found.called}?")):
        return Reply("Okay.")
    return (yield from put(found, item, request, context))


def put(found: FoundList, item: str, request: Request, context: Context) -> Dialog:
    """Put a thing on a list, or say that it is there already; what is not named is asked for."""
    if names_nothing(item):
        item = yield Ask(f"What shall I put on {found.called}?")
    text = thing_of(item)
    items = context.lists.items(found.id)
    known = next((one for one in items if one.text.casefold() == text.casefold()), None)
    about = (*found.about, *deed("add"), *naming(request, text))
    if known and not known.done:
        there = f"{{}} is on {found.called} already."
        report = Report(text, there, there.replace(" is ", " are ", 1))
        told = there.replace(" is ", f" {verb_for(text)} ", 1).format(text)
        return Reply(f"{told[:1].upper()}{told[1:]}", about=about, report=report)
    if known:
        context.lists.set_done(known.id, False)
        undo = Undo("lists.set_done", known.id, True)
    else:
        undo = Undo("lists.remove", context.lists.add(found.id, text).id)
    said = f"I put {{}} on {found.called}.{passed_on(found, context)}"
    return Reply(said.format(text), undo=undo, about=about, report=Report(text, said))
