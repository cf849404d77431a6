"""CMU Flite: quick and small, the default voice."""

from __future__ import annotations

import os
import unicodedata

from assistant.core.errors import SpeakingError
from audio.tts.program import find, speak
from audio.tts.voice import Samples

VOICES = ("slt", "rms", "awb", "kal16", "kal")
PATIENCE_S = 60.0
"""Seconds for a start where nobody waits for the words, as in an evaluation beside other work."""


class Flite:
    """Speaks with one of `VOICES` or a `.flitevox` file; raises `SpeakingError` for any other.

    `starting_s` are the seconds that its start may take, by default those of a reply.
    """

    def __init__(self, voice: str = "", starting_s: float | None = None) -> None:
        self.name, self._starting_s = "flite", starting_s
        self._program = find("flite", "flite")
        self._voice = voice or VOICES[0]
        if self._voice not in VOICES and not os.path.isfile(self._voice):
            # flite itself would speak with another voice and say nothing of it.
            known = ", ".join(VOICES)
            message = f'flite has no voice "{voice}"; set voice.name to a .flitevox file or {known}'
            raise SpeakingError("voice.unknown", message)

    def synthesise(self, text: str) -> Samples:
        """The sound of `text` at 16 kHz (kal: 8 kHz); raises `SpeakingError`."""
        return speak(
            lambda wave_file: (
                [self._program, "-voice", self._voice, "-f", "/dev/stdin", "-o", wave_file]
            ),
            _ascii(text),
            self._starting_s,
        )


def _ascii(text: str) -> str:
    # flite knows ASCII alone and spells out or swallows the rest: "Zürich" is said as "Zurich".
    decomposed = unicodedata.normalize("NFKD", text.replace("ß", "ss"))
    return decomposed.encode("ascii", "ignore").decode()
