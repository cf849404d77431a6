"""Wake words that are listened for in the sound of peers, each with an engine of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence

import numpy as np
from wyoming.audio import AudioChunk
from wyoming.event import Event
from wyoming.wake import Detection, NotDetected

from assistant.core.errors import ConfigError, RoomsError, WakeWordError
from assistant.core.messages import SAMPLE_RATE_HZ
from assistant.core.settings.hearing import WakeSettings
from audio.frames import FRAME_BYTES, FRAME_SAMPLES, Reblock
from audio.wake.engine import WakeWordEngine
from audio.wake.engines import check, engines_for
from audio.wake.joined import JoinedEngines

AT_ONCE = 5
"""Most peers that wake words are listened for at a time.

An engine is made in 1 to 40 ms, within the loop. With five of them the service takes 67 MB for
"computer" in place of 61, and 110 MB for a keyword of each of Porcupine, microWakeWord and
PocketSphinx together (2-core x86 virtual machine, 2026-11-27); its unit may have 192.
"""


class WakeWords:
    """The keywords of the settings that an engine knows by itself, and who listens for them.

    What was enrolled lies where no service for others may read. Raises `ConfigError` for settings
    that cannot be.
    """

    def __init__(self, settings: WakeSettings) -> None:
        check(settings)
        self._engine = settings.engine
        self.keywords: Mapping[str, float] = {
            keyword: sensitivity
            for keyword, sensitivity in settings.keywords.items()
            if self._knows(keyword, sensitivity)
        }
        """Keyword → sensitivity."""
        self._listening = 0

    def listen(self, names: Sequence[str]) -> Listening:
        """Begin to listen for keywords, for all of them where none is named; close what is given.

        Raises `RoomsError` for other names, and where too many listen.
        """
        unknown = [name for name in names if name not in self.keywords]
        if unknown or not self.keywords:
            known = ", ".join(self.keywords) or "none"
            raise RoomsError("rooms.wake_word", f"the wake words that are heard here: {known}")
        return Listening(self.engine(names), self.release)

    def engine(self, names: Sequence[str] = ()) -> WakeWordEngine:
        """An engine for keywords, all of them where none is named; `release` it when it is closed.

        Raises `RoomsError` where too many listen.
        """
        if self._listening >= AT_ONCE:
            raise RoomsError("rooms.busy", f"wake words are heard for {AT_ONCE} at a time")
        wanted = {name: self.keywords[name] for name in names or self.keywords}
        try:
            engine = JoinedEngines(engines_for(self._engine, wanted))
        except (ConfigError, WakeWordError) as error:
            raise RoomsError("rooms.wake", error.message) from error
        self._listening += 1
        return engine

    def release(self) -> None:
        """Note that an engine was closed."""
        self._listening -= 1

    def _knows(self, keyword: str, sensitivity: float) -> bool:
        try:
            engines = engines_for(self._engine, {keyword: sensitivity})
        except (ConfigError, WakeWordError):
            return False
        for engine in engines:
            engine.close()
        return True


class Listening:
    """Listens with one engine to the sound of one peer; `closed` is called at the end."""

    def __init__(self, engine: WakeWordEngine, closed: Callable[[], None]) -> None:
        self._engine, self._closed = engine, closed
        self._frames: Reblock | None = None
        self._heard_samples = 0
        self._detected = False

    def begin(self) -> None:
        """Take what comes for the beginning of a sound."""
        self._frames = Reblock(FRAME_BYTES)
        self._heard_samples = 0
        self._detected = False

    async def take(self, chunk: AudioChunk) -> AsyncIterator[Event]:
        """The detections in the next part of a sound, with the part's time in ms.

        Where it has none, it is counted from the beginning. Raises `RoomsError` for an engine that
        fails.
        """
        for frame in self._frames.push(chunk.audio) if self._frames is not None else ():
            self._heard_samples += FRAME_SAMPLES
            try:
                keyword = self._engine.process(np.frombuffer(frame, np.int16))
            except WakeWordError as error:
                raise RoomsError("rooms.wake", error.message) from error
            if keyword is not None:
                self._detected = True
                at_ms = chunk.timestamp
                if at_ms is None:
                    at_ms = 1000 * self._heard_samples // SAMPLE_RATE_HZ
                yield Detection(keyword, at_ms).event()
            await asyncio.sleep(0)  # up to a millisecond is gone, and others are to be heard, too

    def end(self) -> Event | None:
        """What is told at the end of a sound."""
        ended, self._frames = self._frames is not None, None
        return NotDetected().event() if ended and not self._detected else None

    def close(self) -> None:
        """Release the engine."""
        self._engine.close()
        self._closed()
