"""Which list is meant: by its name, by its kind, or as what was spoken of last."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import NamedTuple

from assistant.english.commands.list_words import (
    BEFORE_NAMES,
    LIST_KINDS,
    NO_LIST_NAME,
    SHOPPING,
    TO_DO,
)
from assistant.skill import Cancelled, Confirm, Context, Request

NOTES = "notes"
"""Id of the list that the notes are on, which is none to put things on."""
_ABOUT = "list:"
"""Beginning of the id of a list that a reply is about; its name follows."""
_LONGEST_NAME = 4
"""Most words of the name of a list that there is not."""


class FoundList(NamedTuple):
    """A list of the home, one that was made, or one that is there without being made."""

    id: str
    name: str
    made: bool = False
    """Whether it was made by a user, who may delete it."""

    @property
    def called(self) -> str:
        """The list as replies call it: "your shopping list"."""
        return f"your {label(self.name)}"

    @property
    def about(self) -> tuple[str, ...]:
        """What a reply about the list is about."""
        return (f"{_ABOUT}{self.name}",)


def label(name: str) -> str:
    """A list's name with the word for what it is: "chores list"."""
    words = name.strip().casefold()
    return words if words.endswith("list") else f"{words} list"


def find_list(said: str, context: Context) -> FoundList | None:
    """The list that words name: by its name, by its kind, or by a part of one list's name."""
    wanted = plain_name(said)
    if not wanted:
        return None
    known = [(one, names) for one, names in _named(context)]
    named = [one for one, names in known if wanted in names]
    if named:
        return named[0]
    if kind := next((kind for kind, words in LIST_KINDS.items() if wanted in words), ""):
        return list_of_kind(kind, context)
    words = set(wanted.split())
    parts = [one for one, names in known if any(words <= set(name.split()) for name in names)]
    return parts[0] if len(parts) == 1 else None


def list_of_kind(kind: str, context: Context) -> FoundList:
    """The first list of a kind by its names; the one that is always there for none."""
    words = LIST_KINDS[kind]
    return next(
        (
            one
            for one, names in _named(context)
            if any(name in words or not words.isdisjoint(name.split()) for name in names)
        ),
        FoundList(kind, kind),
    )


def known_lists(context: Context) -> tuple[FoundList, ...]:
    """Every list of the home and every one that was made."""
    return tuple(one for one, _ in _named(context))


def lists_in_use(context: Context) -> tuple[FoundList, ...]:
    """The known lists, and those that are always there, the one spoken of last before others."""
    spoken = spoken_of(context)
    kinds = (list_of_kind(kind, context) for kind in LIST_KINDS)
    every = (*((spoken,) if spoken else ()), *kinds, *known_lists(context))
    return tuple({one.id: one for one in reversed(every)}.values())[::-1]


def spoken_of(context: Context) -> FoundList | None:
    """The list that was spoken of last."""
    about = (a for a in context.conversation.about if a.startswith(_ABOUT))
    name = next((a.removeprefix(_ABOUT) for a in about), "")
    return find_list(name, context) if name else None


def default_list(context: Context) -> FoundList:
    """The list spoken of last, or else the shopping list."""
    return spoken_of(context) or list_of_kind(SHOPPING, context)


def passed_on(found: FoundList, context: Context) -> str:
    """What is said after a change: a list that is out of reach is told of it later."""
    return "" if context.lists.is_current(found.id) else " I pass that on once I can reach it."


def as_it_was(found: FoundList, context: Context) -> str:
    """What is said after what is on a list: one that is out of reach may have changed."""
    current = context.lists.is_current(found.id)
    return "" if current else " I can't reach it now, so that may have changed."


def list_or_made(said: str | None, context: Context) -> Generator[Confirm, bool, FoundList]:
    """The list that words name, which is made if there is none and the user wants it."""
    if said is None:
        return default_list(context)
    if found := find_list(said, context):
        return found
    name = list_name(said)
    if not (yield Confirm(f"There is no {label(name)}. Shall I make one?")):
        raise Cancelled
    return make_list(name, context)


def make_list(name: str, context: Context) -> FoundList:
    """Make an empty list."""
    context.lists.make(name)
    return FoundList(name.casefold(), name, made=True)


def list_name(said: str) -> str:
    """The name of a list as it was said, without the words around it."""
    words = said.strip().split()
    while words and words[0].casefold() in BEFORE_NAMES:
        words.pop(0)
    if words[1:] and words[-1].casefold() == "list":
        words.pop()
    return " ".join(words)


def plain_name(said: str) -> str:
    """A list's name for comparing: "Shopping" and "the shopping list" are one."""
    return list_name(said.replace("-", " ")).casefold().removesuffix("'s")


def is_about_list(request: Request, context: Context) -> bool:
    """Whether a list was spoken of last."""
    return spoken_of(context) is not None


def names_list(request: Request, context: Context) -> bool:
    """Whether a text names a list that there is, or one that there is not and that is so called."""
    slot = request.slot("name")
    if slot is None:
        return False
    said = str(slot.value)
    found = find_list(said, context)
    called_list = f"{said} list".casefold() in request.text.casefold()
    if found is not None:
        return called_list or not slot.raw or plain_name(said) in _exact(context)
    words = plain_name(said).split()
    return called_list and 0 < len(words) <= _LONGEST_NAME and NO_LIST_NAME.isdisjoint(words)


def is_list_meant(request: Request, context: Context) -> bool:
    """Whether a list is named, or, where a form names none, one was spoken of last."""
    if request.slot("name") is None:
        return is_about_list(request, context)
    return names_list(request, context)


def has_to_do_list(context: Context) -> bool:
    """Whether the home has a list of things to do, or there is something to do."""
    found = list_of_kind(TO_DO, context)
    return found.id != TO_DO or bool(context.lists.items(TO_DO))


def _exact(context: Context) -> set[str]:
    """The names by which lists are known without the word "list"."""
    own = {name for _, names in _named(context) for name in names}
    return own.union(*LIST_KINDS.values())


def _named(context: Context) -> Iterator[tuple[FoundList, tuple[str, ...]]]:
    """Every list of the home, and every one that was made, with its plain names."""
    for entity in context.home.entities:
        if entity.domain == "todo":
            names = (entity.id, entity.name, *entity.aliases)
            yield FoundList(entity.id, entity.name), tuple(map(plain_name, names))
    for name in context.lists.made:
        yield FoundList(name.casefold(), name, made=True), (plain_name(name),)
