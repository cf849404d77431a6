"""Turns headings and lines into sections, each placed under the headings above it."""

from __future__ import annotations

from assistant.answer.ingest.formats.wording import LONGEST_TITLE, clean, title_of
from assistant.answer.knowledge.passages import BELOW, Document, Section


class Outline:
    """Takes a file's headings and lines in order and gives the document.

    A heading with nothing below it is kept as a line, so that no word is lost.
    """

    def __init__(self) -> None:
        self._path: list[tuple[int, str]] = []
        self._lines: list[str] = []
        self._bare = False
        self._found: list[tuple[tuple[str, ...], str]] = []

    def heading(self, level: int, text: str) -> None:
        """Take a heading; 1 is the highest level."""
        text = clean(text)[:LONGEST_TITLE]
        if not text:
            return
        if self._bare and self._path and level <= self._path[-1][0]:
            self._keep_bare()
        self._close()
        while self._path and self._path[-1][0] >= level:
            self._path.pop()
        self._path.append((level, text))
        self._bare = True

    def line(self, text: str) -> None:
        """Take a paragraph, list item or table row, unwrapped."""
        if text := clean(text):
            self._lines.append(text)
            self._bare = False

    def document(self, name: str, title: str = "", fallback: str = "") -> Document:
        """The whole document; its title is `title`, else the single top heading, else `fallback`.

        Where there is none of these, it is the file's `name`.
        """
        if self._bare:
            self._keep_bare()
        self._close()
        roots = {path[0] for path, _ in self._found if path}
        root = roots.pop() if len(roots) == 1 else ""
        called = title or root or clean(fallback)[:LONGEST_TITLE] or title_of(name)
        # A heading above all others does not say where something stands.
        skip = 1 if root and called == root else 0
        return Document(
            title=called,
            sections=tuple(
                Section(text=text, place=BELOW.join(path[skip:])) for path, text in self._found
            ),
        )

    def _close(self) -> None:
        if self._lines:
            path = tuple(text for _, text in self._path)
            self._found.append((path, "\n".join(self._lines)))
            self._lines = []

    def _keep_bare(self) -> None:
        _, text = self._path.pop()
        self._lines.append(text)
        self._close()
        self._bare = False
