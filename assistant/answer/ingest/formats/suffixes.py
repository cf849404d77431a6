"""What a file that can be read may be called; apart from the parsers, which are heavy to load."""

from __future__ import annotations

SUFFIXES = frozenset(
    {
        *(".txt", ".text", ".md", ".markdown"),
        *(".html", ".htm", ".xhtml", ".pdf", ".epub"),
        *(".ics", ".ical", ".vcf", ".vcard"),
    }
)
"""In lower case; of a folder only such files are wanted."""
