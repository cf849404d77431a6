"""PDFs made for tests: lines of Helvetica on pages, bookmarks, a password."""

from __future__ import annotations

import io
import zlib
from collections.abc import Mapping, Sequence

from pypdf import PdfWriter
from pypdf.generic import ArrayObject, DictionaryObject, NameObject, StreamObject

WIDTH, HEIGHT, LINE = 595, 842, 16


def pdf(
    pages: Sequence[Sequence[str]],
    bookmarks: Mapping[str, int] | None = None,
    title: str = "",
    password: str = "",
) -> bytes:
    """A PDF with these lines on its pages; `bookmarks` are headings and their pages, from 0."""
    return pdf_of([_drawn(lines) for lines in pages], bookmarks, title, password)


def pdf_bomb(content: bytes) -> bytes:
    """A PDF of one page whose content stream is packed twice."""
    return pdf_of([zlib.compress(zlib.compress(content, 1))], packings=2)


def pdf_of(
    contents: Sequence[bytes],
    bookmarks: Mapping[str, int] | None = None,
    title: str = "",
    password: str = "",
    packings: int = 0,
) -> bytes:
    """A PDF whose pages have these content streams, which are deflated `packings` times."""
    writer = PdfWriter()
    for content in contents:
        page = writer.add_blank_page(WIDTH, HEIGHT)
        stream = StreamObject()
        stream._data = content
        if packings:
            stream[NameObject("/Filter")] = ArrayObject([NameObject("/FlateDecode")] * packings)
        page[NameObject("/Contents")] = writer._add_object(stream)
        page[NameObject("/Resources")] = DictionaryObject(
            {NameObject("/Font"): DictionaryObject({NameObject("/F1"): _helvetica()})}
        )
    for heading, number in (bookmarks or {}).items():
        writer.add_outline_item(title=heading, page_number=number)
    if title:
        writer.add_metadata({"/Title": title})
    if password:
        writer.encrypt(password, algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def _helvetica() -> DictionaryObject:
    return DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Font"),
            NameObject("/Subtype"): NameObject("/Type1"),
            NameObject("/BaseFont"): NameObject("/Helvetica"),
            NameObject("/Encoding"): NameObject("/WinAnsiEncoding"),
        }
    )


def _drawn(lines: Sequence[str]) -> bytes:
    if not lines:
        return b""
    shown = [
        b"(%s) Tj 0 -%d Td"
        % (line.encode("cp1252").replace(b"(", rb"\(").replace(b")", rb"\)"), LINE)
        for line in lines
    ]
    return b"BT /F1 11 Tf 50 %d Td\n%s\nET" % (HEIGHT - 60, b"\n".join(shown))
