"""What the demo says, and its sound: flite's voice, or recordings of it that are shipped."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import soundfile

from assistant.core.errors import SpeakingError
from audio.frames import frames_of
from audio.tts.flite import PATIENCE_S, Flite

RECORDINGS = Path(__file__).parent / "recordings"
VOICE = "slt"


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


def sound(line: StoryLine, folder: Path) -> Iterator[bytes]:
    """The line's frames: spoken now by flite, into `folder`, else as recorded."""
    try:
        file = spoken(line, folder)
    except SpeakingError:
        file = line.recording
    return frames_of(file)


def spoken(line: StoryLine, folder: Path) -> Path:
    """A new recording of `line`; raises `SpeakingError` where there is no flite."""
    samples = Flite(VOICE, PATIENCE_S).synthesise(line.spoken)
    file = folder / line.recording.name
    soundfile.write(file, samples.pcm, samples.rate_hz)
    return file


def record() -> None:
    """Make the shipped recordings anew: `python -m assistant.demo.story`."""
    RECORDINGS.mkdir(exist_ok=True)
    for line in STORY:
        spoken(line, RECORDINGS)


if __name__ == "__main__":
    record()
