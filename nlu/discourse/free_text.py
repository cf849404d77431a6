"""Tells whether free text took in what is no part of it: a correction, or a further command.

"oat milk, no sorry, almond milk"            corrects itself
"mite powder to the shopping and the coop"   names a list in its middle
"""

from __future__ import annotations

from assistant.english.commands.list_words import BEFORE_NAMES, LIST_KINDS
from nlu.discourse import clauses
from nlu.discourse.reading import ReadPart
from nlu.text.canonical import canonical

_ONTO = frozenset(("to", "on", "onto"))
_KINDS = frozenset(tuple(kind.split()) for kinds in LIST_KINDS.values() for kind in kinds)
_LONGEST_KIND = max(map(len, _KINDS))


def takes_too_much(reading: ReadPart) -> bool:
    """Whether any free text of a reading holds more than it may."""
    return any(_holds_more(slot.raw) for slot in reading.command.slots if " " in slot.raw)


def _holds_more(raw: str) -> bool:
    text = canonical(raw)
    words = tuple(token.text for token in text.tokens)
    lists = any(words[at] in _ONTO and _names_list(words, at + 1) for at in range(1, len(words)))
    return lists or clauses.repair(text) is not None


def _names_list(words: tuple[str, ...], start: int) -> bool:
    """Whether the name of a kind of lists, and an "and", stand at a place."""
    start += bool(words[start : start + 1]) and words[start] in BEFORE_NAMES
    ends = (start + length for length in range(1, _LONGEST_KIND + 1))
    return any(words[start:end] in _KINDS and words[end : end + 1] == ("and",) for end in ends)
