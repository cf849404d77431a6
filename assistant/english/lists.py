"""Lists and sets of words and phrases, written as text."""

from __future__ import annotations


def word_list(text: str) -> tuple[str, ...]:
    """The words between white space."""
    return tuple(text.split())


def word_set(text: str) -> frozenset[str]:
    """The same words in no order."""
    return frozenset(text.split())


def phrase_list(text: str) -> tuple[str, ...]:
    """The phrases between commas."""
    return tuple(text.split(", "))
