"""PocketSphinx's general English model, tried on speech that fits no sentence of the skills."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import pocketsphinx

from assistant.core.messages import SAMPLE_RATE_HZ, Word
from audio.asr.pronunciation import dictionary_path

FRAMES_PER_S = 100
_CHUNK_BYTES = 2 * SAMPLE_RATE_HZ

# Kitchen noise mostly gives fewer than four words in five seconds. This alone proves no speech:
# callers ask only when the phone loop heard vowels, or sentences of the domain.
_FEWEST_WORDS = 4
_WORDS_PER_S = 1.5
_LEAST_POSTERIOR = 0.2


class GeneralEnglish:
    """The model, loaded at its first use (0.3 s, 150 MB); it decodes in about half of real time."""

    def listen(self, sound: bytes, cepstral_mean: str, speech_s: float) -> tuple[Word, ...]:
        """The words of `sound` (16 kHz int16); () when they are too few for `speech_s` of speech.

        Confidences are posteriors over the word lattice.
        """
        decoder = self._decoder
        decoder.reinit_feat()
        decoder.set_cmn(cepstral_mean)
        decoder.start_utt()
        for at in range(0, len(sound), _CHUNK_BYTES):
            decoder.process_raw(sound[at : at + _CHUNK_BYTES])
        decoder.end_utt()
        words = spoken_words(decoder)
        return words if credible(words, speech_s) else ()

    @cached_property
    def _decoder(self) -> pocketsphinx.Decoder:
        models = Path(pocketsphinx.get_model_path("en-us"))
        return pocketsphinx.Decoder(
            hmm=str(models / "en-us"),
            lm=str(models / "en-us.lm.bin"),
            dict=str(dictionary_path()),
            loglevel="FATAL",
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
