"""What the demo says, recorded in a natural voice.

The recordings are made anew by `python -m assistant.demo.story`, after `make piper` and
`assistant models pull piper-joe-medium`.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import soundfile

from assistant.core.config import config_files, load_config
from assistant.core.messages import SAMPLE_RATE_HZ
from assistant.core.models.manifest import Library
from audio.frames import at_rate
from audio.tts.piper import Piper
from audio.tts.voice import Voice

RECORDINGS = Path(__file__).parent / "recordings"
VOICE = "piper-joe-medium"
LOUDNESS = 0.5
"""The share of the voice's own loudness, which is all there is and would be clipped."""


class StoryLine(msgspec.Struct, frozen=True):
    """One thing said; `over` says it while the reply to the line before is still being spoken."""

    text: str
    over: bool = False
    answer: bool = False
    """Said in answer to a question, so without the wake word."""

    @property
    def spoken(self) -> str:
        """The words with the wake word, where one is due."""
        return self.text if self.answer else f"computer, {self.text}"

    @property
    def recording(self) -> Path:
        """The shipped recording."""
        return RECORDINGS / f"{self.text.replace(' ', '-').replace(chr(39), '')}.flac"


STORY = (
    StoryLine("what time is it"),
    StoryLine("turn on the kitchen light"),
    StoryLine("is the kitchen light on"),
    StoryLine("set a timer for five minutes"),
    StoryLine("set a pasta timer"),
    StoryLine("nine minutes", answer=True),
    StoryLine("how long is left on the pasta timer"),
    StoryLine("book a flight to paris"),
    StoryLine("what can you do"),
    StoryLine("stop", over=True),
    StoryLine("cancel all timers"),
)


def record(voice: Voice) -> None:
    """Make the shipped recordings anew."""
    RECORDINGS.mkdir(exist_ok=True)
    for line in STORY:
        spoken = voice.synthesise(line.spoken)
        quieter = (spoken.pcm * LOUDNESS).astype(np.int16)
        sound = at_rate(quieter, spoken.rate_hz, SAMPLE_RATE_HZ)
        soundfile.write(line.recording, sound, SAMPLE_RATE_HZ)


if __name__ == "__main__":
    record(Piper(Library(load_config(config_files(None))[0].models_dir), VOICE))
