"""Passages with questions and answers in SQuAD's format (Rajpurkar et al. 2016)."""

from __future__ import annotations

import re
import string
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import msgspec

from assistant.core.errors import InputError


class GoldAnswer(msgspec.Struct, frozen=True):
    """One right answer."""

    text: str


class SquadQuestion(msgspec.Struct, frozen=True):
    """A question with its right answers; none where the passages do not answer it."""

    question: str
    answers: tuple[GoldAnswer, ...] = ()


class Paragraph(msgspec.Struct, frozen=True):
    """A passage and its questions."""

    context: str
    qas: tuple[SquadQuestion, ...] = ()


class Article(msgspec.Struct, frozen=True):
    """The passages under one title."""

    paragraphs: tuple[Paragraph, ...]
    title: str = ""


class _SquadFile(msgspec.Struct, frozen=True):
    data: tuple[Article, ...]


class Overlap(NamedTuple):
    """The comparison of an answer with the right ones: exact match, and F1 of the words."""

    exact: bool
    f1: float


def read_articles(file: Path) -> tuple[Article, ...]:
    """The articles of a file; raises `InputError`."""
    try:
        return msgspec.json.decode(file.read_bytes(), type=_SquadFile).data
    except OSError as error:
        raise InputError("eval.unreadable", f"{file}: {error.strerror}") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError("eval.answers", f"{file}: not in SQuAD's format: {error}") from error


def overlap(found: str, right: tuple[GoldAnswer, ...]) -> Overlap:
    """The best comparison with any right answer, ignoring case, punctuation and articles."""
    pairs = [_compare(_words(found), _words(one.text)) for one in right]
    return Overlap(any(p.exact for p in pairs), max((p.f1 for p in pairs), default=0.0))


def _compare(found: list[str], right: list[str]) -> Overlap:
    common = sum((Counter(found) & Counter(right)).values())
    f1 = 2 * common / (len(found) + len(right)) if common else 0.0
    return Overlap(found == right, f1)


def _words(text: str) -> list[str]:
    plain = "".join(c for c in text.lower() if c not in string.punctuation)
    return re.sub(r"\b(a|an|the)\b", " ", plain).split()
