"""CMU Flite: quick and small, the default voice."""

from __future__ import annotations

import unicodedata

from audio.tts.program import find, speak
from audio.tts.voice import Samples


class Flite:
    """Speaks with flite's voice `slt`, `rms`, `awb`, `kal16` or `kal`."""

    def __init__(self, voice: str = "") -> None:
        self.name = "flite"
        self._program = find("flite", "flite")
        self._voice = voice or "slt"

    def synthesise(self, text: str) -> Samples:
        """The sound of `text` at 16 kHz (kal: 8 kHz); raises `SpeakingError`."""
        return speak(
            lambda wave_file: (
                [self._program, "-voice", self._voice, "-f", "/dev/stdin", "-o", wave_file]
            ),
            _ascii(text),
        )


def _ascii(text: str) -> str:
    # flite knows ASCII alone and spells out or swallows the rest: "Zürich" is said as "Zurich".
    decomposed = unicodedata.normalize("NFKD", text.replace("ß", "ss"))
    return decomposed.encode("ascii", "ignore").decode()
