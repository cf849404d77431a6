"""Canaries judge by what the assistant goes by, and leave room for another good model."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from assistant.core.canary import FILE, Canaries, Case, judge, load_canaries
from assistant.core.errors import ModelError
from assistant.core.manifest import Library

TEN = Canaries(share=0.8, cases=tuple(Case(input=n, output=n * n) for n in range(10)))


@pytest.mark.parametrize("wrong", [0, 1, 2])
def test_a_model_that_answers_most_of_them_passes(wrong: int) -> None:
    judge(TEN, lambda n: n * n if n >= wrong else "?", "squares 2")


@pytest.mark.parametrize("wrong", [3, 10])
def test_one_that_does_not_is_refused_with_the_first_that_came_out_otherwise(wrong: int) -> None:
    with pytest.raises(ModelError) as fault:
        judge(TEN, lambda n: n * n if n >= wrong else None, "squares 2")
    assert fault.value.code == "model.canary"
    said = f"squares 2: {10 - wrong} of 10 canaries come out as recorded, and 80% must"
    assert fault.value.message == f"{said}; the first that does not: 0"


def test_what_was_recorded_is_read_and_what_is_damaged_is_told(tmp_path: Path) -> None:
    library = Library(tmp_path / "pulled", tmp_path)
    assert load_canaries(library, "squares") is None
    (tmp_path / "squares").mkdir()
    (tmp_path / "squares" / FILE).write_bytes(msgspec.json.encode(TEN))
    assert load_canaries(library, "squares") == TEN
    (tmp_path / "squares" / FILE).write_bytes(b'{"share": 1}')
    with pytest.raises(ModelError, match="install the assistant again"):
        load_canaries(library, "squares")
