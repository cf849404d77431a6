"""The people a question names, among those that the documents know."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Set
from itertools import chain

from rapidfuzz.distance import OSA

from assistant.answer.knowledge.passages import Passage
from assistant.answer.knowledge.query import tells
from assistant.english.people import ASKED, HONORIFICS, OWNED, OWNER, ROLE
from assistant.english.words import alphabetic

SHORTEST = 3
"""Fewest letters of a word in a name for the word to be looked for."""

SHORTEST_MISSPELT = 4
"""Fewest letters of a word in a name for one letter, not the first, to be wrong."""


def named(question: str, names: Iterable[str]) -> tuple[str, ...]:
    """Those of `names` (case-folded) that share the most words with `question`; () for none.

    Case is ignored, since recognised speech has none.
    """
    said = {word for word in alphabetic(question) if len(word) >= SHORTEST}
    shared = {name: len(said & set(alphabetic(name))) for name in names}
    most = max(shared.values(), default=0)
    found = (name for name, count in shared.items() if count == most and most and tells(name))
    return tuple(found)


def of_another(question: str, passage: Passage, persons: Iterable[str] = ()) -> bool:
    """Whether `passage` says nothing about the persons or things that `question` is about.

    Those are all `persons`, whom it names, and the owner of a number or address it asks for.
    """
    asked = _folded(question)
    about = _folded(" ".join((passage.text, passage.title, passage.place, *passage.people)))
    known = set(alphabetic(about))
    names = [name for name in map(_name, persons) if name]
    if not all(_holds(known, word) for name in names for word in name):
        return True
    if names and any(asks.search(asked) and not tell.search(about) for asks, tell in ASKED):
        return True
    roles = [alphabetic(role) for role in chain(*ROLE.findall(asked)) if role]
    if any(not any(_holds(known, word) for word in role) for role in roles):
        return True
    if passage.kind != "contact":
        return False
    owners = [*OWNER.findall(asked), *OWNED.findall(asked)]
    return bool(owners) and known.isdisjoint(owners)


def _folded(text: str) -> str:
    """The text without case and accents, which cannot be heard."""
    apart = unicodedata.normalize("NFKD", text.casefold().replace("’", "'"))
    return "".join(sign for sign in apart if not unicodedata.combining(sign))


def _name(person: str) -> list[str]:
    """The words that a person is known by: "Dr. A. Pell" is known by one."""
    words = alphabetic(_folded(person))
    return [word for word in words if len(word) > 1 and word not in HONORIFICS and tells(word)]


def _holds(known: Set[str], word: str) -> bool:
    """Whether `word` is in `known`, or one that is heard or written for it."""
    if word in known or len(word) < SHORTEST_MISSPELT:
        return word in known
    near = (other for other in known if other[0] == word[0] and abs(len(other) - len(word)) < 2)
    return any(OSA.distance(word, other, score_cutoff=1) <= 1 for other in near)
