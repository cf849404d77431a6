"""A language model from its GGUF file to its scores, beside plain NumPy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from assistant.core.causal import gguf, low_rank
from assistant.core.causal.decoder import Decoder
from assistant.core.causal.graph import Adapter, graph
from assistant.core.models.session import session_of_bytes
from tests.support import tiny_llama

IDS = [int(i) for i in np.random.default_rng(1).integers(0, len(tiny_llama.WORDS), 12)]


def decoder(path: Path, adapter: Adapter) -> Decoder:
    return Decoder(session_of_bytes(graph(gguf.read(path), adapter)))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tiny_llama.write(tmp_path / "model.gguf", tiny_llama.weights())


def test_each_token_is_scored_nearly_as_numpy_scores_it(file: Path) -> None:
    model, expected = decoder(file, {}), tiny_llama.by_numpy(tiny_llama.weights(), IDS)
    scores, memory = model.read(IDS[:7], model.nothing())
    assert np.corrcoef(scores, expected[6])[0, 1] > 0.995
    for place, token in enumerate(IDS[7:], 7):
        scores, memory = model.read([token], memory)
        assert np.corrcoef(scores, expected[place])[0, 1] > 0.995
    assert memory.tokens == len(IDS)
    other = tiny_llama.by_numpy(tiny_llama.weights(seed=2), IDS)
    assert np.corrcoef(scores, other[-1])[0, 1] < 0.5


def test_what_was_read_before_is_shared(file: Path) -> None:
    model = decoder(file, {})
    _, shared = model.read(IDS[:5], model.nothing())
    model.read(IDS[8:11], shared)
    scores, _ = model.read(IDS[5:8], shared)
    alone, _ = model.read(IDS[:8], model.nothing())
    assert np.corrcoef(scores, alone)[0, 1] > 0.999


def test_an_adapter_is_added_to_the_matrices_that_it_names(file: Path) -> None:
    draw = np.random.default_rng(3)
    up, down = (draw.normal(size=size).astype(np.float32) for size in ((64, 4), (4, 64)))
    content = low_rank.written([("blk.1.attn_output", up, down)])
    changed = tiny_llama.weights()
    changed["blk.1.attn_output.weight"] += up @ down
    model = decoder(file, low_rank.read(content))
    scores, _ = model.read(IDS, model.nothing())
    assert np.corrcoef(scores, tiny_llama.by_numpy(changed, IDS)[-1])[0, 1] > 0.99
    plain = tiny_llama.by_numpy(tiny_llama.weights(), IDS)[-1]
    assert np.corrcoef(scores, plain)[0, 1] < 0.9


def test_text_becomes_the_file_s_own_pieces_and_each_digit_one(file: Path) -> None:
    tokenizer = gguf.read(file).tokenizer
    assert tokenizer.encode("the the").tokens == ["the", "Ġthe"]
    assert tokenizer.encode("125").tokens == ["1", "2", "5"]
    assert tokenizer.decode(tokenizer.encode("at the 25th\n").ids) == "at the 25th\n"


@pytest.mark.parametrize("content", [b"", b"GGUF", b"GGUF" + bytes(60), b"no such file at all"])
def test_what_is_no_gguf_file_is_refused_in_one_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"model\.gguf is no GGUF file of a language model"):
        gguf.read(path)


def test_a_model_of_another_family_is_refused(tmp_path: Path) -> None:
    path = tiny_llama.write(tmp_path / "model.gguf", tiny_llama.weights(), family="bert")
    with pytest.raises(ValueError, match="bert"):
        gguf.read(path)


@pytest.mark.parametrize("content", [b"", b"PK", b"\x93NUMPY"])
def test_what_is_no_adapter_is_refused(content: bytes) -> None:
    with pytest.raises(ValueError, match="it is no adapter"):
        low_rank.read(content)
