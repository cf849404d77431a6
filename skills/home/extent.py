"""Asks whether a room or the whole home is meant, where "all the lights" is said in a room."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import replace

import msgspec

from assistant.english.replies import IN_HOME, IN_ROOM
from assistant.english.words import words
from assistant.skill import Choose, Context, Entity, Request
from skills.home.targets import (
    ALL,
    Target,
    TargetMention,
    capital,
    find,
    in_place,
    said_place,
)

_ALL_OF_A_KIND = frozenset(("all", "every", "each", "everything"))
"""Words for all devices, or all of a kind, which do not say of which place."""
_OF_A_PLACE = frozenset(("everywhere", "house", "home", "flat", "whole", "here", "room", "rooms"))
"""Words that say it."""
_OF_ANY_ROOM = ("lock",)
"""Domains of devices that are meant together wherever they are."""
_SEVERAL = 2
"""Fewest devices of a kind in a room that people call all of them."""


def find_all(
    wanted: TargetMention,
    request: Request,
    context: Context,
    done: Callable[[Entity], bool] = lambda entity: False,
) -> Generator[Choose, str, Target]:
    """The devices that are meant, as `find` has them; the user is asked where that is unclear.

    It is clear where it is `done` already in the room, or in all others, and where what is
    excepted is in another room.
    """
    target = find(wanted, request, context)
    room = context.area
    if room is None or not _says_all(wanted, request):
        return target
    near = tuple(entity for entity in target.entities if entity.area == room.id)
    far = [entity for entity in target.entities if entity.area != room.id and not done(entity)]
    excepted = _excepted(wanted, target, request, context)
    ours = sum(entity.area == room.id for entity in (*near, *excepted))
    if (
        not far
        or all(map(done, near))
        or ours < _SEVERAL
        or any(e.area != room.id for e in excepted)
    ):
        return target
    here = in_place(room, None)
    asked = f"{capital(here.strip())}, or in the whole house?"
    if (yield Choose(asked, (f"{IN_ROOM} {here}", IN_HOME))) == IN_HOME:
        return target
    return replace(target, entities=near, where=here)


def _says_all(wanted: TargetMention, request: Request) -> bool:
    """Whether all, or all of a kind, are meant, without a word for a place or for the home."""
    said = set(words(request.text))
    kind = wanted.domain not in _OF_ANY_ROOM
    unnamed = wanted.name is None or wanted.name.casefold() == ALL
    plain = not said.isdisjoint(_ALL_OF_A_KIND) and said.isdisjoint(_OF_A_PLACE)
    excepts_place = any(slot.name != "name" for slot in request.excluded)
    placed = wanted.place.said or said_place(request) or excepts_place
    return kind and unnamed and plain and not placed and not request.referring


def _excepted(
    wanted: TargetMention, target: Target, request: Request, context: Context
) -> tuple[Entity, ...]:
    """The devices that an exception leaves out of a target."""
    if not request.excluded:
        return ()
    whole = find(wanted, msgspec.structs.replace(request, excluded=()), context)
    return tuple(entity for entity in whole.entities if entity not in target.entities)
