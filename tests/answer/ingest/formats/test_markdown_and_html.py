"""Markdown and HTML in; the main text under its headings out."""

from __future__ import annotations

import signal
from functools import partial

import pytest

from assistant.answer.ingest.formats import html, markdown
from assistant.core.errors import AnswerError
from tests.support.effort import calls

NOTES = b"""\
---
title: "The D 42"
tags: [kitchen]
---
# Dishwasher

It is *very* quiet[^1], see [the shop](https://example.org) and `menu`.

## Cleaning

### The filter

1. Lift it out.
2. Rinse it
   with water.

```sh
rm -rf /
```

| Part | Price | In stock |
| --- | --- | --- |
| Filter | 12 euros | yes |
| Pump | 80 euros | |

## To buy

- [x] salt
- [ ] rinse aid

[^1]: 44 dB
"""

PAGE = b"""<!DOCTYPE html><html><head><title>Opening hours | Acme</title>
<style>p { color: red }</style></head><body>
<header><a href="/">Acme</a></header><nav><a>Home</a><a>Shop</a></nav>
<main><h1>Opening hours</h1><p>We are open <b>until
 six</b>.<script>track()</script></p><aside>Ring first on holidays.</aside>
<dl><dt>Phone</dt><dd>555 0100</dd><dt>Do you deliver?</dt><dd>Yes, on Mondays.</dd></dl>
<h2>Prices <a href="#prices">#</a></h2>
<table><tr><th>Size</th><th>Price</th></tr><tr><td>Small</td><td>3 euros</td></tr></table>
<p hidden>secret</p><p>12 m<sup>2</sup> are enough.<sup><a href="#n">1</a></sup></p></main>
<footer>Copyright Acme</footer></body></html>"""


def test_markdown_sections_have_their_headings_as_place() -> None:
    document = markdown.parse("d42.md", NOTES)
    assert document.title == "The D 42"
    assert [(s.place, s.text) for s in document.sections] == [
        ("Dishwasher", "It is very quiet, see the shop and menu."),
        (
            "Dishwasher > Cleaning > The filter",
            "Lift it out.\nRinse it with water.\n"
            "Filter: price: 12 euros; in stock: yes.\nPump: price: 80 euros.",
        ),
        ("Dishwasher > To buy", "salt (done)\nrinse aid\n44 dB"),
    ]


def test_a_single_first_heading_is_the_title() -> None:
    document = markdown.parse("x.md", b"# The boiler\n\nIt is old.\n\n## Valve\n\nIt is shut.\n")
    assert document.title == "The boiler"
    assert [section.place for section in document.sections] == ["", "Valve"]


def test_a_heading_with_nothing_under_it_is_still_told() -> None:
    document = markdown.parse("x.md", b"# A\n\n## Milk\n\n## Eggs\n\nTen.\n\n## Bread\n")
    assert [s.text for s in document.sections] == ["Milk", "Ten.", "Bread"]


def test_html_gives_the_main_text_alone() -> None:
    document = html.parse("hours.html", PAGE)
    assert document.title == "Opening hours"
    assert [(s.place, s.text) for s in document.sections] == [
        (
            "",
            "We are open until six.\nRing first on holidays.\nPhone: 555 0100\n"
            "Do you deliver?\nYes, on Mondays.",
        ),
        ("Prices", "Small: price: 3 euros.\n12 m2 are enough."),
    ]


def test_an_encoding_is_taken_from_its_declaration() -> None:
    page = '<meta charset="iso-8859-2"><p>Łódź leży daleko.</p>'.encode("iso-8859-2")
    assert html.parse("a.html", page).sections[0].text == "Łódź leży daleko."


def test_a_page_that_nests_deeper_than_the_stack_is_read() -> None:
    page = b"<div>" * 20_000 + b"Deep down." + b"</div>" * 20_000
    assert html.parse("a.html", page).sections[0].text == "Deep down."


def test_what_is_nested_deeper_than_browsers_allow_is_read_in_its_order() -> None:
    page = b"".join(b"<div>Part %d" % number for number in range(2_000))
    deepest = html.soup_of(page).find_all("div")[-1]
    assert len(list(deepest.parents)) <= html.MOST_DEEP
    (section,) = html.parse("a.html", page).sections
    assert section.text.split("\n") == [f"Part {number}" for number in range(2_000)]


def test_a_picture_called_html_is_refused() -> None:
    with pytest.raises(AnswerError, match=r"^a\.html holds no text$"):
        html.parse("a.html", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")


def test_each_entry_of_a_diary_is_a_line() -> None:
    entries = "**2 May** Leeks in.\nForty plants.\n**9 May** Slugs."
    diary = f"# Log\n\n{entries}\n\nIn all, on\n9 May I quit.\n".encode()
    (section,) = markdown.parse("log.md", diary).sections
    assert section.text.splitlines() == [
        "2 May Leeks in. Forty plants.",
        "9 May Slugs.",
        "In all, on 9 May I quit.",
    ]


@pytest.mark.parametrize("nest", ["<sup>", "<table>", "<table><tr><i>", "<tr>"])
def test_elements_in_one_another_cost_work_in_proportion(nest: str) -> None:
    pages = (f"<body><table>{nest * count}x".encode() for count in (100, 400))
    some, more = (calls(partial(html.parse, "a.html", page)) for page in pages)
    assert more < 5 * some


def test_a_headings_link_to_itself_is_left_out_and_links_in_one_another_are_read() -> None:
    page = f"<body><p>One <a><b>#</b></a></p><p>{'<a>' * 3000}two</p>"
    (section,) = html.parse("a.html", page.encode()).sections
    assert section.text.split("\n") == ["One", "two"]


def test_what_is_in_an_element_decides_at_any_depth() -> None:
    page = (
        "<body><header><div><h2>Kept</h2></div></header><header><p>Dropped</p></header>"
        '<p>3 m<sup>2</sup><sup><b><a href="#1">1</a></b></sup></p>'
        "<table><tr><td><div><h3>Laid</h3></div>out</td><td>apart</td></tr></table>"
        "<table><tr><th>Dish</th><th>Minutes</th></tr><tr><td>Pie</td><td>40</td></tr></table>"
    )
    document = html.parse("a.html", page.encode())
    assert document.title == "Kept"
    assert [(s.place, s.text) for s in document.sections] == [
        ("", "3 m2"),
        ("Laid", "out\napart\nPie: minutes: 40."),
    ]


def test_what_begins_again_and_again_is_looked_for_once() -> None:
    """A mark, a link and a box each end before the next of their kind, or are none."""
    text = b"[^a[^b] [[c[[d]] -\n\n[x] e\n"
    (section,) = markdown.parse("a.md", text).sections
    assert section.text.split("\n") == ["[^a [[cd -", "[x] e"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", ""])
@pytest.mark.parametrize("begins", ["<![CDAT[", "<![<a>", "<![", "<![C", "<![if !vml]>"])
def test_a_section_that_is_none_is_a_comment(begins: str, encoding: str) -> None:
    page = f"<h1>Tea</h1><p>Green.{begins}no text&gt;]]></p><p>Black.</p>"
    document = html.parse("tea.html", page.encode(encoding) if encoding else page)
    told = "\n".join(section.text for section in document.sections)
    assert told.startswith("Green.")
    assert told.endswith("Black.")


@pytest.mark.parametrize("part", ["<a", "<!--&#x", "<!--", "</", "<![CDATA[", "<?", "&#x"])
def test_what_has_no_end_is_no_work_for_minutes(part: str) -> None:
    def hang(*_: object) -> None:
        raise AssertionError("it took 20 s of CPU time")  # Python's own parser takes minutes

    before = signal.signal(signal.SIGPROF, hang)
    signal.setitimer(signal.ITIMER_PROF, 20.0)
    try:
        page = html.parse("a.html", f"<p>tea</p>{part * (400_000 // len(part))}")
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)
    assert page.sections[0].text.startswith("tea")


@pytest.mark.parametrize(
    "page",
    [
        b'<meta charset="utf-8\x01"><p>Tea.</p>' + b"<p>Green.</p>" * 100,
        b'<?xml encoding="\x02"?><p>Tea.</p>' + b"<p>Green.</p>" * 100,
        "<p>Tea.</p>\ud800\x00&#1;&#xd800;",
    ],
)
def test_signs_that_xml_does_not_have_are_no_fault(page: bytes | str) -> None:
    assert html.parse("a.html", page).sections[0].text.startswith("Tea.")
