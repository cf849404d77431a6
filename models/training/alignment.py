"""Which state of the acoustic model each frame of a sentence belongs to, once its words are known.

PocketSphinx aligns; its Python interface gives no features, but it writes the cepstra to a folder.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
import pocketsphinx
from numpy.typing import NDArray

from audio.asr.acoustic import STREAMS, WIDTH, model_options
from audio.asr.cepstral_mean import FRAMES_PER_BLOCK, mean_of_speech
from audio.asr.pronunciation import PHONES, dictionary_path
from models.training.gaussians import CODEBOOKS

_REACH = 3
"""Frames before and after one that its differences of differences are made of."""


class Aligned(NamedTuple):
    """Frames of speech: their features, float64[n, 3, 13], codebooks and senones, int64[n]."""

    features: NDArray[np.float64]
    codebooks: NDArray[np.int64]
    senones: NDArray[np.int64]


class Aligner:
    """Aligns sentences whose words are in PocketSphinx's dictionary."""

    def __init__(self) -> None:
        self._folder = TemporaryDirectory()
        self._decoder = pocketsphinx.Decoder(
            **model_options(),
            dict=str(dictionary_path()),
            lm=None,
            cmn="batch",
            mfclogdir=self._folder.name,
            loglevel="FATAL",
        )

    def close(self) -> None:
        """Remove the folder of cepstra."""
        self._folder.cleanup()

    def __call__(self, text: str, samples: bytes) -> Aligned | None:
        """The speech in `samples` (int16, 16 kHz) that says `text`; None where it does not fit."""
        decoder = self._decoder
        words = text.split()
        if not words or any(decoder.lookup_word(word) is None for word in words):
            return None
        try:
            decoder.set_align_text(text)
            self._decode(samples)
            decoder.set_alignment()  # words are aligned; now the states within them
            self._decode(samples)
            alignment = decoder.get_alignment()
        except RuntimeError:
            return None
        cepstra = self._cepstra()
        states = [] if alignment is None else list(_states(alignment, len(cepstra)))
        if not states or len(cepstra) < FRAMES_PER_BLOCK:
            return None
        frames, codebooks, senones = np.array(states).T
        return Aligned(_features(cepstra)[frames], codebooks, senones)

    def _decode(self, samples: bytes) -> None:
        self._decoder.start_utt()
        self._decoder.process_raw(samples, full_utt=True)
        self._decoder.end_utt()

    def _cepstra(self) -> NDArray[np.float64]:
        """The cepstra, float64[n, 13], of the utterance decoded last; its file is removed."""
        *earlier, last = sorted(Path(self._folder.name).iterdir())
        content = last.read_bytes()
        for file in (*earlier, last):
            file.unlink()
        return np.frombuffer(content, ">f4", offset=4).reshape(-1, WIDTH).astype(np.float64)


def _states(alignment: pocketsphinx.Alignment, count: int) -> Iterator[tuple[int, int, int]]:
    """Frame, codebook and senone of all speech among the first `count` frames."""
    for word in alignment.words():
        for phone in word:
            if phone.name not in PHONES:
                continue
            for state in phone:
                end = min(state.start + state.duration, count)
                for frame in range(state.start, end):
                    yield frame, CODEBOOKS[phone.name], int(state.name)


def _features(cepstra: NDArray[np.float64]) -> NDArray[np.float64]:
    """The model's features, float64[n, 3, 13] ("1s_c_d_dd"), with the recogniser's mean."""
    whole = len(cepstra) // FRAMES_PER_BLOCK * FRAMES_PER_BLOCK
    blocks = cepstra[:whole].reshape(-1, FRAMES_PER_BLOCK, WIDTH).mean(axis=1)
    padded = np.pad(cepstra - mean_of_speech(blocks), ((_REACH, _REACH), (0, 0)), "edge")

    def at(offset: int) -> NDArray[np.float64]:
        return padded[_REACH + offset :][: len(cepstra)]

    changes = at(2) - at(-2)
    features = np.stack([at(0), changes, (at(3) - at(-1)) - (at(1) - at(-3))], axis=1)
    return features.reshape(-1, STREAMS, WIDTH)
