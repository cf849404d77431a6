"""PocketSphinx keyphrase search: any English phrase, but weak (57 to 60 % of calls are noticed)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from pocketsphinx import Config, Decoder

from assistant.core.errors import WakeWordError
from assistant.core.files import in_memory
from audio.asr.acoustic import model_options
from audio.asr.pronunciation import dictionary_lines
from audio.frames import FRAME_S
from audio.wake.engine import spoken

REFRESH_S = 60.0


class KeyPhrases:
    """Phrase → sensitivity from 0 to 1, for phrases of words that cmudict knows."""

    name = "pocketsphinx"
    locates = False
    doubt = None

    def __init__(self, keywords: Mapping[str, float]) -> None:
        self._keywords = {spoken(keyword): keyword for keyword in keywords}
        words = {word for phrase in self._keywords for word in phrase.split()}
        dictionary = dictionary_lines(words)
        missing = sorted(words - {entry.partition(" ")[0] for entry in dictionary})
        if missing:
            message = f'no pronunciation is known for "{missing[0]}"; choose common English words'
            raise WakeWordError("wake.unknown_keyword", message)
        phrases = [f"{spoken(k)} /{threshold(s)}/\n" for k, s in keywords.items()]
        # Only the phrases' own words: the whole dictionary takes 20 MB and half a second.
        with (
            in_memory("".join(dictionary).encode()) as dict_file,
            in_memory("".join(phrases).encode()) as phrase_file,
        ):
            config = Config(**model_options(), dict=dict_file, lm=None, loglevel="FATAL")
            self._decoder = Decoder(config)
            self._decoder.add_kws("phrases", phrase_file)
        self._decoder.activate_search("phrases")
        self._decoder.start_utt()
        self._listened_s = 0.0

    def process(self, frame: NDArray[np.int16]) -> str | None:
        """Take the next 512 samples; the phrase, as configured, that was just noticed."""
        self._decoder.process_raw(frame.tobytes(), False, False)
        self._listened_s += FRAME_S
        hypothesis = self._decoder.hyp()
        # The search keeps all it has noticed until its utterance ends, and so it grows.
        if hypothesis is not None or self._listened_s >= REFRESH_S:
            self._decoder.end_utt()
            self._decoder.start_utt()
            self._listened_s = 0.0
        if hypothesis is None:
            return None
        return self._keywords.get(spoken(hypothesis.hypstr))

    def close(self) -> None:
        """Release the models."""
        self._decoder.end_utt()


def threshold(sensitivity: float) -> str:
    """PocketSphinx's likelihood ratio; the smaller it is, the more easily the phrase is noticed."""
    return f"1e-{round(40 * sensitivity)}"
