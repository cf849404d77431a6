"""Which names a routine may have."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.skill import Context, Request
from assistant.skill.home import FEED
from skills.routines.kept import LONGEST_NAME, find, own_name


def unfit(said: str, means: Sequence[Request], context: Context) -> str:
    """Why a routine cannot have a name that `means` commands already; "" where it can."""
    name = own_name(said)
    if not 0 < len(name.split()) <= LONGEST_NAME:
        return f"Please choose a name of at most {context.say(LONGEST_NAME)} words."
    if find(name, context) is not None:
        return f"There is a routine called {name} already; you can add to it, or delete it."
    home = context.home
    devices = [entity for entity in home.entities if entity.domain != FEED]
    for things, kind in ((devices, "device"), (home.areas, "room"), (home.floors, "floor")):
        for thing in things:
            if name.casefold() in (word.casefold() for word in (thing.name, *thing.aliases)):
                what = _KINDS.get(thing.id.partition(".")[0], kind)
                return f"There is a {what} called {thing.name} already; please choose another name."
    if means:
        return f'"{name}" is a command already; please choose another name.'
    return ""


_KINDS = {"scene": "scene", "script": "script"}
"""Domain of what is no device → what it is called."""
