"""Lists and sets of words and phrases, written as text."""

from __future__ import annotations


def word_list(text: str) -> tuple[str, ...]:
    """The words of a text, which white space separates, in order."""
    return tuple(text.split())


def word_set(text: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(text.split())


def phrase_list(text: str) -> tuple[str, ...]:
    """The phrases of a text, which commas separate, in order."""
    return tuple(text.split(", "))
