"""Whisper, which hears sentences that can be meant before it hears anything else.

What it would write freely stands beside the likeliest sentence: that one is believed where it is
hardly less likely, and else the free text is, so that talk stays talk.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from assistant.core.constrained.constraint import Constraint
from assistant.core.constrained.piece_network import PieceNetwork
from assistant.core.errors import ModelError, RecognitionError
from assistant.core.messages import SAMPLE_RATE_HZ, Word
from audio.asr.constrained.beam import Beam, Reading, Readings
from audio.asr.constrained.decoder import PieceDecoder
from audio.asr.constrained.written import as_heard, written
from audio.asr.domain import Sentences
from audio.asr.recognizer import Recognition
from audio.asr.whisper import FLOOR_FRAMES, FULL_FRAMES, WhisperRecognizer, most_tokens

_BELIEVED = 5.0
"""Natural logarithm of how much likelier the free text may be than a sentence that is believed."""
_SENTENCE_SURE, _A_NAT = 3.04, 0.685
_FREE_SURE, _A_PIECE = 2.81, 7.56
"""Logistic regressions of how sure a sentence is by how much less likely it is than the free text,
and the free text by the mean log-probability of its pieces: fitted to 438 utterances (54 recorded
home commands, 240 everyday commands and 44 with free text in two of flite's voices, 100 lines of
talk in one). Those of 0.7 to 0.9 and above were right in 0.94 and 0.94, and 0.84 and 0.97."""
_SIGNS = ".?!,"
_LOW = -1.0  # these three as in OpenAI's whisper/transcribe.py
_NO_SPEECH = 0.6
_MOST_COMPRESSIBLE = 2.4
_SILENT = 32  # of 32767: below what any microphone's own noise gives
_MOST_ALTERNATIVES = 3


class ConstrainedWhisper:
    """Recognises the `sentences` that can be meant, and any English, with one encoder.

    Raises `RecognitionError` when the engine fails. Implements `Recognizer`.
    """

    name = WhisperRecognizer.name
    forks = False

    def __init__(
        self, whisper: WhisperRecognizer, decoder: PieceDecoder, sentences: Sentences
    ) -> None:
        self._whisper = whisper
        pieces = whisper.pieces
        self._beam = Beam(decoder, pieces.prompt, pieces.end, pieces.no_speech, pieces.suppressed)
        self._sentences: Constraint = PieceNetwork(
            sentences.network,
            sentences.classes,
            pieces.encode,
            pieces.decode,
            written,
            [pieces.encode(sign)[0] for sign in _SIGNS],
        )
        self._heard: list[NDArray[np.int16]] = []

    def start(
        self, answers: Sequence[str] = (), unasked: bool = False, in_a_row: bool = False
    ) -> None:
        """Forget the last utterance and begin a new one."""
        self._heard = []

    def feed(self, samples: NDArray[np.int16]) -> None:
        """Take the next samples, 16 kHz mono."""
        self._heard.append(samples)

    def finish(self) -> Recognition:
        """End the utterance and return what was said."""
        samples = np.concatenate(self._heard) if self._heard else np.zeros(0, np.int16)
        if int(np.abs(samples.astype(np.int32)).max(initial=0)) < _SILENT:
            return self._recognition((), samples)
        try:
            readings = self._readings(samples, FLOOR_FRAMES)
            if not _sound(readings) and readings.no_speech <= _NO_SPEECH:
                again = self._readings(samples, FULL_FRAMES)
                readings = max(readings, again, key=lambda r: (_sound(r), _mean(r.free)))
        except (RuntimeError, ValueError, ModelError) as error:
            raise RecognitionError("asr.whisper", f"whisper failed: {error}") from error
        if not _sound(readings) and readings.no_speech > _NO_SPEECH:
            return self._recognition((), samples)
        return self._recognition(self._best(readings), samples)

    def _readings(self, samples: NDArray[np.int16], floor: int) -> Readings:
        encoded, frames = self._whisper.encoded(samples, floor)
        return self._beam.readings(
            np.asarray(encoded)[0].astype(np.float32), self._sentences, most_tokens(frames)
        )

    def _best(self, readings: Readings) -> tuple[tuple[str, float], ...]:
        """The texts that may have been said, best first, and how sure each is."""
        free_text = as_heard(self._whisper.pieces.decode(list(readings.free.pieces)))
        free = (free_text, _sigmoid(_FREE_SURE + _A_PIECE * _mean(readings.free)))
        sentences = [
            (sentence.text, _sigmoid(_SENTENCE_SURE - _A_NAT * _lacks(sentence, readings.free)))
            for sentence in readings.sentences[:_MOST_ALTERNATIVES]
        ]
        repeated = _repetitive(free_text)
        if not sentences:
            return () if repeated else (free,)
        if repeated or _lacks(readings.sentences[0], readings.free) <= _BELIEVED:
            return (*sentences, *(() if repeated else (free,)))
        return (free, *sentences)

    def _recognition(
        self, texts: Sequence[tuple[str, float]], samples: NDArray[np.int16]
    ) -> Recognition:
        text, sure = texts[0] if texts else ("", 1.0)
        others = dict.fromkeys(other for other, _ in texts[1:] if other and other != text)
        return Recognition(
            text=text,
            words=_placed(text, len(samples) / SAMPLE_RATE_HZ, sure),
            alternatives=tuple(others),
            engine=self.name,
            confidence=sure,
        )


def _lacks(sentence: Reading, free: Reading) -> float:
    """Natural logarithm of how much likelier the free text is; 0 where it is not."""
    return max(free.heard - sentence.heard, 0.0)


def _sigmoid(odds: float) -> float:
    return 1.0 / (1.0 + math.exp(-odds))


def _mean(reading: Reading) -> float:
    return reading.heard / (len(reading.pieces) + 1)


def _sound(readings: Readings) -> bool:
    """Whether what is heard freely can be believed."""
    return _mean(readings.free) >= _LOW


def _repetitive(text: str) -> bool:
    plain = text.encode()
    return bool(plain) and len(plain) / len(zlib.compress(plain)) > _MOST_COMPRESSIBLE


def _placed(text: str, duration_s: float, sure: float) -> tuple[Word, ...]:
    """The words of a text, each in the part of the sound that it has of the letters."""
    words = text.split()
    a_letter_s = duration_s / max(1, sum(map(len, words)))
    placed, begin_s = [], 0.0
    for word in words:
        end_s = begin_s + len(word) * a_letter_s
        placed.append(Word(text=word, start_s=begin_s, end_s=end_s, confidence=sure))
        begin_s = end_s
    return tuple(placed)
