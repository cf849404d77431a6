"""The choice of a parser, by a file's name and its first bytes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePath

import msgspec

from assistant.answer.ingest.formats import calendar, contacts, epub, html, markdown, pdf, text
from assistant.answer.ingest.formats.dated import dated, day_in
from assistant.answer.knowledge.passages import Document
from assistant.core.errors import AnswerError

Parser = Callable[[str, bytes], Document]

PARSERS: dict[str, Parser] = {
    ".txt": text.parse,
    ".text": text.parse,
    ".md": markdown.parse,
    ".markdown": markdown.parse,
    ".html": html.parse,
    ".htm": html.parse,
    ".xhtml": html.parse,
    ".pdf": pdf.parse,
    ".epub": epub.parse,
    ".ics": calendar.parse,
    ".ical": calendar.parse,
    ".vcf": contacts.parse,
    ".vcard": contacts.parse,
}
"""Parsers by suffix in lower case, one for each of `suffixes.SUFFIXES`."""

_NOTES = (text.parse, markdown.parse)
_SAYS = "text, Markdown, HTML, PDF, EPUB, ICS or vCard"


def parse(name: str, content: bytes, note: bool = False) -> Document:
    """What the file `name` with `content` holds; its first bytes count for more than its suffix.

    A text or Markdown file is a note if `note` is set or if a folder above it is called notes.
    Raises `AnswerError` for what cannot be read.
    """
    path = PurePath(name)
    parser = _by_content(content) or PARSERS.get(path.suffix.casefold())
    if parser is None and not path.suffix:
        parser = text.parse  # README and the like; files that are no text are refused there
    if parser is None:
        message = f"{path.name} is none of what can be read: {_SAYS}"
        raise AnswerError("answer.unreadable", message)
    document = parser(path.name, content)
    if parser in _NOTES:
        document = dated(document, day_in(path.name))
    note = note or "notes" in (part.casefold() for part in path.parent.parts)
    return msgspec.structs.replace(document, kind="note") if note and parser in _NOTES else document


def _by_content(content: bytes) -> Parser | None:
    head = content[:1024].lstrip(b"\xef\xbb\xbf \t\r\n")
    if head.startswith(b"%PDF-"):
        return pdf.parse
    if head.startswith(b"PK\x03\x04") and b"application/epub+zip" in head[:120]:
        return epub.parse
    if head[:15].upper() == b"BEGIN:VCALENDAR":
        return calendar.parse
    if head[:11].upper() == b"BEGIN:VCARD":
        return contacts.parse
    if head[:14].lower() == b"<!doctype html" or head[:5].lower() == b"<html":
        return html.parse
    return None
