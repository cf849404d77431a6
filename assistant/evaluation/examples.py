"""Sentences of every intent in synthetic voices: whether all that is understood is heard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from pathlib import Path

import numpy as np
import soundfile

from assistant.evaluation.clips import Clip, SentenceLabel
from audio.tts.flite import Flite
from nlu.text.canonical import canonical

_QUIET_S = 0.3
"""Seconds of silence before and after a sentence, as after a wake word."""


def spoken_examples(
    examples: Mapping[str, Sequence[str]], each: int, voices: Sequence[str], folder: Path
) -> list[Clip[SentenceLabel]]:
    """Up to `each` sentences of every intent, recorded into `folder` by flite's voices in turn.

    They are spread from an intent's plainest sentence to its longest. Raises `SpeakingError` where
    there is no flite.
    """
    speakers = {voice: Flite(voice) for voice in voices}
    turn = cycle(voices)
    clips = []
    for intent, sentences in examples.items():
        for number, text in enumerate(_spread(sentences, each)):
            voice = next(turn)
            sound = speakers[voice].synthesise(text)
            path = folder / f"{intent}-{number}.wav"
            quiet = round(_QUIET_S * sound.rate_hz)
            soundfile.write(path, np.pad(sound.pcm, quiet), sound.rate_hz)
            clips.append(Clip(path, SentenceLabel(text, voice)))
    return clips


def _spread(sentences: Sequence[str], each: int) -> list[str]:
    """`each` different sentences at even distances, the first among them."""
    different = list({canonical(sentence).text: sentence for sentence in sentences}.values())
    step = max(1.0, len(different) / each)
    return [different[int(n * step)] for n in range(min(each, len(different)))]
