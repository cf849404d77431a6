"""List items, labelled lines and rows of tables as sentences that can be said alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from assistant.answer.retrieval.mentions import holds
from assistant.answer.retrieval.statements import Statement
from assistant.english.asking.answer_kinds import ASKS_MEANING, POINTER, kind_of
from assistant.english.dates import RELATIVE_DAY, with_days
from assistant.english.questions import names_label
from assistant.english.words import words

_ENDS = (".", "!", "?", "…")


def worded(question: str, statement: Statement, answer: str, day: str = "") -> str:
    """What is said where `answer` is in `statement`; "" where that is the sentence itself.

    `day` is what is asked for, where it stands above the statement.
    """
    if day:
        return _closed(f"{day}: {statement.text}")
    if statement.day and RELATIVE_DAY.search(statement.text):
        text = with_days(statement.text, date.fromisoformat(statement.day))
        return _closed(f"{statement.heading}: {text}" if statement.heading else text)
    if not statement.item:
        return ""
    if statement.entry:
        dated = statement.text.startswith(statement.entry)
        return _closed(statement.text if dated else f"{statement.entry}: {statement.text}")
    return POINTER.sub("", _item(question, statement, answer))


def _item(question: str, statement: Statement, answer: str) -> str:
    label, value = statement.label, statement.text[len(statement.label) :].removeprefix(": ")
    if not label:
        heading = statement.heading
        known = set(words(statement.text))
        return _closed(statement.text if known >= set(words(heading)) else f"{heading}: {value}")
    if answer not in value:
        return _closed(statement.text)
    # A cell may hold several sentences.
    row = statement.line[len(label) :].removeprefix(": ")
    cells = (row if row.startswith(value) else value).split("; ")
    if len(cells) > 1 and all(": " in cell for cell in cells):
        if ASKS_MEANING.search(question):
            return _closed(statement.text)  # what to do about it belongs to what it means
        held = _asked(question, cells) or _only(question, cells, answer)
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


def _only(question: str, cells: Sequence[str], answer: str) -> str:
    """The cell with the answer; "" where others hold the same kind of thing, such as an amount."""
    kind = kind_of(question)
    if kind is not None and sum(kind.held.search(cell) is not None for cell in cells) > 1:
        return ""
    return next((cell for cell in cells if answer in cell), "")


def _ends_inside(value: str) -> bool:
    return any(f"{mark} " in value for mark in _ENDS)


def _inside(name: str) -> str:
    return name[:1].lower() + name[1:] if name[1:].islower() else name


def _closed(text: str) -> str:
    text = re.sub(r"[\s,;:]+$", "", text)
    return text if text.endswith(_ENDS) else f"{text}."
