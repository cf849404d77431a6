"""Tables that plain text draws with spaces, as rows that can be spoken."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from assistant.answer.ingest.formats.tables import row
from assistant.answer.ingest.formats.wording import LABELLED, clean, starts_item

FEWEST_ROWS = 2
"""Fewest rows of a table, besides its head."""

_CELL = re.compile(r"\S+(?: \S+)*")
_RULE = re.compile(r"[\s=_|+–—-]+")


def apart(block: Sequence[str]) -> Iterator[tuple[bool, list[str]]]:
    """The block in stretches: the spoken rows of a table, told by True, or lines as they are."""
    plain: list[str] = []
    at = 0
    while at < len(block):
        table = list(_drawn(block[at:]))
        drawn = [line for line in table if not _RULE.fullmatch(line)]
        if len(drawn) > FEWEST_ROWS and _aligned(drawn):
            told, taken = list(_spoken(drawn)), len(table)
        else:
            told, taken = _labelled(block[at]), 1
        if told:
            if plain:
                yield False, plain
            plain = []
            yield True, told
        else:
            plain.append(block[at])
        at += taken
    if plain:
        yield False, plain


def has_columns(line: str) -> bool:
    """Whether a line has cells, with more than one space between them."""
    return len(_CELL.findall(line)) > 1 and not starts_item(line)


def _drawn(lines: Sequence[str]) -> Iterator[str]:
    """The first lines, as far as they have columns; a rule may stand among them."""
    for number, line in enumerate(lines):
        if not has_columns(line) and not (number and _RULE.fullmatch(line)):
            return
        yield line


def _aligned(lines: Sequence[str]) -> bool:
    """Whether cells begin, or end, in the same place in most of the lines."""
    edges: Counter[tuple[str, int]] = Counter()
    for line in lines:
        for cell in list(_CELL.finditer(line))[1:]:
            edges.update((("from", cell.start()), ("to", cell.end())))
    return max(edges.values()) > len(lines) / 2


def _labelled(line: str) -> list[str]:
    """The cells of a line of which each has a label of its own; [] for any other line."""
    cells = _CELL.findall(line)
    return cells if len(cells) > 1 and all(map(LABELLED.match, cells)) else []


def _spoken(lines: Sequence[str]) -> Iterator[str]:
    starts = [found.start() for found in _CELL.finditer(lines[0])]
    cells = [_placed(line, starts) for line in lines]
    head = cells.pop(0) if _is_head(cells) else []
    for one in cells:
        yield row(head, [clean(cell) for cell in one])


def _placed(line: str, starts: Sequence[int]) -> list[str]:
    """The cells of a line, each in the column where it begins, or in order where none is empty."""
    found = list(_CELL.finditer(line))
    placed = [""] * len(starts)
    whole = len(found) == len(starts)
    for number, cell in enumerate(found):
        nearest = min(range(len(starts)), key=lambda at: abs(starts[at] - cell.start()))
        column = number if whole else nearest
        placed[column] = f"{placed[column]} {cell.group()}".strip()
    return placed


def _is_head(cells: Sequence[Sequence[str]]) -> bool:
    """Whether the first row names the columns: alone without figures, or one of several words."""
    first, *rows = cells
    if any(char.isdigit() for cell in first for char in cell):
        return False
    figures = any(char.isdigit() for one in rows for cell in one for char in cell)
    return figures or len(first) > FEWEST_ROWS
