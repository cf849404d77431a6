"""HTML: the main text with its headings, without what surrounds it on a page."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from bs4 import BeautifulSoup, UnicodeDammit, XMLParsedAsHTMLWarning
from bs4.element import CData, NavigableString, PageElement, Tag

from assistant.answer.ingest.formats.outline import Outline
from assistant.answer.ingest.formats.tables import LAYING_OUT, spoken
from assistant.answer.ingest.formats.text import refuse_binary
from assistant.answer.knowledge.passages import Document

MOST_DEEP = 512
"""Most elements in one another."""
_HEADINGS = {f"h{level}": level for level in range(1, 7)}


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BLOCKS = _names(
    "address article aside blockquote body caption center dd details div dl dt fieldset figcaption"
    " figure header hgroup hr legend li main ol p section summary table tbody td tfoot th thead tr"
    " ul"
)
_SKIPPED = _names(
    "audio button canvas dialog footer head iframe map math nav noscript object pre script select"
    " style svg template textarea video"
)
_SKIPPED_ROLES = frozenset(
    {"navigation", "banner", "contentinfo", "search", "dialog", "doc-toc", "doc-pagebreak"}
)


def parse(name: str, content: bytes | str, title: str = "") -> Document:
    """The document in `content`, whose encoding is found from its declaration.

    Its title is `title`, or its one highest heading, or the title in its head.

    Raises `AnswerError` when `content` is no text.
    """
    if isinstance(content, bytes):
        refuse_binary(name, content)
    soup = soup_of(content)
    outline = Outline()
    read(_main(soup), outline)
    head = soup.title.get_text() if soup.title else ""
    return outline.document(name, title=title, fallback=head)


def soup_of(content: bytes | str) -> BeautifulSoup:
    """The tree of HTML or XHTML."""
    if isinstance(content, bytes):  # libxml2 takes no encoding whose name holds control characters
        content = UnicodeDammit(content, is_html=True).unicode_markup or ""
    content = content.encode("utf-8", "replace").decode("utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", XMLParsedAsHTMLWarning)
        # Python's own parser takes minutes for tags that have no end.
        return _Shallow(content, "lxml")


class _Shallow(BeautifulSoup):
    """A tree of bounded depth: what lies deeper comes beside its parent, as in browsers.

    The work for the end of an element grows with its depth.
    """

    def handle_starttag(self, *given: Any, **more: Any) -> Tag | None:
        if len(self.tagStack) > MOST_DEEP:
            self.endData()
            self.popTag()
        return super().handle_starttag(*given, **more)


def read(root: Tag, outline: Outline) -> None:
    """Pass the headings and lines of `root` to `outline`."""
    reader = _Reader(root, outline)
    # Not recursive: a hostile page may be nested deeper than the stack.
    open_tags: list[tuple[Tag, Iterator[PageElement]]] = [(root, iter(root.contents))]
    while open_tags:
        tag, children = open_tags[-1]
        child = next(children, None)
        if child is None:
            open_tags.pop()
            reader.end(tag)
        elif isinstance(child, Tag):
            if reader.begin(child):
                open_tags.append((child, iter(child.contents)))
        elif type(child) in (NavigableString, CData):
            reader.text(str(child))


class _Reader:
    """Turns the stream of tags and strings into headings and lines."""

    def __init__(self, root: Tag, outline: Outline) -> None:
        self._outline, self._keep_asides = outline, root.name != "body"
        self._pieces: list[str] = []
        self._headed, self._linking, self._layouts = _around(root, (_HEADINGS, ("a",), LAYING_OUT))

    def text(self, text: str) -> None:
        self._pieces.append(text)

    def begin(self, tag: Tag) -> bool:
        """Whether the tag's content is wanted."""
        if self._is_skipped(tag) or (tag.name == "aside" and not self._keep_asides):
            return False
        if tag.name in _HEADINGS or (tag.name in _BLOCKS and tag.name != "dd"):
            self._flush()
        if tag.name == "br":
            self._pieces.append(" ")
        is_table = tag.name == "table" and id(tag) not in self._layouts
        rows = spoken(tag) if is_table else None
        for row in rows or ():
            self._outline.line(row)
        return rows is None

    def end(self, tag: Tag) -> None:
        if tag.name in _HEADINGS:
            text, self._pieces = "".join(self._pieces), []
            self._outline.heading(_HEADINGS[tag.name], text)
        elif tag.name == "dt" and not "".join(self._pieces).rstrip().endswith(("?", ":")):
            self._pieces.append(": ")
        elif tag.name in _BLOCKS:
            self._flush()

    def _is_skipped(self, tag: Tag) -> bool:
        if tag.name in _SKIPPED or tag.get("role") in _SKIPPED_ROLES:
            return True
        if tag.has_attr("hidden") or tag.get("aria-hidden") == "true":
            return True
        if tag.name == "a":  # a heading's link to itself
            return _only_text(tag) in ("§", "¶", "#")
        if tag.name == "sup":  # a footnote mark is dropped; the 2 of a square metre stays
            return id(tag) in self._linking
        return tag.name == "header" and id(tag) not in self._headed

    def _flush(self) -> None:
        self._outline.line("".join(self._pieces).removesuffix(": "))
        self._pieces = []


def _only_text(tag: Tag) -> str:
    """The text of an element that has nothing else in it, a few elements deep; "" for any other."""
    only: PageElement = tag
    for _ in range(3):
        if isinstance(only, Tag) and len(only.contents) == 1:
            only = only.contents[0]
    return str(only) if isinstance(only, NavigableString) else ""


def _around(root: Tag, kinds: Sequence[Collection[str]]) -> list[set[int]]:
    """For each of several kinds of elements, the ids of those with one of them in it.

    They are found at once: to look into each, where thousands are in one another, takes minutes.
    """
    found: list[set[int]] = [set() for _ in kinds]
    for tag in root.find_all(True):
        for names, around in zip(kinds, found, strict=True):
            if tag.name in names:
                for parent in tag.parents:
                    if id(parent) in around:
                        break
                    around.add(id(parent))
    return found


def _main(soup: BeautifulSoup) -> Tag:
    articles = soup.find_all("article", limit=2)
    main = soup.find("main") or soup.find(role="main")
    if main is None and len(articles) == 1:
        main = articles[0]
    if isinstance(main, Tag) and main.get_text(strip=True):
        return main
    return soup.body or soup
