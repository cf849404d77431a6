"""Whisper judges, with its real weights, wake words of which the engine is not sure."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.core.degraded import Degraded
from assistant.core.messages import SAMPLE_RATE_HZ
from audio.asr.constrained.decoder import PieceDecoder
from audio.asr.whisper import WhisperRecognizer
from audio.wake.judge import PART, WakeWordJudge
from tests.support.voices import silence, speech


@pytest.fixture(scope="module")
def judge(whisper_model: Path, tmp_path_factory: pytest.TempPathFactory) -> WakeWordJudge:
    decoder = PieceDecoder(whisper_model, tmp_path_factory.mktemp("graphs"), 2)
    return WakeWordJudge(WhisperRecognizer(whisper_model), decoder, Degraded("asr"))


def said(text: str, voice: str = "slt") -> NDArray[np.int16]:
    frames = [*silence(0.3), *speech(text, voice), *silence(0.2)]
    return np.frombuffer(b"".join(frames), np.int16)[-round(1.5 * SAMPLE_RATE_HZ) :]


@pytest.mark.parametrize("voice", ["slt", "rms", "awb"])
@pytest.mark.parametrize("keyword", ["computer", "hey_amelia", "stop"])
def test_a_word_that_was_said_is_heard(judge: WakeWordJudge, keyword: str, voice: str) -> None:
    assert judge.hears(keyword, said(keyword.replace("_", " "), voice))


@pytest.mark.parametrize(
    ("keyword", "other"),
    [
        ("computer", "conductor"),
        ("computer", "stop"),
        ("hey amelia", "hey camille"),
        ("hey amelia", "computer"),
        ("stop", "the shop"),
        ("stop", "computer"),
    ],
)
def test_another_word_is_not_taken_for_it(judge: WakeWordJudge, keyword: str, other: str) -> None:
    assert not judge.hears(keyword, said(other))


def test_noise_and_silence_hold_no_word(judge: WakeWordJudge) -> None:
    noise = np.random.default_rng(0).normal(0, 1000, SAMPLE_RATE_HZ).astype(np.int16)
    assert not judge.hears("computer", noise)
    assert not judge.hears("computer", np.zeros(SAMPLE_RATE_HZ, np.int16))


def test_a_judge_that_fails_hears_nothing_and_is_reported(
    whisper_model: Path, tmp_path: Path
) -> None:
    class Broken(PieceDecoder):
        def listen(self, encoded: NDArray[np.float32]) -> None:
            raise RuntimeError("no memory is left")

    faults = Degraded("asr")
    whisper = WhisperRecognizer(whisper_model)
    judge = WakeWordJudge(whisper, Broken(whisper_model, tmp_path, 1), faults)
    assert not judge.hears("computer", said("computer"))
    assert [(one.part, one.code) for one in faults.take_reports()] == [(PART, "asr.whisper")]
