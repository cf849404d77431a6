"""Is a wording the source's own words in a row, cut only where that does not change their meaning?

A small generator is better at knowing which words answer than at putting other words around them.
So what it says of a document counts only as a quotation: no word added, moved or left out inside.
"""

from __future__ import annotations

import re

from assistant.english.clauses import GOES_ON, HOLDS_ON, TAKES_BACK
from assistant.english.dates import within_value

_TOKEN = re.compile(r"[\w$€£°%]+(?:[.,:'’/+-]+[\w$€£°%]+)*|[^\w\s]")
_PUNCTUATION = re.compile(r"[^\w\s$€£°%]+")


def quoted(text: str, source: str, answer: str) -> str:
    """The quotation in `source` that `text` is, with a capital and a full stop; "" where it is
    none.

    It must hold the words of `answer`, which are in `source`.
    """
    words, wanted = _words(source), [word for word, _, _ in _words(text)]
    plain = [word for word, _, _ in words]
    held = [word for word, _, _ in _words(answer)]
    for start in range(len(plain) - len(wanted) + 1):
        end = start + len(wanted)
        inside = wanted and plain[start:end] == wanted and _within(held, wanted)
        if inside and _begins(plain, start) and _ends(plain, end):
            first, last = words[start][1], words[end - 1][2]
            if not (within_value(source, first) or within_value(source, last)):
                return _closed(source[first:last])
    return ""


def _words(text: str) -> list[tuple[str, int, int]]:
    """Each token in lower case, with its first and last character; closing marks are left out."""
    found = [(m.group().lower(), m.start(), m.end()) for m in _TOKEN.finditer(text)]
    while found and _PUNCTUATION.fullmatch(found[-1][0]):
        found.pop()
    return found


def _within(held: list[str], words: list[str]) -> bool:
    size = len(held)
    return any(words[at : at + size] == held for at in range(len(words) - size + 1))


def _begins(plain: list[str], start: int) -> bool:
    return start == 0 or plain[start - 1] not in HOLDS_ON


def _ends(plain: list[str], end: int) -> bool:
    rest = plain[end : end + 2]
    if not rest or rest[0] in GOES_ON:
        return True
    return bool(_PUNCTUATION.fullmatch(rest[0])) and rest[-1] not in TAKES_BACK


def _closed(text: str) -> str:
    return f"{text[0].upper()}{text[1:].rstrip(',;:')}."
