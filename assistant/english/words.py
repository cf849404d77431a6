"""Splits a text into words for comparison."""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W_]+")
_LETTERS = re.compile(r"[^\W\d_]+")


def words(text: str) -> list[str]:
    """The words and numbers of `text` in lower case, split where SQLite's FTS5 splits them."""
    return _WORD.findall(text.casefold())


def alphabetic(text: str) -> list[str]:
    """The words alone: "3pm" is "pm"."""
    return _LETTERS.findall(text.casefold())
