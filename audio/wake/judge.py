"""Whisper judges whether a wake word was said where the engine that listens is in doubt.

Its decoder says how likely a text of the sound begins with the word. In silence that is what the
word's length and rarity make of it; where the word was said, most of that price is gone. Nothing
else is sought in the sound, so that it takes a fraction of the time of a command.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from assistant.core.degraded import Degraded
from assistant.core.errors import ModelError, RecognitionError
from audio.asr.constrained.decoder import PieceDecoder
from audio.asr.whisper import WhisperRecognizer, is_silent
from audio.wake.engine import spoken

PART = "whisper's judgement"
"""The part that fails where whisper cannot judge wake words."""
WINDOW_FRAMES = 200
"""Fewest mel frames that whisper is given; CTranslate2 takes 159 or 160 for other input."""
MOST_OF_PRICE = 0.55
"""Share of a word's price in silence that it may still have. Chosen on "hey savant" of
`audio/own_words`, of which 0.04 have more, and one of 134 recordings of words near it less."""


class WakeWordJudge:
    """Judges by `whisper` and its `decoder`; what fails is noted in `faults`, and nothing heard."""

    def __init__(self, whisper: WhisperRecognizer, decoder: PieceDecoder, faults: Degraded) -> None:
        self._whisper, self._decoder, self._faults = whisper, decoder, faults
        self._pieces = whisper.pieces
        self._prices: dict[str, float] = {}

    def hears(self, keyword: str, samples: NDArray[np.int16]) -> bool:
        """Whether `samples`, 16 kHz mono of one or two seconds, begin with the keyword."""
        if is_silent(samples) or PART in self._faults:
            return False
        try:
            price = self._prices.get(keyword)
            if price is None:
                price = self._prices[keyword] = self._price(keyword, np.zeros_like(samples))
            return self._price(keyword, samples) <= MOST_OF_PRICE * price
        except (RuntimeError, ValueError, ModelError) as error:
            self._faults.note(PART, RecognitionError("asr.whisper", f"whisper failed: {error}"))
            return False

    def _price(self, keyword: str, samples: NDArray[np.int16]) -> float:
        """The negative log-probability that a text of `samples` begins with the keyword."""
        encoded, _ = self._whisper.encoded(samples, WINDOW_FRAMES)
        self._decoder.listen(np.asarray(encoded)[0].astype(np.float32))
        behind, memory = self._decoder.begin(self._pieces.prompt)
        texts = [self._pieces.encode(text) for text in _written(keyword)]
        likelihoods = np.repeat(behind[-1][None], len(texts), axis=0)
        memory = self._decoder.chosen(memory, [0] * len(texts))
        prices = np.zeros(len(texts))
        for place in range(max(map(len, texts))):
            if place:
                last = [text[min(place, len(text)) - 1] for text in texts]
                likelihoods, memory = self._decoder.step(last, memory)
            for n, text in enumerate(texts):
                if place < len(text):
                    prices[n] -= likelihoods[n, text[place]]
        return float(prices.min())


def _written(keyword: str) -> Sequence[str]:
    """The ways in which whisper may write a keyword at the beginning of a text."""
    phrase = spoken(keyword)
    return [f" {form}" for form in {phrase, phrase.capitalize(), phrase.title()}]
