"""Markdown: CommonMark with tables, read as the HTML that it stands for."""

from __future__ import annotations

import re

from markdown_it import MarkdownIt

from assistant.answer.ingest.formats import html
from assistant.answer.ingest.formats.dated import dated, day_in
from assistant.answer.ingest.formats.text import decoded
from assistant.answer.ingest.formats.wording import begins_entry, clean, is_diary
from assistant.answer.knowledge.passages import Document

_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?\n)?(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_TITLE = re.compile(r"^title:[ \t]*(.+)$", re.MULTILINE | re.IGNORECASE)
_DATE = re.compile(r"^(?:date|created):[ \t]*(.+)$", re.MULTILINE | re.IGNORECASE)
# None of these goes on over what it begins with, so that each is looked for once.
_TICKED = re.compile(r"^([ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+)\[([ xX])\][ \t]+(.*)$", re.MULTILINE)
_LABELLED = re.compile(r"^(\w[^:\n|]{0,40}: .*)\n(?=\w[^:\n|]{0,40}: )", re.MULTILINE)
"""A line with a label before one with another: no paragraph, though no line is empty between."""
_NOTE_MARK = re.compile(r"\[\^[^\[\]\s]+\]:?")
_WIKI_LINK = re.compile(r"!?\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]")
_MARKDOWN = MarkdownIt("commonmark").enable("table")


def parse(name: str, content: bytes) -> Document:
    """The document in `content`: front matter gives title and date; code blocks are left out."""
    text = decoded(name, content).replace("\r\n", "\n")
    front = _FRONT_MATTER.match(text)
    text = text[front.end() :] if front else text
    for pattern, said in (
        (_TICKED, _ticked),
        (_NOTE_MARK, ""),
        (_WIKI_LINK, r"\1"),
        (_LABELLED, r"\1\n\n"),
    ):
        text = pattern.sub(said, text)
    text = "\n\n".join(map(_entries_apart, text.split("\n\n")))
    found = _TITLE.search(front[1] or "") if front else None
    title = clean(found[1].strip().strip("\"'")) if found else ""
    written = _DATE.search(front[1] or "") if front else None
    document = html.parse(name, f"<body>{_MARKDOWN.render(text)}</body>", title)
    return dated(document, day_in(written[1])) if written else document


def _entries_apart(block: str) -> str:
    """A block of a diary with each entry as a paragraph; any other block as it is."""
    lines = block.splitlines()
    if not is_diary(lines):
        return block
    return "\n".join(f"\n{line}" if begins_entry(line) else line for line in lines)


def _ticked(found: re.Match[str]) -> str:
    return f"{found[1]}{found[3]}{'' if found[2] == ' ' else ' (done)'}"
