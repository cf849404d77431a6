"""Whisper, which hears sentences that can be meant before it hears anything else.

What it would write freely stands beside the likeliest sentence: that one is believed where it is
hardly less likely, and else the free text is, so that talk stays talk.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz

from assistant.core.constrained.constraint import Constraint
from assistant.core.constrained.piece_network import PieceNetwork
from assistant.core.constrained.word_network import compile_network
from assistant.core.degraded import Degraded
from assistant.core.errors import ModelError, RecognitionError
from assistant.core.messages import SAMPLE_RATE_HZ, Word
from audio.asr.calibration import WhisperCalibration
from audio.asr.constrained.beam import Beam, Reading, Readings
from audio.asr.constrained.belief import Evidence, evidence, lacks, mean, of_sentence, of_speech
from audio.asr.constrained.decoder import PieceDecoder
from audio.asr.constrained.hotwords import Hotwords, put_right
from audio.asr.constrained.written import as_heard, written
from audio.asr.domain import Sentences
from audio.asr.recognizer import Recognition
from audio.asr.whisper import (
    FLOOR_FRAMES,
    FULL_FRAMES,
    LOW_LOG_PROBABILITY,
    WhisperRecognizer,
    is_silent,
    most_tokens,
    repetitive,
)

_ALIKE = 75.0
"""Least likeness of a sentence and the free text, in percent, for the sentence to be all there is:
of a command that is cut off in a word, whisper makes a shorter sentence."""
_SIGNS = ".?!,"
_MOST_ALTERNATIVES = 3


class Trial(NamedTuple):
    """The best sentence, the free text, and what their chances depend on."""

    sentence: str
    free: str
    evidence: Evidence


class _Heard(NamedTuple):
    """What was heard in one window: the answer that was expected, or None, and all else."""

    answer: Reading | None
    readings: Readings
    free_text: str
    encoded: Any
    frames: int


class ConstrainedWhisper:
    """Recognises the `sentences` that can be meant, and any English, with one encoder.

    Where words are free, rare ones of the user's own `texts` are likelier than others.
    On the simpler path of `faults` it looks once, in a short window. Raises `RecognitionError` when
    the engine fails. Implements `Recognizer`.
    """

    name = WhisperRecognizer.name
    forks = False

    def __init__(
        self,
        whisper: WhisperRecognizer,
        decoder: PieceDecoder,
        sentences: Sentences,
        calibration: WhisperCalibration,
        faults: Degraded | None = None,
        texts: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        self._whisper, self._faults = whisper, faults or Degraded("asr")
        self._calibration = calibration
        self._pieces = pieces = whisper.pieces
        self._beam = Beam(decoder, pieces.prompt, pieces.end, pieces.no_speech, pieces.suppressed)
        self._hotwords = Hotwords(texts, pieces.encode)
        self._sentences = self._network(sentences)
        self._expected: tuple[tuple[Sequence[str], bool], Constraint] | None = None
        self._answers: Constraint | None = None
        self._in_a_row = False
        self._heard: list[NDArray[np.int16]] = []

    def _network(self, sentences: Sentences) -> Constraint:
        pieces = self._pieces
        return PieceNetwork(
            sentences.network,
            sentences.classes,
            pieces.encode,
            pieces.decode,
            written,
            [pieces.encode(sign)[0] for sign in _SIGNS],
        )

    def start(
        self, answers: Sequence[str] = (), unasked: bool = False, in_a_row: bool = False
    ) -> None:
        """Forget the last utterance and begin a new one, which is likely to be one of `answers`.

        With `in_a_row` it is any number of them. What is `unasked` is heard as what it is.
        """
        self._heard = []
        self._answers, self._in_a_row = None, in_a_row
        if answers:
            if self._expected is None or self._expected[0] != (answers, in_a_row):
                network = compile_network(dict.fromkeys(answers, 1.0))
                network = network.repeated() if in_a_row else network
                expected = self._network(Sentences(network=network, classes={}))
                self._expected = (answers, in_a_row), expected
            self._answers = self._expected[1]

    def feed(self, samples: NDArray[np.int16]) -> None:
        """Take the next samples, 16 kHz mono."""
        self._heard.append(samples)

    def finish(self) -> Recognition:
        """End the utterance and return what was said."""
        samples = np.concatenate(self._heard) if self._heard else np.zeros(0, np.int16)
        if is_silent(samples):
            return self._recognition((), samples)
        try:
            heard = self._hear(samples, FLOOR_FRAMES)
            unsound = not _sound(heard.readings) and not self._is_nobody(heard)
            if unsound and heard.answer is None and not self._faults.simpler:
                again = self._hear(samples, FULL_FRAMES)
                heard = max(heard, again, key=lambda h: (_sound(h.readings), mean(h.readings.free)))
            return self._recognised(heard, samples)
        except (RuntimeError, ValueError, ModelError) as error:
            raise RecognitionError("asr.whisper", f"whisper failed: {error}") from error

    def _recognised(self, heard: _Heard, samples: NDArray[np.int16]) -> Recognition:
        answer, readings, free_text = heard.answer, heard.readings, heard.free_text
        if self._is_nobody(heard):
            return self._recognition((), samples)
        if answer is not None:
            found = self._recognition(((answer.text, 1.0),), samples)
            return msgspec.structs.replace(found, expected=True)
        best: Sequence[tuple[str, float]] = _best(readings, free_text, self._calibration)
        disputed = bool(best) and fuzz.ratio(best[0][0], free_text) < _ALIKE
        if not self._faults.simpler and _is_open(best, readings):
            best = self._with_hotwords(best, heard)
        found = self._recognition(best, samples)
        return msgspec.structs.replace(found, disputed=disputed)

    def _with_hotwords(
        self, texts: Sequence[tuple[str, float]], heard: _Heard
    ) -> Sequence[tuple[str, float]]:
        """The texts with rare words of the user's own, where these are heard as well."""
        words = self._hotwords.near(heard.free_text)
        if not words:
            return texts
        hinted = as_heard(self._whisper.hinted(heard.encoded, heard.frames, words[::-1]))
        return [(put_right(text, hinted, words), sure) for text, sure in texts]

    def try_out(self, samples: NDArray[np.int16]) -> Trial:
        """What is heard before any of it is believed, to fit how sure that may be."""
        heard = self._hear(samples, FLOOR_FRAMES)
        best = next(iter(heard.readings.sentences), None)
        sentence = "" if best is None else best.text
        return Trial(sentence, heard.free_text, evidence(heard.readings, heard.free_text))

    def _is_nobody(self, heard: _Heard) -> bool:
        """Whether there was no speech: of music and noise whisper writes notes, or thanks."""
        inputs = of_speech(heard.readings, heard.free_text)
        return self._calibration.spoken.chance(inputs) < self._calibration.somebody

    def _free_text(self, readings: Readings) -> str:
        return as_heard(self._pieces.decode(list(readings.free.pieces)))

    def _hear(self, samples: NDArray[np.int16], floor: int) -> _Heard:
        encoded, frames = self._whisper.encoded(samples, floor)
        sound = np.asarray(encoded)[0].astype(np.float32)
        if self._answers is not None:
            readings = self._beam.readings(sound, self._answers, most_tokens(frames))
            calibration = self._calibration
            least = calibration.answers if self._in_a_row else calibration.answer
            best = next(iter(readings.sentences), None)
            if best is not None and _sound(readings) and lacks(best, readings.free) <= least:
                return _Heard(best, readings, self._free_text(readings), encoded, frames)
        readings = self._beam.readings(sound, self._sentences, most_tokens(frames))
        return _Heard(None, readings, self._free_text(readings), encoded, frames)

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


def _best(
    readings: Readings, free_text: str, calibration: WhisperCalibration
) -> tuple[tuple[str, float], ...]:
    """The texts that may have been said, best first, and how sure each is."""
    free = free_text, calibration.free.chance((mean(readings.free),))
    sentences = [
        (sentence.text, calibration.sentence.chance(of_sentence(sentence, readings.free)))
        for sentence in readings.sentences[:_MOST_ALTERNATIVES]
    ]
    sentences = [(text, chance) for text, chance in sentences if chance >= calibration.named]
    heard = () if not free_text or repetitive(free_text) else (free,)
    if not heard or (sentences and sentences[0][1] >= calibration.believed):
        return (*sentences, *heard)
    return (free, *sentences)


def _is_open(texts: Sequence[tuple[str, float]], readings: Readings) -> bool:
    """Whether the likeliest of the texts has words that may be anything."""
    sentences = (reading for reading in readings.sentences if texts and reading.text == texts[0][0])
    return bool(texts) and next((reading.open for reading in sentences), True)


def _sound(readings: Readings) -> bool:
    """Whether what is heard freely can be believed."""
    return mean(readings.free) >= LOW_LOG_PROBABILITY


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
