"""Is a wording the source's own words in a row, cut where nothing of their meaning is cut off?

A small generator knows which words answer better than how to put others around them. So what it
says of a document counts only as a quotation: no word added, moved or left out inside.
"""

from __future__ import annotations

import re

from assistant.english.dates import within_value

_TOKEN = re.compile(r"[\w$€£°%]+(?:[.,:'’/+-]+[\w$€£°%]+)*|[^\w\s]")
_PUNCTUATION = re.compile(r"[^\w\s$€£°%]+")

_GOES_ON = "and but so because which who while where whereas although though"
GOES_ON = frozenset(_GOES_ON.split())
"""A quotation may end before these, as before punctuation …"""
_TAKES_BACK = "unless except if until till when whenever provided only without before after or than"
TAKES_BACK = frozenset(_TAKES_BACK.split())
"""… that none of these follows: they say when it does not hold."""
_HOLDS_ON = """
    not no never nor neither without before after until till by under over above below about around
    almost nearly roughly some up least most than less more except unless if only between to a an
    the of and or every each per half both either for from within beyond against like as minus plus
"""
HOLDS_ON = frozenset(_HOLDS_ON.split())
"""A quotation may not begin behind these: they belong to what follows."""


def quoted(text: str, source: str, answer: str) -> str:
    """`text` as it stands in `source`, with a capital and a full stop; "" where it is no quotation.

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
    """Each token in lower case, with its first and last character; closing marks left out."""
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
