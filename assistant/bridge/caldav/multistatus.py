"""The answers of WebDAV (RFC 4918): resources and their properties, read piece by piece."""

from __future__ import annotations

import re
from typing import NamedTuple
from xml.parsers import expat

DEEPEST = 32
"""Most elements around one another."""
MOST_ELEMENTS = 200_000
"""Most elements of one answer, some half a second of work; 20,000 events have 140,000."""
LONGEST_NAMESPACE = 250
"""Most characters of a namespace, which the parser writes out before each name in it."""
LONGEST_TAG_BYTES = 65_536
"""Most bytes of one tag, of which a parser keeps each attribute, or of another piece that waits for
its end."""
DAV, CALDAV = "DAV:", "urn:ietf:params:xml:ns:caldav"
CALENDAR_SERVER = "http://calendarserver.org/ns/"
RESPONSE = (f"{DAV} multistatus", f"{DAV} response")
HREF = (*RESPONSE, f"{DAV} href")
STATUS = (*RESPONSE, f"{DAV} status")
PROPSTAT = (*RESPONSE, f"{DAV} propstat")
PROPERTY = (*PROPSTAT, f"{DAV} prop")
_FINE = re.compile(r"\s*HTTP/[0-9.]+ 2[0-9]{2}\b")


class Resource(NamedTuple):
    """One resource of an answer; `fine` where its own status, if it has any, is one of success."""

    href: str
    fine: bool
    properties: dict[str, str]
    """Namespace and name of each property that it has, with a space between → its text.

    A property that holds elements, as `resourcetype` does, has a line with the name of each.
    """


class Multistatus:
    """Reads one answer; raises `ValueError` for what is none, such as one with a DTD."""

    def __init__(self) -> None:
        self._found: list[Resource] = []
        self._path: list[str] = []
        self._text: list[str] = []
        self._href, self._fine = "", True
        self._has: dict[str, str] = {}
        self._told: dict[str, str] = {}
        self._told_fine = True
        self._is_one = False
        self._elements = self._fed = 0
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._begin
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text.append
        self._parser.StartDoctypeDeclHandler = self._refuse
        self._parser.StartNamespaceDeclHandler = self._declare

    def feed(self, piece: bytes) -> None:
        """Read the next bytes."""
        self._parse(piece, False)
        self._fed += len(piece)
        if self._fed - max(0, self._parser.CurrentByteIndex) > LONGEST_TAG_BYTES + len(piece):
            raise ValueError(f"it has a tag of more than {LONGEST_TAG_BYTES} bytes")

    def resources(self) -> list[Resource]:
        """The resources, once all was fed."""
        self._parse(b"", True)
        if not self._is_one:
            raise ValueError("it is no multistatus")
        return self._found

    def _parse(self, piece: bytes, is_last: bool) -> None:
        try:
            self._parser.Parse(piece, is_last)
        except (expat.ExpatError, LookupError) as error:  # the latter for an unknown encoding
            raise ValueError("it is no XML") from error

    def _begin(self, name: str, _: dict[str, str]) -> None:
        self._elements += 1
        if len(self._path) >= DEEPEST:
            raise ValueError(f"it is nested more than {DEEPEST} deep")
        if self._elements > MOST_ELEMENTS:
            raise ValueError(f"it has more than {MOST_ELEMENTS} elements")
        if len(self._path) > len(PROPERTY):
            self._text.append(f"\n{name}\n")
        else:
            self._text.clear()
        self._path.append(name)
        path = tuple(self._path)
        if len(path) == 1:
            self._is_one = name == RESPONSE[0]
        elif path == RESPONSE:
            self._href, self._fine, self._has = "", True, {}
        elif path == PROPSTAT:
            self._told, self._told_fine = {}, True

    def _end(self, name: str) -> None:
        path = tuple(self._path)
        if path == HREF:
            self._href = "".join(self._text).strip()
        elif path == STATUS:
            self._fine = _FINE.match("".join(self._text)) is not None
        elif path == (*PROPSTAT, f"{DAV} status"):
            self._told_fine = _FINE.match("".join(self._text)) is not None
        elif path[:-1] == PROPERTY:
            self._told[name] = "".join(self._text)
        elif path == PROPSTAT and self._told_fine:
            self._has |= self._told
        elif path == RESPONSE:
            self._found.append(Resource(self._href, self._fine, self._has))
        self._path.pop()

    def _declare(self, _: str | None, namespace: str | None) -> None:
        if namespace and len(namespace) > LONGEST_NAMESPACE:
            raise ValueError(f"it has a namespace of more than {LONGEST_NAMESPACE} characters")

    def _refuse(self, *_: object) -> None:
        raise ValueError("it has a document type, which no answer of WebDAV has")
