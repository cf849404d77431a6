"""Words without their endings."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from assistant.english.stems import (
    base_verb,
    beginning,
    short_stem,
    singular,
    stem,
    without_possessive,
)


@pytest.mark.parametrize(
    ("gerund", "verb"),
    [
        ("turning", "turn"),
        ("setting", "set"),
        ("closing", "close"),
        ("dimming", "dim"),
        ("telling", "tell"),
        ("ring", "ring"),
        ("light", "light"),
    ],
)
def test_verbs_of_gerunds(gerund: str, verb: str) -> None:
    assert base_verb(gerund) == verb


@pytest.mark.parametrize(
    ("stemmed", "forms"),
    [
        (stem, ("clean", "cleans", "cleaned", "cleaning", "cleanly")),
        (short_stem, ("use", "uses", "used", "using")),
        (beginning, ("garden", "gardener", "gardening")),
        (singular, ("light", "lights")),
        (without_possessive, ("anna", "anna's", "anna’s", "anna'")),
    ],
)
def test_forms_of_a_word_count_as_one(stemmed: Callable[[str], str], forms: tuple[str]) -> None:
    assert len({stemmed(form) for form in forms}) == 1


@pytest.mark.parametrize(
    ("stemmed", "word"),
    [(stem, "used"), (short_stem, "is"), (singular, "is"), (without_possessive, "lens")],
)
def test_what_is_no_ending_stays(stemmed: Callable[[str], str], word: str) -> None:
    assert stemmed(word) == word
