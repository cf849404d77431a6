"""The suffixes of readable files; apart from the parsers, which are slow to load."""

from __future__ import annotations

CALENDARS = frozenset({".ics", ".ical"})
SUFFIXES = CALENDARS | frozenset(
    {
        *(".txt", ".text", ".md", ".markdown"),
        *(".html", ".htm", ".xhtml", ".pdf", ".epub"),
        *(".vcf", ".vcard"),
    }
)
"""Suffixes in lower case; only such files of a folder are wanted."""
