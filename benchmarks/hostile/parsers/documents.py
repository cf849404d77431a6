"""Documents, as the parsing process reads each."""

from __future__ import annotations

import io
import warnings
import zipfile
from collections.abc import Callable

import msgspec

from assistant.answer.ingest.formats import calendar, select
from assistant.answer.ingest.parser_messages import Parsed
from assistant.answer.ingest.sandbox import Limits
from assistant.answer.knowledge.passages import cut
from assistant.core.errors import AnswerError
from benchmarks.hostile.parsers import calendars
from benchmarks.hostile.parsers.parser import Parser, Read

LARGEST_BYTES = 400_000
"""Most bytes of an input: a document may have more, and is given as much more time."""
ROOM_MB = Limits().memory_bytes // 1_000_000

warnings.simplefilter("ignore")  # the parsing process writes nothing to the journal
calendar.prepare()


def _reader(name: str) -> Read:
    def read(content: bytes) -> bool:
        document = select.PARSERS[name](f"2026-11-29 a{name}", content)
        found = Parsed(sha256="", document=document, passages=tuple(cut(document)))
        msgspec.msgpack.encode(found)
        return True

    return read


def _repeated(before: str, each: str, after: str) -> Callable[[int], bytes]:
    def honest(size: int) -> bytes:
        return (before + each * max(1, size // len(each)) + after).encode()

    return honest


_PARAGRAPH = "<h2>Cleaning</h2><p>Open the <b>door</b>, and wipe it.</p><ul><li>One</li></ul>\n"
_PAGE = """<!doctype html><html lang="en"><head><title>Oven</title><meta charset="utf-8"></head>
<body><nav><a href="/">Home</a></nav><main><h1>Oven</h1>
<p>It gets hot<sup><a href="#1">1</a></sup>.</p>
<table><tr><th>Dish</th><th>Minutes</th></tr><tr><td>Bread</td><td rowspan="2">40</td></tr>
<tr><td colspan="2">Pie</td></tr></table><dl><dt>Power</dt><dd>2 kW</dd></dl>
<script>x</script><!-- c --></main></body></html>
"""
HTML = Parser(
    read=_reader(".html"),
    refusals=(AnswerError,),
    samples=(_PAGE.encode(), _repeated("<body>", _PARAGRAPH, "</body>")(600)),
    honest=_repeated("<body>", _PARAGRAPH, "</body>"),
    pieces=(
        *(
            b"<p>",
            b"</p>",
            b"<div>",
            b"<table>",
            b"<tr>",
            b"<td>",
            b"<th>",
            b"</table>",
            b"<a",
            b"</",
        ),
        *(
            b"<!--",
            b"-->",
            b"<!",
            b"<![CDATA[",
            b"<?",
            b"<script>",
            b"<style>",
            b"&",
            b"&#",
            b"&#x",
            b"&amp",
        ),
        *(
            b'<td colspan="1000000">',
            b'<td rowspan="99999999">',
            b"<h1>",
            b"<li>",
            b"<sup>",
            b"<header>",
        ),
        *(
            b'<meta charset="utf-7">',
            b"<title>",
            b"<textarea>",
            b"<p hidden>",
            b"<svg>",
            b"<br>",
            b"='",
        ),
    ),
    nests=(
        *((b"<p>", b"</p>"), (b"<div>", b"</div>"), (b"<table><tr><td>", b"</td></tr></table>")),
        *((b"<ul><li>", b"</li></ul>"), (b"<b>", b""), (b"<sup>", b"</sup>"), (b"<header>", b"")),
    ),
    largest=LARGEST_BYTES,
    room_mb=ROOM_MB,
    has_own_process=True,
)
_ENTRY = "## Monday\n\nThe *cat* ate `x`, and [slept](a).\n\n- one\n- two\n\n"
_NOTES = """---
title: "Garden"
date: 2026-11-21
---
# Garden

| Plant | Water |
|---|---|
| Fern | daily |

1. [x] Dig
2. [ ] Plant[^1]

> Quoted [[Page|words]] ![p](a.png) <b>x</b> &amp; \\* ~~x~~

Label: one
Other: two

[^1]: A note.

***
"""
MARKDOWN = Parser(
    read=_reader(".md"),
    refusals=(AnswerError,),
    samples=(_NOTES.encode(), _repeated("# A\n", _ENTRY, "")(600)),
    honest=_repeated("# A\n", _ENTRY, ""),
    pieces=(
        *(
            b"*",
            b"**",
            b"_",
            b"`",
            b"```",
            b"~~~\n",
            b"[",
            b"](",
            b"](<",
            b"![",
            b"[[",
            b"]]",
            b"[^",
            b"[a]: ",
        ),
        *(
            b"> ",
            b"- ",
            b"1. ",
            b"# ",
            b"|",
            b"|-|\n",
            b"---\n",
            b"\n\n",
            b"    ",
            b"<",
            b"<!--",
            b"<?",
            b"<a ",
        ),
        *(
            b"&",
            b"\\",
            b"a*",
            b"**a",
            b"*a_",
            b"http://",
            b"title: ",
            b"date: ",
            b"[x] ",
            b"a: ",
            b"[](",
        ),
    ),
    nests=(
        *(
            (b"> ", b""),
            (b"- ", b""),
            (b"[", b"](a)"),
            (b"*a ", b"*"),
            (b"**", b"**"),
            (b"![", b"]("),
        ),
        *((b"  - a\n", b""), (b"<b>", b"</b>"), (b"`", b"`"), (b"[[", b"]]"), (b"(", b")")),
    ),
    largest=LARGEST_BYTES,
    room_mb=ROOM_MB,
    has_own_process=True,
)
_CARD = (
    "BEGIN:VCARD\nVERSION:3.0\nFN:Ada Byron\nN:Byron;Ada;;;\nTEL;TYPE=cell:+41 44 668 18 00\n"
    "EMAIL;TYPE=work:ada@example.org\nADR;TYPE=home:;;Lane 1;Bern;;3000;\nBDAY:1990-12-10\n"
    "END:VCARD\n"
)
_OLD_CARD = (
    "BEGIN:VCARD\nVERSION:2.1\nN:Hopper;Grace\nTEL;CELL:1\nNOTE;ENCODING=QUOTED-PRINTABLE:a=20b=\n"
    " c\nitem1.URL:x\nPHOTO;ENCODING=b:AAAA\nORG:Navy;Ships\nEND:VCARD\n"
)
CONTACTS = Parser(
    read=_reader(".vcf"),
    refusals=(AnswerError,),
    samples=(_CARD.encode(), _OLD_CARD.encode()),
    honest=_repeated("", _CARD, ""),
    pieces=(
        *(
            b"BEGIN:VCARD\n",
            b"END:VCARD\n",
            b"FN:\n",
            b"N:;;;;\n",
            b"TEL:",
            b"ADR:;;;;;;\n",
            b"BDAY:--0230\n",
        ),
        *(
            b"\n ",
            b";TYPE=",
            b";ENCODING=QUOTED-PRINTABLE",
            b"=\n",
            b"=3D",
            b";ENCODING=b",
            b";CHARSET=x",
            b"item1.",
        ),
        *(
            b"VERSION:4.0\n",
            b"VERSION:x\n",
            b"ORG:;\n",
            b"BEGIN:VCALENDAR\n",
            b"\\,",
            b"\\n",
            b'"',
            b"X-A:",
        ),
    ),
    nests=((b"BEGIN:VCARD\n", b"END:VCARD\n"), (b"BEGIN:X\n", b"END:X\n")),
    largest=LARGEST_BYTES,
    room_mb=ROOM_MB,
    has_own_process=True,
)
EVENTS = Parser(
    read=_reader(".ics"),
    refusals=(AnswerError,),
    samples=calendars.CALENDAR.samples,
    honest=calendars.CALENDAR.honest,
    pieces=calendars.CALENDAR.pieces,
    nests=calendars.CALENDAR.nests,
    attacks=calendars.CALENDAR.attacks,
    largest=LARGEST_BYTES,
    room_mb=ROOM_MB,
    has_own_process=True,
)


# ── books ───────────────────────────────────────────────────────────────────────────────────

_SPLIT = b"\n%%\n"
"""Between the files of a book, which are packed for each input."""
_FILES = ("META-INF/container.xml", "b/package.opf", "b/1.xhtml", "b/nav.xhtml", "b/toc.ncx")


def _read_book(content: bytes) -> bool:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as book:
        book.writestr("mimetype", "application/epub+zip")
        for name, text in zip(_FILES, content.split(_SPLIT), strict=False):
            book.writestr(name, text)
    return _reader(".epub")(packed.getvalue())


def _book(chapter: bytes) -> bytes:
    return _SPLIT.join((_CONTAINER, _PACKAGE, chapter, _NAVIGATION, _NCX))


_CONTAINER = b'<container><rootfiles><rootfile full-path="b/package.opf"/></rootfiles></container>'
_PACKAGE = b"""<package><metadata><dc:title>Walks</dc:title></metadata><manifest>
<item id="a" href="1.xhtml" media-type="application/xhtml+xml"/>
<item id="n" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>
<item id="t" href="toc.ncx" media-type="application/x-dtbncx+xml"/>
</manifest><spine><itemref idref="a"/></spine></package>"""
_NAVIGATION = (
    b'<html><body><nav><ol><li><a href="1.xhtml#x">Hills</a></li></ol></nav></body></html>'
)
_NCX = (
    b'<ncx><navMap><navPoint><navLabel><text>Hills</text></navLabel><content src="1.xhtml"/>'
    b"</navPoint></navMap></ncx>"
)
EPUB = Parser(
    read=_read_book,
    refusals=(AnswerError,),
    samples=(_book(_repeated("<body>", _PARAGRAPH, "</body>")(300)),),
    honest=lambda size: _book(_repeated("<body>", _PARAGRAPH, "</body>")(max(1, size - 900))),
    pieces=(
        *HTML.pieces,
        *(
            _SPLIT,
            b'<itemref idref="a"/>',
            b'<item id="a" href="1.xhtml"/>',
            b"<navPoint>",
            b"<nav>",
        ),
        *(
            b'href="../../x"',
            b'href="%00"',
            b'full-path="b/1.xhtml"',
            b'linear="no"',
            b'<a href="1.xhtml">',
        ),
    ),
    nests=HTML.nests,
    largest=LARGEST_BYTES,
    room_mb=ROOM_MB,
    has_own_process=True,
)
