"""The assistant's own voice, so that it neither wakes on it nor takes it for the user's.

Playback tells of every sound just as its first sample leaves, which is before the microphone can
hear it. The same engines that listen to the microphone listen to it too, ahead of time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from audio.frames import FRAME_BYTES, FRAME_S, SILENCE, Reblock, Samples
from audio.wake.engine import WakeWordEngine

# An engine notices a word up to 0.6 s after its end, and not at the same moment in the echo.
COINCIDENCE_S = 0.7
FLUSH_FRAMES = 20
FRAMES_A_STEP = 8
FORGET_AFTER_S = 10.0
ECHO_S = 0.1


class _Noticed(NamedTuple):
    at_s: float
    keyword: str


class OwnVoice:
    """Follows what is played with `engines`; a word is looked for `grace_s` longer."""

    def __init__(self, engines: Sequence[WakeWordEngine] = (), grace_s: float = 0.3) -> None:
        self._engines = engines
        self._grace_s = grace_s
        self._ahead: deque[tuple[float, bytes]] = deque()
        self._noticed: deque[_Noticed] = deque()
        self._sounds: deque[tuple[float, float]] = deque(maxlen=64)

    def plays(self, samples: Samples, start_s: float) -> None:
        """From `start_s` on, `samples` (16 kHz mono) come from the loudspeaker."""
        self._sounds.append((start_s, start_s + len(samples) * FRAME_S / (FRAME_BYTES // 2)))
        blocks = Reblock(FRAME_BYTES)
        frames = [*blocks.push(samples.tobytes()), *blocks.flush(), *[SILENCE] * FLUSH_FRAMES]
        self._ahead.extend((start_s + (n + 1) * FRAME_S, f) for n, f in enumerate(frames))

    def stops(self, at_s: float) -> None:
        """Playback was cut off at `at_s`: what should have come later does not sound."""
        self._ahead.clear()
        self._sounds = deque(
            ((start_s, min(end_s, at_s)) for start_s, end_s in self._sounds if start_s < at_s),
            maxlen=self._sounds.maxlen,
        )
        self._noticed = deque(n for n in self._noticed if n.at_s < at_s + COINCIDENCE_S)

    def step(self, now_s: float) -> None:
        """Listen some frames further ahead; called once a microphone frame."""
        for _ in range(min(FRAMES_A_STEP, len(self._ahead))):
            at_s, samples = self._ahead.popleft()
            frame = np.frombuffer(samples, np.int16)
            for engine in self._engines:
                keyword = engine.process(frame)
                if keyword is not None:
                    self._noticed.append(_Noticed(at_s, keyword))
        while self._noticed and self._noticed[0].at_s < now_s - FORGET_AFTER_S:
            self._noticed.popleft()

    def said(self, keyword: str, at_s: float) -> bool:
        """Whether `keyword`, noticed in the microphone at `at_s`, is an echo."""
        late_s = COINCIDENCE_S + self._grace_s
        return any(
            noticed.keyword == keyword and -COINCIDENCE_S <= at_s - noticed.at_s <= late_s
            for noticed in self._noticed
        )

    def sounds(self, at_s: float) -> bool:
        """Whether something is or just was being played at `at_s`."""
        return any(start_s <= at_s <= end_s + ECHO_S for start_s, end_s in self._sounds)
