"""The text of an iCalendar file (RFC 5545), changed event by event; all else stays as it is.

An event is known by its UID; a series and those of its times that were moved are several VEVENTs
with one UID, and count as one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from icalendar import Timezone

from assistant.core.calendar.recurrence import FAULTS

EMPTY = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Hark//Calendar//EN\r\nEND:VCALENDAR\r\n"
_EVENT, _CALENDAR, _ZONE = "VEVENT", "VCALENDAR", "VTIMEZONE"
_LINE = re.compile(r"[^\n]*\n|[^\n]+\Z")
_FOLD = re.compile(r"\r?\n[ \t]")
_NAME = re.compile(r"[A-Za-z0-9-]+")
_EDGE = re.compile(r"(BEGIN|END):([A-Za-z0-9-]+)\s*", re.IGNORECASE)
_STAMPED = frozenset({"DTSTAMP", "LAST-MODIFIED", "CREATED", "SEQUENCE"})
_USED_ZONE = re.compile(r";TZID=\"?([^\":;\r\n]+)\"?[:;]")
_DEFINED_ZONE = re.compile(r"^TZID[^:\r\n]*:([^\r\n]*)", re.MULTILINE | re.IGNORECASE)


class _Piece(NamedTuple):
    """A line outside of all events, or a whole event; `uid` is "" for a line."""

    text: str
    uid: str = ""


def events_in(text: str) -> dict[str, str]:
    """UID → the text of its events; raises ValueError for a text that is no calendar."""
    found: dict[str, list[str]] = {}
    for piece in _pieces(text):
        if piece.uid:
            found.setdefault(piece.uid, []).append(piece.text)
    return {uid: "".join(texts) for uid, texts in found.items()}


def zones_in(text: str) -> dict[str, str]:
    """TZID → the text of each zone that a calendar, or what stands before an event, defines."""
    found: dict[str, str] = {}
    zone: list[str] = []
    for line in _LINE.findall(text):
        edge = _edge(line)
        if zone or edge == ("BEGIN", _ZONE):
            zone.append(line)
        if zone and edge == ("END", _ZONE):
            defined = _DEFINED_ZONE.search(_FOLD.sub("", "".join(zone)))
            if defined is not None:
                found[defined[1].strip()] = "".join(zone)
            zone = []
    return found


def plain(text: str) -> str:
    """A text as it is compared, whichever line breaks its file has."""
    return text.replace("\r\n", "\n")


def alike(one: str, other: str) -> bool:
    """Whether events have the same properties, as servers order and fold and stamp them anew."""
    return _properties(one) == _properties(other)


def alone(event: str, calendar: str) -> str:
    """A calendar with one event of a `calendar` alone, and with the zones that it uses."""
    uid = _uid(blocks_of(event)[0])
    return with_events(EMPTY, {uid: "".join(zones_in(calendar).values()) + event})


def with_events(text: str, changes: Mapping[str, str]) -> str:
    """The calendar `text` with these events in place of those of the same UID; "" removes one.

    Zones that they use and nothing defines are added; before an event may stand what it defines
    itself. Raises ValueError for what is no calendar.
    """
    if all(events_in(text).get(uid, "") == event for uid, event in changes.items()):
        return text
    breaks = "\r\n" if "\r\n" in text else "\n"
    waiting = {uid: _broken("".join(blocks_of(e)), breaks) for uid, e in changes.items()}
    made: list[str] = []
    for piece in _pieces(text):
        made.append(waiting.pop(piece.uid, "") if piece.uid in changes else piece.text)
    end = max(at for at, line in enumerate(made) if _edge(line) == ("END", _CALENDAR))
    new = [*_missing_zones(text, "".join(changes.values()), breaks), *waiting.values()]
    return "".join([*made[:end], *new, *made[end:]])


def blocks_of(events: str) -> list[str]:
    """The single VEVENTs in the text of one event."""
    return [piece.text for piece in _pieces(f"{EMPTY[:17]}{events}{EMPTY[-15:]}") if piece.uid]


def with_properties(block: str, names: Collection[str], lines: str) -> str:
    """A VEVENT with `lines` in place of its own properties of these names."""
    kept, depth, dropped = [], 0, False
    for line in _LINE.findall(block):
        edge = _edge(line)
        if line[:1] not in " \t":
            dropped = depth == 1 and edge is None and _name(line) in names
        if not dropped:
            kept.append(line)
        if edge is not None:
            depth += 1 if edge[0] == "BEGIN" else -1
    return "".join([kept[0], _broken(lines, "\r\n" if "\r\n" in block else "\n"), *kept[1:]])


def _pieces(text: str) -> Iterator[_Piece]:
    """The text in pieces, in order, of which each event is one."""
    inside: list[str] = []
    event: list[str] = []
    seen = False
    for line in _LINE.findall(text):
        edge = _edge(line)
        if not inside and edge != ("BEGIN", _CALENDAR) and line.strip():
            raise ValueError("a line outside of any calendar")
        if edge is not None and edge[0] == "BEGIN":
            inside.append(edge[1])
        in_event = inside[1:2] == [_EVENT]
        if in_event:
            event.append(line)
        if edge is not None and edge[0] == "END":
            if not inside or inside.pop() != edge[1]:
                raise ValueError(f"an END:{edge[1]} without its beginning")
            seen = seen or not inside
        if not in_event:
            yield _Piece(line)
        elif inside == [_CALENDAR]:
            yield _Piece("".join(event), _uid("".join(event)))
            event = []
    if inside or not seen:
        raise ValueError("the calendar has no end")


def _edge(line: str) -> tuple[str, str] | None:
    found = _EDGE.fullmatch(line.removeprefix("\ufeff"))
    return (found[1].upper(), found[2].upper()) if found else None


def _name(line: str) -> str:
    found = _NAME.match(line)
    return found[0].upper() if found else ""


def _uid(block: str) -> str:
    depth = 0
    for line in _FOLD.sub("", block).split("\n"):
        if edge := _edge(line):
            depth += 1 if edge[0] == "BEGIN" else -1
        elif depth == 1 and _name(line) == "UID":
            return line.partition(":")[2].strip()
    return ""


def _broken(text: str, breaks: str) -> str:
    """The text with these line breaks."""
    return text.replace("\r\n", "\n").replace("\n", breaks)


def _missing_zones(text: str, events: str, breaks: str) -> Iterator[str]:
    """The definitions of the zones that `events` use and `text` does not define."""
    defined, brought = zones_in(text), zones_in(events)
    for name in dict.fromkeys(_USED_ZONE.findall(_FOLD.sub("", events))):
        if name not in defined:
            try:
                zone = brought.get(name) or Timezone.from_tzid(name).to_ical().decode()
            except FAULTS:  # one that only the events' author knows
                continue
            yield _broken(zone, breaks)


def _properties(events: str) -> list[str]:
    lines = _FOLD.sub("", events).splitlines()
    return sorted(line for line in lines if _name(line) not in _STAMPED)
