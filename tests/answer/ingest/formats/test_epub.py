"""EPUB in; chapters in reading order out."""

from __future__ import annotations

import io
import zipfile

import pytest

from assistant.answer.ingest.formats import epub
from assistant.core.errors import AnswerError

CONTAINER = '<container><rootfiles><rootfile full-path="OEBPS/a.opf"/></rootfiles></container>'
PACKAGE = """<package><metadata><dc:title>The Lighthouse</dc:title></metadata><manifest>
<item id="one" href="text/one.xhtml" media-type="application/xhtml+xml"/>
<item id="two" href="text/tw%6F.xhtml" media-type="application/xhtml+xml"/>
<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
</manifest><spine><itemref idref="nav"/><itemref idref="two"/><itemref idref="one"/></spine>
</package>"""
FILES = {
    "META-INF/container.xml": CONTAINER,
    "OEBPS/a.opf": PACKAGE,
    "OEBPS/nav.xhtml": '<nav><a href="text/two.xhtml">The storm</a></nav>',
    "OEBPS/text/two.xhtml": "<?xml version='1.0'?><html><body><p>It blew.</p></body></html>",
    "OEBPS/text/one.xhtml": "<html><body><h1>The keeper</h1><p>He slept.</p></body></html>",
}


def _zipped(files: dict[str, str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        for name, text in files.items():
            book.writestr(name, text)
    return out.getvalue()


def test_chapters_come_in_the_order_of_the_spine() -> None:
    document = epub.parse("l.epub", _zipped(FILES))
    assert document.title == "The Lighthouse"
    assert [(s.place, s.text) for s in document.sections] == [
        ("The storm", "It blew."),
        ("The keeper", "He slept."),
    ]


def test_a_chapter_is_named_by_the_older_table_of_contents_too() -> None:
    ncx = (
        "<ncx><navPoint><navLabel><text>A storm</text></navLabel>"
        '<content src="text/two.xhtml#x"/></navPoint></ncx>'
    )
    opf = PACKAGE.replace(
        '"nav.xhtml" media-type="application/xhtml+xml" properties="nav"',
        '"nav.xhtml" media-type="application/x-dtbncx+xml"',
    )
    files = FILES | {"OEBPS/a.opf": opf, "OEBPS/nav.xhtml": ncx}
    assert epub.parse("l.epub", _zipped(files)).sections[0].place == "A storm"


def test_points_and_links_in_one_another_have_each_their_own_name() -> None:
    deep, place = 400, "<a href='{0}.xhtml'>Part {0} "
    links = "".join(place.format(number) for number in range(deep))
    files = FILES | {"OEBPS/nav.xhtml": f"<nav>{links}<a href='text/two.xhtml'>A <b>storm</b></a>"}
    assert epub.parse("l.epub", _zipped(files)).sections[0].place == "A storm"
    opening = "<navPoint><navLabel><text>{0}</text></navLabel><content src='{0}.xhtml'/>"
    points = "".join(opening.format(number) for number in range(deep))
    last = "<navPoint><navLabel>A storm</navLabel><content src='text/two.xhtml'/></navPoint>"
    files = FILES | {"OEBPS/nav.xhtml": f"<ncx>{points}{last}</ncx>"}
    assert epub.parse("l.epub", _zipped(files)).sections[0].place == "A storm"


def test_a_chapter_that_is_missing_costs_itself_alone() -> None:
    files = {name: text for name, text in FILES.items() if "two" not in name and "nav" not in name}
    assert [s.text for s in epub.parse("l.epub", _zipped(files)).sections] == ["He slept."]


def test_a_protected_book_is_named() -> None:
    key = '<enc:CipherReference URI="OEBPS/text/one.xhtml"/>'
    with pytest.raises(AnswerError, match="protected"):
        epub.parse("l.epub", _zipped(FILES | {"META-INF/encryption.xml": key}))


@pytest.mark.parametrize("missing", ["META-INF/container.xml", "OEBPS/a.opf"])
def test_an_incomplete_book_is_named(missing: str) -> None:
    files = {name: text for name, text in FILES.items() if name != missing}
    with pytest.raises(AnswerError, match=r"^l\.epub lacks"):
        epub.parse("l.epub", _zipped(files))


def test_a_book_cut_short_is_named() -> None:
    with pytest.raises(AnswerError, match=r"^l\.epub is a broken EPUB"):
        epub.parse("l.epub", _zipped(FILES)[:-30])


def test_a_bomb_is_refused_before_it_unpacks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(epub, "LARGEST_UNPACKED", 1_000_000)
    bomb = FILES | {"OEBPS/text/one.xhtml": " " * 1_000_001}
    with pytest.raises(AnswerError, match="unpacks to more than 1 MB"):
        epub.parse("l.epub", _zipped(bomb))


def test_a_file_that_is_named_again_and_again_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def content(book: zipfile.ZipFile, name: str) -> bytes:
        read.append(name)
        with book.open(name) as file:
            return file.read()

    monkeypatch.setattr(zipfile.ZipFile, "read", content)
    again = '<itemref idref="one"/>' * 100
    items = "".join(f'<item id="n{n}" href="nav.xhtml" properties="nav"/>' for n in range(100))
    opf = PACKAGE.replace("</spine>", f"{again}</spine>").replace(
        "</manifest>", f"{items}</manifest>"
    )
    document = epub.parse("l.epub", _zipped(FILES | {"OEBPS/a.opf": opf}))
    assert [section.text for section in document.sections] == ["It blew.", "He slept."]
    assert len(read) == len(set(read)) == 5
