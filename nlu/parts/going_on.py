"""What the change in a command means after the command before it: its direction, its property.

more         "blind down a bit", then "more"              another step down
             "blind down halfway", then "a bit more"      a step down
to its end   "blind down a bit", then "all the way"       down
white        "lamp to 2700 kelvin", then "cooler"         the white of the lamp, and no room
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assistant.core.messages import Command
from assistant.english.commands.amounts import MORE, UP_OR_DOWN
from assistant.english.commands.kinds import WHITE
from assistant.english.commands.words import COLOURED
from assistant.skill.values import Change
from nlu.parts.chunks import MainLight, Named, OfKind, Relative, Spoken
from nlu.parts.commands import FULL, change_of, way_of
from nlu.parts.doings import PROPERTY_OF
from nlu.parts.frames import Frame
from nlu.parts.targets import Targets


def going_on(frame: Frame, before: Sequence[Command], targets: Targets) -> Frame | None:
    """A frame with what the commands before tell of its change; None where they are no help."""
    change = change_of(before[-1]) if before else None
    if frame.relative and change and _is_more(frame):
        same = not frame.says_whom or isinstance(frame.who, Spoken)  # and not "fan more"
        white = same and _level(before[-1]) == WHITE
        what = WHITE if white else frame.relative.property
        size = frame.relative.size or (change.size if same else "")
        more = replace(frame.relative, way=change.direction, size=size, property=what)
        return replace(frame, relative=more)
    if frame.relative and before and _is_more(frame) and not frame.says_whom:
        way = way_of(before[-1], _property(before[-1], targets))
        return replace(frame, relative=replace(frame.relative, way=way or frame.relative.way))
    if _is_of_white(frame, before, targets):
        return _of_white(frame)
    if any(level.furthest for level in frame.levels) and before:
        return _to_its_end(frame, before[-1], targets)
    return frame


def _is_more(frame: Frame) -> bool:
    """Whether a frame only asks for more of the same: "a bit more than that"."""
    words = {(token.text,) for token in frame.said.tokens}
    ways = words.intersection(UP_OR_DOWN)
    return (
        frame.relative is not None and not frame.relative.property and ways <= MORE and bool(ways)
    )


def _to_its_end(frame: Frame, last: Command, targets: Targets) -> Frame | None:
    """A frame for as far as it goes, after the last command; None where that says no way."""
    domains, what = targets.domains_of(last), _property(last, targets)
    moves = what == "position" and frame.action not in ("open", "close")  # "go on, all the way"
    own = not frame.says_whom or isinstance(frame.who, Spoken)
    alike = isinstance(frame.who, Named) and {e.domain for e in frame.who.entities} <= {*domains}
    way = way_of(last, what)
    if not (own or alike) or (frame.action and not moves) or way > 0 or what == "temperature":
        return frame
    if way == 0:
        return None if what == "position" else frame
    change = Relative(Change(way, FULL, "%"), way=way)
    return replace(frame, levels=(), relative=change, action="")


def _property(command: Command, targets: Targets) -> str:
    """The property of a command's devices that has levels."""
    return PROPERTY_OF.get(next(iter(targets.domains_of(command)), ""), "")


def _is_of_white(frame: Frame, before: Sequence[Command], targets: Targets) -> bool:
    """Whether "cooler" is said of the white of lights, and not of a room."""
    relative = frame.relative
    if relative is None or relative.property != "temperature" or relative.change is not None:
        return False
    words = {token.text for token in frame.said.tokens}
    last = {*targets.domains_of(before[-1])} if before else set()
    match frame.who:
        case MainLight():
            return True
        case Named(entities):
            return {entity.domain for entity in entities} == {"light"}
        case OfKind(kind):
            return kind.domains == ("light",)
        case None if COLOURED.isdisjoint(words) and not _is_coloured(before):
            return False
    return last == {"light"}


def _of_white(frame: Frame) -> Frame:
    """A frame for a warmer or a cooler white, which has fewer or more kelvin."""
    relative = frame.relative or Relative()
    levels = tuple(one for one in frame.levels if one.value != "white")  # "a warmer white"
    changed = replace(relative, property=WHITE, way=-relative.way)
    return replace(frame, levels=levels, relative=changed)


def _is_coloured(before: Sequence[Command]) -> bool:
    """Whether the last command was about the colour of lights."""
    if not before:
        return False
    names = {slot.name for slot in before[-1].slots}
    coloured = before[-1].intent == "HassLightSet" and not names.isdisjoint(
        ("color", "temperature")
    )
    return coloured or _level(before[-1]) == WHITE


def _level(command: Command) -> str:
    """The property whose level a command changes; "" for none."""
    return next((str(slot.value) for slot in command.slots if slot.name == "level"), "")
