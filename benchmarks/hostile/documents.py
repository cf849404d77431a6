"""Documents written by an attacker: every supported format mutated, bombs, links and odd names.

Each is parsed by the real confined process, and now and then one is put into the folder that the
running daemon watches. Beside them lies a secret that links lead to.
"""

from __future__ import annotations

import io
import os
import random
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from pypdf import PdfWriter
from pypdf.generic import ArrayObject, NameObject, StreamObject

from assistant.answer.ingest.formats.suffixes import SUFFIXES
from assistant.answer.ingest.parser_client import ParserClient
from assistant.answer.ingest.sandbox import Limits
from assistant.core.errors import AnswerError
from assistant.documents import requests
from benchmarks.hostile.attack import changed, ill_told
from benchmarks.hostile.target import Effects, Target

Make = Callable[[random.Random], bytes]

LIMITS = Limits(file_bytes=10_000_000, memory_bytes=150_000_000, cpu_s=1, wall_s=30.0)
LONGEST_ERROR = 500
WATCHED, WATCHED_EVERY = 40, 25
"""Number of files in the daemon's folder at once, and of blows for each file put there."""
HIDDEN = "swordfish"
BOMB_BYTES = 60_000_000


class DocumentsAttack:
    """One file a blow."""

    name: ClassVar[str] = "documents"
    blows: ClassVar[int] = 10_000

    def __init__(self, folder: Path, seed: int) -> None:
        self._folder, self._watched, self._seed = folder / "parsed", folder / "watched", seed
        self._secret = folder / "secret.txt"
        self._secret.write_text(f"The secret word is {HIDDEN}.")
        self._folder.mkdir()
        self._watched.mkdir()
        (self._watched / "first.md").write_bytes(_TEXT)
        self._indexer = ParserClient(LIMITS)
        self.settings = ""

    def open(self, target: Target) -> None:
        """Have the daemon watch a folder; its first file makes it load its model for good."""
        for _ in requests.ask(target.config, "add", [str(self._watched)]):
            pass

    def blow(self, number: int) -> str:
        """Write the file of this number and have it parsed, here or by the daemon."""
        rng = random.Random(self._seed << 40 | number)
        if number % WATCHED_EVERY == 0:
            name = f"{number // WATCHED_EVERY % WATCHED}{rng.choice(_ODD_NAMES)}"
            self._place(Path(os.fsdecode(os.fsencode(self._watched) + b"/" + name.encode())), rng)
            return ""
        file = self._folder / f"{rng.choice(('a', 'größe 🙂', '-rf', 'x' * 200))}{_suffix(rng)}"
        self._place(file, rng)
        try:
            return self._parsed(file)
        finally:
            file.unlink()

    def wrong(self, before: Effects, after: Effects) -> list[str]:
        """Every change, and everything that a parser has written."""
        written = [file.name for file in self._folder.iterdir()]
        return [*changed(before, after), *(f"written: {name!r}" for name in written)]

    def close(self) -> None:
        """End the parser."""
        self._indexer.close()

    def _place(self, file: Path, rng: random.Random) -> None:
        file.unlink(missing_ok=True)
        way = rng.random()
        if way < 0.02:
            file.symlink_to(rng.choice((self._secret, Path("/etc/passwd"), Path("/dev/zero"))))
        elif way < 0.03:
            os.mkfifo(file)
        else:
            file.write_bytes(mutated(rng))

    def _parsed(self, file: Path) -> str:
        try:
            found = self._indexer.parsed(file, note=file.name.startswith("a"))
        except AnswerError as error:
            told = error.message
            if ill_told(told, LONGEST_ERROR) or not error.code.startswith("answer."):
                return f"no error of one line: {told[:200]!r}"
            return "it read a link's target" if HIDDEN in told else ""
        said = (passage.text for passage in found.passages)
        return "it read a link's target" if any(HIDDEN in text for text in said) else ""


_ODD_NAMES = (
    *(".txt", ".md", ".html", ".pdf", ".epub", ".ics", ".vcf", ".TXT", "\n.txt", "\x1b[2J.md"),
    *("\u202e.txt", "\u2028.txt", " .txt", "' OR 1=1 --.txt", '".md', "%s%n.txt", "{name}.txt"),
)


def _suffix(rng: random.Random) -> str:
    return rng.choice(sorted(SUFFIXES))


# ── what the files hold ─────────────────────────────────────────────────────────────────────

_TEXT = b"""\
---
date: 2026-11-21
---
# Dishwasher

## Cleaning

Rinse the filter once a month. | It is 5 cm wide.

| part | life |
|---|---|
| filter | 2 years |

- Salt: fill it up on 2026-03-04.
"""
_HTML = b"""<!DOCTYPE html><html><head><meta charset="utf-8"><title>Pump</title></head><body>
<h1>Pump</h1><p>The pump starts when the <b>door</b> is shut.</p>
<table><tr><th>a</th><td>b</td></tr></table><script>alert(1)</script><ul><li>one</li></ul></body></html>"""
_ICS = b"""BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VTIMEZONE\r\nTZID:X\r\nBEGIN:STANDARD\r
DTSTART:19701025T030000\r\nRRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU\r\nTZOFFSETFROM:+0200\r
TZOFFSETTO:+0100\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\nBEGIN:VEVENT\r\nUID:1\r
DTSTART;TZID=X:20270302T093000\r\nDURATION:PT45M\r\nRRULE:FREQ=WEEKLY;BYDAY=TU;COUNT=9\r
EXDATE;TZID=X:20270309T093000\r\nSUMMARY:Dentist\r\nLOCATION:3 Station Road\r\nEND:VEVENT\r
END:VCALENDAR\r\n"""
_VCF = b"""BEGIN:VCARD\r\nVERSION:3.0\r\nN:Tolliver;Agnes;;;\r\nFN:Agnes Tolliver\r
TEL;TYPE=HOME:+44 1632 960014\r\nADR;TYPE=HOME:;;14 Orrin Street;Marlow;;SL7 1AA;UK\r
BDAY:1951-03-14\r\nNOTE;ENCODING=QUOTED-PRINTABLE:J=C3=B6rg\r\nEND:VCARD\r\n"""


def _epub(chapter: bytes) -> bytes:
    files = {
        "META-INF/container.xml": b'<rootfile full-path="a.opf"/>',
        "a.opf": b'<dc:title>A book</dc:title><item id="a" href="a.html" media-type="text/html"/>'
        b'<item id="b" href="../../../../etc/passwd" media-type="text/html"/>'
        b'<itemref idref="a"/><itemref idref="b"/>',
        "a.html": chapter,
        "../../escaped.txt": b"x",
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as book:
        book.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        for name, text in files.items():
            book.writestr(name, text)
    return out.getvalue()


def _pdf(content: bytes) -> bytes:
    writer = PdfWriter()
    page, stream = writer.add_blank_page(595, 842), StreamObject()
    stream._data = content
    packed = stream.flate_encode(1)
    packed[NameObject("/Filter")] = ArrayObject([NameObject("/FlateDecode")])
    page[NameObject("/Contents")] = writer._add_object(packed)
    writer.add_outline_item(title="Pump", page_number=0)
    writer.add_metadata({"/Title": "Pump"})
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


_DRAWN = b"BT /F1 11 Tf 50 700 Td (The pump starts when the door is shut.) Tj ET"
_WHOLE = (_TEXT, _HTML, _ICS, _VCF, _epub(_HTML), _pdf(_DRAWN), _pdf(_DRAWN))


def _bits(rng: random.Random) -> bytes:
    content = bytearray(rng.choice(_WHOLE))
    for _ in range(rng.choice((1, 2, 10, 100))):
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    return bytes(content)


def _cut(rng: random.Random) -> bytes:
    content = rng.choice(_WHOLE)
    begin, end = sorted(rng.randrange(len(content)) for _ in range(2))
    return rng.choice((content[:begin], content[begin:], content[:begin] + content[end:]))


def _spliced(rng: random.Random) -> bytes:
    one, other = rng.choice(_WHOLE), rng.choice(_WHOLE)
    return one[: rng.randrange(len(one))] + other[rng.randrange(len(other)) :]


def _inserted(rng: random.Random) -> bytes:
    content = rng.choice(_WHOLE)
    for _ in range(rng.choice((1, 3, 30))):
        at = rng.randrange(len(content))
        content = content[:at] + rng.choice(_PIECES) + content[at:]
    return content


def _line(rng: random.Random) -> bytes:
    lines = rng.choice((_TEXT, _HTML, _ICS, _VCF)).split(b"\n")
    at = rng.randrange(len(lines))
    return b"\n".join((*lines[:at], rng.choice(_LINES), *lines[at:]))


def _repeated(rng: random.Random) -> bytes:
    return rng.choice(_WHOLE) * rng.choice((2, 20, 300))


def _nested(rng: random.Random) -> bytes:
    return rng.choice(_OPENINGS) * rng.choice((50, 1_000, 100_000)) + b"x"


def _encoded(rng: random.Random) -> bytes:
    text = rng.choice((_TEXT, _HTML, _ICS, _VCF)).decode()
    return text.encode(rng.choice(("utf-16", "utf-32", "utf-7", "cp037", "utf-8-sig")))


def _bomb(rng: random.Random) -> bytes:
    size = rng.choice((1_000_000, BOMB_BYTES))
    content = rng.choice((b" ", b"a", b"<p>", b"(a) Tj ", b"\0")) * (size // 4)
    return rng.choice((_epub, _pdf))(content[:size])


_KINDS: dict[Callable[[random.Random], bytes], float] = {
    _bits: 30,
    _cut: 15,
    _spliced: 15,
    _inserted: 15,
    _line: 15,
    _repeated: 3,
    _encoded: 3,
    _nested: 2,
    lambda rng: rng.randbytes(rng.choice((0, 1, 100, 50_000))): 2,
    _bomb: 0.2,
}
"""Functions that make a file → their shares in hundredths."""


def mutated(rng: random.Random) -> bytes:
    """A file that is wrong in some way, or too large."""
    (make,) = rng.choices(tuple(_KINDS), tuple(_KINDS.values()))
    return make(rng)


_PIECES = (
    *(b"\0", b"\x1b[31m", b"\r", b"\xff\xfe", b"\xed\xa0\x80", b"\n", b"\n\n", b"'", b'"', b"\\"),
    *(b"<", b">", b"&", b"&#x110000;", b"&lol;", b"]]>", b"<!--", b"<![CDATA[", b"</", b"<svg>"),
    *(b"BEGIN:VEVENT\r\n", b"END:VEVENT\r\n", b"BEGIN:VCARD\r\n", b"\r\n ", b";", b":", b"="),
    *(b"[[", b"](", b"```", b"|", b"# ", b"(" * 50, b"PK\3\4", b"PK\1\2", b"%PDF", b"endobj"),
    *(b"<<", b">>", b"1 0 R", b"-1", b"9" * 400, b"\xe2\x80\xae", b"\xf0\x9f\x99\x82", b"a" * 9999),
)
_LINES = (
    *(b"RRULE:FREQ=SECONDLY", b"RRULE:FREQ=DAILY;COUNT=2147483647", b"RRULE:FREQ=YEARLY;UNTIL=x"),
    *(b"RRULE:FREQ=MONTHLY;BYDAY=99MO;BYMONTHDAY=31;BYMONTH=2", b"DTSTART:99999999T999999"),
    *(b"DTSTART:00010101", b"DTEND:99991231T235959Z", b"DURATION:-P999999999W", b"TZID:../../etc"),
    *(b"DTSTART;TZID=/etc/passwd:20270101T000000", b"RDATE:20270101T000000,x", b"EXDATE:"),
    *(
        b"RRULE:FREQ=WEEKLY;INTERVAL=0",
        b"RRULE:FREQ=WEEKLY;INTERVAL=-1;WKST=XX",
        b"ATTACH:file:///",
    ),
    *(
        b"BDAY:0000-00-00",
        b"BDAY:--02-30",
        b"TEL:" + b"9" * 9000,
        b"PHOTO;ENCODING=b:" + b"A" * 9999,
    ),
    *(b"N:" + b";" * 5000, b"FN:", b"VERSION:99", b"item1.X-ABLabel:x", b"NOTE;CHARSET=nope:x"),
    *(
        b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
        b"<iframe src=/etc/passwd>",
    ),
    *(b'<!DOCTYPE a [<!ENTITY b "c"><!ENTITY d "&b;&b;">]>', b'<meta charset="made-up">'),
    *(b"<table>" + b"<tr><td>" * 3000, b"<base href='http://x/'>", b"<a href=javascript:x>"),
    *(
        b"date: 9999-99-99",
        b"created: !!python/object:os.system x",
        b"---",
        b"[a]: <b",
        b"!" * 3000,
    ),
    *(b"*" * 3000, b"_" * 3001, b"`" * 3001, b"[" * 3000, b">" * 3000, b"|" * 3000, b"1. " * 3000),
)
_OPENINGS = (
    *(b"<div>", b"<b>", b"<table><tr><td>", b"[", b"(", b"> ", b"* ", b"<<", b"{", b"**a "),
    *(b"BEGIN:VCALENDAR\r\n", b"BEGIN:VEVENT\r\n", b"BEGIN:VCARD\r\n", b"<!--", b"&a", b"<ul><li>"),
)
