"""Every way of finding is timed, and what finds badly shows."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from assistant.answer.knowledge.vector_index import VectorIndex
from assistant.bench import retrieval
from assistant.bench.passages import PassageSample
from assistant.cli.bench import app

FEW = 400


def test_every_way_is_timed_and_the_last_line_is_one_object() -> None:
    command = ["retrieval", "--passages", str(FEW), "--questions", "10", "--json"]
    result = CliRunner().invoke(app, command, catch_exceptions=False)
    figures = json.loads(result.stdout)
    rows = {row["method"]: row for row in figures["rows"]}
    assert list(rows) == ["sqlite fts5", "numpy", "faiss flat", "faiss compressed"]
    assert all(0 < row["p50_ms"] <= row["p99_ms"] and row["mb"] > 0 for row in rows.values())
    assert rows["numpy"]["recall_at_10"] == rows["faiss flat"]["recall_at_10"] == 1.0
    assert rows["faiss compressed"]["recall_at_10"] >= 0.98
    assert [row["method"] for row in rows.values() if row["used"]] == ["sqlite fts5", "faiss flat"]


def test_a_search_that_finds_anything_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Control: whatever is asked, the ten first passages."""
    first = np.arange(1, 11), np.zeros(10, np.float32)
    monkeypatch.setattr(VectorIndex, "search", lambda *_: first)
    figures = retrieval.measure([FEW], 10)
    assert all(row.recall_at_10 < 0.2 for row in figures.rows if row.method.startswith("faiss"))


def test_the_passages_lie_as_is_said() -> None:
    vectors = PassageSample(2000).vectors
    alike = vectors @ vectors.T
    of_document = [alike[i, i + 1] for i in range(0, 2000, 25)]
    assert np.mean(of_document) == pytest.approx(0.55, abs=0.03)
    assert np.abs(alike).mean() < 0.15
