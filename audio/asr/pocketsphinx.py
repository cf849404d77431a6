"""PocketSphinx: the installed skills' sentences as a word network, decoded while one speaks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pocketsphinx
from numpy.typing import NDArray

from assistant.core.errors import RecognitionError
from assistant.core.messages import SAMPLE_RATE_HZ, Word
from audio.asr.cepstral_mean import BLOCK_S, CepstralMean
from audio.asr.domain import Domain, prepare
from audio.asr.recognizer import Recognition, recognition

_BLOCK = int(BLOCK_S * SAMPLE_RATE_HZ)
_FRAMES_PER_S = 100
_BEAMS = {"beam": 1e-80, "pbeam": 1e-80, "wbeam": 1e-50, "maxhmmpf": 3000}


class PocketSphinxRecognizer:
    """Recognises the given sentences, after any of `prefixes` or none.

    Decoding lags half a second of speech behind, until the cepstral mean is known. Raises
    `RecognitionError` when the domain cannot be built.
    """

    name = "pocketsphinx"

    def __init__(
        self, sentences: Sequence[str], prefixes: Sequence[str] = (), *, cache_dir: Path
    ) -> None:
        try:
            domain = prepare(sentences, prefixes, cache_dir)
            self._decoder = _decoder(domain, fsg=str(domain.network), **_BEAMS)
            self._mean = CepstralMean(_feature_decoder(domain))
        except (OSError, ValueError, RuntimeError) as error:
            message = f"PocketSphinx cannot use the skills' sentences from {cache_dir}: {error}"
            raise RecognitionError("asr.domain", message) from error
        self._running = False

    def start(self) -> None:
        """Forget the last utterance and begin a new one."""
        if self._running:
            self._end()
        self._pending = np.zeros(0, np.int16)
        self._backlog: list[bytes] = []
        self._mean.start()
        self._decoder.start_utt()
        self._running = True

    def feed(self, samples: NDArray[np.int16]) -> None:
        """Take the next samples, 16 kHz mono, and decode what the mean is known for."""
        self._pending = np.concatenate((self._pending, samples))
        while len(self._pending) >= _BLOCK:
            self._add(self._pending[:_BLOCK])
            self._pending = self._pending[_BLOCK:]
        if self._mean.known:
            self._decode()

    def finish(self) -> Recognition:
        """End the utterance and tell what was said."""
        if len(self._pending):
            self._backlog.append(self._pending.tobytes())
        self._decode()
        self._end()
        return recognition(tuple(_words(self._decoder)), self.name)

    def _add(self, block: NDArray[np.int16]) -> None:
        self._mean.add(block.tobytes())
        self._backlog.append(block.tobytes())

    def _decode(self) -> None:
        self._decoder.set_cmn(self._mean.text())
        if self._backlog:
            self._decoder.process_raw(b"".join(self._backlog))
            self._backlog = []

    def _end(self) -> None:
        self._decoder.end_utt()
        self._mean.finish()
        self._running = False


def _decoder(domain: Domain, **options: object) -> pocketsphinx.Decoder:
    model = Path(pocketsphinx.get_model_path("en-us")) / "en-us"
    settings = {"lm": None, "cmn": "live", "bestpath": False, "loglevel": "FATAL", **options}
    return pocketsphinx.Decoder(hmm=str(model), dict=str(domain.dictionary), **settings)


def _feature_decoder(domain: Domain) -> pocketsphinx.Decoder:
    # A decoder must search something, and does so when an utterance ends: one word is cheapest.
    word = domain.dictionary.read_text("utf-8").split(maxsplit=1)[0]
    decoder = _decoder(domain, jsgf=None, ds=16)
    decoder.add_jsgf_string("word", f"#JSGF V1.0; grammar word; public <word> = {word};")
    decoder.activate_search("word")
    return decoder


def _words(decoder: pocketsphinx.Decoder) -> list[Word]:
    hypothesis = decoder.hyp()
    if hypothesis is None or "++" in hypothesis.hypstr:
        return []
    return [
        Word(
            text=segment.word.partition("(")[0],
            start_s=segment.start_frame / _FRAMES_PER_S,
            end_s=(segment.end_frame + 1) / _FRAMES_PER_S,
            confidence=1.0,
        )
        for segment in decoder.seg()
        if segment.word[0] not in "<[("
    ]
