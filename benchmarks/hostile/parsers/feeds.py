"""News feeds."""

from __future__ import annotations

from benchmarks.hostile.parsers.parser import Parser
from skills.news.feeds import LARGEST_BYTES, FeedError, read_feed


def _read(content: bytes) -> bool:
    for told in read_feed(content):
        told.sentence.encode()
        told.text.encode()
    return True


def _honest(size: int) -> bytes:
    return _RSS % (_ITEM * max(1, size // len(_ITEM)))


_ITEM = (
    b"<item><title>Rain &amp; sun</title>"
    b"<description>A &lt;b&gt;wet&lt;/b&gt; week.</description></item>\n"
)
_RSS = b'<?xml version="1.0"?>\n<rss version="2.0"><channel><title>N</title>\n%s</channel></rss>\n'
_ATOM = b"""<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:x="urn:x"><title>News</title>
<entry><title type="html">Trains &lt;i&gt;late&lt;/i&gt;</title>
<summary>By an hour.</summary><x:y z="1"/></entry>
<entry><title>Moon</title><content type="xhtml">
<div xmlns="http://www.w3.org/1999/xhtml">Full <b>moon</b></div></content></entry>
</feed>
"""
_RDF = b"""<rdf:RDF xmlns="http://purl.org/rss/1.0/"
 xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<channel><title>News</title></channel>
<item rdf:about="1"><title><![CDATA[A <script>x</script> title]]></title>
<description>One. Two! Three?</description></item>
</rdf:RDF>
"""
FEED = Parser(
    read=_read,
    refusals=(FeedError,),
    samples=(_honest(500), _ATOM, _RDF),
    honest=_honest,
    pieces=(
        *(
            b"<item>",
            b"</item>",
            b"<title>",
            b"</title>",
            b"<a",
            b"</",
            b"<!--",
            b"-->",
            b"<![CDATA[",
        ),
        *(b"]]>", b"<!DOCTYPE x [", b'<!ENTITY a "aaaa">', b"&a;", b"&amp;", b"&#0;", b"&#xd800;"),
        *(b"&lt;", b"&lt;script", b"&lt;/script&gt;", b"&lt;!--", b"&lt;a ", b"&gt;", b"<?x ?>"),
        *(b' a="1"', b' xmlns="urn:x"', b' xmlns:y="urn:x"', b'encoding="utf-16"', b'encoding="x"'),
        *(b"<x:y>", b"<script>", b". ", b"&amp;nbsp;", b"utf-7", b"iso-8859-1", b"rss", b"feed"),
    ),
    nests=(
        (b"<a>", b"</a>"),
        (b"<item>", b"</item>"),
        (b'<a xmlns="urn:y">', b"</a>"),
        (b"&lt;a&gt;", b""),
    ),
    largest=LARGEST_BYTES,
)
