"""The commands of Home Assistant's intents that do to some devices what a frame says."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from assistant.core.messages import Command, Slot, SlotValue
from assistant.english.commands.kinds import OF_PROPERTY
from assistant.skill.values import Change
from nlu.parts.chunks import OfKind, Relative
from nlu.parts.doings import DOINGS, LEVELS, PROPERTY_OF, SENT
from nlu.parts.frames import Frame
from nlu.parts.places import slot
from nlu.parts.targets import Targets, Whom

FULL = 100
"""Percent of a level that cannot be higher."""
_WAYS = {"HassTurnOn": 1, "HassTurnOff": -1}
"""Intent → whether it moves a cover up or down."""


def commands_for(frame: Frame, whom: Whom, targets: Targets) -> Iterator[Command]:
    """The commands that a frame means for some devices; none where they cannot do it."""
    domain = next((d for d in whom.domains if d in PROPERTY_OF), "")
    what = PROPERTY_OF.get(domain, "")
    relative = frame.relative
    if relative is not None and relative.property:
        what = relative.property
        if whom.domains and not set(OF_PROPERTY[what].domains) & set(whom.domains):
            return
    if frame.levels and frame.action == "off":
        return  # "off at nineteen" is clear in neither
    for level in frame.levels:
        if level.unit == "colour":
            if not whom.domains or "light" in whom.domains:
                colour = _colour(str(level.value))
                yield Command(intent="HassLightSet", slots=(*plain(whom, "brightness"), colour))
        elif frame.action and what == "volume" and not level.unit:
            return  # "put radio four on" names a station
        elif what and (level.unit != "°" or what == "temperature"):
            intent, name = LEVELS[what]
            if frame.action == "close" and level.value == FULL:
                yield from _switched("close", whom)
                continue
            if frame.action == "open" and level.furthest:
                yield from _switched("open", whom)
                continue
            slots = (*plain(whom, what), slot(name, _whole(level.value)))
            begins = what == "temperature" and frame.begins and frame.action == "on"
            yield Command(intent=intent, slots=(*slots, *([slot("on", True)] * begins)))
    coloured = all(level.unit == "colour" for level in frame.levels)
    if frame.levels and not (relative is not None and coloured):
        if frame.action in ("on", "start") and what == "volume":
            yield from _switched("on", whom)
        return
    lit = isinstance(frame.who, OfKind) and domain == "light"
    change = _change(relative, frame.action, lit)
    moves = what == "position" and relative is not None and relative.way
    if moves and change is not None and change.amount is None and not change.size:
        yield from _switched("open" if change.direction > 0 else "close", whom)
    elif change is not None and what:
        slots = (*plain(whom, what), slot("level", what), slot("change", str(change)))
        if frame.than is not None:
            if (other := targets.compared(frame)) is None:
                return
            slots = (*slots, slot("than", other))
        yield Command(intent="AdjustDevice", slots=slots)
    elif frame.action and relative is None:
        for command in _switched(frame.action, whom):
            sent = frame.action == "round" and frame.where is not None
            intent = SENT.get(command.intent, command.intent) if sent else command.intent
            yield msgspec.structs.replace(command, intent=intent)


def _change(relative: Relative | None, action: str, lit: bool) -> Change | None:
    """The change that words say, "open" and "close" among them; None for none."""
    if relative is None:
        return None
    if relative.change is not None:
        return relative.change
    way = relative.way or {"open": 1, "close": -1}.get(action, 0)
    if relative.size and not action and lit:
        way = way or 1  # "a bit of light"
    return Change(way, size=relative.size) if way else None


def _switched(action: str, whom: Whom) -> Iterator[Command]:
    if not whom.domains and whom.slots:  # nobody knows what it is
        named = any(slot.name == "name" for slot in whom.slots)
        if not named and action not in ("on", "off"):
            return
        off = action in ("off", "close", "unlock", "stop", "dock", "pause", "mute")
        yield Command(intent="HassTurnOff" if off else "HassTurnOn", slots=whom.slots)
        return
    for domains, intent in DOINGS.get(action, ()):
        if not whom.domains or set(whom.domains) & set(domains):
            any_kind = intent in ("HassTurnOn", "HassTurnOff", "HassStopMoving")
            slots = whom.slots if any_kind else plain(whom, "")
            yield Command(intent=intent, slots=slots)
            return


def plain(whom: Whom, what: str | None) -> tuple[Slot, ...]:
    """The slots of devices for an intent whose property tells the domain."""
    usual = whom.domains[:1] == OF_PROPERTY[what].domains[:1] if what else True
    told = ("domain", "device_class") if what == "position" or not usual else ()
    keep = ("name", "area", "floor", *told)
    return tuple(slot for slot in whom.slots if slot.name in keep)


def _colour(value: str) -> Slot:
    """The slot of a colour, or of a white: "2700 K"."""
    kelvin = value.removesuffix(" K")
    return slot("color", value) if kelvin == value else slot("temperature", int(kelvin))


def _whole(value: float | str) -> SlotValue:
    return int(value) if isinstance(value, float) and value == int(value) else value


def change_of(command: Command) -> Change | None:
    """The relative change of a command; None where it is none."""
    said = next((slot.value for slot in command.slots if slot.name == "change"), None)
    return Change.read(str(said)) if said is not None else None


def way_of(command: Command, what: str) -> int:
    """1 for a command that raises the property `what`, -1 for one that lowers it, else 0."""
    if (change := change_of(command)) is not None:
        return change.direction
    if what == "position" and command.intent in _WAYS:
        return _WAYS[command.intent]
    said = set(command.directions)
    up, down = not said.isdisjoint(("up", "open")), not said.isdisjoint(("down", "close"))
    return up - down
