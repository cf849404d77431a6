"""PDF: the text of each page, with the page and the chapter as its place."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TypeVar

import msgspec
from pypdf import PdfReader
from pypdf.errors import PyPdfError
from pypdf.generic import Destination

from assistant.answer.ingest.formats.furniture import without_furniture
from assistant.answer.ingest.formats.wording import (
    LONGEST_TITLE,
    clean,
    title_of,
    unwrapped,
    wrapped_at,
)
from assistant.answer.knowledge.passages import BELOW, Document, Section
from assistant.core.errors import AnswerError

LEAST_TEXT = 20
"""Fewest characters a page, on average; a PDF with fewer holds pictures of its pages."""

RAGGED = 0.8
"""Share of the usual width in characters from which a line of proportional letters is full."""

NARROWEST = 25
"""Fewest characters of a wrapped line; columns and slides are narrower than letters."""

Chapter = tuple[int, str]
"""The number of the page it begins on, from 0, and its place."""

_UNTITLED = re.compile(r"untitled|microsoft|\.\w{2,4}$|^[\W\d]*$|^title$", re.IGNORECASE)
_FAULTS = (
    *(PyPdfError, ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError),
    *(TypeError, ValueError),
)
"""What pypdf raises on PDFs with random bytes changed."""

_T = TypeVar("_T")
_SENTENCE_END = re.compile(r"[.!?:][\"'”’)\]]*(?=\s|$)")


def parse(name: str, content: bytes) -> Document:
    """The text of the PDF in `content`, one section a page, or a part of it under one heading.

    Raises `AnswerError` for what is broken, encrypted, or scanned without a text layer.
    """
    try:
        reader = PdfReader(io.BytesIO(content))
        if reader.is_encrypted and not reader.decrypt(""):
            raise AnswerError(
                "answer.unreadable", f"{name} is encrypted; save it without a password"
            )
        pages = [_unless_broken(page.extract_text, "").splitlines() for page in reader.pages]
    except _FAULTS as error:
        raise AnswerError("answer.unreadable", f"{name} is a broken PDF") from error
    if sum(len(line.strip()) for page in pages for line in page) < LEAST_TEXT * len(pages):
        raise AnswerError(
            "answer.unreadable",
            f"{name} holds pictures of its pages and no text; give it a text layer (OCR) first",
        )
    labels: list[str] = _unless_broken(lambda: reader.page_labels, [])
    if len(labels) != len(pages):
        labels = [str(number + 1) for number in range(len(pages))]
    chapters: list[Chapter] = _unless_broken(lambda: _chapters(reader), [])
    title = _unless_broken(lambda: _title(reader), "")
    parts = list(_parts(without_furniture(pages), labels, chapters))
    _mend(parts)
    sections = tuple(Section(text="\n".join(p.lines), place=p.place) for p in parts if p.lines)
    titled = bool(title) and not _UNTITLED.search(title)
    return Document(title=title if titled else title_of(name), sections=sections)


def _unless_broken(read: Callable[[], _T], otherwise: _T) -> _T:
    """What `read` gives, `otherwise` where the PDF is broken there: the rest can still be read."""
    try:
        return read()
    except _FAULTS:
        return otherwise


def _title(reader: PdfReader) -> str:
    return clean((reader.metadata and reader.metadata.title) or "")[:LONGEST_TITLE]


class _Part(msgspec.Struct):
    """A page, or the stretch of it under one heading, while sentences may still be moved."""

    place: str
    lines: list[str]
    opens_page: bool


def _parts(
    pages: Sequence[Sequence[str]], labels: Sequence[str], chapters: Sequence[Chapter]
) -> Iterator[_Part]:
    chapter = ""
    for number, lines in enumerate(pages):
        width, begin, opens = wrapped_at(lines, NARROWEST), 0, True
        starting = [place for page, place in chapters if page == number]
        for place in (*starting, ""):
            # A chapter that begins within the page begins at its heading, which is its place.
            at = _heading(lines, place.rsplit(BELOW, 1)[-1], begin) if place else len(lines)
            page = f"page {labels[number]}"
            text = [line for line in unwrapped(lines[begin:at], width, RAGGED) if line]
            yield _Part(f"{chapter}, {page}" if chapter else page, text, opens)
            opens, chapter = opens and not place, place or chapter
            begin = at + (at < len(lines) and bool(place) and _is(lines[at], place))


def _mend(parts: Sequence[_Part]) -> None:
    """Move sentences that run over the end of a page to the page they begin on."""
    filled = [part for part in parts if part.lines]
    for part, following in pairwise(filled):
        if not (part.lines and following.opens_page) or part.lines[-1][-1] in ".!?:;":
            continue
        if following.lines[0][0].islower():
            end = _SENTENCE_END.search(following.lines[0])
            cut = end.end() if end else len(following.lines[0])
            part.lines[-1] += f" {following.lines[0][:cut]}"
            rest = following.lines[0][cut:].strip()
            following.lines[:1] = [rest] if rest else []


def _heading(lines: Sequence[str], heading: str, begin: int) -> int:
    found = (at for at in range(begin, len(lines)) if _is(lines[at], heading))
    return next(found, begin)


def _is(line: str, place: str) -> bool:
    return _bare(line) == _bare(place.rsplit(BELOW, 1)[-1])


def _bare(heading: str) -> str:
    return re.sub(r"^[\d.\s]+|\W+", "", heading).casefold()


def _chapters(reader: PdfReader) -> list[Chapter]:
    found = list(_below(reader, reader.outline, ()))
    # A bookmark above all others names the document, not a place in it.
    roots = {place.split(BELOW)[0] for _, place in found}
    if len(roots) == 1 and len(found) > 1:
        found = [(page, place.partition(BELOW)[2]) for page, place in found]
    return sorted((c for c in found if c[1]), key=lambda chapter: chapter[0])


def _below(
    reader: PdfReader, entries: Sequence[object], above: tuple[str, ...]
) -> Iterator[Chapter]:
    heading = above
    for entry in entries:
        if isinstance(entry, list):
            yield from _below(reader, entry, heading)
        elif isinstance(entry, Destination):
            heading = (*above, clean(str(entry.title))[:LONGEST_TITLE])
            page = reader.get_destination_page_number(entry)
            if page is not None and page >= 0:
                yield page, BELOW.join(heading)
