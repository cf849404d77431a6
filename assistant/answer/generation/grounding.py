"""Does a sentence say only what its sources say? Names, numbers, dates, units and negations.

Facts are compared in runs, in the order of their words: "3 May 1911" and "Mary Smith" must stand in
one source just so, and a number with the unit it has there. So no two facts are mixed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from assistant.english.dates import MONTHS, WEEKDAYS
from assistant.english.negation import NEGATIONS
from assistant.english.numbers import FIGURES
from assistant.english.stems import without_possessive
from assistant.english.stop_words import COMMON
from assistant.english.units import UNIT_FORMS

_TOKEN = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+(?:['’.-][^\W\d_]+)*|[%$€£°]")
_ORDINAL = re.compile(r"(st|nd|rd|th)$")


def ungrounded(sentence: str, sources: Sequence[str]) -> list[str]:
    """What `sentence` states and no source does, in its order; empty when it is grounded.

    A negation that is in the sentence but not in the first source, which is the one being spoken,
    or the reverse, is given as "not".
    """
    known = [_joined(_terms(source)) for source in sources]
    missing = [
        " ".join(run)
        for run in _facts(sentence, " ".join(sources))
        if not any(_joined(run) in text for text in known)
    ]
    if sources and _negated(sentence) != _negated(sources[0]):
        missing.append("not")
    return missing


def _facts(sentence: str, sources: str) -> Iterator[list[str]]:
    """Runs of names, or of numbers with the words of date or measure beside them."""
    lower = {token for token in _terms(sources) if token.islower()}
    run: list[str] = []
    for place, token in enumerate(_terms(sentence)):
        kind = _kind(token, place == 0, lower)
        if run and kind is not _kind(run[-1], False, lower) and not _goes_on(run[-1], token):
            yield run
            run = []
        if kind is not None or (run and _goes_on(run[-1], token)):
            run.append(token)
    if run:
        yield run


def _kind(token: str, first: bool, lower: set[str]) -> str | None:
    """The kind: "number" (parts of dates are), "name", or None for what states no fact."""
    word = token.lower()
    # "may" is more often a verb.
    month = word in MONTHS and (word != "may" or (token != word and not first))
    if _is_number(word) or month or word in WEEKDAYS:
        return "number"
    # The first word of a sentence owes its capital to that, unless nothing else contains it.
    if not token[0].isupper() or word in COMMON or (first and word in lower):
        return None
    return "name"


def _goes_on(before: str, token: str) -> bool:
    return _is_number(before.lower()) and token.lower() in UNIT_FORMS


def _is_number(word: str) -> bool:
    return word[0].isdigit() or word in FIGURES


def _terms(text: str) -> list[str]:
    return [without_possessive(token) for token in _TOKEN.findall(text)]


def _joined(terms: Sequence[str]) -> str:
    """The terms between spaces, in a form that does not depend on how a number is written."""
    return f" {' '.join(_plain(term.lower()) for term in terms)} "


def _plain(word: str) -> str:
    if word[0].isdigit():
        return _ORDINAL.sub("", word.replace(",", ""))
    if word in FIGURES:
        return FIGURES[word]
    return UNIT_FORMS.get(word, word)


def _negated(text: str) -> bool:
    words: list[str] = [token.lower().replace("’", "'") for token in _TOKEN.findall(text)]
    said = [word for word in words if word in NEGATIONS or word.endswith("n't")]
    return len(said) % 2 == 1
