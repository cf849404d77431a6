"""Piper itself, with a voice made by hand in place of a pulled one."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from assistant.core.config import VoiceSettings
from assistant.core.errors import ModelError, SpeakingError
from assistant.core.models.manifest import Library
from audio.tts.piper import MODEL, SETTINGS, Piper
from audio.tts.select import select
from tests.support.handmade_onnx import buzzing_model

pytest.importorskip("piper", reason="the extra [piper] is not installed")

RATE_HZ = 16_000


@pytest.fixture
def library(tmp_path: Path) -> Library:
    content = {MODEL: buzzing_model(), SETTINGS: json.dumps(settings()).encode()}
    (tmp_path / "buzz").mkdir()
    files = []
    for name, data in content.items():
        (tmp_path / "buzz" / name).write_bytes(data)
        files.append(f'{{ name = "{name}", sha256 = "{hashlib.sha256(data).hexdigest()}" }}')
    (tmp_path / "manifest.toml").write_text(
        f"""
        [buzz]
        version = "1"
        kind = "voice"
        summary = "a test"
        licence = "CC0"
        source = "shipped"
        inputs = {{ input = "int64", input_lengths = "int64", scales = "float32" }}
        outputs = {{ output = "float32" }}
        files = [{", ".join(files)}]
        """
    )
    return Library(tmp_path / "pulled", tmp_path)


def settings() -> dict[str, object]:
    letters = "_^$ abcdefghijklmnopqrstuvwxyzəɛɪʊʌɔæɑːˈˌðθʃŋɹɡ.,?!"
    return {
        "num_symbols": 256,
        "num_speakers": 1,
        "audio": {"sample_rate": RATE_HZ},
        "espeak": {"voice": "en-us"},
        "phoneme_id_map": {letter: [n] for n, letter in enumerate(letters)},
    }


def test_piper_speaks_with_the_checked_voice(library: Library) -> None:
    short, long = (Piper(library).synthesise(t) for t in ("Yes.", "Yes, I will do that."))
    assert short.rate_hz == RATE_HZ
    assert 0 < short.duration_s < long.duration_s
    assert np.abs(long.pcm).max() > 10_000


def test_piper_is_the_first_tier_where_a_voice_is_present(library: Library) -> None:
    assert select(VoiceSettings(), library).name == "piper"
    assert select(VoiceSettings(engine="piper", name="buzz"), library).name == "piper"


def test_brackets_are_no_way_to_phonemes_and_no_word_is_no_sound(library: Library) -> None:
    voice = Piper(library)
    assert voice.synthesise("[[hello]]").duration_s > 0
    with pytest.raises(SpeakingError):
        voice.synthesise("")


def test_a_corrupt_voice_is_refused_and_the_next_tier_speaks(library: Library) -> None:
    (library.folder("buzz") / MODEL).write_bytes(b"")
    with pytest.raises(ModelError):
        Piper(library)
    assert select(VoiceSettings(), library).name == "flite"
