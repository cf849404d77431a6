"""What people are likely to answer to an open question, for the ear.

An ear that knows of all that may be said loses a quarter of what is as short as "yes".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assistant.english.commands.digits import SPOKEN_DIGITS
from assistant.english.replies import AROUND_CHOICE, SPOKEN_CANCEL, SPOKEN_NO, SPOKEN_YES
from assistant.skill.reply import Choose, Confirm, Query
from skills.picking import pick, refuses, words_of
from skills.rights.pin import AskPin

_MOST = 200
"""Most answers: more would be as hard to tell apart as all that may be said."""
_PLACES = ("first", "second", "third", "fourth")


def likely_answers(query: Query) -> tuple[str, ...]:
    """The answers that are worth an ear of their own, in lower case; () where any value may come.

    Each of them is understood as an answer to `query`.
    """
    match query:
        case Confirm():
            return (*SPOKEN_YES, *SPOKEN_NO, *SPOKEN_CANCEL)
        case Choose():
            return (*_choosing(query.options), *SPOKEN_CANCEL)
        case AskPin():
            return (*SPOKEN_DIGITS, *SPOKEN_CANCEL)
        case _:
            return ()


def _choosing(options: Sequence[str]) -> tuple[str, ...]:
    found = dict.fromkeys(
        phrase for phrase in _phrases(options) if refuses(phrase) or pick(phrase, options)
    )
    return tuple(found)[:_MOST]


def _phrases(options: Sequence[str]) -> Iterator[str]:
    yield from ("neither", "none of them", *SPOKEN_NO)
    if len(options) == 1:
        yield from SPOKEN_YES
    for place in (*_PLACES[: len(options)], "last"):
        yield from (f"the {place}", f"the {place} one", f"{place} one")
    for option in options:
        words = words_of(option)
        yield " ".join(words)
        for size in range(1, len(words)):
            for start in range(len(words) - size + 1):
                part = words[start : start + size]
                if not AROUND_CHOICE.intersection((part[0], part[-1])):
                    said = " ".join(part)
                    yield from (said, f"the {said}", f"the {said} one")
