"""faster-whisper on windows as short as the utterance allows.

`WhisperModel.transcribe` pads everything to 30 s; CTranslate2 itself takes fewer mel frames, and
12 s of them cost a quarter of the time. Stock weights loop on much shorter windows, so there is a
minimum length, and a second attempt at 30 s when the result looks wrong.
"""

from __future__ import annotations

import os
import re
import zlib
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from assistant.core.errors import RecognitionError
from assistant.core.messages import Word
from audio.asr.recognizer import Recognition, recognition

FRAMES_PER_S = 100
FLOOR_FRAMES = 12 * FRAMES_PER_S  # CTranslate2 takes 159 or 160 frames for an encoder's output
FULL_FRAMES = 30 * FRAMES_PER_S
LONGEST_TOKENS = 448

_TOKENS_PER_S = 8  # fast speech
_SPARE_TOKENS = 16
_LOW_LOG_PROBABILITY = -1.0  # these three as in OpenAI's whisper/transcribe.py
_NO_SPEECH = 0.6
_MOST_COMPRESSIBLE = 2.4
_NOT_A_WORD = re.compile(r"[^\w']+")
_SILENT = 32  # of 32767: below what any microphone's own noise gives


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """The result for one window."""

    text: str
    words: tuple[Word, ...]
    log_probability: float
    no_speech: float

    @property
    def repetitive(self) -> bool:
        """Whether the text says the same thing again and again."""
        plain = self.text.encode()
        return bool(plain) and len(plain) / len(zlib.compress(plain)) > _MOST_COMPRESSIBLE

    @property
    def sound(self) -> bool:
        """Whether the text can be believed."""
        return self.log_probability >= _LOW_LOG_PROBABILITY and not self.repetitive

    @property
    def spoken(self) -> bool:
        """Whether there was any speech."""
        return self.sound or not (self.no_speech > _NO_SPEECH or self.repetitive)


class WhisperRecognizer:
    """Recognises any English with the CTranslate2 model in a folder; nothing is downloaded.

    Raises `RecognitionError` when the folder holds no usable model or the engine fails.
    """

    name = "whisper"

    def __init__(self, model: Path, *, threads: int = 2) -> None:
        # CTranslate2's worker threads would spin for 200 ms after each utterance.
        os.environ.setdefault("KMP_BLOCKTIME", "0")
        os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
        from faster_whisper import WhisperModel
        from faster_whisper.tokenizer import Tokenizer

        if not (model / "model.bin").is_file() or not (model / "tokenizer.json").is_file():
            message = f"{model} holds no whisper model; run: assistant models pull whisper-tiny.en"
            raise RecognitionError("asr.model", message)
        try:
            self._model: Any = WhisperModel(
                str(model), device="cpu", compute_type="int8", cpu_threads=threads
            )
            multilingual = self._model.model.is_multilingual
            self._tokenizer = Tokenizer(
                self._model.hf_tokenizer, multilingual, task="transcribe", language="en"
            )
        except (RuntimeError, ValueError) as error:
            raise RecognitionError("asr.model", f"{model}: {error}") from error
        self._heard: list[NDArray[np.int16]] = []

    def start(self) -> None:
        """Forget the last utterance and begin a new one."""
        self._heard = []

    def feed(self, samples: NDArray[np.int16]) -> None:
        """Take the next samples, 16 kHz mono."""
        self._heard.append(samples)

    def finish(self) -> Recognition:
        """End the utterance and return what was said."""
        samples = np.concatenate(self._heard) if self._heard else np.zeros(0, np.int16)
        if int(np.abs(samples.astype(np.int32)).max(initial=0)) < _SILENT:
            return recognition((), self.name)
        try:
            attempt = self._attempt(samples, FLOOR_FRAMES)
            if not attempt.sound and not self._hopeless(attempt):
                again = self._attempt(samples, FULL_FRAMES)
                attempt = max(attempt, again, key=lambda a: (a.sound, a.log_probability))
        except (RuntimeError, ValueError) as error:
            raise RecognitionError("asr.whisper", f"whisper failed: {error}") from error
        return recognition(attempt.words if attempt.spoken else (), self.name)

    @staticmethod
    def _hopeless(attempt: Attempt) -> bool:
        return attempt.no_speech > _NO_SPEECH and not attempt.repetitive

    def _attempt(self, samples: NDArray[np.int16], floor: int) -> Attempt:
        features = self._model.feature_extractor(samples.astype(np.float32) / 32768)
        frames = min(features.shape[1], FULL_FRAMES)
        encoded = self._model.encode(_window(features, floor))
        result = self._model.model.generate(
            encoded,
            [[*self._tokenizer.sot_sequence, self._tokenizer.no_timestamps]],
            beam_size=1,
            max_length=longest(frames / FRAMES_PER_S),
            return_scores=True,
            return_no_speech_prob=True,
        )[0]
        tokens = result.sequences_ids[0]
        words = self._words(encoded, tokens, frames) if tokens else ()
        return Attempt(
            text=" ".join(word.text for word in words),
            words=words,
            log_probability=result.scores[0] * len(tokens) / (len(tokens) + 1),
            no_speech=result.no_speech_prob,
        )

    def _words(self, encoded: Any, tokens: list[int], frames: int) -> tuple[Word, ...]:
        """Place and rate each word by the cross-attention, which faster-whisper aligns with."""
        (aligned,) = self._model.find_alignment(self._tokenizer, [tokens], encoded, frames)
        words = ((_NOT_A_WORD.sub("", part["word"].lower()), part) for part in aligned)
        return tuple(
            Word(
                text=text,
                start_s=float(part["start"]),
                end_s=float(part["end"]),
                confidence=float(part["probability"]),
            )
            for text, part in words
            if text
        )


def longest(duration_s: float) -> int:
    """The `max_length` for sound of this duration: about half of it comes back as tokens."""
    return min(LONGEST_TOKENS, 2 * (_SPARE_TOKENS + int(_TOKENS_PER_S * duration_s)))


def _window(features: NDArray[np.float32], floor: int) -> NDArray[np.float32]:
    """The mel frames, padded with zeros to `floor` or an even number, cut at 30 s."""
    frames = max(floor, features.shape[1] + features.shape[1] % 2)
    kept = features[:, : min(frames, FULL_FRAMES)]
    padding = min(frames, FULL_FRAMES) - kept.shape[1]
    return np.pad(kept, ((0, 0), (0, padding)))
