"""Canaries judge by what the assistant goes by, and leave room for another good model."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pytest

from assistant.core.errors import ModelError
from assistant.core.models.canary import FILE, Canaries, CanaryCase, judge, load_canaries
from assistant.core.models.manifest import SHIPPED, Library

TEN = Canaries(share=0.8, cases=tuple(CanaryCase(input=n, output=n * n) for n in range(10)))


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
    shutil.copy(SHIPPED / "manifest.toml", tmp_path)
    (tmp_path / "ner").mkdir()
    file = tmp_path / "ner" / FILE
    file.write_bytes(msgspec.json.encode(TEN))
    assert load_canaries(library, "ner") == TEN
    for content in (
        b'{"share": 1}',
        b'{"share": 1, "cases": []}',
        b"\xff",
        b'{"share": "\xff"}',
        None,
    ):
        file.unlink()
        if content is not None:
            file.write_bytes(content)
        with pytest.raises(ModelError, match="install the assistant again"):
            load_canaries(library, "ner")
    assert load_canaries(library, "whisper-tiny.en") is None  # it comes with none


def test_the_models_that_are_replaced_have_canaries(tmp_path: Path) -> None:
    for name in ("intent", "ner", "reader", "generator"):
        canaries = load_canaries(Library(tmp_path), name)
        assert canaries is not None, name
        assert 0.5 < canaries.share <= 1.0
        assert len(canaries.cases) > 3


def test_what_cannot_be_read_has_a_code(tmp_path: Path) -> None:
    shutil.copy(SHIPPED / "manifest.toml", tmp_path)
    (tmp_path / "ner" / FILE).mkdir(parents=True)
    with pytest.raises(ModelError) as fault:
        load_canaries(Library(tmp_path / "pulled", tmp_path), "ner")
    assert fault.value.code == "model.canary"
