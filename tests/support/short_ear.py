"""The real ear with few sentences and short forms, for what is said aloud to the skills."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from assistant.core.messages import Transcript
from assistant.core.speakable import Speakable, SpeakableSource
from assistant.evaluation.commands import transcribe
from audio.asr.pocketsphinx import PocketSphinxRecognizer
from audio.asr.stage import AsrStage
from tests.audio.asr.test_short_forms import CALIBRATION
from tests.support.voices import silence, speech


def ear_of(
    sentences: Sequence[str], forms: Sequence[str], cache: Path
) -> Callable[[str], Transcript]:
    """A function that says a text by flite and gives what the ear makes of it."""
    said = Speakable(sentences=dict.fromkeys(sentences, 1.0), short=dict.fromkeys(forms, 1.0))
    source = SpeakableSource("few sentences", lambda: said)
    stage = AsrStage(PocketSphinxRecognizer(source, cache_dir=cache, short_forms=CALIBRATION))

    def heard(text: str) -> Transcript:
        frames = (*silence(0.3), *speech(text), *silence(0.3))
        return transcribe(stage, np.frombuffer(b"".join(frames), np.int16))[0]

    return heard
