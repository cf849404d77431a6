"""Expressions are flattened, and neighbouring words joined."""

from __future__ import annotations

import re

import pytest
from hassil.expression import Alternative, Sequence, TextChunk

from nlu.grammar.flatten import flat_sequence


def test_neighbouring_words_are_joined() -> None:
    apart = Alternative([TextChunk("a"), TextChunk("b")])
    inner = Sequence([TextChunk("the "), TextChunk(" lamp"), TextChunk("")])
    flat = flat_sequence(Sequence([TextChunk("turn "), inner, apart, TextChunk("")]))
    assert isinstance(flat, Sequence)
    first, second = flat.items
    assert first == TextChunk("turn the lamp")
    assert second is apart


def test_very_many_words_are_joined_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    joined: list[int] = []
    sub = re.sub

    def counted(pattern: str, by: str, text: str) -> str:
        joined.append(len(text))
        return sub(pattern, by, text)

    monkeypatch.setattr(re, "sub", counted)
    flat = flat_sequence(Sequence([TextChunk("word ")] * 1000))
    assert flat == TextChunk("word " * 1000)
    assert sum(joined) == 5 * 1000
