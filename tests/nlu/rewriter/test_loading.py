"""The rewriter's graph, made once of a pulled model and an adapter that was trained for it."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

from assistant.core.causal import low_rank
from assistant.core.errors import ModelError
from assistant.core.models.manifest import SHIPPED, Library
from assistant.model_files.pull import import_model
from nlu.rewriter import loading
from nlu.rewriter.rewriter import Rewriter
from tests.support import tiny_llama
from tests.support.stand_ins import HOME


@pytest.fixture
def library(tmp_path: Path) -> Library:
    """Models as their owner imports them: a tiny language model, and an adapter of it."""
    manifest = (SHIPPED / "manifest.toml").read_text("utf-8")
    folder = tmp_path / "shipped"
    folder.mkdir()
    row = manifest[manifest.index('  { name = "SmolLM2-135M-Instruct.Q4_1.gguf"') :].split("\n")[0]
    entry = manifest.replace(row, '  { name = "SmolLM2-135M-Instruct.Q4_1.gguf" },')
    before, _, wheel = entry.partition('["smollm2-135m-instruct".wheel]')
    entry = before + wheel[wheel.index("\n[") + 1 :]
    (folder / "manifest.toml").write_text(entry, "utf-8")
    library = Library(tmp_path / "models", shipped=folder)
    base, adapter = tmp_path / "base", tmp_path / "adapter"
    base.mkdir()
    adapter.mkdir()
    tiny_llama.write(base / "SmolLM2-135M-Instruct.Q4_1.gguf", tiny_llama.weights())
    draw = np.random.default_rng(0)
    up, down = (draw.normal(size=size).astype(np.float32) for size in ((64, 4), (4, 64)))
    (adapter / "adapter.npz").write_bytes(low_rank.written([("blk.0.attn_q", up, down)]))
    (adapter / "calibration.json").write_text("{}", "utf-8")
    import_model(library, loading.BASE, base)
    assert not loading.is_here(library)
    import_model(library, loading.ADAPTER, adapter)
    return library


def test_it_is_made_once_and_then_read(library: Library, tmp_path: Path) -> None:
    assert loading.is_here(library)
    cache = tmp_path / "cache"
    first = loading.load(library, cache)
    made = {file: file.stat().st_mtime_ns for file in cache.iterdir()}
    second = loading.load(library, cache)
    assert {file: file.stat().st_mtime_ns for file in cache.iterdir()} == made
    at = datetime(2028, 1, 17, 18, 5)
    rewrites = [Rewriter(*model, HOME)("dim it", "kitchen", at) for model in (first, second)]
    assert rewrites[0] == rewrites[1]


def test_what_is_no_model_is_told_with_the_remedy(library: Library, tmp_path: Path) -> None:
    (library.folder(loading.BASE) / "SmolLM2-135M-Instruct.Q4_1.gguf").write_bytes(b"GGUF")
    with pytest.raises(ModelError, match="is no GGUF file of a language model") as raised:
        loading.load(library, tmp_path / "cache")
    assert library.remedy(loading.BASE) in raised.value.message
