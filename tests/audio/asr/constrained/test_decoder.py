"""The decoder that is made of a model's weights writes what CTranslate2's does."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from assistant.core.errors import RecognitionError
from audio.asr.constrained.decoder import PieceDecoder
from audio.asr.constrained.weights import read_weights
from audio.asr.whisper import FLOOR_FRAMES, WhisperRecognizer
from tests.support.scripted_whisper import write_whisper
from tests.support.voices import speech


def test_weights_are_read_as_they_were_written(tmp_path: Path) -> None:
    write_whisper(tmp_path, ["paint", "it", "black"])
    weights = read_weights((tmp_path / "model.bin").read_bytes())
    assert weights["decoder/embeddings/weight"].ndim == 2
    assert weights["decoder/projection/weight"].max() == 16.0


def damaged(content: bytes) -> list[bytes]:
    """What is no such file, one of another version, and one that was cut off."""
    return [
        b"nothing like a model",
        struct.pack("<I", 5) + content[4:],
        content[: len(content) // 2],
    ]


@pytest.mark.parametrize("kind", range(3))
def test_what_cannot_be_read_is_refused(tmp_path: Path, kind: int) -> None:
    write_whisper(tmp_path, ["paint"])
    content = (tmp_path / "model.bin").read_bytes()
    (tmp_path / "model.bin").write_bytes(damaged(content)[kind])
    with pytest.raises(RecognitionError) as fault:
        PieceDecoder(tmp_path, tmp_path / "cache", 1)
    assert fault.value.code == "asr.model"


def test_its_graphs_are_made_once_for_a_model(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    write_whisper(tmp_path / "one", ["paint"])
    PieceDecoder(tmp_path / "one", cache, 1)
    made = {file: file.stat().st_mtime_ns for file in cache.iterdir()}
    PieceDecoder(tmp_path / "one", cache, 1)
    assert {file: file.stat().st_mtime_ns for file in cache.iterdir()} == made
    write_whisper(tmp_path / "other", ["paint", "black"])
    PieceDecoder(tmp_path / "other", cache, 1)
    assert len(list(cache.iterdir())) == len(made)
    assert made.keys().isdisjoint(cache.iterdir())


def greedy(decoder: PieceDecoder, whisper: WhisperRecognizer, encoded: object) -> list[int]:
    """The likeliest piece each time, from the encoder's output on."""
    decoder.listen(np.asarray(encoded)[0].astype(np.float32))
    behind, memory = decoder.begin(whisper.pieces.prompt)
    row, pieces = behind[-1], list[int]()
    while len(pieces) < 40:
        allowed = row.copy()
        allowed[list(whisper.pieces.suppressed)] = -np.inf
        piece = int(allowed.argmax())
        if piece == whisper.pieces.end:
            break
        pieces.append(piece)
        (row,), memory = decoder.step([piece], memory)
    return pieces


def test_with_real_weights_it_writes_what_ctranslate2_does(
    whisper_model: Path, tmp_path: Path
) -> None:
    whisper, decoder = WhisperRecognizer(whisper_model), PieceDecoder(whisper_model, tmp_path, 2)
    for said in ("turn on the kitchen light", "where does the water come from in the summer"):
        samples = np.frombuffer(b"".join(speech(said)), np.int16)
        encoded, _ = whisper.encoded(samples, FLOOR_FRAMES)
        assert greedy(decoder, whisper, encoded) == whisper.tokens(samples, FLOOR_FRAMES)


def test_a_text_is_as_likely_among_others_as_alone(whisper_model: Path, tmp_path: Path) -> None:
    whisper, decoder = WhisperRecognizer(whisper_model), PieceDecoder(whisper_model, tmp_path, 2)
    samples = np.frombuffer(b"".join(speech("what time is it")), np.int16)
    decoder.listen(np.asarray(whisper.encoded(samples, FLOOR_FRAMES)[0])[0].astype(np.float32))
    _, memory = decoder.begin(whisper.pieces.prompt)
    one, other = (whisper.pieces.encode(word)[0] for word in (" What", " turn"))
    alone, _ = decoder.step([one], memory)
    both, longer = decoder.step([other, one], decoder.chosen(memory, [0, 0]))
    turned, _ = decoder.step([one, other], decoder.chosen(memory, [0, 0]))
    np.testing.assert_allclose(both[1], turned[0], atol=1e-3)
    np.testing.assert_allclose(both[1], alone[0], atol=0.3)  # onnxruntime has kernels for one row
    again, _ = decoder.step([other], decoder.chosen(longer, [1]))
    straight, _ = decoder.step([other], decoder.step([one], memory)[1])
    np.testing.assert_allclose(again, straight, atol=0.3)
