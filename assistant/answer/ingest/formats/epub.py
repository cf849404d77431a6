"""EPUB: the chapters of a book in reading order (EPUB 3.3, Open Container Format and spine)."""

from __future__ import annotations

import io
import posixpath
import zipfile
import zlib
from collections.abc import Iterator
from itertools import takewhile
from urllib.parse import unquote

from bs4 import BeautifulSoup
from bs4.element import NavigableString, Tag

from assistant.answer.ingest.formats.html import read, soup_of
from assistant.answer.ingest.formats.outline import Outline
from assistant.answer.ingest.formats.wording import clean
from assistant.answer.knowledge.passages import Document
from assistant.core.errors import AnswerError

LARGEST_UNPACKED = 200_000_000
"""Most bytes of all files in the book; a zip bomb declares more, or the parser's limits stop it."""

_CHAPTERS = ("application/xhtml+xml", "text/html")
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError)


def parse(name: str, content: bytes) -> Document:
    """The book in `content`.

    Raises `AnswerError` for what is broken, protected, or would unpack to too much.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as book:
            if sum(entry.file_size for entry in book.infolist()) > LARGEST_UNPACKED:
                much = f"unpacks to more than {LARGEST_UNPACKED // 1_000_000} MB"
                raise AnswerError("answer.unreadable", f"{name} {much}")
            return _Book(name, book).document()
    except KeyError as error:
        raise AnswerError("answer.unreadable", f"{name} lacks what an EPUB must hold") from error
    except _BROKEN as error:
        raise AnswerError("answer.unreadable", f"{name} is a broken EPUB") from error


class _Book:
    """An opened book: its package file, and the files that it names."""

    def __init__(self, name: str, files: zipfile.ZipFile) -> None:
        self._name, self._files, self._names = name, files, frozenset(files.namelist())
        self._refuse_protected()
        root = soup_of(files.read("META-INF/container.xml")).find("rootfile")
        path = str(root.get("full-path", "")) if isinstance(root, Tag) else ""
        self._folder = posixpath.dirname(path)
        self._package = soup_of(files.read(path))
        self._items = {str(item.get("id")): item for item in self._package.find_all("item")}

    def document(self) -> Document:
        title = self._package.find("dc:title")
        outline, labels = Outline(), self._labels()
        for path in self._spine():
            soup = self._soup(path)
            body = soup.body or soup
            if labels.get(path) and body.find(["h1", "h2", "h3"]) is None:
                outline.heading(1, labels[path])
            read(body, outline)
        called = clean(title.get_text()) if isinstance(title, Tag) else ""
        return outline.document(self._name, title=called)

    def _spine(self) -> Iterator[str]:
        """The chapters in their order, each once, however often it is named."""
        return iter(dict.fromkeys(self._in_spine()))

    def _in_spine(self) -> Iterator[str]:
        for entry in self._package.find_all("itemref"):
            item = self._items.get(str(entry.get("idref")))
            if item is None or entry.get("linear") == "no":
                continue
            is_contents = "nav" in str(item.get("properties", "")).split()
            if item.get("media-type") in _CHAPTERS and not is_contents:
                yield self._path(self._folder, item)

    def _labels(self) -> dict[str, str]:
        """Path of a chapter → its name in the table of contents (EPUB 3's, or EPUB 2's NCX)."""
        found: dict[str, str] = {}
        for path in dict.fromkeys(self._contents()):
            soup, folder = self._soup(path), posixpath.dirname(path)
            # Points and links may lie in one another: of each only what is its own is looked at.
            for link in soup.find_all("a", href=True):
                found.setdefault(self._path(folder, link), _own_text(link))
            for point in soup.find_all("navpoint"):
                target = point.find("content", recursive=False)
                label = point.find("navlabel", recursive=False)
                if isinstance(target, Tag) and isinstance(label, Tag):
                    found.setdefault(self._path(folder, target), clean(label.get_text()))
        return found

    def _contents(self) -> Iterator[str]:
        for item in self._items.values():
            is_contents = "nav" in str(item.get("properties", "")).split()
            if is_contents or item.get("media-type") == "application/x-dtbncx+xml":
                yield self._path(self._folder, item)

    def _path(self, folder: str, link: Tag) -> str:
        target = unquote(str(link.get("href") or link.get("src") or "").split("#")[0])
        return posixpath.normpath(posixpath.join(folder, target))

    def _soup(self, path: str) -> BeautifulSoup:
        """The tree of a file; many books name files that they do not hold."""
        return soup_of(self._files.read(path) if path in self._names else b"")

    def _refuse_protected(self) -> None:
        # Fonts are often disguised; a book whose chapters are encrypted cannot be read.
        for item in self._soup("META-INF/encryption.xml").find_all("enc:cipherreference"):
            if str(item.get("uri", "")).endswith((".xhtml", ".html", ".htm", ".xml")):
                raise AnswerError("answer.unreadable", f"{self._name} is protected against copying")


def _own_text(link: Tag) -> str:
    """The text of a link up to the next one, which may lie in it."""
    own = takewhile(lambda part: getattr(part, "name", None) != "a", link.descendants)
    return clean("".join(part for part in own if type(part) is NavigableString))
