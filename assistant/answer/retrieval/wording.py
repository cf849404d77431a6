"""List items, labelled lines and rows of tables as sentences that can be said alone."""

from __future__ import annotations

import re
from collections.abc import Sequence

from assistant.answer.retrieval.mentions import holds
from assistant.answer.retrieval.statements import Statement
from assistant.english.questions import names_label
from assistant.english.words import words

_ENDS = (".", "!", "?", "…")


def worded(question: str, statement: Statement, answer: str, dated: bool) -> str:
    """What is said where `answer` is in `statement`; "" where that is the sentence itself.

    `dated` says that the heading holds what is asked for.
    """
    if dated:
        return _closed(f"{statement.heading}: {statement.text}")
    if not statement.item:
        return ""
    label, value = statement.label, statement.text[len(statement.label) :].removeprefix(": ")
    if not label:
        heading = statement.heading
        known = set(words(statement.text))
        return _closed(statement.text if known >= set(words(heading)) else f"{heading}: {value}")
    if answer not in value:
        return _closed(statement.text)
    cells = value.split("; ")
    if len(cells) > 1 and all(": " in cell for cell in cells):
        held = _asked(question, cells) or next((cell for cell in cells if answer in cell), "")
        return _closed(f"{label}, {held}" if held else statement.text)
    if names_label(question, label) and not label.endswith("s") and not _ends_inside(value):
        return _closed(f"The {_inside(label)} is {value}")
    return _closed(statement.text)


def _asked(question: str, cells: Sequence[str]) -> str:
    """The cell whose name stands in the question; "" for none."""
    said = frozenset(words(question))

    def share(cell: str) -> float:
        name = words(cell.partition(": ")[0])
        return sum(holds(said, word) for word in name) / max(1, len(name))

    best = max(cells, key=share)
    return best if share(best) > 0.5 else ""


def _ends_inside(value: str) -> bool:
    return any(f"{mark} " in value for mark in _ENDS)


def _inside(name: str) -> str:
    return name[:1].lower() + name[1:] if name[1:].islower() else name


def _closed(text: str) -> str:
    text = re.sub(r"[\s,;:]+$", "", text)
    return text if text.endswith(_ENDS) else f"{text}."
