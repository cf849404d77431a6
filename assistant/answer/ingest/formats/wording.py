"""The text of files made fit to be read aloud: clean, unwrapped, with a title."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import PurePath

from assistant.english.dates import ENTRY_DAY

LONGEST_TITLE = 120
LEAST_WRAPPED = 45
"""Fewest characters of a wrapped line; people wrap later, so shorter lines are deliberate."""

_INVISIBLE = re.compile(r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufffe\uffff]")
_LIGATURES = re.compile(r"[\ufb00-\ufb06]")
_BULLET = re.compile(r"\A\s*[-*+•◦▪●○‣·–—\uf0b7]\s+")
_ITEM = re.compile(r"\s*(?:[-*+•◦▪●○‣·–—\uf0b7]|\(?[0-9]{1,3}[.)]|\(?[a-zA-Z][.)])\s+\S")
LABELLED = re.compile(r"[^\W\d_][^.!?:;]{0,40}: \S")
"""The beginning of a line with a label before a colon."""
_HYPHENS = ("-", "\u2010")
_BROKEN = re.compile(r"(?:^|[\s(\"“])([^\W\d_]+)[-\u2010]$")
_COMPOUND = re.compile(r"[^\W\d_]+(?:-\w+)+")
_FIRST_WORD = re.compile(r"[^\W\d_]+")


def clean(text: str) -> str:
    """`text` on one line, single-spaced, without control, invisible and impossible characters."""
    if not text.isascii():
        text = _INVISIBLE.sub("", text.encode("utf-8", "replace").decode("utf-8"))
        text = _LIGATURES.sub(lambda found: unicodedata.normalize("NFKC", found.group()), text)
        text = unicodedata.normalize("NFC", text)
    text = " ".join(text.split())
    if text.isprintable():
        return text
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def title_of(name: str) -> str:
    """What a person would call the file: "dishwasher manual" for `dishwasher-manual.pdf`."""
    return clean(re.sub(r"[-_]+", " ", PurePath(name).stem))[:LONGEST_TITLE]


def wrapped_at(lines: Sequence[str], least: int = LEAST_WRAPPED) -> int:
    """The width in characters that `lines` were wrapped at, 0 when it is below `least`."""
    lengths = sorted(len(line) for line in lines if line.strip())
    width = lengths[len(lengths) * 19 // 20] if lengths else 0
    return width if width >= least else 0


def unwrapped(lines: Sequence[str], width: int, ragged: float = 1.0) -> Iterator[str]:
    """The lines of a block with wrapped ones joined and words broken by a hyphen mended.

    A line was wrapped if the next word had no room within `width` × `ragged`, or if the next line
    continues in lower case; with a `width` of 0 none was. Bullets are removed; a list item begins a
    line of its own, and so does each entry of a diary.
    """
    compounds, diary = _compounds(lines), is_diary(lines)
    whole = ""
    for before, line in zip(["", *lines], lines, strict=False):
        entry = diary and begins_entry(line)
        if whole and not entry and _goes_on(before.strip(), line.strip(), width * ragged):
            whole = _joined(whole, line.strip(), compounds)
            continue
        if whole:
            yield clean(whole)
        whole = _BULLET.sub("", line, count=1).strip()
    if whole:
        yield clean(whole)


def starts_item(line: str) -> bool:
    """Whether a line begins an item of a list, with a bullet or a number."""
    return _ITEM.match(line) is not None


def is_diary(lines: Sequence[str]) -> bool:
    """Whether several lines of a block, the first among them, begin with a day."""
    return len(lines) > 1 and begins_entry(lines[0]) and any(map(begins_entry, lines[1:]))


def begins_entry(line: str) -> bool:
    """Whether a line begins with a day, as an entry of a diary does."""
    return ENTRY_DAY.match(line.lstrip(" *_-+•").replace("*", " ").replace("_", " ")) is not None


def _goes_on(before: str, line: str, width: float) -> bool:
    if not (width and line) or _ITEM.match(line):
        return False
    if before[-1:] in (".", "!", "?") and LABELLED.match(line):
        return False
    if line[0].islower() and before[-1:] not in (".", "!", "?", ":", ";"):
        return True
    return width < len(before) + 1 + len(line.split(maxsplit=1)[0])


def _compounds(lines: Sequence[str]) -> set[str]:
    if not any(line.rstrip().endswith(_HYPHENS) for line in lines):
        return set()
    return {word.casefold() for line in lines for word in _COMPOUND.findall(line)}


def _joined(whole: str, line: str, compounds: set[str]) -> str:
    broken = _BROKEN.search(whole) if whole.endswith(_HYPHENS) else None
    rest = _FIRST_WORD.match(line)
    if broken is None or rest is None or not line[0].islower():
        return f"{whole} {line}"
    # "well-" and "known" belong together with their hyphen where the text has "well-known".
    kept = f"{broken[1]}-{rest.group()}".casefold() in compounds
    return whole + line if kept else whole[:-1] + line
