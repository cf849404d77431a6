"""What fits is timed beside what does not, and a slow reading of either shows."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from assistant.bench import understanding
from assistant.bench.stages import HOME
from assistant.core.models.manifest import Library
from nlu.classifier.encoder import MODEL
from nlu.text.canonical import Canonical, canonical


@pytest.fixture(autouse=True)
def brief(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(understanding, "TIMED", 20)


@pytest.mark.depth
def test_both_sorts_are_timed() -> None:
    figures = understanding.measure(HOME, runs=1)
    assert 0 < figures.match_ms <= figures.match_p99_ms
    assert 0 < figures.no_match_ms <= figures.no_match_p99_ms
    assert figures.ratio == pytest.approx(figures.no_match_ms / figures.match_ms, rel=0.05)
    here = MODEL in Library(Path("/nowhere")).artefacts
    assert (figures.models_ms is not None) == here


@pytest.mark.depth
def test_talk_that_takes_long_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Control: 10 ms more for what nobody commands."""

    def slow(text: str) -> Canonical:
        if text.startswith(("my brother", "the teacher", "our ", "his ", "her ", "that ", "the ")):
            time.sleep(0.01)
        return canonical(text)

    monkeypatch.setattr(understanding, "models_side_by_side", lambda *_: None)
    monkeypatch.setattr(understanding, "canonical", slow)
    assert understanding.measure(HOME, runs=1).ratio > 3
