"""Reads and rewrites our annotated sentences.

One is `turn off the [bedroom lamp](name) in [ten minutes](duration)`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

_SLOT = re.compile(r"\[([^\[\]]+)\]\(([a-z_]+)\)")


@dataclass(frozen=True)
class Span:
    """The characters `start` to `end` of a text, with their label."""

    start: int
    end: int
    label: str


@dataclass(frozen=True)
class Sentence:
    """A text with its spans in order, its intent ("" when unknown) and the name of its set."""

    text: str
    spans: tuple[Span, ...] = ()
    intent: str = ""
    origin: str = ""


def parse(line: str, intent: str = "", origin: str = "") -> Sentence:
    """Read one annotated line; raises `ValueError` for a bracket that is no mark-up."""
    text, spans, last = "", [], 0
    for found in _SLOT.finditer(line):
        text += line[last : found.start()]
        spans.append(Span(len(text), len(text) + len(found[1]), found[2]))
        text += found[1]
        last = found.end()
    text += line[last:]
    if set("[]") & set(text):
        raise ValueError(f"mark-up is not [words](slot): {line!r}")
    return Sentence(text, tuple(spans), intent, origin)


def read(file: Path) -> Iterator[Sentence]:
    """The sentences of a file, each with the intent of the header above it.

    Raises `ValueError` with file and line for what cannot be read.
    """
    intent = ""
    for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
        stripped = line.strip()
        if stripped.startswith("# intent:"):
            intent = stripped.removeprefix("# intent:").strip()
        elif stripped and not stripped.startswith("#"):
            try:
                yield parse(stripped, intent, file.stem)
            except ValueError as error:
                raise ValueError(f"{file}:{number}: {error}") from error


def replaced(sentence: Sentence, other: Callable[[Span, str], str]) -> Sentence:
    """The sentence with each span's words replaced by what `other` returns for them."""
    text, spans, last = "", [], 0
    for span in sentence.spans:
        text += sentence.text[last : span.start]
        said = other(span, sentence.text[span.start : span.end])
        spans.append(Span(len(text), len(text) + len(said), span.label))
        text += said
        last = span.end
    return Sentence(text + sentence.text[last:], tuple(spans), sentence.intent, sentence.origin)
