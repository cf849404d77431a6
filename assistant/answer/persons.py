"""Whom a question names, among the people whom the documents know."""

from __future__ import annotations

import re
from collections.abc import Iterable

from assistant.answer.matching import tells
from assistant.answer.passages import Passage

SHORTEST = 3
"""Letters of a name from which a word of it is looked for."""

_WORD = re.compile(r"[^\W\d_]+")
_OWNER = re.compile(
    r"\b(?!(?:what|who|where|when|how|that|there|here|it|he|she|let|today|tomorrow)\b)"
    r"([^\W\d_]{2,})['’]s\b"
)
_OWNED = re.compile(
    r"\b(?:number|address|e-?mail|birthday|phone|website)s? (?:of|for) (?:the |my |our )?"
    r"([^\W\d_]{2,})\b"
)


def named(question: str, names: Iterable[str]) -> tuple[str, ...]:
    """Those of `names` (case-folded) that share the most words with `question`; () for none.

    Case tells nothing, for what was heard has none.
    """
    said = {word for word in _WORD.findall(question.casefold()) if len(word) >= SHORTEST}
    shared = {name: len(said & set(_WORD.findall(name))) for name in names}
    most = max(shared.values(), default=0)
    found = (name for name, count in shared.items() if count == most and most and tells(name))
    return tuple(found)


def of_another(question: str, passage: Passage) -> bool:
    """Whether `question` is about somebody's or something's own, and the contact another's."""
    if passage.kind != "contact":
        return False
    asked = question.casefold()
    owners = [*_OWNER.findall(asked), *_OWNED.findall(asked)]
    known = set(_WORD.findall(f"{passage.text} {passage.place}".casefold()))
    return bool(owners) and known.isdisjoint(owners)
