"""Page furniture: running heads and feet, page numbers, tables of contents."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from assistant.english.documents import PAGE_NUMBER

EDGE_LINES = 3
"""Lines at the top and at the bottom of a page that are searched for furniture."""

LEAST_PAGES, LEAST_SHARE = 3, 0.3
"""Fewest pages, and smallest share of them, on whose edge a line must stand to be furniture."""

_LEADER = re.compile(r".*(?:\.\s?){4,}\s*[\divxlc]+\s*", re.IGNORECASE)
"""A line of a table of contents: a heading, dots, a page."""

LONGEST = 120
"""Most characters of a line of furniture."""


def without_furniture(pages: Sequence[Sequence[str]]) -> list[list[str]]:
    """The lines of each page without those that repeat at its edges, whatever numbers they hold."""
    stripped = [[line.strip() for line in page if line.strip()] for page in pages]
    counts = Counter(key for page in stripped for key in {_key(page[at]) for at in _edges(page)})
    least = max(LEAST_PAGES, LEAST_SHARE * len(stripped))
    furniture = {key for key, count in counts.items() if key and count >= least}
    return [_bare(page, furniture) for page in stripped]


def _bare(page: list[str], furniture: set[str]) -> list[str]:
    dropped = {
        at
        for at in _edges(page)
        if _key(page[at]) in furniture
        or (at in (0, len(page) - 1) and PAGE_NUMBER.fullmatch(page[at].casefold()))
    }
    kept = (line for at, line in enumerate(page) if at not in dropped)
    return [line for line in kept if not _LEADER.fullmatch(line)]


def _edges(page: Sequence[str]) -> Iterator[int]:
    top = min(EDGE_LINES, len(page))
    yield from range(top)
    yield from range(max(top, len(page) - EDGE_LINES), len(page))


def _key(line: str) -> str:
    return re.sub(r"\d+", "#", line.casefold()) if len(line) <= LONGEST else ""
