"""Feeds are read, and hostile ones refused."""

from __future__ import annotations

import pytest

from skills.news.feeds import (
    LARGEST_BYTES,
    LONGEST_TEXT,
    LONGEST_TITLE,
    MOST_HEADLINES,
    FeedError,
    Headline,
    plain,
    read_feed,
)
from tests.support.news_feeds import POST, VALLEY, atom, rss

LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
RSS_1 = """<?xml version="1.0" encoding="ISO-8859-1"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">
<channel rdf:about="https://cafe.example/"><title>Caf\u00e9</title></channel>
<item rdf:about="https://cafe.example/1"><title>Caf\u00e9 opens</title></item></rdf:RDF>"""


def test_rss_is_read_in_its_order_without_html() -> None:
    first, _, third, last = read_feed(rss(*POST).encode())
    text = "After three weeks in dock the ferry sails every hour."
    assert first == Headline("Ferry to the islands runs again", text)
    assert third.text == "Nobody was hurt & the pier is closed."
    assert last == Headline("Lighthouse gets a new lamp")


def test_atom_is_read() -> None:
    wanted = Headline("Council votes for a new library", "The library opens in May.")
    assert read_feed(atom(*VALLEY).encode()) == (wanted,)


def test_atom_with_xhtml_and_without_a_summary_is_read() -> None:
    content = (
        '<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>One.</p><p>Two.</p>'
        "</div></content></entry>"
    )
    feed = atom(("Title", "")).replace("<summary type='html'></summary></entry>", content)
    assert read_feed(feed.encode()) == (Headline("Title", "One. Two."),)


def test_rss_1_in_another_encoding_is_read() -> None:
    assert read_feed(RSS_1.encode("latin-1")) == (Headline("Caf\u00e9 opens"),)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (f'<!DOCTYPE r [<!ENTITY l0 "ha">{LAUGHS}]><rss><item>&l9;</item></rss>', "document type"),
        ('<!DOCTYPE r [<!ENTITY f SYSTEM "file:///etc/passwd">]><rss>&f;</rss>', "document type"),
        ('<!DOCTYPE rss SYSTEM "http://192.0.2.1/rss.dtd"><rss/>', "document type"),
        (rss(*POST) + " " * 10_000_000, "large"),
        (rss(*POST)[:-20], "no XML"),
        ("", "no XML"),
        (f'<?xml version="1.0" encoding="{"x" * 9000}"?><rss/>', "no XML: unknown encoding: x"),
        ("\x00\x01 this is no feed", "no XML"),
        ("<rss>" * 50_000, "no XML"),
        ('<?xml version="1.0" encoding="klingon"?><rss/>', "no XML"),
        ('<?xml version="1.0" encoding="base64"?><rss/>', "no XML"),
        ("<html><body><h1>Sign in</h1></body></html>", "neither RSS nor Atom"),
        ("<svg xmlns='http://www.w3.org/2000/svg'/>", "neither RSS nor Atom"),
    ],
)
def test_what_is_no_feed_is_refused(body: str, why: str) -> None:
    with pytest.raises(FeedError, match=why):
        read_feed(body.encode())


def test_a_feed_of_the_largest_size_is_read() -> None:
    feed = rss(*POST)
    assert len(read_feed(feed.encode() + b" " * (LARGEST_BYTES - len(feed.encode())))) == 4


def test_deep_elements_are_passed_over() -> None:
    deep = f"{'<a>' * 30_000}{'</a>' * 30_000}</channel>"
    assert len(read_feed(rss(*POST).replace("</channel>", deep).encode())) == 4


def test_a_comment_or_a_script_without_an_end_hides_what_follows() -> None:
    """So that its end is looked for once, however many begin."""
    assert plain(f"One {'<!-- ' * 300} two") == "One"
    assert plain(f"One {'<script>x' * 300} two") == "One"


def test_empty_titles_and_those_told_twice_are_left_out() -> None:
    items = (("", "text"), ("<br/>", ""), ("\u202e\u200b", ""), ("One", ""), ("One", "again"))
    assert read_feed(rss(*items).encode()) == (Headline("One"),)


def test_items_within_items_are_read_in_a_moment() -> None:
    """Each of 9,000 titles holds all those below it."""
    nested = rss().replace(
        "</channel>", f"{'<item><title>' * 9000}{'</title></item>' * 9000}</channel>"
    )
    assert read_feed(nested.encode()) == ()


def test_what_is_nested_too_deep_is_passed_over_and_what_follows_is_read() -> None:
    deep = f"{'<a>' * 100}Deep{'</a>' * 100}"
    items = f"<item><title>{deep}One</title></item><item><title>Two</title></item>"
    found = read_feed(rss().replace("</channel>", f"{items}</channel>").encode())
    assert [one.title for one in found] == ["One", "Two"]


def test_a_long_namespace_is_refused() -> None:
    """The parser would write it out before each of the names."""
    long = f'<rss xmlns="{"x" * 100_000}">{"<a/>" * 30_000}</rss>'
    with pytest.raises(FeedError, match="namespace"):
        read_feed(long.encode())


def test_an_empty_feed_has_no_headlines() -> None:
    assert read_feed(rss().encode()) == ()


def test_of_many_the_first_are_read() -> None:
    found = read_feed(rss(*((f"Title {n}", "") for n in range(500))).encode())
    assert [one.title for one in found] == [f"Title {n}" for n in range(MOST_HEADLINES)]


def test_long_texts_end_with_a_sentence_or_a_word() -> None:
    (one,) = read_feed(rss(("word " * 100, "This is a sentence. " * 100)).encode())
    assert LONGEST_TITLE - 10 < len(one.title) <= LONGEST_TITLE
    assert one.title.endswith("word…")
    assert LONGEST_TEXT - 20 < len(one.text) <= LONGEST_TEXT
    assert one.text.endswith("sentence.")


@pytest.mark.parametrize("end", ["", ".", "!", "?", "…"])
def test_a_title_is_told_as_a_sentence(end: str) -> None:
    assert Headline(f"It rains{end}").sentence == f"It rains{end or '.'}"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Tom &amp; Jerry&#39;s day", "Tom & Jerry's day"),
        ("<p>one</p><p>two</p>", "one two"),
        ("<b>up</b>hill", "uphill"),
        ("<script>alert(1)</script>safe<style>p {}</style>", "safe"),
        ("a < b and 3 > 2", "a < b and 3 > 2"),
        ("<!-- a > b -->seen", "seen"),
        ("cut off <img src='x", "cut off"),
        ("tab\tand\nline\u2028end", "tab and line end"),
        ("be\u200bll\x07\u202e", "bell"),
    ],
)
def test_html_is_taken_away(text: str, words: str) -> None:
    assert plain(text) == words


@pytest.mark.parametrize("piece", ["<", "<a b=", "<!--", "<script", "</script", "<![CDATA[", "&#x"])
def test_hostile_html_gives_little(piece: str) -> None:
    """The patterns look at a bounded part: the parser of the standard library took minutes."""
    assert len(plain(piece * 100_000)) <= 4000
