"""The real ear with few sentences, for what is said aloud to the skills."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from assistant.core.messages import Transcript
from assistant.core.speakable import always
from assistant.evaluation.commands import transcribe
from audio.asr.pocketsphinx import PocketSphinxRecognizer
from audio.asr.stage import AsrStage
from tests.support.voices import silence, speech


def ear_of(sentences: Sequence[str], cache: Path) -> Callable[[str], Transcript]:
    """A function that says a text by flite and gives what the ear makes of it."""
    stage = AsrStage(PocketSphinxRecognizer(always(sentences), cache_dir=cache))

    def heard(text: str) -> Transcript:
        frames = (*silence(0.3), *speech(text), *silence(0.3))
        return transcribe(stage, np.frombuffer(b"".join(frames), np.int16))[0]

    return heard
