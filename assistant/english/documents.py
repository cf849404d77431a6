"""How documents and their parts are named."""

from __future__ import annotations

import re

from assistant.english.lists import word_set

TITLE_STOP_WORDS = word_set(
    "a about all an and at by called chapter document file for from in is it me my named of "
    "on our part please s section that the this titled to"
)
"""Words that do not distinguish documents, in a title or in the name that somebody uses."""
KINDS_OF_DOCUMENTS = word_set(
    "book guide handbook instruction letter manual minute note report story text user"
)
"""Words for the kind of a document, in the singular."""

_PART = r"(?:chapter|section|part)"
_OF = r"(?:of|in|from)"
PART_OF_A_DOCUMENT = (
    re.compile(rf"(?P<place>.+?) {_PART} {_OF} (?P<title>.+)", re.IGNORECASE),
    re.compile(
        rf"(?:the )?{_PART} (?:(?:on|about|called) )?(?P<place>.+?) {_OF} (?P<title>.+)",
        re.IGNORECASE,
    ),
    re.compile(rf"(?P<place>page \w+) {_OF} (?P<title>.+)", re.IGNORECASE),
    re.compile(rf"(?P<title>.+?),? {_PART} (?P<place>.+)", re.IGNORECASE),
    re.compile(r"(?P<title>.+?),? (?P<place>page \w+)", re.IGNORECASE),
)
"""Names of a part of a document, such as "the cleaning chapter of the oven manual"."""

CHAPTER_HEADING = re.compile(r"(?:Chapter|Part|Section|Appendix)\s+[\dA-Z]\w{0,5}\b.*[^.,;]")
"""A heading that begins with the word for it."""
PAGE_NUMBER = re.compile(r"\W*(?:page\s+)?(?:\d{1,4}|[ivxlc]{1,7})(?:\s*(?:/|of)\s*\d{1,4})?\W*")
"""A page's number that stands alone on a line, as in "Page 3 of 12"."""
