"""eSpeak NG: speaks a hundred languages, sounds like a machine; the last resort."""

from __future__ import annotations

from audio.tts.program import find, speak
from audio.tts.voice import Samples


class Espeak:
    """Speaks with eSpeak NG's voice, such as `en`, `en-us` or `de`."""

    def __init__(self, voice: str = "") -> None:
        self.name = "espeak-ng"
        self._program = find("espeak-ng", "espeak-ng")
        self._voice = voice or "en"

    def synthesise(self, text: str) -> Samples:
        """The sound of `text` at 22.05 kHz; raises `SpeakingError`."""
        return speak(
            lambda wave_file: (
                [self._program, "-z", "-b", "1", "-v", self._voice, "--stdin", "-w", wave_file]
            ),
            text,
        )
