"""What whisper-tiny.en itself hears, with the weights that set-up pulls."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from faster_whisper import WhisperModel

from assistant.core.config import AsrSettings, Config, StorageSettings
from assistant.core.errors import ModelError
from assistant.core.messages import AudioChunk, Transcript
from assistant.core.models.manifest import Library
from assistant.core.speakable import always
from assistant.demo.story import RECORDINGS
from audio.asr.recognizer import Recognition as Recognised
from audio.asr.recognizer import Recognizer
from audio.asr.whisper import FULL_FRAMES, WhisperRecognizer
from audio.build import Recognition
from audio.frames import frames_of
from tests.support.package_index import NOWHERE, PackageIndex, pip_settings
from tests.support.real_model import NAME, checked_folder, lost, of_user
from tests.support.utterances import utterance
from tests.support.voices import speech
from tests.support.wheels import make_wheel

COMMANDS = ("turn on the kitchen light", "what time is it")
FREE = "where does the water come from in the summer"


@pytest.fixture(scope="module")
def whisper(whisper_model: Path) -> WhisperRecognizer:
    return WhisperRecognizer(whisper_model)


def hear(recognizer: Recognizer, frames: Iterable[bytes]) -> Recognised:
    recognizer.start()
    for frame in frames:
        recognizer.feed(np.frombuffer(frame, np.int16))
    return recognizer.finish()


@pytest.mark.parametrize("voice", ["slt", "rms", "awb"])
@pytest.mark.parametrize("said", [*COMMANDS, FREE])
def test_it_hears_to_the_letter(whisper: WhisperRecognizer, said: str, voice: str) -> None:
    heard = hear(whisper, speech(said, voice))
    assert heard.text == said
    assert all(0.0 < word.confidence <= 1.0 for word in heard.words)


def test_it_hears_a_recording_with_the_wake_word(whisper: WhisperRecognizer) -> None:
    recording = RECORDINGS / "turn-on-the-kitchen-light.flac"
    assert hear(whisper, frames_of(recording)).text.endswith("turn on the kitchen light")


@pytest.mark.parametrize("level", [200, 2000])
def test_noise_is_no_speech(whisper: WhisperRecognizer, level: int) -> None:
    noise = np.random.default_rng(1).normal(0, level, 32_000).astype(np.int16)
    assert hear(whisper, [noise.tobytes()]).text == ""


def test_in_a_full_window_its_words_are_those_of_faster_whisper(
    whisper: WhisperRecognizer, whisper_model: Path
) -> None:
    theirs = WhisperModel(str(whisper_model), device="cpu", compute_type="int8", cpu_threads=2)
    for said in (*COMMANDS, FREE):
        samples = np.frombuffer(b"".join(speech(said)), np.int16)
        segments, _ = theirs.transcribe(
            samples.astype(np.float32) / 32768,
            language="en",
            beam_size=1,
            temperature=0.0,
            without_timestamps=True,
            word_timestamps=False,
        )
        known = [token for segment in segments for token in segment.tokens]
        ours = whisper.tokens(samples, FULL_FRAMES)
        assert known
        assert ours[: len(known)] == known


def test_the_stage_of_the_daemon_hears_with_it(whisper_model: Path, tmp_path: Path) -> None:
    config = Config(asr=AsrSettings(engine="whisper"), storage=StorageSettings(cache=str(tmp_path)))
    library = Library(whisper_model.parent)
    stage = Recognition(config, library, always(list(COMMANDS)), []).stage()
    for number, sound in enumerate(speech(FREE)):
        chunk = AudioChunk(utterance_id="u", sequence=number, samples=sound, at_s=1.0)
        assert list(stage.feed(chunk)) == []
    (transcript,) = stage.feed(utterance(wake_word="", duration_s=4.0, speech_s=3.0, at_s=1.0))
    assert isinstance(transcript, Transcript)
    assert transcript.text == FREE


# ── continuous integration may not lose these tests unseen ──────────────────────────────────


@pytest.mark.parametrize("content", [b"damaged", None])
def test_a_damaged_or_incomplete_model_is_an_error_and_not_skipped(
    tmp_path: Path, content: bytes | None
) -> None:
    (tmp_path / NAME).mkdir()
    if content is not None:
        for file in of_user().artefact(NAME).files:
            (tmp_path / NAME / file.name).write_bytes(content)
    with pytest.raises((ModelError, pytest.skip.Exception)) as fault:
        checked_folder(Library(tmp_path))
    assert isinstance(fault.value, ModelError)


def test_continuous_integration_has_the_model() -> None:
    assert lost(of_user(), os.environ) == ""


@pytest.mark.parametrize(
    ("index", "environment", "fails"),
    [
        ("empty", {"CI": "true"}, True),
        ("empty", {"CI": "true", "PULL": "no"}, False),
        ("empty", {}, False),
        ("away", {"CI": "true"}, False),
    ],
)
def test_without_the_model_it_fails_where_an_index_answered(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    index: str,
    environment: dict[str, str],
    fails: bool,
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with closing(PackageIndex(make_wheel(tmp_path / "served", {}))) as running:
        running.how = index
        url = NOWHERE if index == "away" else running.url
        for name, value in pip_settings(url, tmp_path / "pip").items():
            monkeypatch.setenv(name, value)
        assert bool(lost(Library(tmp_path / "models"), environment)) is fails
