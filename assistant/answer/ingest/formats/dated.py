"""The day that a note belongs to: from its heading, its front matter or its file's name."""

from __future__ import annotations

import re
from datetime import date

import msgspec

from assistant.answer.knowledge.passages import Document

_DAY = re.compile(r"(?<!\d)(\d{4})([-_. ]?)(\d\d)\2(\d\d)(?!\d)")


def day_in(text: str) -> str:
    """The first date of the form 2026-11-21, or 20261121, as ISO 8601; "" for none."""
    for found in _DAY.finditer(text):
        try:
            return date(int(found[1]), int(found[3]), int(found[4])).isoformat()
        except ValueError:
            continue
    return ""


def dated(document: Document, day: str) -> Document:
    """The document with a day for each section: from its heading, else `day`, else the title.

    The time of a file's last change says nothing: copying the file changes it.
    """
    day = day or day_in(document.title)
    sections = tuple(
        section
        if section.starts
        else msgspec.structs.replace(section, starts=day_in(section.place) or day)
        for section in document.sections
    )
    return msgspec.structs.replace(document, sections=sections)
