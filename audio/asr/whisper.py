"""faster-whisper on windows as short as the utterance allows.

`WhisperModel.transcribe` pads everything to 30 s; CTranslate2 itself takes fewer mel frames, and
12 s of them cost a quarter of the time. Stock weights loop on much shorter windows, so there is a
minimum length, and a second attempt at 30 s when the result looks wrong.
"""

from __future__ import annotations

import os
import re
import time
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from assistant.core.errors import RecognitionError
from assistant.core.messages import SAMPLE_RATE_HZ, Word
from assistant.core.models.usage import Meter
from audio.asr.recognizer import Recognition, recognition

FRAMES_PER_S = 100
FLOOR_FRAMES = 12 * FRAMES_PER_S  # CTranslate2 takes 159 or 160 frames for an encoder's output
FULL_FRAMES = 30 * FRAMES_PER_S
LONGEST_TOKENS = 448

_TOKENS_PER_S = 8  # fast speech
_USUAL_TOKENS_PER_S = 3.5
_SPARE_TOKENS = 16
LOW_LOG_PROBABILITY = -1.0  # these three as in OpenAI's whisper/transcribe.py
NO_SPEECH = 0.6
_MOST_COMPRESSIBLE = 2.4
_MOST_HINT_TOKENS = 100
"""Most tokens of the hint: each takes time, and they share the decoder's 448 with what is said."""
_NOT_A_WORD = re.compile(r"[^\w']+")
_SILENT = 32  # of 32767: below what any microphone's own noise gives


def repetitive(text: str) -> bool:
    """Whether a text says the same thing again and again."""
    plain = text.encode()
    return bool(plain) and len(plain) / len(zlib.compress(plain)) > _MOST_COMPRESSIBLE


def is_silent(samples: NDArray[np.int16]) -> bool:
    """Whether sound is quieter than any microphone's own noise."""
    return int(np.abs(samples.astype(np.int32)).max(initial=0)) < _SILENT


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """The result for one window."""

    text: str
    words: tuple[Word, ...]
    log_probability: float
    no_speech: float

    @property
    def repetitive(self) -> bool:
        """Whether the text says the same thing again and again."""
        return repetitive(self.text)

    @property
    def sound(self) -> bool:
        """Whether the text can be believed."""
        return self.log_probability >= LOW_LOG_PROBABILITY and not self.repetitive

    @property
    def spoken(self) -> bool:
        """Whether there was any speech."""
        return self.sound or not (self.no_speech > NO_SPEECH or self.repetitive)


class Pieces(NamedTuple):
    """A vocabulary of pieces of text, by their numbers."""

    encode: Callable[[str], Sequence[int]]
    decode: Callable[[list[int]], str]
    prompt: tuple[int, ...]
    """Those before any text."""
    end: int
    no_speech: int
    suppressed: tuple[int, ...]
    """Those that no text has."""


class WhisperRecognizer:
    """Recognises any English with the CTranslate2 model in a folder; nothing is downloaded.

    `hints` are names that are likelier than their sound alone makes them, the first ones first.
    `meter` counts its runs. Raises `RecognitionError` when the folder holds no usable model or the
    engine fails.
    """

    name = "whisper"
    forks = False

    def __init__(
        self,
        model: Path,
        *,
        threads: int = 2,
        hints: Sequence[str] = (),
        meter: Meter | None = None,
    ) -> None:
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
        self._prompt, self._threads = self._prompted(hints), threads
        self._meter = meter or Meter(model.name, "", threads)
        self._heard: list[NDArray[np.int16]] = []

    @property
    def pieces(self) -> Pieces:
        """The vocabulary in which its decoder writes."""
        tokenizer, end = self._tokenizer, self._tokenizer.eot
        special = range(end + 1, tokenizer.timestamp_begin)
        stamps = range(tokenizer.timestamp_begin, self._model.hf_tokenizer.get_vocab_size())
        return Pieces(
            encode=tokenizer.encode,
            decode=tokenizer.decode,
            prompt=(*tokenizer.sot_sequence, tokenizer.no_timestamps),
            end=end,
            no_speech=tokenizer.no_speech,
            suppressed=tuple({*tokenizer.non_speech_tokens, *special, *stamps} - {end}),
        )

    def start(
        self, answers: Sequence[str] = (), unasked: bool = False, in_a_row: bool = False
    ) -> None:
        """Forget the last utterance and begin a new one; it needs no help with `answers`.

        It hears all of English, so that what is `unasked` is heard as what it is.
        """
        self._heard = []

    def feed(self, samples: NDArray[np.int16]) -> None:
        """Take the next samples, 16 kHz mono."""
        self._heard.append(samples)

    def finish(self) -> Recognition:
        """End the utterance and return what was said."""
        samples = np.concatenate(self._heard) if self._heard else np.zeros(0, np.int16)
        return recognition(self.words(samples), self.name)

    def words(self, samples: NDArray[np.int16]) -> tuple[Word, ...]:
        """The words in `samples`, 16 kHz mono; () for silence and for what cannot be believed."""
        if is_silent(samples):
            return ()
        try:
            attempt = self._attempt(samples, FLOOR_FRAMES)
            if not attempt.sound and not self._hopeless(attempt):
                again = self._attempt(samples, FULL_FRAMES)
                attempt = max(attempt, again, key=lambda a: (a.sound, a.log_probability))
        except (RuntimeError, ValueError) as error:
            raise RecognitionError("asr.whisper", f"whisper failed: {error}") from error
        return attempt.words if attempt.spoken else ()

    def tokens(self, samples: NDArray[np.int16], floor: int) -> list[int]:
        """What the decoder makes of `samples` in a window of at least `floor` frames."""
        encoded, frames = self.encoded(samples, floor)
        return list(self._generated(encoded, most_tokens(frames)).sequences_ids[0])

    def hinted(self, encoded: Any, frames: int, words: Sequence[str]) -> str:
        """The likeliest text of an encoder's output where `words` were spoken of before."""
        prompt = self._prompted(words)
        result = self._generated(encoded, most_tokens(frames), prompt)
        return str(self._tokenizer.decode(result.sequences_ids[0]))

    def command_s(self, duration_s: float, clock: Callable[[], float] = time.process_time) -> float:
        """Seconds that a command of `duration_s` takes where nothing else runs, the best of three.

        It has as many tokens as are usual, whatever the weights would make of the sound. `clock`
        counts the seconds of all threads, since it may be measured on a busy machine.
        """
        samples = np.random.default_rng(0).normal(0, 1000, int(duration_s * SAMPLE_RATE_HZ))
        taken: list[float] = []
        for _ in range(3):
            began_s = clock()
            encoded, frames = self.encoded(samples.astype(np.int16), FLOOR_FRAMES)
            count, never_ends = usual_tokens(duration_s), [-1, self._tokenizer.eot]
            result = self._generated(encoded, count, suppress_tokens=never_ends)
            tokens = [token for token in result.sequences_ids[0] if token < self._tokenizer.eot]
            if tokens:
                self._words(encoded, tokens, frames)
            taken.append((clock() - began_s) / self._threads)
        return min(taken)

    @staticmethod
    def _hopeless(attempt: Attempt) -> bool:
        return attempt.no_speech > NO_SPEECH and not attempt.repetitive

    def _attempt(self, samples: NDArray[np.int16], floor: int) -> Attempt:
        with self._meter.run():
            encoded, frames = self.encoded(samples, floor)
            result = self._generated(encoded, most_tokens(frames))
            tokens = result.sequences_ids[0]
            words = self._words(encoded, tokens, frames) if tokens else ()
        return Attempt(
            text=" ".join(word.text for word in words),
            words=words,
            log_probability=result.scores[0] * len(tokens) / (len(tokens) + 1),
            no_speech=result.no_speech_prob,
        )

    def encoded(self, samples: NDArray[np.int16], floor: int) -> tuple[Any, int]:
        """The encoder's output for a window of at least `floor` frames, and how many are sound."""
        # The extractor pads by a frame, which faster-whisper cuts off, too.
        features = self._model.feature_extractor(samples.astype(np.float32) / 32768)[:, :-1]
        frames = min(features.shape[1], FULL_FRAMES)
        return self._model.encode(_window(features, floor)), frames

    def _generated(
        self, encoded: Any, tokens: int, prompt: Sequence[int] = (), **options: Any
    ) -> Any:
        prompt = prompt or self._prompt
        return self._model.model.generate(
            encoded,
            [prompt],
            beam_size=1,
            max_length=longest(tokens, len(prompt)),
            return_scores=True,
            return_no_speech_prob=True,
            **options,
        )[0]

    def _prompted(self, hints: Sequence[str]) -> list[int]:
        """The tokens before the text: as many whole `hints` as there is room for, as text before.

        So whisper's authors (and faster-whisper's `hotwords`) make names likelier.
        """
        hinted: list[int] = []
        for hint in dict.fromkeys(hints):
            more = self._tokenizer.encode(f" {hint}" if not hinted else f", {hint}")
            if len(hinted) + len(more) > _MOST_HINT_TOKENS:
                break
            hinted += more
        before = [self._tokenizer.sot_prev, *hinted] if hinted else []
        return [*before, *self._tokenizer.sot_sequence, self._tokenizer.no_timestamps]

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


def usual_tokens(duration_s: float) -> int:
    """How many tokens a command of this duration usually has."""
    return int(_USUAL_TOKENS_PER_S * duration_s)


def longest(tokens: int, prompt: int) -> int:
    """The `max_length` for at most `tokens` after a prompt of that many.

    CTranslate2 gives at most half of it, and at most what the prompt leaves of it.
    """
    return min(LONGEST_TOKENS, max(2 * tokens, prompt + tokens))


def most_tokens(frames: int) -> int:
    """How many tokens so many frames of speech have at most."""
    return _SPARE_TOKENS + int(_TOKENS_PER_S * frames / FRAMES_PER_S)


def _window(features: NDArray[np.float32], floor: int) -> NDArray[np.float32]:
    """The mel frames, padded with zeros to `floor` or an even number, cut at 30 s."""
    frames = max(floor, features.shape[1] + features.shape[1] % 2)
    kept = features[:, : min(frames, FULL_FRAMES)]
    padding = min(frames, FULL_FRAMES) - kept.shape[1]
    return np.pad(kept, ((0, 0), (0, padding)))
