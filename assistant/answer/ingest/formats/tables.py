"""Tables as text that can be spoken, row by row."""

from __future__ import annotations

from itertools import takewhile

from bs4.element import Tag

from assistant.answer.ingest.formats.wording import clean

LONGEST_CELL = 200
"""Most characters of a cell; a table with longer cells and no head is a page's layout."""


LAYING_OUT = frozenset(("table", "h1", "h2", "h3", "h4", "ul", "ol"))
"""Elements that only a table that is a page's layout has in it."""


def spoken(table: Tag) -> list[str] | None:
    """A line for each row, such as "X12: weight: 3 kg; colour: red."; None for a mere layout.

    One with any of `LAYING_OUT` in it is a layout, which the caller sees to.
    """
    if _in_one_another(table, ["tr"]) or _in_one_another(table, ["th", "td"]):
        return None  # each would be read again with those around it
    rows = [row.find_all(["th", "td"]) for row in table.find_all("tr")]
    words = [[clean(cell.get_text(" ")) for cell in row] for row in rows]
    head: list[str] = []
    if rows and len(rows[0]) > 1 and all(cell.name == "th" for cell in rows[0]):
        head = words.pop(0)
    elif any(len(cell) > LONGEST_CELL for row in words for cell in row):
        return None
    caption = table.find("caption")
    lines = [clean(caption.get_text(" "))] if caption else []
    return [line for line in (*lines, *(row(head, cells) for cells in words)) if line]


def _in_one_another(table: Tag, names: list[str]) -> bool:
    found = table.find_all(names)
    ids = {id(one) for one in found}
    around = (p for one in found for p in takewhile(lambda p: p is not table, one.parents))
    return any(id(parent) in ids for parent in around)


def row(head: list[str], cells: list[str]) -> str:
    """The cells of a row in a line, under the names of their columns if there is a `head`."""
    first, rest = (cells[0], cells[1:]) if cells else ("", [])
    names = [*map(_inside, head[1:]), *[""] * len(rest)]
    facts = [
        f"{name}: {cell.rstrip('.')}" if name else cell
        for name, cell in zip(names, rest, strict=False)
        if cell
    ]
    told = ": ".join(part for part in (first, "; ".join(facts)) if part)
    return told if not told or told[-1] in ".!?:" else f"{told}."


def _inside(name: str) -> str:
    # "Noise level" within a sentence is "noise level"; "CPU" and "iOS" stay.
    return name[:1].lower() + name[1:] if name[1:].islower() else name
