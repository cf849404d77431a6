"""Plain text: encodings, wrapped lines, and headings recognised by how they look."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

from assistant.answer.ingest.formats.columns import apart, has_columns
from assistant.answer.ingest.formats.outline import Outline
from assistant.answer.ingest.formats.wording import LABELLED, starts_item, unwrapped, wrapped_at
from assistant.answer.knowledge.passages import Document
from assistant.core.errors import AnswerError
from assistant.english.dates import ENTRY_DAY
from assistant.english.documents import CHAPTER_HEADING

LONGEST_HEADING = 70
"""Most characters of a heading."""
LONGEST_OPENING, OPENING_WORDS = 50, 7
"""Most characters and words of a heading that only its place shows, above the lines it heads."""
OPENING_LEVEL = 9
"""Level of such a heading, below all others."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROL = bytes(set(range(32)) - set(b"\t\n\v\f\r\x1b\b"))
_RULE = re.compile(r"\s*([=~^*#_+\-—])\1{2,}\s*")
_TERM = re.compile(rf"{LABELLED.pattern}|[^.!?:;]{{1,40}} [–—-] \S")
_NUMBERED = re.compile(r"(\d{1,2}(?:\.\d{1,2}){0,3})\.?\s+[^\W\d_].*[^.,;:!?]")


def parse(name: str, content: bytes) -> Document:
    """The document in `content`; headings are underlined, numbered, in capitals, or short lines
    above what they head.

    Raises `AnswerError` when `content` is no text.
    """
    lines = decoded(name, content).expandtabs(4).splitlines()
    outline, width = Outline(), wrapped_at(lines)
    for block in _blocks(lines):
        if isinstance(block, tuple):
            outline.heading(*block)
            continue
        if _opens(block, width):
            outline.heading(OPENING_LEVEL, block.pop(0))
        for spoken, lines in apart(block):
            for line in lines if spoken else unwrapped(lines, width):
                outline.line(line)
    return outline.document(name)


def decoded(name: str, content: bytes) -> str:
    """`content` as text: by its byte order mark, as UTF-8, else as Windows-1252.

    Raises `AnswerError` for what is text in none of them.
    """
    refuse_binary(name, content)
    encoding = next((e for mark, e in _MARKS if content.startswith(mark)), "utf-8")
    try:
        return content.decode(encoding)
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")


def refuse_binary(name: str, content: bytes) -> None:
    """Raise `AnswerError` for `content` with bytes that occur in no text."""
    head = content[:65536]
    if any(content.startswith(mark) for mark, _ in _MARKS):
        return
    if b"\0" in head or len(head.translate(None, _CONTROL)) < 0.99 * len(head):
        raise AnswerError("answer.unreadable", f"{name} holds no text")


def _blocks(lines: list[str]) -> Iterator[list[str] | tuple[int, str]]:
    block: list[str] = []
    for number, line in enumerate(lines):
        before = lines[number - 1] if number else ""
        after = lines[number + 1] if number + 1 < len(lines) else ""
        level = _level(before, line, after) or _numbered(lines, number)
        if block and has_columns(block[-1]) and _RULE.fullmatch(line):
            continue
        if level or not line.strip() or _RULE.fullmatch(line):
            if block:
                yield block
            block = []
            if level:
                yield level, _unnumbered(line)
        else:
            block.append(line)
    if block:
        yield block


def _opens(block: list[str], width: int) -> bool:
    """Whether the first line of a block is the heading of the others: short, and no sentence.

    They must be more than an address or a list of names: have a sentence, an item or a row.
    """
    first, rest = block[0].strip(), block[1:]
    if not rest or len(first) > min(LONGEST_OPENING, max(width, LONGEST_OPENING) * 0.6):
        return False
    if len(first.split()) > OPENING_WORDS or not first[0].isupper() or first[-1] in ".,;:!?)":
        return False
    if ": " in first or has_columns(block[0]) or starts_item(block[0]):
        return False
    second = rest[0].strip()
    if second[0].islower() and not has_columns(rest[0]):
        return False
    listed = starts_item(rest[0]) or has_columns(rest[0]) or _TERM.match(second)
    return bool(listed) or any(line.rstrip()[-1:] in ".!?" for line in rest)


def _level(before: str, line: str, after: str) -> int:
    text = line.strip()
    if not 2 <= len(text) <= LONGEST_HEADING or _RULE.fullmatch(line) or has_columns(line):
        return 0
    rule = _RULE.fullmatch(after)
    if rule and (not before.strip() or _RULE.fullmatch(before)) and len(after) >= len(line) / 2:
        return 1 if rule[1] in "=#*" else 2
    if before.strip():
        return 0
    if text.isupper() and sum(map(str.isalpha, text)) > 3 and text[-1] not in ".,;:":
        return 2
    return 2 if not after.strip() and CHAPTER_HEADING.fullmatch(text) else 0


def _numbered(lines: list[str], number: int) -> int:
    """The level of a heading such as "2.1 Pressure", 0 for anything else."""
    around = lines[max(0, number - 1) : number] + lines[number + 1 : number + 2]
    found = _NUMBERED.fullmatch(lines[number].strip())
    if (
        found is None
        or ENTRY_DAY.match(found[0])
        or len(found[0]) > LONGEST_HEADING
        or any(map(str.strip, around))
    ):
        return 0
    # List items follow each other; below a heading there is text.
    depth = found[1].count(".")
    before = next((lines[at] for at in range(number - 1, -1, -1) if lines[at].strip()), "")
    after = next((lines[at] for at in range(number + 1, len(lines)) if lines[at].strip()), "")
    neighbours = [other for line in (before, after) if (other := _NUMBERED.fullmatch(line.strip()))]
    is_item = not after or any(other[1].count(".") == depth for other in neighbours)
    return 0 if is_item else 3 + depth


def _unnumbered(line: str) -> str:
    return re.sub(r"^\s*\d{1,2}(?:\.\d{1,2}){0,3}\.?\s+(?=[^\W\d_])", "", line)
