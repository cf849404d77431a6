"""What a recogniser hears in a recording of the assistant's voice."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from rapidfuzz import process

from assistant.core.speakable import always
from audio.asr.pocketsphinx import PocketSphinxRecognizer
from audio.frames import frames_of
from nlu.speakable.spoken import spoken

DECOYS = (
    "Your egg timer has three minutes left.",
    "No, the bedroom light is off.",
    "There is no timer by that name.",
    "Good morning, it is going to rain today.",
)


_ALIKE = 75
"""Of 100: what is heard may skip words where a reply repeats itself, as a date says "twenty"."""


def recognised(recording: Path, replies: list[str]) -> str:
    """Which of the replies a recogniser hears in the recording, in words; "" when none."""
    cache = recording.parent / "asr"
    recogniser = PocketSphinxRecognizer(
        always([words(reply) for reply in replies]), cache_dir=cache
    )
    recogniser.start()
    for frame in frames_of(recording):
        recogniser.feed(np.frombuffer(frame, np.int16))
    heard = process.extractOne(
        recogniser.finish().text, [words(reply) for reply in replies], score_cutoff=_ALIKE
    )
    return heard[0] if heard else ""


def words(reply: str) -> str:
    """A reply as it is pronounced."""
    return spoken("".join(c for c in reply.lower() if c.isalnum() or c in " ':"))
