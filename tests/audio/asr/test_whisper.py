"""Sound in, whisper's words out, on windows no longer than they must be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assistant.core.errors import RecognitionError
from assistant.core.models.usage import Meter, ModelUsage
from audio.asr.recognizer import Recognition
from audio.asr.whisper import FLOOR_FRAMES, FULL_FRAMES, WhisperRecognizer, longest
from tests.support.scripted_whisper import write_whisper

RATE = 16_000


def sound(seconds: float) -> np.ndarray:
    return (np.random.default_rng(1).normal(0, 2000, int(seconds * RATE))).astype(np.int16)


class Watched(WhisperRecognizer):
    """Notes the length of every window that is encoded."""

    def __init__(self, model: Path) -> None:
        super().__init__(model)
        self.windows: list[int] = []
        encode = self._model.encode

        def watched(features: Any) -> Any:
            self.windows.append(features.shape[-1])
            return encode(features)

        self._model.encode = watched


def hear(recognizer: WhisperRecognizer, samples: np.ndarray) -> Recognition:
    recognizer.start()
    for at in range(0, len(samples), 1600):
        recognizer.feed(samples[at : at + 1600])
    return recognizer.finish()


@pytest.fixture
def light(tmp_path: Path) -> Watched:
    return Watched(write_whisper(tmp_path, ["Turn", "on", "the", "light."]))


def test_words_are_lower_case_and_carry_confidences(light: Watched) -> None:
    heard = hear(light, sound(2.0))
    assert heard.text == "turn on the light"
    assert [word.text for word in heard.words] == ["turn", "on", "the", "light"]
    assert all(0.0 < word.confidence <= 1.0 for word in heard.words)
    assert heard.engine == "whisper"


def test_its_threads_are_counted_once_for_each_window(tmp_path: Path) -> None:
    usage = ModelUsage()
    model = write_whisper(tmp_path, ["thanks"] * 40)
    looping = WhisperRecognizer(model, meter=Meter("whisper-tiny.en", "1", 2, usage))
    hear(looping, sound(8.0))
    told = usage.news("asr")
    assert told is not None
    (used,) = told.models
    assert (used.model, used.version, used.runs) == ("whisper-tiny.en", "1", 2)
    assert used.cpu_s > 0


@pytest.mark.parametrize(
    ("seconds", "frames"), [(0.5, FLOOR_FRAMES), (1.59, FLOOR_FRAMES), (14.0, 1402), (40.0, 3000)]
)
def test_the_window_is_the_utterance_but_no_shorter_than_the_floor(
    light: Watched, seconds: float, frames: int
) -> None:
    hear(light, sound(seconds))
    assert light.windows == [pytest.approx(frames, abs=2)]
    assert not {159, 160} & set(light.windows)


def test_repeats_are_tried_once_more_at_30_s_and_then_dropped(tmp_path: Path) -> None:
    looping = Watched(write_whisper(tmp_path, ["thanks"] * 40))
    assert hear(looping, sound(8.0)).text == ""
    assert looping.windows == [FLOOR_FRAMES, FULL_FRAMES]


def test_silence_is_not_even_encoded(light: Watched) -> None:
    assert hear(light, np.zeros(RATE, np.int16)).text == ""
    assert hear(light, np.zeros(0, np.int16)).text == ""
    assert light.windows == []


def test_the_length_is_capped_and_leaves_room_for_the_prompt() -> None:
    assert longest(20, 2) == 40  # of which CTranslate2 gives half
    assert longest(20, 80) == 100  # of which the prompt takes 80
    assert longest(500, 2) == 448


def test_hints_go_before_the_text_as_many_as_there_is_room_for(tmp_path: Path) -> None:
    says = ["Turn", "on", "the", "den."]
    write_whisper(tmp_path, says, after=3, knows="den attic")  # "den", ",", "attic"
    hinted = WhisperRecognizer(tmp_path, hints=["den", "attic", "den"])
    assert hear(hinted, sound(2.0)).text == "turn on the den"
    many = WhisperRecognizer(tmp_path, hints=[f"den{n}" for n in range(900)])
    assert len(many._prompt) <= 104
    assert hear(WhisperRecognizer(tmp_path), sound(2.0)).text != "turn on the den"


def test_how_long_a_command_takes_is_the_best_of_three(tmp_path: Path, light: Watched) -> None:
    moments = iter([0.0, 0.5, 1.0, 1.2, 2.0, 2.4])
    # Of two threads' time.
    assert light.command_s(4.0, clock=lambda: next(moments)) == pytest.approx(0.1)
    assert light.windows == [FLOOR_FRAMES] * 3


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecognitionError, match="assistant models pull"):
        WhisperRecognizer(tmp_path)


def test_a_corrupt_model_is_refused(tmp_path: Path) -> None:
    write_whisper(tmp_path, ["hello"])
    (tmp_path / "model.bin").write_bytes(b"nothing like a model")
    with pytest.raises(RecognitionError):
        WhisperRecognizer(tmp_path)
