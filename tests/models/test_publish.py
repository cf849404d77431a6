"""A model's entry in the manifest: added once, replaced in place, read back by the assistant."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.core.errors import ModelError
from assistant.core.models.calibration import FILE
from assistant.core.models.manifest import Library, ModelState, load_manifest
from models.training.config import MODELS
from models.training.publish import Entry, publish, with_entry

BEFORE = (
    '# Comment.\n\n[one]\nversion = "1"\nfiles = [\n  { name = "x" },\n]\n\n[two]\nversion = "2"\n'
)


def entry(version: str) -> Entry:
    return Entry(
        version=version,
        kind="slots",
        summary="s",
        licence="l",
        inputs={"a": "int64[n]"},
        outputs={"b": "float32[n]"},
    )


def test_a_new_entry_comes_last_and_others_stay() -> None:
    after = with_entry(BEFORE, "three", entry("3"), {"m": b"1"})
    assert after.startswith(BEFORE)
    assert "\n\n[three]\n" in after


def test_an_entry_is_replaced_where_it_stands() -> None:
    once = with_entry(BEFORE, "one", entry("9"), {"m": b"1"})
    assert once.index("[one]") < once.index("[two]")
    assert once.count("[one]") == 1
    assert 'version = "1"' not in once
    assert with_entry(once, "one", entry("9"), {"m": b"1"}) == once


def test_what_is_published_is_shipped_and_checked(tmp_path: Path) -> None:
    (tmp_path / "manifest.toml").write_text("# Models.\n", "utf-8")
    publish("new", entry("1"), {"model.onnx": b"bytes", "labels.json": b"[]"}, tmp_path)
    library = Library(tmp_path / "pulled", tmp_path)
    assert library.state("new") is ModelState.SHIPPED
    assert library.read("new") == {"model.onnx": b"bytes", "labels.json": b"[]"}
    (tmp_path / "new" / "model.onnx").write_bytes(b"other")
    with pytest.raises(ModelError, match="corrupt"):
        library.read("new")


def test_a_calibration_stays_where_a_model_is_trained_again(tmp_path: Path) -> None:
    (tmp_path / "manifest.toml").write_text("# Models.\n", "utf-8")
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / FILE).write_bytes(b"{}")
    publish("new", entry("2"), {"model.onnx": b"bytes"}, tmp_path)
    library = Library(tmp_path / "pulled", tmp_path)
    assert library.read("new") == {"model.onnx": b"bytes", FILE: b"{}"}


@pytest.mark.parametrize("name", ["intent", "ner"])
def test_the_models_that_ship_are_whole_and_small(name: str) -> None:
    assert load_manifest(MODELS / "manifest.toml")[name].shipped
    content = Library(Path("nowhere")).read(name)
    assert len(content["model.onnx"]) <= 25_000_000
