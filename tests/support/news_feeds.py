"""Feeds of news as servers send them, of RSS and of Atom."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape


def rss(*items: tuple[str, str], title: str = "Harbour Post") -> str:
    """A feed of RSS 2.0 whose items have a title and a description in HTML."""
    told = "".join(
        f"<item><title><![CDATA[{headline}]]></title><link>https://post.example/{place}</link>"
        f"<guid isPermaLink='false'>post-{place}</guid><description>{escape(text)}</description>"
        "<pubDate>Mon, 05 Jan 2026 17:00:00 GMT</pubDate></item>"
        for place, (headline, text) in enumerate(items)
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/"><channel>'
        f"<title>{title}</title><link>https://post.example/</link>"
        f"<description>News of the harbour</description>{told}</channel></rss>"
    )


def atom(*items: tuple[str, str]) -> str:
    """A feed of Atom whose entries have a title and a summary in HTML."""
    told = "".join(
        f"<entry><title type='html'>{escape(headline)}</title><id>urn:valley:{place}</id>"
        f"<link href='https://valley.example/{place}'/><updated>2026-01-05T17:00:00Z</updated>"
        f"<summary type='html'>{escape(text)}</summary></entry>"
        for place, (headline, text) in enumerate(items)
    )
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">'
        "<title>The Valley Herald</title><id>urn:valley</id>"
        f"<updated>2026-01-05T17:00:00Z</updated>{told}</feed>"
    )


POST: Sequence[tuple[str, str]] = (
    (
        "Ferry to the islands runs again",
        "<p>After three weeks in dock the ferry sails every hour.</p>",
    ),
    ("Fish market closes on Sundays", "The market opens again on Monday at six."),
    ("Storm breaks the old pier", "Nobody was hurt &amp; the pier is closed."),
    ("Lighthouse gets a new lamp", ""),
)
VALLEY: Sequence[tuple[str, str]] = (
    ("Council votes for a <i>new library</i>", "The library opens in May."),
)
