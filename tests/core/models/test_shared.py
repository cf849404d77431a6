"""A table that several models hold is in memory once."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.core.models import shared, tokens
from assistant.core.models.manifest import SHIPPED, Library
from assistant.core.models.session import Session, run, session_of_bytes
from tests.support.handmade_onnx import INT64, argument, field, model, node

INT8 = 3
ROWS = shared.LARGE_BYTES // 2


@pytest.fixture(autouse=True)
def kept(monkeypatch: pytest.MonkeyPatch) -> list[shared.Table]:
    """The tables that are kept during a test, as are tokenizers."""
    monkeypatch.setattr(tokens, "KEPT", {})
    monkeypatch.setattr(shared, "KEPT", [])
    return shared.KEPT


def looking_up(table: NDArray[np.int8], rows: int = ROWS) -> bytes:
    """A model whose output is the `ids` rows of its table."""
    shape = field(1, rows) + field(1, 2)
    words = shape + field(2, INT8) + field(8, "words") + field(9, table.tobytes())
    found = [node("Gather", ["words", "ids"], "y")]
    return model(found, [words], [argument("ids", INT64, "n")], argument("y", INT8, "n", 2))


def rows(session: Session, *numbers: int) -> list[list[int]]:
    """The rows of those numbers."""
    return run(session, {"ids": np.array(numbers, np.int64)}).tolist()


def a_table(first: int) -> NDArray[np.int8]:
    table = np.zeros((ROWS, 2), np.int8)
    table[0] = first
    return table


def test_a_session_uses_the_memory_of_a_table_that_is_kept(kept: list[shared.Table]) -> None:
    shared.keep(looking_up(a_table(7)))
    session = session_of_bytes(looking_up(a_table(7)))
    assert rows(session, 0, 1) == [[7, 7], [0, 0]]
    kept[0][1] = 3
    assert rows(session, 0, 1) == [[7, 7], [3, 3]]


def test_a_model_with_another_table_keeps_its_own(kept: list[shared.Table]) -> None:
    shared.keep(looking_up(a_table(7)))
    session = session_of_bytes(looking_up(a_table(8)))
    kept[0][:] = 3
    assert rows(session, 0, 1) == [[8, 8], [0, 0]]


def test_a_tensor_that_is_smaller_than_it_says_is_no_table(kept: list[shared.Table]) -> None:
    shared.keep(looking_up(a_table(7), rows=ROWS + 1))
    assert not kept


def test_the_shipped_models_are_given_what_the_zygote_keeps(
    kept: list[shared.Table],
) -> None:
    shared.keep_shared()
    library = Library(SHIPPED)
    (table,) = kept
    for name in ("intent", "ner", "reader"):
        ((_, given),) = shared.shared(library.read(name)["model.onnx"])
        assert given is table
        assert library.read(name)["tokenizer.json"] in tokens.KEPT


def test_without_a_sound_source_nothing_is_kept(
    kept: list[shared.Table],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(shared, "SOURCE", "no such model")
    shared.keep_shared()
    assert not kept
    assert "models share nothing" in caplog.text
