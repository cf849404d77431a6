"""What a recogniser hears in a recording of the assistant's voice."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from audio.asr.pocketsphinx import PocketSphinxRecognizer
from audio.frames import frames_of
from nlu.sampling import spoken

DECOYS = (
    "Your egg timer has three minutes left.",
    "No, the bedroom light is off.",
    "There is no timer by that name.",
    "Good morning, it is going to rain today.",
)


def recognised(recording: Path, replies: list[str]) -> str:
    """Which of the replies a recogniser hears in the recording, in words."""
    cache = recording.parent / "asr"
    recogniser = PocketSphinxRecognizer([words(reply) for reply in replies], cache_dir=cache)
    recogniser.start()
    for frame in frames_of(recording):
        recogniser.feed(np.frombuffer(frame, np.int16))
    return recogniser.finish().text


def words(reply: str) -> str:
    """A reply as it is pronounced."""
    return spoken("".join(c for c in reply.lower() if c.isalnum() or c in " ':"))
