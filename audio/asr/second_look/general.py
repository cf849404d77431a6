"""PocketSphinx's general English model, tried on speech that fits no sentence of the skills."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cached_property
from pathlib import Path

import pocketsphinx

from assistant.core.messages import SAMPLE_RATE_HZ, Word
from audio.asr.acoustic import model_folder, model_options
from audio.asr.decoder import CountedDecoder
from audio.asr.pronunciation import dictionary_path
from audio.asr.recognizer import Recognition, agree, recognition

FRAMES_PER_S = 100
_CHUNK_BYTES = 2 * SAMPLE_RATE_HZ // 10

# Kitchen noise mostly gives fewer than four words in five seconds. This alone proves no speech:
# callers ask only when the phone loop heard vowels, or sentences of the domain.
_FEWEST_WORDS = 4
_WORDS_PER_S = 1.5
_LEAST_POSTERIOR = 0.2

# Of 24 questions in four voices a quarter of the words are wrong with or without these. A second
# pass at the end took up to a second in noise, and decoding 0.5 of real time in place of 0.28.
_QUICK = {"fwdflat": False, "maxhmmpf": 6000}


# The look costs up to half of real time, which nobody is to wait for.
FOLLOWING_SHARE = 0.5
"""Most seconds that following takes for each second of sound, not all of it being speech."""
LOOK_S = 0.25
"""Most seconds that the end takes; what is late is left out."""


class GeneralEnglish:
    """The model, loaded at its first use (0.3 s, 150 MB); it decodes in a tenth of real time.

    In noise it takes a quarter. `clock` gives seconds: each call has a budget of them. `transform`
    is the file of a map that moves the acoustic model's means. Implements `SecondLook`.
    """

    name = "pocketsphinx"
    forks = True

    def __init__(
        self, clock: Callable[[], float] = time.perf_counter, transform: Path | None = None
    ) -> None:
        self._clock, self._transform = clock, transform
        self._done: int | None = None
        self._left_s = 0.0

    def start(self) -> None:
        """Forget the last utterance."""
        if self._done is not None:
            self._decoder.end_utt()
        self._done = None
        self._left_s = 0.0

    def follow(self, sound: bytes, cepstral_mean: str, passed_s: float) -> None:
        """Decode what is new in `sound`, as far as the share of `passed_s` goes.

        What the last step of one call takes too long, the next has less.
        """
        self.decode(sound, cepstral_mean, FOLLOWING_SHARE * passed_s)

    def decode(self, sound: bytes, cepstral_mean: str, budget_s: float) -> bool:
        """Decode what is new in `sound` (16 kHz int16, from the utterance's beginning).

        False when the budget was over before all of it was decoded.
        """
        self._left_s = min(self._left_s, 0.0) + budget_s
        if self._done is None:
            self._decoder.reinit_feat()
            self._decoder.start_utt()
            self._done = 0
        self._decoder.set_cmn(cepstral_mean)
        while self._done < len(sound):
            if self._left_s <= 0.0:
                return False
            began_s = self._clock()
            self._decoder.process_raw(sound[self._done : self._done + _CHUNK_BYTES])
            self._left_s -= self._clock() - began_s
            self._done = min(self._done + _CHUNK_BYTES, len(sound))
        return True

    def finish(self, sound: bytes, cepstral_mean: str, speech_s: float) -> Recognition:
        """The words of all of `sound`; none when they are too few for `speech_s` of it, or late.

        Confidences are posteriors over the word lattice.
        """
        words = self._words(sound, cepstral_mean)
        return recognition(words if credible(words, speech_s) else (), self.name)

    def agrees(self, sound: bytes, cepstral_mean: str, text: str) -> bool:
        """Whether all of `sound` holds what `text` says; no where it is late."""
        return agree(text, recognition(self._words(sound, cepstral_mean), self.name).text)

    def _words(self, sound: bytes, cepstral_mean: str) -> tuple[Word, ...]:
        """All words of `sound`; () where they come late."""
        heard = self.decode(sound, cepstral_mean, LOOK_S)
        self.start()
        return spoken_words(self._decoder) if heard else ()

    @cached_property
    def _decoder(self) -> pocketsphinx.Decoder:
        return CountedDecoder(
            **model_options(self._transform),
            lm=str(model_folder().parent / "en-us.lm.bin"),
            dict=str(dictionary_path()),
            loglevel="FATAL",
            **_QUICK,
        )


def credible(words: tuple[Word, ...], speech_s: float) -> bool:
    """Whether words of this number and confidence are speech, and not noise taken for it."""
    if len(words) < max(_FEWEST_WORDS, _WORDS_PER_S * speech_s):
        return False
    return sum(word.confidence for word in words) / len(words) >= _LEAST_POSTERIOR


def spoken_words(decoder: pocketsphinx.Decoder) -> tuple[Word, ...]:
    """The last hypothesis without fillers and marks of pronunciation variants."""
    if decoder.hyp() is None:
        return ()
    return tuple(
        Word(
            text=segment.word.partition("(")[0],
            start_s=segment.start_frame / FRAMES_PER_S,
            end_s=(segment.end_frame + 1) / FRAMES_PER_S,
            confidence=min(1.0, max(0.0, float(segment.prob))),
        )
        for segment in decoder.seg()
        if segment.word[0] not in "<[("
    )
