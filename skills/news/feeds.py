"""Reads news feeds: RSS 2.0, RSS 1.0 and Atom. What they hold is the words of others."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any
from xml.etree import ElementTree

import msgspec

from assistant.core.errors import one_line

LARGEST_BYTES = 262_144
"""Most bytes of a feed: as many as the bridge lets through."""
MOST_HEADLINES = 30
"""Most headlines that are read of one feed."""
MOST_ITEMS = 200
"""Most items that are looked at, some of which may have no title or the one of another."""
LONGEST_TITLE = 200
LONGEST_TEXT = 400
"""Most characters of what is told of one headline, some 30 seconds of speech."""
DEEPEST = 32
"""Most elements around one another that are looked at."""
LONGEST_NAMESPACE = 250
"""Most characters of a namespace."""
LONGEST_WHY = 100
"""Most characters of what the parser of XML says of one."""
MOST_MARKUP = 4000
"""Most characters of a text, with its tags, that are looked at."""

_NAMESPACES = ("", "{http://www.w3.org/2005/Atom}", "{http://purl.org/rss/1.0/}")
_ITEMS = frozenset(f"{space}{name}" for space in _NAMESPACES for name in ("item", "entry"))
_UNREAD = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style)\b.*?(?:</\1[^<>]*>|\Z)", re.DOTALL | re.IGNORECASE
)
_INLINE = re.compile(r"</?(?:a|abbr|b|code|em|font|i|mark|small|span|strong)(?:\s[^<>]*)?>", re.I)
_TAG = re.compile(r"</?[a-z!][^<>]*(?:>|\Z)", re.IGNORECASE)
_SENTENCE_ENDS = (". ", "! ", "? ")


class FeedError(Exception):
    """The text is no feed."""


class Headline(msgspec.Struct, frozen=True):
    """One piece of news: its title, and what the feed tells of it, both as plain text."""

    title: str
    text: str = ""

    @property
    def sentence(self) -> str:
        """The title as a sentence."""
        return self.title if self.title.endswith((".", "!", "?", "…")) else f"{self.title}."


def read_feed(body: bytes) -> tuple[Headline, ...]:
    """The headlines of a feed in its order, each once; raises `FeedError` for what is none."""
    if len(body) > LARGEST_BYTES:
        raise FeedError("it is too large")
    parser = ElementTree.XMLParser(target=_Builder())  # noqa: S314 - it refuses declarations
    try:
        parser.feed(body)
        root = parser.close()
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise FeedError(f"it is no XML: {one_line(str(error), LONGEST_WHY)}") from error
    if root.tag.rpartition("}")[2].casefold() not in ("rss", "rdf", "feed"):
        raise FeedError("it is neither RSS nor Atom")
    found: dict[str, Headline] = {}
    for one in islice(_headlines(root), MOST_ITEMS):
        if one.title:
            found.setdefault(one.title, one)
    return tuple(found.values())[:MOST_HEADLINES]


def headline(title: str, text: str) -> Headline:
    """A headline of texts that may hold HTML."""
    title, text = shortened(plain(title), LONGEST_TITLE), shortened(plain(text), LONGEST_TEXT)
    return Headline(title, "" if text == title else text)


def plain(text: str) -> str:
    """The words of a text that may hold HTML, on one line, without what cannot be printed."""
    # Patterns that never go back, as parsers of HTML take minutes for hostile text.
    words = html.unescape(_TAG.sub(" ", _INLINE.sub("", _UNREAD.sub(" ", text[:MOST_MARKUP]))))
    shown = "".join(c if c.isprintable() else " " if c.isspace() else "" for c in words)
    return " ".join(shown.split())


def shortened(text: str, longest: int) -> str:
    """A text of so many characters at most: its first sentences, or its first words."""
    if len(text) <= longest:
        return text
    start = text[:longest]
    if (end := max(start.rfind(mark) for mark in _SENTENCE_ENDS)) > 0:
        return start[: end + 1]
    return f"{start[:-1].rpartition(' ')[0] or start[:-1]}…"


class _Builder(ElementTree.TreeBuilder):
    """Passes over what is nested too deep, and refuses a document type and a long namespace.

    The entities of a document type could name files, or grow without an end. The parser writes a
    namespace out before each name in it.
    """

    def __init__(self) -> None:
        super().__init__()
        self._depth = 0

    def start(self, tag: str, attrs: dict[str, str]) -> Any:
        self._depth += 1
        return super().start(tag, attrs) if self._depth <= DEEPEST else None

    def end(self, tag: str) -> Any:
        self._depth -= 1
        return super().end(tag) if self._depth < DEEPEST else None

    def data(self, text: str) -> None:
        if self._depth <= DEEPEST:
            super().data(text)

    def start_ns(self, _: str, namespace: str) -> None:
        if len(namespace or "") > LONGEST_NAMESPACE:
            raise FeedError("it declares a namespace that is too long")

    def doctype(self, name: str, pubid: str | None, system: str | None) -> None:
        raise FeedError("it declares a document type")


def _headlines(root: ElementTree.Element) -> Iterator[Headline]:
    for one in root.iter():
        if one.tag in _ITEMS:
            text = _first(one, "description", "summary") or _first(one, "content")
            yield headline(_first(one, "title"), text)


def _first(element: ElementTree.Element, *names: str) -> str:
    """The text of the first child of these names that has any."""
    children = (element.find(f"{space}{name}") for name in names for space in _NAMESPACES)
    texts = (" ".join(child.itertext()).strip() for child in children if child is not None)
    return next(filter(None, texts), "")
