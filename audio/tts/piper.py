"""Piper: a natural voice, after it was pulled (`assistant models pull piper-ljspeech-medium`)."""

from __future__ import annotations

import importlib.util
import json

import numpy as np

from assistant.core.errors import ModelError, SpeakingError
from assistant.core.models.manifest import Library
from audio.tts.voice import Samples, trim

MODEL, SETTINGS = "voice.onnx", "voice.onnx.json"
THREADS = 2


class Piper:
    """Speaks with the pulled voice `name`, or with the first one that is there for ""."""

    def __init__(self, library: Library, name: str = "") -> None:
        self.name = "piper"
        voice = _chosen(library, name)
        if importlib.util.find_spec("piper") is None:
            message = (
                "piper is not installed; run: make piper"
                " (for the service: sudo make -C /opt/hark piper)"
            )
            raise SpeakingError("voice.missing", message)
        # Here, because most devices have no Piper voice and need not load onnxruntime to speak.
        from piper import PiperConfig, PiperVoice

        from assistant.core.models.session import session_of

        content = library.read(voice)
        session = session_of(library, voice, MODEL, content, THREADS)
        try:
            config = PiperConfig.from_dict(json.loads(content[SETTINGS]))
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            message = f"{voice}: {SETTINGS}: {type(error).__name__}: {error}"
            raise ModelError("model.unusable", message) from error
        self._voice = PiperVoice(session=session, config=config)

    def synthesise(self, text: str) -> Samples:
        """The sound of `text` at the voice's rate; raises `SpeakingError`."""
        # Piper reads text in double brackets as phonemes.
        plain = text.replace("[[", " ").replace("]]", " ")
        try:
            chunks = [chunk.audio_int16_array for chunk in self._voice.synthesize(plain)]
        except (RuntimeError, ValueError, KeyError) as error:
            message = f"piper failed with {type(error).__name__}"
            raise SpeakingError("voice.failed", message) from error
        if not chunks:
            raise SpeakingError("voice.no_words", "there is no word in what should be spoken")
        return trim(Samples(np.concatenate(chunks), self._voice.config.sample_rate))


def _chosen(library: Library, name: str) -> str:
    """The artefact of that name, or the first voice that is present; raises `SpeakingError`."""
    voices = [n for n, artefact in library.artefacts.items() if artefact.kind == "voice"]
    if name and name not in voices:
        message = f'no piper voice is called "{name}"; there are: {", ".join(voices)}'
        raise SpeakingError("voice.unknown", message)
    for voice in [name] if name else voices:
        if library.present(voice):
            return voice
    missing = name or voices[0]
    message = f"no piper voice is here; run: assistant models pull {missing}"
    raise SpeakingError("voice.missing", message)
