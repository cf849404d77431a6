"""Whatever is said, nothing raises, and what is no command has no effect."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from assistant.composition import Composition
from benchmarks.understanding.fuzz import composed, fuzz
from benchmarks.understanding.strings import strings
from nlu.text.canonical import canonical
from tests.support.effort import cpu_s

COUNTS = (50, pytest.param(500, marks=pytest.mark.depth))
"""Strings here; `python -m benchmarks.understanding.fuzz` gives 200,000: see docs/figures.md."""
LONGEST_S = 20.0
"""Of one text, on a machine that is busy with other things as well."""


@pytest.fixture(scope="module")
def composition(tmp_path_factory: pytest.TempPathFactory, cache: Path) -> Composition:
    return composed(tmp_path_factory.mktemp("fuzz"), cache)


@pytest.mark.parametrize("count", COUNTS)
def test_hostile_strings_do_nothing(composition: Composition, count: int) -> None:
    found = fuzz(composition, islice(strings(seed=20), count))
    assert (found.strings, found.exceptions, found.effects) == (count, 0, 0)
    assert 0 < found.commands < count / 20  # of the word soup, some


def test_a_command_and_a_fault_are_seen(
    composition: Composition, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Control."""
    assert fuzz(composition, [("turn on the window light", False)]).effects == 1
    assert fuzz(composition, [("turn on the window light", True)]).effects == 0
    monkeypatch.setattr("benchmarks.understanding.fuzz.canonical", lambda text: text[99])
    assert fuzz(composition, [("turn on the window light", False)]).exceptions == 1


@pytest.mark.parametrize(
    "text",
    [
        "<rule> {name} [a|b] (c|d) {0..100:brightness}",
        "TO%+HPUNV!Cu||7elJ^[(`C''t8fjS|DIC\x0bFX?",
    ],
)
def test_what_nobody_can_say_is_no_command(composition: Composition, text: str) -> None:
    """Regressions: the intent model took these words for a command."""
    assert fuzz(composition, [(text, False)]).effects == 0


@pytest.mark.parametrize("words", ["kemi, no wait, ", "and ", "lights, no, on, and then "])
def test_the_search_for_parts_ends(composition: Composition, words: str) -> None:
    interpreter = composition.understanding.interpreter(composition.understanding.templates)

    def read() -> None:
        interpreter(canonical(words * 40), composition.now())
        interpreter(canonical(words * 12), composition.now())

    assert cpu_s(read) < LONGEST_S
