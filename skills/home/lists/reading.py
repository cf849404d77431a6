"""Saying what is on lists, whether something is, and which lists there are."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.english.commands.list_words import SHOPPING, TO_DO
from assistant.skill import Context, ListItem, OpenQuestion, Reply, Request, Skill, count, naming
from skills.home.lists.forms import Item, ListName, on_each_list
from skills.home.lists.items import (
    deed,
    find_items,
    is_listed,
    is_sought,
    is_thing,
    last_deed,
    open_items,
    thing_of,
    verb_for,
    where_is,
)
from skills.home.lists.meant import (
    FoundList,
    as_it_was,
    default_list,
    find_list,
    has_to_do_list,
    is_about_list,
    is_list_meant,
    known_lists,
    label,
    list_name,
    list_of_kind,
)

MOST_READ = 20
"""Most things on a list that are read out."""

skill = Skill("home")
skill.rule("tell", "(read|read out|tell|show|list|check|give|say|open)")
skill.rule("got", "(got|have|need)")
skill.rule("so_far", "(now|at the moment|so far|today|then)")


@on_each_list(
    skill,
    "ReadList",
    "what [else|all] is [still|left|now|first|next] on <list> [<so_far>]",
    "what [else|all] (have|do) (i|we) [still] <got> [left] on <list> [<so_far>]",
    "[and] <tell> [me|us] [out] <list> [out|back|one by one]",
    "read <list> (out|back|to me|out to me)",
    "<tell> [me|us] [out] (everything|all|what is) [that is] on <list>",
    "(is there|are there|have we got|do we have|have i got|do i have)"
    " (anything|something|things) [else] [left] on <list>",
    "(what is|how is) <list> [like|looking|looking like]",
    "(have you got|do you have|where is|can i hear|let us hear|let me hear|i want to hear) <list>",
    "[and] <list> [for today] (please|again|now)",
)
@skill.short(
    "ReadList",
    "what [else] (do|have|am|are) (we|i) [still] (got to|need|need to|need to get|meant to get"
    "|supposed to get|have to get|want) [to] [get|buy|pick up]"
    " (from|at|in) [the] (shop|shops|supermarket|store)",
    "what do (we|i) [still] need to (buy|get)",
    "what is [still] (left|there) to (buy|get)",
    "what (groceries|shopping|food) do (we|i) [still] need [to (get|buy)]",
    fixed={"name": SHOPPING},
)
@skill.short(
    "ReadList",
    "what [else] (is|have (i|we) got|do (i|we) have|have (i|we)) [left|still|now|got|all] [on]"
    " (it|there|that) [<so_far>]",
    "(read|tell|show) [me|us] (it|that|them|all of (it|them)|the (whole|entire) (thing|list|lot))"
    " [out|back|back to me|to me|again]",
    "what [else] do (we|i) [still] (need|have|want)",
    "what [else] is (left|missing|on there) [<so_far>]",
    "[is there] anything [else] [left] on (it|there|that)",
    holds=is_list_meant,
)
def read_list(context: Context, name: ListName | None = None) -> Reply:
    """Say what is on a list: the shopping list, unless another was named or spoken of last."""
    found = find_list(name, context) if name else default_list(context)
    return no_such_list(name or "", context) if found is None else told_list(found, context)


@on_each_list(
    skill,
    "CountList",
    "how (many|much) [things|items|stuff] [is|are] [there] [left|still] on <list> [<so_far>]",
    "how many [things|items] (have|do) (i|we) [still] <got> [left] on <list> [<so_far>]",
    "how long is <list> [now]",
)
@skill.short(
    "CountList",
    "how many [things|items] [is|are] [there] [left|still] on (it|there|that) [<so_far>]",
    holds=is_list_meant,
)
def count_list(context: Context, name: ListName | None = None) -> Reply:
    """Say how many things are on a list, and which."""
    found = find_list(name, context) if name else default_list(context)
    if found is None:
        return no_such_list(name or "", context)
    items = open_items(found, context)
    if not items:
        return told_list(found, context)
    there = "is" if len(items) == 1 else "are"
    text = f"There {there} {count(len(items), 'thing')} on {found.called}: {_read(items, context)}."
    return Reply(f"{text}{as_it_was(found, context)}", about=found.about)


def _has_to_do(request: Request, context: Context) -> bool:
    return has_to_do_list(context)


@skill.short(
    "ReadToDoList",
    "what [else] (have|do) (i|we) [still] (got|have|need) to do",
    "what [are|is] [the|my|our] [other] (jobs|chores|tasks|things) (have|do) (i|we) [still]"
    " (got|have|need) [left] [to do]",
    "what [are|is] [left of] (my|our|the) (jobs|chores|tasks|to dos|to do) [for today]",
    "how many (jobs|chores|tasks|things) (have|do) (i|we) [still] (got|have|need) [left] to do",
    "how many (jobs|chores|tasks) (have|do) (i|we) [still] (got|have) [left]",
    "(what|which) (jobs|chores|tasks) are [there] [still] [left|to do|left to do|to be done]",
    holds=_has_to_do,
)
def read_to_do_list(context: Context) -> Reply:
    """Say what there is to do."""
    return told_list(list_of_kind(TO_DO, context), context)


@on_each_list(
    skill,
    "FindOnList",
    "(is|are) [there] [still] [any] {text:item} [already|still] on <list> [already|yet]",
    "(have|did|do|has) (we|i|you|anyone|anybody|someone|somebody) [already|still]"
    " (got|get|put|have|add|added) [any] {text:item} [already] [down] (on|to) <list> [already|yet]",
)
@skill.short(
    "FindOnList",
    "(is|are) [there] [still] [any] {text:item} [already|still] (on it|[on] there) [already|yet]",
    "(do|have|did) (we|i) [still|already] [have|got|get|put] [any] {text:item}"
    " (on it|[on] there|down) [already|yet]",
    holds=is_list_meant,
)
def find_on_list(
    request: Request, item: Item, context: Context, name: ListName | None = None
) -> Reply:
    """Say whether something is on a list."""
    found = find_list(name, context) if name else default_list(context)
    if found is None:
        return no_such_list(name or "", context)
    return _whether(found, item, request, context)


def _is_asked_too(request: Request, context: Context) -> bool:
    finds = last_deed(context) == "find" and is_about_list(request, context)
    return request.alone and finds and is_thing(request)


@skill.short(
    *("FindToo", "<and> {text:item} [<too>]", "[and] (what|how) about {text:item}"),
    holds=_is_asked_too,
)
def find_too(request: Request, item: Item, context: Context) -> Reply:
    """Say whether something else is on the list that was asked about."""
    return _whether(default_list(context), item, request, context)


@skill.short(
    "WasPutOnList",
    "(have|did) (we|i) [already] (put|add|added|write|written|got) [any] {text:item} [already]"
    " (on|down|on there|down there) [already|yet]",
    "(have|did) (we|i) [already] (put|add|added|write|written|got) [any] {text:item} [already]"
    " (on|to) (a|any|one of (my|our|the)) (list|lists)",
    "(is|are) [there] {text:item} [already] on (a|any|one) [of (my|our|the)] (list|lists)",
    holds=is_sought,
)
def was_put_on_list(request: Request, item: Item, context: Context) -> Reply:
    """Say whether something was put on a list, whichever it is on."""
    places = where_is(item, context)
    if places or len(known_lists(context)) < 2:
        on = places[0].on if places else list_of_kind(SHOPPING, context)
        return _whether(on, item, request, context)
    return _on_none(item, request, context, "No, ")


@skill.short(
    "IsNeeded",
    "(do|did) (i|we) [still] (need|have) to (buy|get|pick up) [any|some|more] {text:item}",
    "(do|did) (i|we) [still] need [any|some|more] {text:item}",
    holds=is_listed,
)
def is_needed(request: Request, item: Item, context: Context) -> Reply:
    """Say that something is to be bought or done, as it is on a list."""
    return _whether(where_is(item, context)[0].on, item, request, context)


@skill.short(
    "WhichList", "(which|what) list (is|are|did (i|we) put) {text:item} on", holds=is_sought
)
def which_list(request: Request, item: Item, context: Context) -> Reply:
    """Say which list something is on."""
    places = where_is(item, context)
    if not places:
        return _on_none(item, request, context, "")
    names = [place.item.text for place in places]
    text = f"{context.say(names)} {_verb(names)} on {places[0].on.called}."
    about = (*places[0].on.about, *naming(request, names[0]))
    return Reply(f"{text[:1].upper()}{text[1:]}", about=about)


@skill.short(
    "WhichLists",
    "(what|which|how many) lists (do (i|we|you) have|have (i|we|you) got|are there|have (i|we)"
    "|have i made) [now]",
    "(what are|tell me|read [me]|list|show me) [all] (my|our|the) lists",
    "(do (i|we) have|have (i|we) got|are there) any lists",
    holds=lambda request, context: True,
)
def which_lists(context: Context) -> Reply:
    """Say which lists there are."""
    used = _used(context)
    if not used:
        return Reply("There is nothing on your shopping list, and there is no other list.")
    if len(used) == 1:
        return Reply(f"There is {used[0].called}, and no other.", about=used[0].about)
    return Reply(f"Your lists are {context.say([_short(found) for found in used])}.")


def told_list(found: FoundList, context: Context) -> Reply:
    """Say what is still to be done or bought."""
    items = open_items(found, context)
    called = found.called
    if items:
        text = f"On {called}: {_read(items, context)}."
    elif not context.lists.is_current(found.id):
        text = f"I can't reach {called} now, so I don't know what is on it."
        return Reply(text, done=False, about=found.about)
    else:
        text = f"{called[:1].upper()}{called[1:]} is empty."
    return Reply(f"{text}{as_it_was(found, context)}", about=found.about)


def _read(items: Sequence[ListItem], context: Context) -> str:
    names = [item.text for item in items]
    if len(names) > MOST_READ:
        names = [*names[:MOST_READ], f"{len(names) - MOST_READ} more"]
    return str(context.say(names))


def no_such_list(name: str, context: Context) -> Reply:
    """Say that there is no such list, unless the user's documents have one, and which there are."""
    names = [_short(found) for found in _used(context)]
    there = f" There {'are' if len(names) > 1 else 'is'} {context.say(names)}." if names else ""
    text = f"You have no {label(list_name(name))}.{there}"
    return Reply(text, done=False, task=OpenQuestion())


def _used(context: Context) -> tuple[FoundList, ...]:
    """The lists of the home and those made, and the others that something is on."""
    known = known_lists(context)
    own = {found.id for found in known}
    kinds = (list_of_kind(kind, context) for kind in (SHOPPING, TO_DO))
    others = (one for one in kinds if one.id not in own and context.lists.items(one.id))
    return (*known, *others)


def _short(found: FoundList) -> str:
    return found.name.casefold().removesuffix(" list")


def _whether(found: FoundList, item: str, request: Request, context: Context) -> Reply:
    names = [one.text for one in find_items(found, item, context)]
    thing = thing_of(item)
    if names:
        verdict = f"Yes, {context.say(names)} {_verb(names)}"
    else:
        verdict = f"No, {thing} {verb_for(thing)} not"
    about = (*found.about, *deed("find"), *naming(request, names[0] if names else thing))
    return Reply(f"{verdict} on {found.called}.{as_it_was(found, context)}", about=about)


def _on_none(item: str, request: Request, context: Context, no: str) -> Reply:
    thing = thing_of(item)
    away = [one for one in known_lists(context) if not context.lists.is_current(one.id)]
    may = f" I can't reach {away[0].called} now, so that may have changed." if away else ""
    text = f"{no}{thing} {verb_for(thing)} on none of your lists.{may}"
    about = (*default_list(context).about, *naming(request, thing))
    return Reply(f"{text[:1].upper()}{text[1:]}", about=about)


def _verb(names: list[str]) -> str:
    return "are" if len(names) > 1 else verb_for(names[0])
