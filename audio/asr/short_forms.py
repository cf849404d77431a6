"""Short forms, in a small network of their own that listens beside the network of the sentences.

Among all sentences a short form is lost: other words fit its few sounds as well. Drawn into their
network it costs longer sentences. So the sentences are its rival: its path must be likelier than
theirs, with all the words' probabilities. And its words must fit the sound: talk, too, may be
nearer to some short form than to any sentence.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import msgspec
import pocketsphinx

from assistant.core.messages import SAMPLE_RATE_HZ, Word
from assistant.core.models.calibration import Share
from audio.asr.confidence import fit_of
from audio.asr.domain import FILLERS
from audio.asr.second_look.general import spoken_words

_Positive = Annotated[float, msgspec.Meta(gt=0)]
_SURELY_WRONG = 50.0
"""Log odds beyond which an exponential would only overflow."""


class ShortFormCalibration(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When a short form is believed, with one acoustic model."""

    longest_s: _Positive
    """Most seconds of speech in which one is looked for, a wake word among them."""
    least_lead: float
    """Least lead over the sentences, as `Heard.lead`."""
    lead: _Positive
    """How much one of lead adds to the logarithm of the odds."""
    fit: _Positive
    """How much one of fit, as `Heard.fit`, adds to it."""
    bias: float
    """The logarithm of the odds without either."""
    least: Share
    """Least confidence of a short form that is believed."""

    def confidence(self, heard: Heard) -> float:
        """How likely what was heard is right, from 0 to 1; 0 without the least lead."""
        if heard.lead < self.least_lead:
            return 0.0
        odds = self.bias + self.lead * heard.lead + self.fit * heard.fit
        return 1.0 / (1.0 + math.exp(min(-odds, _SURELY_WRONG)))


class Heard(NamedTuple):
    """The short form that fits some speech best."""

    words: tuple[Word, ...]
    lead: float
    """Natural logarithm of how much likelier its path is than the rival's, as PocketSphinx scales
    likelihoods."""
    fit: float
    """How well the sound fits its words, as in `Evidence`."""


NOTHING = Heard((), -math.inf, -math.inf)


class ShortForms:
    """Follows an utterance with `decoder`, whose network is of short forms and of phones."""

    def __init__(self, decoder: pocketsphinx.Decoder, calibration: ShortFormCalibration) -> None:
        self._decoder, self.calibration = decoder, calibration
        self._running = False
        self._left = 0

    def start(self, listening: bool) -> None:
        """Forget the last utterance; follow a new one where it may be a short form."""
        self._end()
        if listening:
            self._left = round(2 * SAMPLE_RATE_HZ * self.calibration.longest_s)
            self._decoder.reinit_feat()
            self._decoder.start_utt()
            self._running = True

    def decode(self, sound: bytes, cepstral_mean: str) -> None:
        """Follow the next `sound` (16 kHz int16), unless there is too much for a short form."""
        self._left -= len(sound)
        if self._left < 0:
            self._end()
        if self._running:
            self._decoder.set_cmn(cepstral_mean)
            self._decoder.process_raw(sound)

    def finish(self, rival: float) -> Heard:
        """What was heard; the best path of the sentences has the score `rival`.

        It is nothing where a phone of other speech is in it, or no sentence has any path.
        """
        if not self._running or rival == -math.inf:
            self._end()
            return NOTHING
        self._end()
        words = spoken_words(self._decoder)
        if not words or any(word.text in FILLERS for word in words):
            return NOTHING
        return Heard(words, path_score(self._decoder) - rival, fit_of(self._decoder)[2])

    def _end(self) -> None:
        if self._running:
            self._decoder.end_utt()
        self._running = False


def path_score(decoder: pocketsphinx.Decoder) -> float:
    """Natural logarithm of the likelihood of the last best path; -inf where there is none."""
    best = decoder.hyp()
    return math.log(best.score) if best is not None and best.score > 0.0 else -math.inf
