"""What the rewriter reads: the home's names, the conversation so far, and what was just said.

The names come first and never change while the home does not, so that the model's memory of them is
kept. Everything is in lower case, as it is heard.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from assistant.skill.home import Entity, Home

SEPARATOR = " ; "
"""What stands between the plain sentences of one utterance."""
NOTHING, ASK, CANNOT = "-", "?", "!"
"""What is written where nothing is to be done; before a sentence that is to be asked first; before
one that this home cannot do."""
END = "\n"
"""What ends the plain sentences."""
_MOST_ALIASES = 2
_KINDS = {
    "climate": "heating",
    "cover": "cover",
    "lawn_mower": "mower",
    "media_player": "player",
    "todo": "list",
}
_SENSORS = ("sensor", "binary_sensor")
_MOST_STATES = 8
"""Number of devices whose states are read at most."""
_IDLE = ("off", "unknown", "unavailable", "closed", "locked", "docked", "idle", "standby", "paused")
"""States in which a device of another room is not worth mentioning."""
_WITHOUT_STATE = ("scene", "script", "todo", "weather", "calendar", "person", "event", "button")


class Turn(NamedTuple):
    """What was said, and the plain sentences that it came to."""

    said: str
    plain: str


def names(home: Home) -> str:
    """The devices of each area with their kinds, a line for each area, one for the rest."""
    placed: defaultdict[str | None, list[str]] = defaultdict(list)
    for entity in home.entities:
        placed[entity.area].append(_with_aliases(entity.name, entity.aliases) + _kind(entity))
    lines = [(_with_aliases(area.name, area.aliases), placed[area.id]) for area in home.areas]
    lines.append(("home", placed[None]))
    return "".join(f"{place}: {', '.join(devices)}\n" for place, devices in lines).lower()


def states(home: Home, area: str) -> str:
    """The states that may matter: of the devices in the area of that id, and of those at work."""
    here = [entity for entity in home.entities if entity.area == area]
    there = [one for one in home.entities if one not in here and _is_at_work(one)]
    told = [one for one in (*here, *there) if one.domain not in _WITHOUT_STATE][:_MOST_STATES]
    return ", ".join(f"{entity.name} {' '.join(_state(entity))}" for entity in told)


def opening(area: str, now: datetime, known: str = "") -> str:
    """The first lines of a conversation: the room, "" for none, the time, and the `states`."""
    where = f" in the {area}" if area else ""
    hour = f"{now.hour % 12 or 12}:{now:%M} {'am' if now.hour < 12 else 'pm'}"
    head = f"\nnew talk{where}, {now:%A} {now.day} {now:%B}, {hour}\n"
    return (head + (f"now: {known}\n" if known else "")).lower()


def question(said: str) -> str:
    """What was said, as the model reads it before it writes."""
    return f"said: {said.lower()}\nplain:"


def answer(plain: str) -> str:
    """What the model is to write."""
    return f" {plain.lower()}{END}"


def _with_aliases(name: str, aliases: Sequence[str]) -> str:
    return f"{name} ({', '.join(aliases[:_MOST_ALIASES])})" if aliases else name


def _kind(entity: Entity) -> str:
    """The kind of device, with a space before it, unless its name says so."""
    kind = _KINDS.get(entity.domain, entity.domain.replace("_", " "))
    if entity.domain in ("cover", *_SENSORS):
        kind = str(entity.attributes.get("device_class") or kind).replace("_", " ")
    if entity.domain in _SENSORS:
        kind += " sensor"
    return "" if kind in entity.name.lower() else f" {kind}"


def _is_at_work(entity: Entity) -> bool:
    return entity.domain not in _SENSORS and entity.state not in _IDLE


def _state(entity: Entity) -> Iterator[str]:
    yield entity.state
    for name, whole in (("brightness", 255), ("volume_level", 1), ("current_position", 100)):
        value = entity.attributes.get(name)
        if isinstance(value, int | float) and value and entity.state not in ("off", "closed"):
            yield f"{100 * value / whole:.0f}%"
    for name in ("percentage", "temperature", "humidity"):
        value = entity.attributes.get(name)
        if isinstance(value, int | float) and value:
            yield f"{value:g}"
